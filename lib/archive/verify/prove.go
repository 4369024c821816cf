package verify

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/proof"
	"tally/lib/archive/tiles"
)

// ErrNoEntry says that a log has no such entry.
var ErrNoEntry = errors.New("the log has no such entry")

// Prove finds an entry in a log and returns the proof of it, which was checked. A
// State of 0 stands for the newest.
func Prove(ctx context.Context, source Source, options Options, wanted entry.ID) (*proof.Entry, error) {
	signed, err := source.Get(ctx, checkpoint.Path)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	c, err := checkpoint.Open(signed, options.Origin, options.Known)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoint: %w", err)
	}
	p, err := search(ctx, source, c.Tree.N, wanted)
	if err != nil {
		return nil, err
	}
	p.Checkpoint = c.Signed
	hashes := tlog.TileHashReader(c.Tree, tiles.NewReader(ctx, source.Get))
	if p.Path, err = tlog.ProveRecord(c.Tree.N, p.Index, hashes); err != nil {
		return nil, fmt.Errorf("proving entry %d: %w", p.Index, err)
	}
	_, _, err = p.Check(options.Origin, options.Known)
	return p, err
}

// search goes through the entries.
func search(ctx context.Context, source Source, size int64, wanted entry.ID) (found *proof.Entry, err error) {
	newest := 0
	for n := int64(0); n*tiles.Width < size; n++ {
		width := int(min(tiles.Width, size-n*tiles.Width))
		data, err := source.Get(ctx, tiles.EntriesPath(n, width))
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", tiles.EntriesPath(n, width), err)
		}
		list, err := tiles.Entries(data, width)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", tiles.EntriesPath(n, width), err)
		}
		for i, data := range list {
			e, err := entry.Parse(data)
			if err != nil {
				return nil, fmt.Errorf("entry %d: %w", n*tiles.Width+int64(i), err)
			}
			id := e.ID()
			isNewest := wanted.State == 0 && id.State >= newest
			if id.Draw == wanted.Draw && id.Kind == wanted.Kind && (isNewest || id.State == wanted.State) {
				found, newest = &proof.Entry{Data: data, Index: n*tiles.Width + int64(i)}, id.State
			}
		}
	}
	if found == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoEntry, wanted)
	}
	return found, nil
}

// ProofFile is what a proof comes to.
type ProofFile struct {
	Origin   string      `json:"origin"`
	Size     int64       `json:"size"`
	SignedBy []string    `json:"signed_by"`
	Index    int64       `json:"index"`
	Entry    string      `json:"entry"`
	Line     string      `json:"line,omitempty"`      // of a bet
	Of       string      `json:"bookmaker,omitempty"` // whose line it is
	Findings []Finding   `json:"findings"`
	ID       entry.ID    `json:"-"`
	Read     entry.Entry `json:"-"`
}

// File checks a proof file, offline. What is wrong with it is in what is returned.
func File(text []byte, options Options) *ProofFile {
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
	read, c, err := p.Check(options.Origin, options.Known)
	if err != nil {
		return f.fail(err)
	}
	f.Size, f.SignedBy, f.Index, f.Entry, f.Read, f.ID = c.Tree.N, c.Keys, p.Index, string(p.Data), read, read.ID()
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
