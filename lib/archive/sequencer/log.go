// Package sequencer appends to a transparency log: an append-only list of entries
// under a Merkle tree, in the formats tlog-tiles, tlog-checkpoint and signed-note
// of C2SP, which other programs can verify.
//
// The files of the log are in an object store, its state (size and root) and an index
// of its entries are with a Lock. Several appenders may run at once, and each may die
// between any two writes. A batch of entries is appended in four steps:
//
//  1. stage: the batch's tiles, and what its entries are about, go into one file, whose
//     name holds the old size, the new size and the new root. A crash leaves a file that
//     nobody reads.
//  2. commit: the lock puts the new state in place of the one that the batch was
//     built on. This is the moment at which the entries are in the log. Before it
//     nothing is; after it the state names the staged file, and whoever comes next
//     goes on from there.
//  3. apply: the tiles are written under their own names, each of which must not
//     be there, or have the same bytes; and each entry is put into the index. All that
//     goes on side by side. A crash leaves some of it; the next appender writes all of
//     it again.
//  4. publish: the checkpoint is signed, shown to the witnesses, if there are any,
//     and written over the smaller one that was read, with the cosignatures that
//     came in time. A crash before it leaves the log larger than the
//     public knows; the next appender publishes. That witnesses have seen what is
//     not public yet is no harm: it is committed, and so will be.
//
// Every append starts by applying the batch before it, through the same code, where it
// is not known to be applied: so at most one batch is ever committed and not yet
// applied. What is published was applied before. Appends do not wait for it: while
// witnesses are asked about one tree, more batches may be committed and applied, and
// the newest is published next.
//
// Parts of tiles and bundles are dropped after the next whole one was published; see drop.
//
// That nothing is appended twice: entries are looked up in the index after the batch
// before was applied, which has put all its entries there; and the commit fails if
// anyone has committed since.
package sequencer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/objects"
	"tally/lib/archive/witness"
)

// MaxBatch is the most entries of one batch, and maxBatchBytes the most bytes, but for a
// batch of a single entry.
const (
	MaxBatch      = 1024
	maxBatchBytes = 8 << 20
)

// maxTries bounds how often an append starts again because of other appenders.
const maxTries = 20

// Log is a log to append to. Its fields are set once, before it is used.
type Log struct {
	Origin  string // the log's name, in its checkpoints; without '#'
	Lock    Lock
	Objects objects.Store
	// Signers sign checkpoints: the log's key, and while it is being replaced the
	// key before it.
	Signers []note.Signer
	// Known verifies the log's own checkpoints: the keys of Signers, at least.
	Known note.Verifiers
	// Witnesses are asked for cosignatures; nil for none.
	Witnesses *witness.Client
	Log       *slog.Logger
	// Pause waits before the next try; by default a random time that grows.
	Pause func(ctx context.Context, try int) error

	grown lineage
}

// Leaf is an entry to be appended. A log has one leaf for each group and key.
type Leaf struct {
	Group string // the draw
	Key   string
	Data  []byte // 1 to 65,535 bytes
}

// Appended is what became of an append.
type Appended struct {
	Tree tlog.Tree // the public tree that has all leaves
	New  int       // how many leaves were not in the log before
	// Conflicts are leaves whose group and key the log has with other bytes: they
	// were not appended, and never will be.
	Conflicts []Leaf
}

// The errors that no further try can fix. They need a person.
var (
	// ErrAhead says that the public has seen more of the log than its state knows:
	// the table was restored to an earlier time. Going on would fork the log.
	ErrAhead = errors.New("the public checkpoint is ahead of the log's state: the table was set back; nothing may be appended until it is restored")
	// ErrForked says that the public has seen another log than the state is of.
	ErrForked = errors.New("the public checkpoint is not of this log's tree")
	// ErrState says that the log's state in the table is not one that tally has written.
	ErrState = errors.New("the log's state in the table is none")
	// ErrCorrupt says that a file of the log has other bytes than it must have.
	ErrCorrupt = errors.New("a file of the log has other bytes than it must have")
)

