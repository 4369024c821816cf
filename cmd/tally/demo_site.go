//go:build !auditor

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tally/internal/pretty"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
	"tally/lib/site/check"
)

// demoNames are what a demo leaves in its folder: the log, the key that signed it,
// the site, and the proof of a bet.
var demoNames = []string{logFolder, logFolder + ".key", siteFolder, proofFile}

// emptied empties the folder that an earlier demo has left. One that has anything
// else in it stays as it is.
func emptied(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if !slices.Contains(demoNames, entry.Name()) {
			return fmt.Errorf("%s has %s in it, which no demo has left there: name another folder with --keep", folder, entry.Name())
		}
	}
	for _, name := range demoNames {
		if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return os.MkdirAll(folder, 0o755)
}

// publicSite has the site made from the log, as the schedule would, and then makes
// it a second time and compares the two.
func (d *demoDay) publicSite(ctx context.Context) (demoFinding, error) {
	f := pagesFlags{logFlags: logFlags{keys: []string{filepath.Join(d.log, tiles.KeysPath)}}, log: d.log}
	options, err := f.options()
	if err != nil {
		return demoFinding{}, err
	}
	aside, err := os.MkdirTemp("", "tally-site-")
	if err != nil {
		return demoFinding{}, err
	}
	defer func() { _ = os.RemoveAll(aside) }() // it is temporary
	there, err := verify.Open(d.stack.SiteFolder)
	if err != nil {
		return demoFinding{}, err
	}
	report, err := d.followed(ctx, options, func() (*siteReport, error) { return f.status(ctx, untrusted{from: there}, options) })
	if err != nil {
		return demoFinding{}, err
	}
	if err := f.makeAside(ctx, &app{err: d.show.out}, options, aside, report); err != nil {
		return demoFinding{}, err
	}
	files, differences, err := check.Compare(ctx, os.DirFS(aside), untrusted{from: there},
		check.Options{Origin: options.Origin, Known: options.Known, Parallel: options.Parallel})
	if err != nil {
		return demoFinding{}, err
	}
	finding := demoFinding{what: fmt.Sprintf("the public site is what the log says: its %d files come out the same when they are made again, from the log alone", files)}
	for _, difference := range differences {
		finding.wrong = append(finding.wrong, fmt.Sprintf("%s: %s", difference.File, difference.What))
	}
	if report.Size != report.Log {
		finding.wrong = append(finding.wrong, fmt.Sprintf("the site has %d of %d entries", report.Size, report.Log))
	}
	return finding, nil
}

// How often, and after which pause, the site is brought up to the log before it is compared
// as it is: for longer than a run of the schedule may take.
const (
	siteTries = 600
	sitePause = 250 * time.Millisecond
)

// followed brings the site up to the log. The schedule may do so at the same time: a run
// that is overtaken has nothing to do, and returns while the other is still writing.
func (d *demoDay) followed(ctx context.Context, options verify.Params, status func() (*siteReport, error)) (report *siteReport, err error) {
	signed, err := os.ReadFile(filepath.Join(d.log, checkpoint.Path))
	if err != nil {
		return nil, err
	}
	log, err := checkpoint.Open(signed, options.Origin, options.Known)
	if err != nil {
		return nil, err
	}
	for range siteTries {
		if err := d.stack.RunScheduled(ctx, "pages"); err != nil {
			return nil, err
		}
		if report, err = status(); err != nil || report.Size >= log.Tree.N && !report.Working {
			break
		}
		select {
		case <-time.After(sitePause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return report, err
}

// whereToLook says how to look at what stays.
func (d *demoDay) whereToLook() {
	if d.kept == "" {
		return
	}
	s := d.show
	key := filepath.Join(d.kept, logFolder, tiles.KeysPath)
	fmt.Fprintf(s.out, "\n%s\n", s.printer.Cell("Look at it", pretty.Bold))
	fmt.Fprintf(s.out, "  %s pages serve %s\n    and open http://%s/ for the results, drawn, each with a button that verifies it\n", called(), d.kept, serveAddress)
	fmt.Fprintf(s.out, "  %s verify %s \\\n    --key %s --state none\n", called(), filepath.Join(d.kept, logFolder), key)
	if proof := filepath.Join(d.kept, proofFile); exists(proof) {
		fmt.Fprintf(s.out, "  %s verify --proof %s \\\n    --key %s\n", called(), proof, key)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// called is how this program is called again from where it was: `go run` leaves
// no tally behind.
func called() string {
	if path, err := os.Executable(); err == nil && strings.Contains(path, "go-build") {
		return "go run ./cmd/tally"
	}
	if strings.ContainsRune(os.Args[0], filepath.Separator) {
		return os.Args[0]
	}
	return "tally"
}
