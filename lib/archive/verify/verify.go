// Package verify checks a log from the outside, trusting nothing but the log's
// public key and what was seen of it before.
//
// It reads every file of the newest tree: the checkpoint must be signed by the
// key; every entry must be the one in the tree under that checkpoint; every tile
// must have the hashes that its entries come to; the tree must begin with the one
// that was seen last. Then it reads what the entries say: each in its one spelling and in
// an order that makes sense, each result resolved again by the rules.
package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
)

// Code says what is wrong with a log.
type Code string

// The codes of findings.
const (
	NoCheckpoint    Code = "checkpoint_missing"
	BadCheckpoint   Code = "checkpoint_malformed"
	OtherLog        Code = "other_log"         // the checkpoint of another log
	BadSignature    Code = "signature_invalid" // not signed by the key
	OlderCheckpoint Code = "checkpoint_older"  // smaller than the one seen last
	Forked          Code = "log_forked"        // not the tree seen last, grown
	MissingTile     Code = "tile_missing"
	MismatchTile    Code = "tile_unequal" // other hashes than its entries come to
	MissingBundle   Code = "bundle_missing"
	BadBundle       Code = "bundle_malformed"
	MismatchRoot    Code = "root_unequal" // the entries come to another root than was signed
	BadEntry        Code = "entry_malformed"
	RepeatedEntry   Code = "entry_repeated"
	MisplacedEntry  Code = "entry_misplaced"   // before what it follows from
	Contradiction   Code = "entry_contradicts" // says what can't be after what was said before
	MismatchResult  Code = "result_unequal"
	UnknownRules    Code = "rules_unknown" // of a version that this program does not have
	BadProof        Code = "proof_malformed"
	ProofFails      Code = "proof_fails"
	BadCosignature  Code = "cosignature_invalid"  // a line that names a witness is not its cosignature
	NoCosignature   Code = "cosignatures_missing" // fewer than are demanded
	MismatchReport  Code = "report_unequal"       // not what the settlement commits to
	MismatchTotals  Code = "totals_unequal"       // of all reports, and of the settlement
	UnloggedReport  Code = "report_not_logged"    // the log has no settlement that was reported
)

// Class groups codes by what failed.
type Class uint8

// The classes, in the order in which they are looked at.
const (
	NothingWrong Class = iota
	Signature
	Consistency
	Tree
	Entries
	Results
	Proof
	Witnesses
	Reports
)

// Class returns what failed.
func (c Code) Class() Class {
	switch c {
	case NoCheckpoint, BadCheckpoint, OtherLog, BadSignature:
		return Signature
	case OlderCheckpoint, Forked:
		return Consistency
	case MissingTile, MismatchTile, MissingBundle, BadBundle, MismatchRoot:
		return Tree
	case MismatchResult, UnknownRules:
		return Results
	case BadProof, ProofFails:
		return Proof
	case BadCosignature, NoCosignature:
		return Witnesses
	case MismatchReport, MismatchTotals, UnloggedReport:
		return Reports
	}
	return Entries
}

// Finding is one thing that is wrong.
type Finding struct {
	Code    Code   `json:"code"`
	File    string `json:"file,omitempty"`
	Entry   *int64 `json:"entry,omitempty"` // its index
	Message string `json:"message"`
}

// String returns the finding in a line.
func (f Finding) String() string { return fmt.Sprintf("%s: %s", f.Code, f.Message) }

// maxFindings bounds how many findings of a class a report has: what is wrong with
// one entry may make many others wrong, and must not hide what is wrong with the tree.
const maxFindings = 50

// Report is what a verification came to.
type Report struct {
	Origin   string     `json:"origin"`
	Size     int64      `json:"size"`
	Root     tlog.Hash  `json:"root"`
	SignedBy []string   `json:"signed_by"`
	Seen     int64      `json:"seen"` // the size that was seen before; 0 for none
	Counts   Counts     `json:"counts"`
	Tables   []Table    `json:"tables"`
	Pending  []string   `json:"pending,omitempty"` // draws without a result so far, at most 100
	History  []Recorded `json:"history,omitempty"` // the entries of the one draw
	// Contradicted are states whose facts are not the cards that lay open in a
	// betting round, and no correction says why, at most 100. Tally's rules allow it,
	// as a slip of the studio's.
	Contradicted []Contradicted           `json:"contradicted,omitempty"`
	Cosigned     []checkpoint.Cosignature `json:"cosigned,omitempty"` // by witnesses that were asked for
	One          *One                     `json:"draw,omitempty"`     // of a verification of one draw
	Compared     any                      `json:"reports,omitempty"`  // what comparing reports came to
	// Unsettled are draws whose newest state was never settled, at most 100.
	Unsettled []Unsettled `json:"unsettled,omitempty"`
	// Published compares the keys that were given with those that the log publishes.
	Published Published `json:"published"`
	// Unread is what lies beside the log's files; nil where the source can't tell.
	Unread   *Unread   `json:"unread,omitempty"`
	Findings []Finding `json:"findings"`
	// Checkpoint is the signed checkpoint, to be remembered.
	Checkpoint []byte `json:"-"`
	// From is how many entries were verified before and are not read again; 0 where all of
	// the log was read.
	From int64 `json:"from,omitempty"`
	// Snapshot is what is to be remembered beside the checkpoint, if Options asked for it.
	Snapshot json.RawMessage `json:"-"`
	// Settlements are the settlements, if Options asked for them.
	Settlements []*entry.Settlement `json:"-"`
}

