package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"tally/lib/archive/objects"
	"tally/lib/archive/verify"
	"tally/lib/site/build"
	"tally/lib/site/check"
)

// siteReport is what the comparison of a site with its log came to.
type siteReport struct {
	Origin string `json:"origin"`
	Log    int64  `json:"log"`  // entries in the log
	Size   int64  `json:"size"` // entries in the site
	// Working says that someone is at work on the site: some of its files may be
	// newer than others.
	Working     bool            `json:"working"`
	Files       int             `json:"files"`
	Differences []check.Finding `json:"differences"` // by the names of the files
}

// refused says why the site is not what the log says, if it is not.
func (r *siteReport) refused(allowBehind int64) error {
	var reasons []string
	if n := len(r.Differences); n > 0 {
		reasons = append(reasons, fmt.Sprintf("the site is not what the log says: %s, by name the first is %s", several(n, "file differs", "files differ"), printable(r.Differences[0].File)))
	}
	if behind := r.Log - r.Size; behind > allowBehind {
		reasons = append(reasons, fmt.Sprintf("the site is behind the log: it lacks the newest %s of %d; bring it up to the log, or allow it with --allow-behind", several(int(behind), "entry", "entries"), r.Log))
	}
	if len(reasons) == 0 {
		return nil
	}
	return &refusedError{code: siteDiffers, what: strings.Join(reasons, "\n")}
}

// compare makes the site aside and compares another one with it.
func (f *pagesFlags) compare(ctx context.Context, app *app, options verify.Params) error {
	there, err := app.openLog(ctx, f.check)
	if err != nil {
		return failed("opening the site", err)
	}
	report, err := f.status(ctx, untrusted{from: there}, options)
	if err != nil {
		return err
	}
	aside, err := os.MkdirTemp("", "tally-site-")
	if err != nil {
		return failed("comparing the site", err)
	}
	defer func() { _ = os.RemoveAll(aside) }() // it is temporary
	if err := f.makeAside(ctx, app, options, aside, report); err != nil {
		return err
	}
	if report.Size > report.Log {
		return &refusedError{
			code: exitCodes[verify.Consistency],
			what: fmt.Sprintf("the site has %d entries, the log has %d: it was set back, or is another one", report.Size, report.Log),
		}
	}
	bar := &bar{app: app, start: time.Now(), what: "files"}
	what := check.Options{Origin: options.Origin, Known: options.Known, ResultsOnly: f.results, Current: report.Size == report.Log && !report.Working,
		Parallel: options.Parallel, Progress: bar.show}
	var different []check.Finding
	report.Files, different, err = check.Compare(ctx, os.DirFS(aside), untrusted{from: there}, what)
	bar.erase()
	if err != nil {
		return failed("comparing the site", err)
	}
	if isFolder(f.check) {
		extra, err := what.Extra(os.DirFS(aside), os.DirFS(f.check))
		if err != nil {
			return failed("comparing the site", err)
		}
		different = append(different, extra...)
		check.Sort(different)
	}
	report.Differences = append(report.Differences, different...)
	return f.tell(app, report)
}

// status reads how far the site has come.
func (f *pagesFlags) status(ctx context.Context, there build.Source, options verify.Params) (*siteReport, error) {
	text, err := there.Get(ctx, build.CursorPath)
	if errors.Is(err, objects.ErrNotFound) {
		return nil, failed("comparing the site", fmt.Errorf("%s is no site: it has no %s", f.check, build.CursorPath))
	}
	if err != nil {
		return nil, failed("comparing the site", err)
	}
	at, err := build.ReadStatus(text)
	if err != nil {
		return nil, failed("comparing the site", err)
	}
	if at.Origin != options.Origin {
		return nil, &refusedError{
			code: exitCodes[verify.Consistency],
			what: fmt.Sprintf("the site is that of %s, not of %s", printable(at.Origin), options.Origin),
		}
	}
	return &siteReport{Origin: options.Origin, Size: at.Size, Working: at.Working, Differences: []check.Finding{}}, nil
}

// makeAside makes the site that the log comes to, as far as the other one has come.
func (f *pagesFlags) makeAside(ctx context.Context, app *app, options verify.Params, aside string, report *siteReport) error {
	folder, err := objects.OpenScratch(aside)
	if err != nil {
		return failed("making the site", err)
	}
	defer func() { _ = folder.Close() }() // each file was closed by itself
	follower, bar, err := f.follower(ctx, app, options, folder)
	if err != nil {
		return err
	}
	follower.Until = &report.Size
	seen := &lagging{}
	follower.Record = seen
	result, err := follower.Run(ctx)
	bar.erase()
	if err != nil {
		return siteFault("making the site", err)
	}
	report.Log = result.Size + seen.behind
	return nil
}

// lagging keeps how far a follower is behind its log.
type lagging struct {
	mismatchCount
	behind int64
}

// Behind implements follow.Recorder.
func (l *lagging) Behind(entries int64) { l.behind = entries }

// mostTold is how many files that differ are listed for people.
const mostTold = 20

// tell says what the comparison came to.
func (f *pagesFlags) tell(app *app, r *siteReport) error {
	refused := r.refused(f.allowBehind)
	if f.asJSON {
		return errors.Join(writeJSON(app.out, r), refused)
	}
	text := fmt.Appendf(nil, "log         %s, %s\nsite        that of the first %s\n", r.Origin, several(int(r.Log), "entry", "entries"), several(int(r.Size), "entry", "entries"))
	for _, d := range r.Differences[:min(len(r.Differences), mostTold)] {
		text = fmt.Appendf(text, "%-12s%s\n", toldAs[d.What], printable(d.File))
	}
	switch {
	case len(r.Differences) > mostTold:
		text = fmt.Appendf(text, "            and %d more: --json lists all\n", len(r.Differences)-mostTold)
	case len(r.Differences) == 0 && r.Size < r.Log:
		text = fmt.Appendf(text, "files       all %d are what the log said at %s\n", r.Files, several(int(r.Size), "entry", "entries"))
	case len(r.Differences) == 0:
		text = fmt.Appendf(text, "files       all %d are what the log says\n", r.Files)
	}
	if r.Working && refused != nil {
		text = fmt.Append(text, "            Someone is at work on the site: files that were written just now differ. Try again.\n")
	}
	return errors.Join(write(app.out, text), refused)
}

// toldAs says for people what is wrong with a file.
var toldAs = map[check.Kind]string{check.Missing: "MISSING", check.Other: "OTHER", check.Unwanted: "UNWANTED", check.NoProof: "NO PROOF"}

// jsonLine returns a value as a line of JSON.
func jsonLine(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	return append(text, '\n'), err
}
