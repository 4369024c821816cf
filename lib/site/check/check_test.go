package check_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"testing"
	"testing/fstest"

	"tally/lib/archive/objects"
	"tally/lib/site/check"
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

// asset is the path of an asset with the content "f".
const asset = "assets/a.252f10c83610ebca.css"

// TestCompare names what differs in one way each. Proofs that hold are compared by
// the scripts of cmd/tally.
func TestCompare(t *testing.T) {
	made := map[string]string{"cursor.json": "1", "index.html": "a", "en/index.html": "b", "results/index.json": "c", "results/war/index.json": "d", asset: "f"}
	for _, test := range []struct {
		name    string
		changed map[string]string // empty for a file that is taken away
		options check.Options
		want    string
	}{
		{name: "the same", want: "[]"},
		{name: "a page that is missing", changed: map[string]string{"en/index.html": ""}, want: "[{en/index.html missing}]"},
		{name: "a page that was changed", changed: map[string]string{"index.html": "A"}, want: "[{index.html other}]"},
		{name: "a page more", changed: map[string]string{"extra.html": "h"}, want: "[{extra.html unwanted}]"},
		{name: "a file for machines that is missing", changed: map[string]string{"results/index.json": ""}, want: "[{results/index.json missing}]"},
		{name: "a file for machines that was changed", changed: map[string]string{"results/index.json": "C"}, want: "[{results/index.json other}]"},
		{name: "a file for machines more", changed: map[string]string{"results/keno/index.json": "h"}, want: "[{results/keno/index.json unwanted}]"},
		{name: "an asset that was changed", changed: map[string]string{asset: "g"}, want: "[{" + asset + " other}]"},
		{name: "an asset that is missing", changed: map[string]string{asset: ""}, want: "[{" + asset + " missing}]"},
		{name: "an asset of another version", changed: map[string]string{"assets/b.252f10c83610ebca.css": "f"}, want: "[]"},
		{name: "a file among the assets that is none", changed: map[string]string{"assets/b.252f10c83610ebca.css": "g", "assets/c.css": "f"},
			want: "[{assets/b.252f10c83610ebca.css unwanted} {assets/c.css unwanted}]"},
		{name: "the log beside it", changed: map[string]string{"log/checkpoint": "g"}, want: "[]"},
		{name: "many, in the order of their names", changed: map[string]string{"results/war/index.json": "D", "en/index.html": "", "en/a.html": "h", "index.html": "A"},
			want: "[{en/a.html unwanted} {en/index.html missing} {index.html other} {results/war/index.json other}]"},
		{name: "pages, when only what is for machines counts", changed: map[string]string{"en/index.html": "", "index.html": "A", "extra.html": "h", "results/index.json": "C"},
			options: check.Options{ResultsOnly: true}, want: "[{results/index.json other}]"},
		{name: "a cursor that is on its way", changed: map[string]string{"cursor.json": "2"}, want: "[]"},
		{name: "a cursor that has come to the end", changed: map[string]string{"cursor.json": "2"}, options: check.Options{Current: true}, want: "[{cursor.json other}]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			there := maps.Clone(made)
			for name, text := range test.changed {
				if there[name] = text; text == "" {
					delete(there, name)
				}
			}
			verified := int64(0)
			test.options.Progress = func(_, all int64) { verified = all }
			files, list, err := check.Compare(t.Context(), site(made), folder{site(there)}, test.options)
			if err != nil || verified != int64(files) {
				t.Fatalf("%d files, %d told, %v", files, verified, err)
			}
			extra, err := test.options.Extra(site(made), site(there))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, extra...)
			check.Sort(list)
			if got := fmt.Sprint(list); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
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

// TestOutOfTime: what there was no time to compare is not equal.
func TestOutOfTime(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	made := fstest.MapFS{"index.html": {Data: []byte("a")}}
	if _, differences, err := check.Compare(ctx, made, forgetful{}, check.Options{Parallel: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a comparison without time finds %v and ends with %v, not with %v", differences, err, context.Canceled)
	}
}

// forgetful has every file, and does not look at the time.
type forgetful struct{}

func (forgetful) Get(context.Context, string) ([]byte, error) { return []byte("a"), nil }