// Append appends the leaves that the log lacks, in their order, and returns when
// the public can see them. It may be called again with leaves that were appended
// before, after any error.
func (l *Log) Append(ctx context.Context, leaves []Leaf) (Appended, error) {
	if err := check(leaves); err != nil {
		return Appended{}, err
	}
	done, now, err := l.add(ctx, leaves)
	if err == nil {
		err = l.publish(ctx, now)
	}
	if err != nil {
		return Appended{}, l.failed(err)
	}
	return done, nil
}

func (l *Log) failed(err error) error { return fmt.Errorf("appending to log %s: %w", l.Origin, err) }

// check refuses leaves that no log can have.
func check(leaves []Leaf) error {
	for _, leaf := range leaves {
		if len(leaf.Data) == 0 || len(leaf.Data) > 1<<16-1 {
			return fmt.Errorf("appending %s of %s: an entry has 1 to 65,535 bytes, this one %d", leaf.Key, leaf.Group, len(leaf.Data))
		}
	}
	return nil
}

// applied is a state whose files and index items are all there, and what the public saw
// before.
type applied struct {
	state  state
	public public
}

// add appends the leaves that the log lacks, and returns a state that has all of them,
// applied, but not published.
func (l *Log) add(ctx context.Context, leaves []Leaf) (done Appended, at applied, err error) {
	for {
		n := batchOf(leaves)
		var now Appended
		if now, at, err = l.addSome(ctx, leaves[:n]); err != nil {
			return Appended{}, at, err
		}
		done.Tree, done.New, done.Conflicts = now.Tree, done.New+now.New, append(done.Conflicts, now.Conflicts...)
		if leaves = leaves[n:]; len(leaves) == 0 {
			return done, at, nil
		}
	}
}

// batchOf returns how many of the first leaves are one batch.
func batchOf(leaves []Leaf) (n int) {
	for size := 0; n < min(len(leaves), MaxBatch); n++ {
		if size += len(leaves[n].Data); size > maxBatchBytes && n > 0 {
			break
		}
	}
	return n
}

// addSome adds those leaves of one batch that the log lacks.
func (l *Log) addSome(ctx context.Context, leaves []Leaf) (Appended, applied, error) {
	var lost error
	for try := range maxTries {
		done, at, err := l.addOnce(ctx, leaves)
		if !errors.Is(err, ErrOvertaken) && !errors.Is(err, errUnknown) {
			return done, at, err
		}
		// Another appender was first, or the answer was lost and it is not known
		// whether the batch is in: what is stored says.
		lost = err
		if err := l.pause(ctx, try); err != nil {
			return Appended{}, applied{}, err
		}
	}
	return Appended{}, applied{}, fmt.Errorf("not done after %d tries: %w", maxTries, lost)
}

func (l *Log) addOnce(ctx context.Context, leaves []Leaf) (Appended, applied, error) {
	at, err := l.recover(ctx)
	if err != nil {
		return Appended{}, at, err
	}
	missing, conflicts, err := l.missing(ctx, at.state, leaves)
	if err == nil && len(missing) > 0 {
		at.state, err = l.addBatch(ctx, at.state, missing)
	}
	return Appended{Tree: at.state.tree, New: len(missing), Conflicts: conflicts}, at, err
}

// addBatch appends one batch to the state that was read, and applies it.
func (l *Log) addBatch(ctx context.Context, now state, leaves []Leaf) (state, error) {
	b, err := l.build(ctx, now.tree, leaves)
	if err != nil {
		return state{}, err
	}
	if err := l.stage(ctx, b); err != nil {
		return state{}, err
	}
	// Before this nothing of the batch is in the log; after it everything is, and
	// the next append, of whoever, applies and publishes it.
	next, err := l.commit(ctx, now, b)
	if err != nil {
		return state{}, err
	}
	if err := l.apply(ctx, b); err != nil {
		return state{}, err
	}
	l.grown.add(b.old, b.tree)
	return next, nil
}

func (l *Log) pause(ctx context.Context, try int) error {
	if l.Pause != nil {
		return l.Pause(ctx, try)
	}
	limit := 4 * time.Millisecond << min(try, 7)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(limit) + 1):
		return nil
	}
}
