package tilelog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
)

// public is the checkpoint that the public sees.
type public struct {
	tree tlog.Tree // of size 0 where there is none
	tag  string
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
	return public{c.Tree, tag}, nil
}

// recover finishes the last batch that was committed and returns the state, all
// of which the public can then see.
func (l *Log) recover(ctx context.Context) (state, error) {
	now, err := l.load(ctx)
	if err != nil {
		return state{}, err
	}
	public, err := l.seen(ctx)
	if err != nil {
		return state{}, err
	}
	if public.tree.N == now.tree.N && (now.tree.N == 0 || public.tree.Hash == now.tree.Hash) {
		return now, nil
	}
	if public.tree.N >= now.tree.N {
		return l.behind(ctx, now)
	}
	l.Log.LogAttrs(ctx, slog.LevelWarn, "finishing a batch that another appender committed", slog.String("log", l.Origin),
		slog.Int64("size", now.tree.N), slog.Int64("public", public.tree.N))
	packed, err := l.get(ctx, now.staged)
	if err != nil {
		return state{}, fmt.Errorf("reading the staged batch %s: %w", now.staged, err)
	}
	files, err := unpack(packed)
	if err != nil {
		return state{}, fmt.Errorf("%w: %s: %w", ErrCorrupt, now.staged, err)
	}
	if err := l.apply(ctx, files); err != nil {
		return state{}, err
	}
	return now, l.publish(ctx, now, tlog.Tree{})
}

// behind decides about a state that is behind the public checkpoint. Another
// appender may have committed and published since the state was read: then the
// state is ahead by now. Otherwise the table was set back.
func (l *Log) behind(ctx context.Context, read state) (state, error) {
	public, err := l.seen(ctx)
	if err != nil {
		return state{}, err
	}
	// What is public was committed before: a state read after it is not behind it.
	now, err := l.load(ctx)
	switch {
	case err != nil:
		return state{}, err
	case public.tree.N > now.tree.N:
		return state{}, fmt.Errorf("%w: size %d is public, the state has %d", ErrAhead, public.tree.N, now.tree.N)
	case public.tree.N == now.tree.N && public.tree.Hash != now.tree.Hash:
		return state{}, fmt.Errorf("%w: both have size %d, with other roots", ErrForked, now.tree.N)
	case now.version == read.version:
		return state{}, fmt.Errorf("%w: the checkpoint was set back from size %d", ErrForked, public.tree.N)
	}
	return l.recover(ctx)
}

// publish signs the checkpoint of a state and writes it over a smaller one. built
// is the tree that the state's batch was built on, where that was verified just
// now. When a larger one is there already, another appender was faster.
func (l *Log) publish(ctx context.Context, now state, built tlog.Tree) error {
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
		signed, err := checkpoint.Sign(l.Origin, now.tree, l.Signers...)
		if err != nil {
			return err
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
