package main

import (
	"runtime/debug"
	"testing"
)

func TestDescribeBuild(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8"}
	if got, want := describe(info), "tally (devel), go1.26.8"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	info.Main.Version = "v1.2.3"
	info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: "918041a"}, {Key: "vcs.modified", Value: "true"}}
	if got, want := describe(info), "tally v1.2.3, commit 918041a with changes, go1.26.8"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
