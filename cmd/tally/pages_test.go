package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/site/check"
)

// TestServe builds a site beside its log, serves both, and compares the site as it
// is served with the log as it is served.
func TestServe(t *testing.T) {
	s := archivetest.PlayAll(t)
	folder := t.TempDir()
	log, site := filepath.Join(folder, logFolder), filepath.Join(folder, siteFolder)
	archivetest.WriteFiles(t, log, s.Files.Files())
	var out bytes.Buffer
	if code := run([]string{"pages", "build", "--log", log, "--key", s.VerifierKey, "--to", site}, &app{out: &out, err: &out, getenv: os.Getenv}); code != exitDone {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	served := make(chan error)
	go func() {
		err := (&app{out: writer}).serveSite(ctx, "127.0.0.1:0", folder, "")
		served <- errors.Join(err, writer.Close())
	}()
	url, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	url = strings.TrimSuffix(url, "/\n")
	out.Reset()
	code := run([]string{"pages", "build", "--log", url + "/log", "--key", s.VerifierKey, "--check", url}, &app{out: &out, err: &out, getenv: os.Getenv})
	if code != exitDone || !strings.Contains(out.String(), "are what the log says") {
		t.Errorf("exit code %d: %s", code, out.String())
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(request); err == nil {
		t.Errorf("after its end it answers %s", response.Status)
		_ = response.Body.Close()
	}
}

// TestToldAs has words for every kind of difference.
func TestToldAs(t *testing.T) {
	for _, kind := range []check.Kind{check.Missing, check.Other, check.Unwanted, check.NoProof} {
		t.Run(string(kind), func(t *testing.T) {
			if toldAs[kind] == "" {
				t.Errorf("nothing is said of %s", kind)
			}
		})
	}
}

// TestEmptied removes what a demo has left, and nothing else.
func TestEmptied(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "demo")
	if err := emptied(folder); err != nil {
		t.Fatal(err)
	}
	archivetest.WriteFiles(t, folder, map[string]fakeobjects.Object{"log/checkpoint": {}, "log.key": {}, "site/index.html": {}})
	if err := emptied(folder); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
	archivetest.WriteFiles(t, folder, map[string]fakeobjects.Object{"log/checkpoint": {}, "thesis.txt": {}})
	if err := emptied(folder); err == nil {
		t.Error("a folder of something else was emptied")
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 2 {
		t.Errorf("%v is left, %v", entries, err)
	}
}
