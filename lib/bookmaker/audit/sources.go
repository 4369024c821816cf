package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"tally/lib/archive/commitment"
	"tally/lib/archive/objects"
	"tally/lib/bookmaker/client"
	"tally/lib/draw/ids"
)

// linesOf splits a report into its lines.
func linesOf(text []byte) (lines [][]byte) {
	for line := range bytes.Lines(text) {
		lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	return lines
}

// API are a bookmaker's reports as tally's API answers them.
type API struct {
	client   *client.Client
	reports  map[StateID]*client.Report
	reported []StateID
}

var _ ReportSource = (*API)(nil)

// logWithin is how long after it was reported the log must have a settlement.
const logWithin = time.Hour

// FromAPI reads a bookmaker's feed, as far as tally keeps it.
func FromAPI(ctx context.Context, c *client.Client, now time.Time) (*API, error) {
	a := &API{client: c, reports: map[StateID]*client.Report{}}
	for report, err := range c.Reports(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("reading the feed: %w", err)
		}
		if report.Table != nil {
			continue // it is no report
		}
		id := StateID{Draw: report.Draw, State: report.State}
		a.reports[id] = report
		if at, err := time.Parse(time.RFC3339, report.At); err == nil && now.Sub(at) > logWithin {
			a.reported = append(a.reported, id)
		}
	}
	return a, nil
}

// Whole says that these are one bookmaker's reports.
func (a *API) Whole() bool { return false }

// Reported lists the settlements in the feed that were reported an hour ago.
func (a *API) Reported() []StateID { return a.reported }

// The codes of answers that there is no disclosure.
const (
	codeNotLogged = "not_logged"
	codeUnknown   = "unknown_report"
)

// Reports asks for the report of a settlement and for its disclosure.
func (a *API) Reports(ctx context.Context, draw string, state int) ([]Reported, error) {
	report, reported := a.reports[StateID{Draw: draw, State: state}]
	if !reported {
		return nil, nil
	}
	text, err := report.Text(ctx)
	if err != nil {
		return nil, err
	}
	one := Reported{Bookmaker: "this bookmaker", Lines: linesOf(text)}
	disclosure, err := a.client.Disclosure(ctx, draw, state)
	switch code := client.Code(err); {
	case code == codeNotLogged, code == codeUnknown:
		return []Reported{one}, nil
	case err != nil:
		return nil, err
	}
	one.Bookmaker, one.Disclosure = disclosure.Commitment.Bookmaker, disclosure
	return []Reported{one}, nil
}

// The most bytes of a kept report, which has some millions of lines, and of a disclosure.
const (
	maxReport     = 1 << 30
	maxDisclosure = 64 << 10
)

// Folder are a bookmaker's reports that were kept as files: <draw>.<state>.jsonl has
// the lines, <draw>.<state>.disclosure.json the disclosure.
type Folder struct {
	root     *os.Root
	reported []StateID
}

var _ ReportSource = (*Folder)(nil)

const (
	linesSuffix      = ".jsonl"
	disclosureSuffix = ".disclosure.json"
)

// FromFolder returns the reports in a folder.
func FromFolder(path string) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of reports: %w", err)
	}
	list, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("reading the folder of reports: %w", err)
	}
	f := &Folder{root: root}
	for _, file := range list {
		name, is := strings.CutSuffix(file.Name(), linesSuffix)
		at := strings.LastIndex(name, ".")
		if !is || at < 0 {
			continue
		}
		if state, err := strconv.Atoi(name[at+1:]); err == nil && state > 0 && ids.Valid(name[:at]) {
			f.reported = append(f.reported, StateID{Draw: name[:at], State: state})
		}
	}
	if len(f.reported) == 0 {
		return nil, fmt.Errorf("the folder %s has no reports: they are called <draw>.<state>%s, with <draw>.<state>%s beside them", path, linesSuffix, disclosureSuffix)
	}
	return f, nil
}

// Whole says that these are one bookmaker's reports.
func (f *Folder) Whole() bool { return false }

// Reported lists the reports that there are.
func (f *Folder) Reported() []StateID { return f.reported }

// Reports reads the files of a settlement.
func (f *Folder) Reports(_ context.Context, draw string, state int) ([]Reported, error) {
	if !slices.Contains(f.reported, StateID{Draw: draw, State: state}) {
		return nil, nil
	}
	text, err := objects.ReadFile(f.root, nameOf(draw, state, linesSuffix), maxReport)
	if err != nil {
		return nil, fmt.Errorf("reading a report: %w", err)
	}
	disclosure, err := objects.ReadFile(f.root, nameOf(draw, state, disclosureSuffix), maxDisclosure)
	if err != nil {
		return nil, fmt.Errorf("reading the disclosure of a report: %w", err)
	}
	var d commitment.Disclosure
	if err := json.Unmarshal(disclosure, &d); err != nil {
		return nil, fmt.Errorf("reading %s: %w", nameOf(draw, state, disclosureSuffix), err)
	}
	return []Reported{{Bookmaker: d.Commitment.Bookmaker, Lines: linesOf(text), Disclosure: &d}}, nil
}

func nameOf(draw string, state int, suffix string) string {
	return fmt.Sprintf("%s.%d%s", draw, state, suffix)
}

// Keeping is a source of one bookmaker's reports that keeps what is read of it in a
// folder: for FromFolder, and for `tally prove`.
type Keeping struct {
	ReportSource
	root *os.Root
}

// Keep returns a source that keeps what is read in a folder, which is made where
// there is none.
func Keep(source ReportSource, path string) (*Keeping, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of reports: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of reports: %w", err)
	}
	return &Keeping{ReportSource: source, root: root}, nil
}

// Reports reads the reports of a settlement, and keeps them.
func (k *Keeping) Reports(ctx context.Context, draw string, state int) ([]Reported, error) {
	list, err := k.ReportSource.Reports(ctx, draw, state)
	for _, report := range list {
		if report.Disclosure == nil {
			continue
		}
		disclosure, failed := json.MarshalIndent(report.Disclosure, "", "  ")
		text := bytes.Join(append(slices.Clone(report.Lines), nil), []byte("\n"))
		err = errors.Join(err, failed, k.root.WriteFile(nameOf(draw, state, disclosureSuffix), append(disclosure, '\n'), 0o600),
			k.root.WriteFile(nameOf(draw, state, linesSuffix), text, 0o600))
	}
	if err != nil {
		return nil, fmt.Errorf("keeping a report: %w", err)
	}
	return list, nil
}
