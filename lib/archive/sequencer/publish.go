package sequencer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
	"tally/lib/archive/witness"
)

// public is the checkpoint that the public sees.
type public struct {
	tree   tlog.Tree // of size 0 where there is none
	tag    string
	opened *checkpoint.Checkpoint // nil where there is none
}

// signed returns the checkpoint as it is public.
func (p public) signed() []byte {
	if p.opened == nil {
		return nil
	}
	return p.opened.Signed
}

// seen reads the public checkpoint and verifies our own signature on it.
func (l *Log) seen(ctx context.Context) (public, error) {
	signed, tag, err := l.Objects.Get(ctx, checkpoint.Path)
	if errors.Is(err, objects.ErrNotFound) {
		return public{}, nil
	}
	if err != nil {
		return public{}, err
	}
	c, err := checkpoint.Open(signed, l.Origin, l.Known)
	if err != nil {
		return public{}, fmt.Errorf("reading the public checkpoint: %w", err)
	}
	return public{tree: c.Tree, tag: tag, opened: c}, nil
}

// recover applies the last batch that was committed, where this process does not know
// that it is applied, and returns the state, and what the public sees.
func (l *Log) recover(ctx context.Context) (at applied, err error) {
	err = sideBySide(ctx, func(ctx context.Context) (err error) {
		at.state, err = l.load(ctx)
		return err
	}, func(ctx context.Context) (err error) {
		at.public, err = l.seen(ctx)
		return err
	})
	now, public := at.state, at.public.tree
	switch {
	case err != nil, public.N == now.tree.N && (now.tree.N == 0 || public.Hash == now.tree.Hash):
		return at, err
	case public.N >= now.tree.N:
		return l.behind(ctx, now)
	case l.grown.has(public, now.tree):
		return at, nil // it is being published, or was not: that is made good with the next
	}
	l.Log.LogAttrs(ctx, slog.LevelWarn, "finishing a batch that another appender committed", slog.String("log", l.Origin),
		slog.Int64("size", now.tree.N), slog.Int64("public", public.N))
	b, err := l.staged(ctx, now)
	if err != nil {
		return at, err
	}
	if err := l.apply(ctx, b); err != nil {
		return at, err
	}
	if err := l.consistent(ctx, public, now.tree); err != nil {
		return at, err
	}
	l.grown.add(public, now.tree)
	return at, nil
}

// behind decides about a state that is behind the public checkpoint. Another
// appender may have committed and published since the state was read: then the
// state is ahead by now. Otherwise the table was set back.
func (l *Log) behind(ctx context.Context, read state) (at applied, err error) {
	if at.public, err = l.seen(ctx); err != nil {
		return at, err
	}
	// What is public was committed before: a state read after it is not behind it.
	at.state, err = l.load(ctx)
	now, public := at.state, at.public.tree
	switch {
	case err != nil:
		return at, err
	case public.N > now.tree.N:
		return at, fmt.Errorf("%w: size %d is public, the state has %d", ErrAhead, public.N, now.tree.N)
	case public.N == now.tree.N && public.Hash != now.tree.Hash:
		return at, fmt.Errorf("%w: both have size %d, with other roots", ErrForked, now.tree.N)
	case now.version == read.version:
		return at, fmt.Errorf("%w: the checkpoint was set back from size %d", ErrForked, public.N)
	}
	return l.recover(ctx)
}

// publish signs the checkpoint of a state that is applied and writes it over a smaller
// one. When a larger one is there already, another appender was faster. A checkpoint
// that was public already gets the lines that it lacks.
func (l *Log) publish(ctx context.Context, at applied) error {
	now := at.state
	if at.public.tree.N == now.tree.N {
		l.complete(ctx, now, at.public)
		return nil
	}
	signed, err := checkpoint.Sign(l.Origin, now.tree, l.Signers...)
	if err != nil {
		return err
	}
	asked := l.Witnesses == nil
	for try := range maxTries {
		public, err := l.seen(ctx)
		if err != nil {
			return err
		}
		if public.tree.N >= now.tree.N {
			if public.tree.N == now.tree.N && public.tree.Hash != now.tree.Hash {
				return fmt.Errorf("%w: both have size %d, with other roots", ErrForked, now.tree.N)
			}
			return nil
		}
		if !l.grown.has(public.tree, now.tree) {
			if err := l.consistent(ctx, public.tree, now.tree); err != nil {
				return err
			}
		}
		if !asked {
			asked = true
			cosignatures := l.ask(ctx, signed, now.tree, public, l.Witnesses.Lacking(nil))
			signed = checkpoint.WithCosignatures(signed, cosignatures)
		}
		// Before this the public sees the tree before; after it, this one. All its
		// tiles are there.
		err = l.Objects.PutIfMatch(ctx, checkpoint.Path, signed, public.tag, checkpointHeader)
		if err == nil {
			l.drop(ctx, public.tree.N, now.tree.N)
		}
		if !errors.Is(err, objects.ErrChanged) {
			return err
		}
		if err := l.pause(ctx, try); err != nil {
			return err
		}
	}
	return fmt.Errorf("publishing the checkpoint of size %d: it was changed %d times", now.tree.N, maxTries)
}

