package check_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"tally/lib/archive/objects"
	"tally/lib/pages/check"
)

// folder reads a site in a map.
type folder struct{ fstest.MapFS }

var errBroken = errors.New("broken")

// Get implements follow.Source.
func (f folder) Get(_ context.Context, path string) ([]byte, error) {
	if path == "broken" {
		return nil, errBroken
	}
	data, err := fs.ReadFile(f.MapFS, path)
	if errors.Is(err, fs.ErrNotExist) {
		err = objects.ErrNotFound
	}
	return data, err
}

func site(contents map[string]string) fstest.MapFS {
	made := fstest.MapFS{}
	for name, text := range contents {
		made[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return made
}

// TestCompare names what differs, and what is there beside it. Proofs that hold are
// compared by the scripts of cmd/tally.
func TestCompare(t *testing.T) {
	made := site(map[string]string{"cursor.json": "1", "index.html": "a", "en/index.html": "b", "results/index.json": "c", "results/war/index.json": "d", "assets/a.1.css": "e"})
	other := site(map[string]string{"cursor.json": "2", "index.html": "a", "en/index.html": "B", "results/index.json": "C", "assets/a.0.css": "f", "assets/a.1.css": "e",
		"log/checkpoint": "g", "extra.html": "h"})
	told := int64(0)
	o := check.Options{Parallel: 3, Progress: func(_, all int64) { told = all }}
	files, list, err := check.Compare(t.Context(), made, folder{other}, o)
	if want := "[{en/index.html other} {results/index.json other} {results/war/index.json missing}]"; err != nil || fmt.Sprint(list) != want || files != 5 || told != 5 {
		t.Errorf("%d files, %v, %v, want %s", files, list, err, want)
	}
	extra, err := o.Extra(made, other)
	if err != nil || fmt.Sprint(extra) != "[{extra.html unwanted}]" {
		t.Errorf("%v, %v", extra, err)
	}
	o.ResultsOnly = true
	files, list, err = check.Compare(t.Context(), made, folder{other}, o)
	if err != nil || files != 2 || len(list) != 2 {
		t.Errorf("%d files, %v, %v", files, list, err)
	}
	if _, list, err := check.Compare(t.Context(), made, folder{made}, check.Options{}); err != nil || len(list) > 0 {
		t.Errorf("a site differs from itself: %v, %v", list, err)
	}
}

// TestCompareFails tells a site that can't be read from one that differs.
func TestCompareFails(t *testing.T) {
	if _, _, err := check.Compare(t.Context(), site(map[string]string{"broken": "x"}), folder{}, check.Options{}); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
	if _, _, err := check.Compare(t.Context(), site(map[string]string{"a.tlog-proof": "no proof"}), folder{site(map[string]string{"a.tlog-proof": "another"})}, check.Options{}); err == nil {
		t.Error("what was made from the log has a proof that is none")
	}
}
