package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"testing"
)

func TestDescribeBuild(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8"}
	if got, want := describe(info), "tally "+release+", go1.26.8"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: "918041a"}, {Key: "vcs.modified", Value: "true"}}
	if got, want := describe(info), "tally "+release+", commit 918041a with changes, go1.26.8"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The changelog's newest version is the one that tally says it is.
func TestRelease(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)$`).FindSubmatch(text)
	if newest == nil || string(newest[1]) != release {
		t.Errorf("the newest version of CHANGELOG.md is %q, tally version says %q", newest, release)
	}
}