// reader reads tiles, several at once.
func (l *Log) reader(ctx context.Context) *tiles.Reader {
	r := tiles.NewReader(ctx, l.get)
	r.Parallel = maxParallel
	return r
}

// consistent verifies that a tree begins with a smaller one, by tiles that are
// verified against the larger one's root: nothing is signed that contradicts what
// was signed before.
func (l *Log) consistent(ctx context.Context, old, now tlog.Tree) error {
	if old.N == 0 {
		return nil
	}
	root, err := tlog.TreeHash(old.N, tlog.TileHashReader(now, l.reader(ctx)))
	if err != nil {
		return fmt.Errorf("verifying the tree of size %d before it is signed: %w", now.N, err)
	}
	if root != old.Hash {
		return fmt.Errorf("%w: it has size %d and another root", ErrForked, old.N)
	}
	return nil
}

// ask asks witnesses for cosignatures on a signed checkpoint.
func (l *Log) ask(ctx context.Context, signed []byte, tree tlog.Tree, before public, witnesses []witness.Witness) []checkpoint.Cosignature {
	return l.Witnesses.Ask(ctx, witnesses, witness.Submission{
		Signed: signed, Tree: tree, Before: before.signed(), BeforeSize: before.tree.N,
		Prove: func(ctx context.Context, size int64) (tlog.TreeProof, error) {
			return tlog.ProveTree(tree.N, size, tlog.TileHashReader(tree, l.reader(ctx)))
		},
		Newest: func(ctx context.Context) (int64, error) {
			now, err := l.load(ctx)
			return now.tree.N, err
		},
	})
}

// complete adds what the public checkpoint of a state lacks: the signature of a key
// that signs only since then, and the cosignatures of witnesses that were late. What
// can't be added now is added to the next checkpoint, so that this fails nothing.
func (l *Log) complete(ctx context.Context, now state, seen public) {
	if seen.opened == nil || seen.tree != now.tree {
		return // it is being published by someone
	}
	there, lacking, err := l.lacking(seen)
	// A line that is no cosignature is left out by writing all lines again.
	resign := err != nil || slices.ContainsFunc(l.Signers, func(s note.Signer) bool { return !seen.opened.SignedBy(s) })
	if !resign && len(lacking) == 0 {
		return
	}
	signed := seen.signed()
	if resign {
		if signed, err = checkpoint.Sign(l.Origin, now.tree, l.Signers...); err != nil {
			l.incomplete(ctx, err)
			return
		}
		signed = checkpoint.WithCosignatures(signed, there)
	}
	if len(lacking) > 0 {
		signed = checkpoint.WithCosignatures(signed, l.ask(ctx, signed, now.tree, seen, lacking))
	}
	if bytes.Equal(signed, seen.signed()) {
		return
	}
	// Before this the public has the checkpoint with fewer lines, after it with more.
	err = l.Objects.PutIfMatch(ctx, checkpoint.Path, signed, seen.tag, checkpointHeader)
	if err != nil && !errors.Is(err, objects.ErrChanged) {
		l.incomplete(ctx, err)
	}
}

// lacking returns the cosignatures of the public checkpoint, and the witnesses
// that have not given one.
func (l *Log) lacking(seen public) (there []checkpoint.Cosignature, lacking []witness.Witness, err error) {
	if l.Witnesses == nil {
		return nil, nil, nil
	}
	there, err = checkpoint.Cosignatures(seen.signed(), l.Witnesses.Keys()...)
	return there, l.Witnesses.Lacking(there), err
}

func (l *Log) incomplete(ctx context.Context, err error) {
	l.Log.LogAttrs(ctx, slog.LevelWarn, "the checkpoint stays without lines that it lacks", slog.String("log", l.Origin), slog.String("reason", err.Error()))
}
