// Package check compares a public site with the one that the log comes to: whether
// what people and machines read is what was logged.
package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/sync/errgroup"

	"tally/lib/archive/objects"
	"tally/lib/archive/proof"
	"tally/lib/site/build"
	pages "tally/lib/site/pages"
)

// Finding is a file that is not as the log says.
type Finding struct {
	File string `json:"file"`
	What Kind   `json:"what"`
}

// Kind says what is wrong with a file.
type Kind string

// The kinds of findings.
const (
	Missing  Kind = "missing"
	Other    Kind = "other"    // it has other bytes
	Unwanted Kind = "unwanted" // the log says nothing of the kind
	NoProof  Kind = "no_proof" // it does not prove what it should
)

// Options say what to compare.
type Options struct {
	Origin string
	Known  note.Verifiers
	// ResultsOnly leaves out the pages for people, which another version of tally may
	// make otherwise.
	ResultsOnly bool
	// Current says that the site has come as far as the log, and that nobody works on
	// it: what it says of that must be right, too.
	Current  bool
	Parallel int
	// Progress gets how many of how many files are compared; nil for nobody.
	Progress func(done, all int64)
}

// results begins the names of files for machines.
const results = "results/"

// Made returns the names of the files of a site that was made from the log, as far
// as they are to be compared.
func (o Options) Made(made fs.FS) (names []string, err error) {
	err = fs.WalkDir(made, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == build.CursorPath && !o.Current || o.ResultsOnly && !strings.HasPrefix(name, results) {
			return err
		}
		names = append(names, name)
		return nil
	})
	return names, err
}

// Compare compares a site with one that was made from the log. It returns how many
// files there are to compare, and those that differ, by their names.
func Compare(ctx context.Context, made fs.FS, site build.Source, o Options) (files int, list []Finding, err error) {
	names, err := o.Made(made)
	if err != nil {
		return 0, nil, fmt.Errorf("reading what was made from the log: %w", err)
	}
	var mutex sync.Mutex
	var done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, o.Parallel))
	for _, name := range names {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err // what is not compared is not equal
			}
			what, err := o.compare(ctx, made, site, name)
			if err != nil {
				return err
			}
			mutex.Lock()
			defer mutex.Unlock()
			if what != "" {
				list = append(list, Finding{File: name, What: what})
			}
			if o.Progress != nil {
				o.Progress(done.Add(1), int64(len(names)))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return len(names), nil, err
	}
	Sort(list)
	return len(names), list, nil
}

// Sort brings differences into the order of their files' names, byte by byte.
func Sort(list []Finding) {
	slices.SortFunc(list, func(a, b Finding) int { return strings.Compare(a.File, b.File) })
}

// compare compares one file; it returns nothing for one that is as it should be.
func (o Options) compare(ctx context.Context, made fs.FS, site build.Source, name string) (Kind, error) {
	want, err := fs.ReadFile(made, name)
	if err != nil {
		return "", fmt.Errorf("reading what was made from the log: %w", err)
	}
	got, err := site.Get(ctx, name)
	switch {
	case errors.Is(err, objects.ErrNotFound):
		return Missing, nil
	case err != nil:
		return "", fmt.Errorf("reading %s of the site: %w", name, err)
	case bytes.Equal(got, want):
		return "", nil
	case !strings.HasSuffix(name, ".tlog-proof"):
		return Other, nil
	}
	// There is a right proof of an entry under each checkpoint.
	p, err := proof.Parse(want)
	if err != nil {
		return "", fmt.Errorf("reading what was made from the log: %w", err)
	}
	if !build.Proves(got, p.Data, p.Index, o.Origin, o.Known) {
		return NoProof, nil
	}
	return "", nil
}

// Extra returns the files of a site in a folder that the log says nothing of.
// Assets of other versions may be there, under the names that their contents give
// them, and the log.
func (o Options) Extra(made, site fs.FS) (list []Finding, err error) {
	names, err := o.Made(made)
	if err != nil {
		return nil, fmt.Errorf("reading what was made from the log: %w", err)
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	there, err := o.Made(site)
	if err != nil {
		return nil, fmt.Errorf("reading the site: %w", err)
	}
	for _, name := range there {
		if known[name] || strings.HasPrefix(name, "log/") {
			continue
		}
		data, err := fs.ReadFile(site, name)
		if err != nil {
			return nil, fmt.Errorf("reading the site: %w", err)
		}
		if !pages.IsAsset(name, data) {
			list = append(list, Finding{File: name, What: Unwanted})
		}
	}
	return list, nil
}
