package commitment

import (
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/entry"
	"tally/lib/archive/tree"
	"tally/lib/rulebook/settlement"
)

// LineProof shows one line of a bookmaker's report to anyone, and proves it
// against the entry of the settlement. It opens nothing else.
type LineProof struct {
	Line           string      `json:"line"` // as it was reported
	LineSalt       []byte      `json:"line_salt"`
	LineIndex      int64       `json:"line_index"`
	LinePath       []tlog.Hash `json:"line_path"`
	Commitment     Commitment  `json:"commitment"`
	CommitmentSalt []byte      `json:"commitment_salt"`
	Index          int64       `json:"index"`
	Path           []tlog.Hash `json:"path"`
}

// ErrReport says that lines are not those that were committed to.
var ErrReport = errors.New("these are not the lines of the report: give all of them, unchanged and in their order")

// Prove returns the proof of one line. lines are all lines of the report.
func (d *Disclosure) Prove(lines [][]byte, index int) (*LineProof, error) {
	if index < 0 || index >= len(lines) || int64(len(lines)) != d.Commitment.Lines {
		return nil, ErrReport
	}
	var report tree.InMemory
	for i, line := range lines {
		if err := report.Add(salted(lineSalt(d.Key, int64(i)), line)); err != nil {
			return nil, fmt.Errorf("proving a line: %w", err)
		}
	}
	root, err := report.Root()
	if err != nil {
		return nil, fmt.Errorf("proving a line: %w", err)
	}
	if hexOf(root) != d.Commitment.Root {
		return nil, ErrReport
	}
	path, err := report.Prove(int64(index))
	if err != nil {
		return nil, fmt.Errorf("proving a line: %w", err)
	}
	return &LineProof{Line: string(lines[index]), LineSalt: lineSalt(d.Key, int64(index)), LineIndex: int64(index), LinePath: path,
		Commitment: d.Commitment, CommitmentSalt: commitSalt(d.Key), Index: d.Index, Path: d.Path}, nil
}

// ErrProof says that a proof does not lead from its line to the entry.
var ErrProof = errors.New("the proof does not lead from the line to the settlement")

// Check checks the proof against the entry that the log has.
func (p *LineProof) Check(e *entry.Settlement) error {
	if len(p.LineSalt) != saltBytes || len(p.CommitmentSalt) != saltBytes {
		return fmt.Errorf("%w: a salt has %d bytes", ErrProof, saltBytes)
	}
	lines, err := parse(p.Commitment.Root)
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(p.LinePath, p.Commitment.Lines, lines, p.LineIndex, salted(p.LineSalt, []byte(p.Line))); err != nil {
		return fmt.Errorf("%w: the line is not in the report", ErrProof)
	}
	root, err := parse(e.Bookmakers.Root)
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(p.Path, int64(e.Bookmakers.Count), root, p.Index, p.Commitment.hash(p.CommitmentSalt)); err != nil {
		return fmt.Errorf("%w: the report is not in the entry", ErrProof)
	}
	return nil
}

func parse(text string) (h tlog.Hash, err error) {
	data, err := hex.DecodeString(text)
	if err != nil || len(data) != len(h) {
		return h, fmt.Errorf("%w: %.80q is no hash", ErrProof, text)
	}
	return tlog.Hash(data), nil
}

// Check compares a whole report with what the entry that the log has commits to.
// lines are all lines of the report.
func (d *Disclosure) Check(e *entry.Settlement, lines [][]byte) error {
	if d.Draw != e.Draw || d.State != e.State || len(d.Key) != saltBytes {
		return fmt.Errorf("%w: the disclosure is of draw %s, state %d", ErrProof, d.Draw, d.State)
	}
	var report tree.Range
	for i, line := range lines {
		report.Add(salted(lineSalt(d.Key, int64(i)), line))
	}
	if report.Size() != d.Commitment.Lines || hexOf(report.Root()) != d.Commitment.Root {
		return ErrReport
	}
	root, err := parse(e.Bookmakers.Root)
	if err != nil {
		return err
	}
	if err := tlog.CheckRecord(d.Path, int64(e.Bookmakers.Count), root, d.Index, d.Commitment.hash(commitSalt(d.Key))); err != nil {
		return fmt.Errorf("%w: the report is not in the entry", ErrProof)
	}
	return nil
}

// ErrTotals says that totals are not those that were committed to.
var ErrTotals = errors.New("these are not the totals that the settlement commits to")

// CheckTotals compares the totals of all bets of the bookmaker on the draw.
func (d *Disclosure) CheckTotals(totals settlement.Totals) error {
	if totalsHash(d.Key, totals) != d.Commitment.Totals {
		return ErrTotals
	}
	return nil
}