// Contradicted is a state whose facts are not the cards that lay open before.
type Contradicted struct {
	Entry   int64  `json:"entry"` // its index
	Draw    string `json:"draw"`
	State   int    `json:"state"`
	Round   int    `json:"round"`
	Message string `json:"message"`
}

// Unsettled is a draw whose newest state was never settled.
type Unsettled struct {
	Draw    string `json:"draw"`
	State   int    `json:"state"`
	MadeAt  string `json:"made_at"`
	Settled int    `json:"settled"` // the newest state that was settled; 0 for none
}

// Published says whether the log publishes the keys that it was verified by.
type Published string

// What a log publishes. It proves nothing: who can change the log can change this file.
// But a reader whose key is not there has another one than others are given.
const (
	PublishedNothing Published = "nothing"
	PublishedSame    Published = "same"  // each key that has signed the checkpoint
	PublishedOthers  Published = "other" // not all of them, or what is no key
)

// Counts are how many of each there are.
type Counts struct {
	Openings    int `json:"openings"`
	Closings    int `json:"closings"`
	States      int `json:"states"`
	Settlements int `json:"settlements"`
	Resolved    int `json:"resolved"` // states whose result the rules come to again
	Corrected   int `json:"corrected"`
	Cancelled   int `json:"cancelled"`
	Void        int `json:"void"`
	Hidden      int `json:"hidden"` // states whose facts are too large to be shown
	Pending     int `json:"pending"`
	Unsettled   int `json:"unsettled"`   // draws whose newest state was never settled
	PassedOver  int `json:"passed_over"` // states that others had replaced before they were settled
	// Contradicted are betting rounds whose cards are not those of the facts.
	Contradicted int `json:"contradicted"`
}

// Table is what the log has of a table's draws.
type Table struct {
	Table string `json:"table"`
	Draws int    `json:"draws"`
	// Missing are running numbers between the first and the last that no draw in
	// the log has, at most 100.
	Missing  []int64 `json:"missing,omitempty"`
	Repeated []int64 `json:"repeated,omitempty"`
}

// Recorded is an entry of a draw.
type Recorded struct {
	Index int64      `json:"index"`
	Kind  entry.Kind `json:"kind"`
	Data  string     `json:"data"`
}

// Class returns the first class of what is wrong.
func (r *Report) Class() Class {
	if len(r.Findings) == 0 {
		return NothingWrong
	}
	return r.Findings[0].Code.Class()
}

// Find adds a finding after the others of its class, which stand after those of the
// classes before, unless there are many already.
func (r *Report) Find(f Finding) { r.find(f) }

func (r *Report) find(f Finding) {
	at, same := len(r.Findings), 0
	for i, other := range r.Findings {
		switch class := other.Code.Class(); {
		case class == f.Code.Class():
			same++
		case class > f.Code.Class():
			at = min(at, i)
		}
	}
	if same < maxFindings {
		r.Findings = slices.Insert(r.Findings, at, f)
	}
}

func (r *Report) findFile(code Code, file, format string, args ...any) {
	r.find(Finding{Code: code, File: file, Message: file + ": " + fmt.Sprintf(format, args...)})
}

func (r *Report) findEntry(code Code, index int64, format string, args ...any) {
	r.find(Finding{Code: code, Entry: &index, Message: fmt.Sprintf("entry %d: ", index) + fmt.Sprintf(format, args...)})
}

// Params say what to verify by.
type Params struct {
	Origin string
	Known  note.Verifiers // the log's keys
	Seen   tlog.Tree      // the tree seen last; of size 0 for none
	// Witnesses are those whose cosignatures are looked for; Needed is how many of
	// them there have to be.
	Witnesses []note.Verifier
	Needed    int
	// Thorough has every completion of the cards that lay open gone through again.
	Thorough bool
	// KeepSettlements has the report hold the settlements.
	KeepSettlements bool
	// Resume is what an earlier verification remembered: what it has verified is not read
	// again, unless something is wrong with the log.
	Resume *Snapshot
	// Save keeps what is to be remembered of a verification that is not done yet; nil for
	// nothing.
	Save func(snapshot json.RawMessage) error
	// Progress is called with how many of how many entries are verified.
	Progress func(done, all int64)
	Parallel int // how many files are read at once; by default 4
	// Now is the time by which what is still to come can't have happened; by default the
	// machine's.
	Now func() time.Time
}

// clockError is how far the clocks of auditors, witnesses and tally may be apart.
const clockError = 15 * time.Minute

// latest is the latest time that can have been.
func (o *Params) latest() time.Time {
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	return now().Add(clockError)
}

