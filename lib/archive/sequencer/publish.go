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

// recover finishes the last batch that was committed and returns the state, all
// of which the public can then see, and what the public saw before.
func (l *Log) recover(ctx context.Context) (state, public, error) {
	now, err := l.load(ctx)
	if err != nil {
		return state{}, public{}, err
	}
	public, err := l.seen(ctx)
	if err != nil {
		return state{}, public, err
	}
	if public.tree.N == now.tree.N && (now.tree.N == 0 || public.tree.Hash == now.tree.Hash) {
		return now, public, nil
	}
	if public.tree.N >= now.tree.N {
		return l.behind(ctx, now)
	}
	l.Log.LogAttrs(ctx, slog.LevelWarn, "finishing a batch that another appender committed", slog.String("log", l.Origin),
		slog.Int64("size", now.tree.N), slog.Int64("public", public.tree.N))
	files, err := l.staged(ctx, now)
	if err != nil {
		return state{}, public, err
	}
	if err := l.apply(ctx, files); err != nil {
		return state{}, public, err
	}
	return now, public, l.publish(ctx, now, tlog.Tree{})
}

// behind decides about a state that is behind the public checkpoint. Another
// appender may have committed and published since the state was read: then the
// state is ahead by now. Otherwise the table was set back.
func (l *Log) behind(ctx context.Context, read state) (state, public, error) {
	public, err := l.seen(ctx)
	if err != nil {
		return state{}, public, err
	}
	// What is public was committed before: a state read after it is not behind it.
	now, err := l.load(ctx)
	switch {
	case err != nil:
		return state{}, public, err
	case public.tree.N > now.tree.N:
		return state{}, public, fmt.Errorf("%w: size %d is public, the state has %d", ErrAhead, public.tree.N, now.tree.N)
	case public.tree.N == now.tree.N && public.tree.Hash != now.tree.Hash:
		return state{}, public, fmt.Errorf("%w: both have size %d, with other roots", ErrForked, now.tree.N)
	case now.version == read.version:
		return state{}, public, fmt.Errorf("%w: the checkpoint was set back from size %d", ErrForked, public.tree.N)
	}
	return l.recover(ctx)
}

// publish signs the checkpoint of a state and writes it over a smaller one. built
// is the tree that the state's batch was built on, where that was verified just
// now. When a larger one is there already, another appender was faster.
func (l *Log) publish(ctx context.Context, now state, built tlog.Tree) error {
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
		if public.tree != built {
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
		if !errors.Is(err, objects.ErrChanged) {
			return err
		}
		if err := l.pause(ctx, try); err != nil {
			return err
		}
	}
	return fmt.Errorf("publishing the checkpoint of size %d: it was changed %d times", now.tree.N, maxTries)
}

// consistent verifies that a tree begins with a smaller one, by tiles that are
// verified against the larger one's root: nothing is signed that contradicts what
// was signed before.
func (l *Log) consistent(ctx context.Context, old, now tlog.Tree) error {
	if old.N == 0 {
		return nil
	}
	root, err := tlog.TreeHash(old.N, tlog.TileHashReader(now, tiles.NewReader(ctx, l.get)))
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
	return l.Witnesses.Ask(ctx, witnesses, witness.Checkpoint{
		Signed: signed, Tree: tree, Before: before.signed(), BeforeSize: before.tree.N,
		Prove: func(ctx context.Context, size int64) (tlog.TreeProof, error) {
			return tlog.ProveTree(tree.N, size, tlog.TileHashReader(tree, tiles.NewReader(ctx, l.get)))
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
