package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/proof"
	"tally/lib/strictjson"
)

// ErrNoEntry says that a log has no such entry.
var ErrNoEntry = errors.New("the log has no such entry")

// Prove finds an entry in a log and returns the proof of it, which was checked. A
// State of 0 stands for the newest.
func Prove(ctx context.Context, from Source, options Params, wanted entry.ID) (*proof.Inclusion, error) {
	source := reading{Source: from}
	signed, err := source.Get(ctx, checkpoint.Path)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	c, err := checkpoint.Open(signed, options.Origin, options.Known)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	r := &Report{One: &One{}}
	f := newFinder(ctx, source, options, c.Tree, r)
	if err := f.backwards(ctx, wanted.Draw); err != nil {
		return nil, err
	}
	if len(r.Findings) > 0 {
		return nil, fmt.Errorf("the log does not hold: %s", r.Findings[0])
	}
	p := chosen(f.found, wanted)
	if p == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoEntry, wanted)
	}
	p.Checkpoint = c.Signed
	if p.Path, err = tlog.ProveRecord(c.Tree.N, p.Index, f.hashes); err != nil {
		return nil, fmt.Errorf("proving entry %d: %w", p.Index, err)
	}
	_, _, err = p.Check(options.Origin, options.Known)
	return p, err
}

// chosen returns the wanted one of a draw's entries, nil for none.
func chosen(found []Recorded, wanted entry.ID) (p *proof.Inclusion) {
	for _, one := range found {
		read, err := entry.Parse([]byte(one.Data))
		if err != nil || one.Kind != wanted.Kind {
			continue
		}
		if state := read.ID().State; state == wanted.State || wanted.State == 0 { // the last of them is the newest
			p = &proof.Inclusion{Data: []byte(one.Data), Index: one.Index}
		}
	}
	return p
}

// ProofFile is what a proof comes to.
type ProofFile struct {
	Origin   string                   `json:"origin"`
	Size     int64                    `json:"size"`
	SignedBy []string                 `json:"signed_by"`
	Index    int64                    `json:"index"`
	Entry    string                   `json:"entry"`
	Resolved bool                     `json:"resolved,omitempty"`  // the result of a state is what the rules come to
	Line     string                   `json:"line,omitempty"`      // of a bet
	Of       string                   `json:"bookmaker,omitempty"` // whose line it is
	Findings []Finding                `json:"findings"`
	Cosigned []checkpoint.Cosignature `json:"cosigned,omitempty"` // by witnesses that were asked for
	ID       entry.ID                 `json:"-"`
	Read     entry.Entry              `json:"-"`
}

// File checks a proof file, offline. What is wrong with it is in what is returned. A
// proof that does not show its entry is one of data, where there are any.
func File(text, data []byte, options Params) *ProofFile {
	f := &ProofFile{Origin: options.Origin, Findings: []Finding{}}
	inner := text
	if proof.IsBet(text) {
		bet, err := proof.ParseBet(text)
		if err != nil {
			return f.fail(err)
		}
		inner = []byte(bet.Entry)
		f.Line, f.Of = bet.Line.Line, bet.Line.Commitment.Bookmaker
		if _, _, err := bet.Check(options.Origin, options.Known); err != nil {
			return f.fail(err)
		}
	}
	p, err := proof.Parse(inner)
	if err != nil {
		return f.fail(err)
	}
	if len(data) > 0 {
		if len(p.Data) > 0 && !bytes.Equal(p.Data, data) {
			return f.fail(fmt.Errorf("%w: it shows another entry than the one given", proof.ErrFails))
		}
		p.Data = data
	}
	read, c, err := p.Check(options.Origin, options.Known)
	if err != nil {
		return f.fail(err)
	}
	f.Size, f.SignedBy, f.Index, f.Entry, f.Read, f.ID = c.Tree.N, c.Keys, p.Index, string(p.Data), read, read.ID()
	if s, is := read.(*entry.Settlement); is && s.Impossible() != "" {
		f.Findings = append(f.Findings, Finding{Code: Contradiction, Message: fmt.Sprintf("%s %s", s.ID(), s.Impossible())})
	}
	if s, is := read.(*entry.State); is {
		switch err := s.Resolve(new(strictjson.Document)); {
		case err == nil:
			f.Resolved = true
		case errors.Is(err, entry.ErrRules):
			f.Findings = append(f.Findings, Finding{Code: UnknownRules, Message: err.Error()})
		case !errors.Is(err, entry.ErrHidden):
			f.Findings = append(f.Findings, Finding{Code: MismatchResult, Message: err.Error()})
		}
	}
	var wrong []Finding
	f.Cosigned, wrong = cosigned(c, options)
	f.Findings = append(f.Findings, wrong...)
	return f
}

func (f *ProofFile) fail(err error) *ProofFile {
	code := ProofFails
	switch {
	case errors.Is(err, checkpoint.ErrSignature), errors.Is(err, checkpoint.ErrOrigin), errors.Is(err, checkpoint.ErrForm):
		code = codeOf(err)
	case errors.Is(err, proof.ErrForm):
		code = BadProof
	}
	f.Findings = append(f.Findings, Finding{Code: code, Message: err.Error()})
	return f
}