// Log verifies a whole log, or what is new of it. The error says that it could not be
// read; what is wrong with it is in the report.
func Log(ctx context.Context, source Source, options Params) (*Report, error) {
	r := &Report{Origin: options.Origin, Seen: options.Seen.N, Tables: []Table{}, Findings: []Finding{}}
	read := reading{Source: source}
	c, err := open(ctx, read, options, r)
	if err != nil || c == nil {
		return r, err
	}
	if !since(c, options, r) {
		return r, nil
	}
	switch further, err := onward(ctx, read, options, c.Tree, *r); {
	case err != nil:
		return r, err
	case further != nil:
		r = further
	default:
		if err := newWalk(read, options, c.Tree, r).run(ctx); err != nil {
			return r, err
		}
	}
	if len(r.Findings) > 0 {
		return r, nil
	}
	r.Unread, err = read.unread(r.Size)
	return r, err
}

// onward verifies what is new since the snapshot that options have; nil where there is none
// that fits, or where something is wrong: who finds what is looks at the whole log.
func onward(ctx context.Context, source Source, options Params, t tlog.Tree, r Report) (*Report, error) {
	s, before := options.Resume, len(r.Findings)
	if s == nil || !s.fits(options, t) {
		return nil, nil
	}
	r.Findings, r.From = slices.Clone(r.Findings), s.Size
	w := newWalk(source, options, t, &r)
	if right, err := w.resume(ctx, s); err != nil || !right {
		return nil, err
	}
	if err := w.run(ctx); err != nil || len(r.Findings) > before || w.unfit {
		return nil, err
	}
	return &r, nil
}

// since compares the size of a checkpoint, or its root where it has the same, with
// what was seen before.
func since(c *checkpoint.Checkpoint, options Params, r *Report) bool {
	switch {
	case c.Tree.N < options.Seen.N:
		r.find(Finding{Code: OlderCheckpoint, File: checkpoint.Path, Message: fmt.Sprintf("the checkpoint has %d entries, %d were seen before", c.Tree.N, options.Seen.N)})
		return false
	case c.Tree.N == options.Seen.N && c.Tree.N > 0 && c.Tree.Hash != options.Seen.Hash:
		r.find(Finding{Code: Forked, File: checkpoint.Path, Message: fmt.Sprintf("the checkpoint of %d entries has another root than the one that was seen before", c.Tree.N)})
		return false
	}
	return true
}

// open reads and verifies the checkpoint; nil when something is wrong with it.
func open(ctx context.Context, source Source, options Params, r *Report) (*checkpoint.Checkpoint, error) {
	signed, err := source.Get(ctx, checkpoint.Path)
	if errors.Is(err, ErrMissing) {
		r.find(Finding{Code: NoCheckpoint, File: checkpoint.Path, Message: "there is no checkpoint: this is no log, or an empty one"})
		return nil, nil
	}
	if errors.Is(err, objects.ErrTooLong) {
		r.find(Finding{Code: BadCheckpoint, File: checkpoint.Path, Message: "the checkpoint: " + err.Error()})
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	published, err := publishedKeys(ctx, source)
	if err != nil {
		return nil, err
	}
	c, err := checkpoint.Open(signed, options.Origin, options.Known)
	if err != nil {
		r.find(Finding{Code: codeOf(err), File: checkpoint.Path, Message: "the checkpoint: " + err.Error() + elsewhere(signed, options, published, err)})
		return nil, nil
	}
	r.Published = published.compare(c)
	r.Size, r.Root, r.SignedBy, r.Checkpoint = c.Tree.N, c.Tree.Hash, c.Keys, c.Signed
	var wrong []Finding
	r.Cosigned, wrong = cosigned(c, options)
	for _, f := range wrong {
		r.find(f)
	}
	return c, nil
}

// cosigned looks for the cosignatures that are demanded.
func cosigned(c *checkpoint.Checkpoint, options Params) (found []checkpoint.Cosignature, wrong []Finding) {
	for _, witness := range options.Witnesses {
		list, err := checkpoint.Cosignatures(c.Signed, witness)
		if err != nil {
			wrong = append(wrong, Finding{Code: BadCosignature, File: checkpoint.Path, Message: "the checkpoint: " + err.Error()})
		}
		for _, c := range list {
			if c.At.After(options.latest()) {
				wrong = append(wrong, Finding{Code: BadCosignature, File: checkpoint.Path, Message: fmt.Sprintf("the checkpoint: %s says that it has cosigned at %s, which is still to come", c.Witness, c.At.Format(time.RFC3339))})
				continue
			}
			found = append(found, c)
		}
	}
	if len(found) < options.Needed {
		wrong = append(wrong, Finding{Code: NoCosignature, File: checkpoint.Path, Message: fmt.Sprintf(
			"%d of the %d witnesses have cosigned the checkpoint, %d have to: others may be shown another log, or the witnesses are late", len(found), len(options.Witnesses), options.Needed)})
	}
	return found, wrong
}

// codeOf returns the code of a checkpoint's fault.
func codeOf(err error) Code {
	switch {
	case errors.Is(err, checkpoint.ErrSignature):
		return BadSignature
	case errors.Is(err, checkpoint.ErrOrigin):
		return OtherLog
	}
	return BadCheckpoint
}
