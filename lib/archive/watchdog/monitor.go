// Package watchdog watches the public log from the inside, for reconcile and look.
//
// Once in each run it reads the checkpoint that the public sees, verifies its
// signature, and proves that it grew out of the one that it saw last, which it keeps
// in the table. And of each draw that is settled it makes sure that the log has the
// newest state and settlement: that they are in the index, that the entry at that
// place leads to the signed root, and that it says what the records say. What is
// missing is sent to the archive again; what contradicts is an alarm.
//
// It trusts the table no more than the bucket: whoever changes one of the two is
// found out by the other.
package watchdog

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/tiles"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/store"
)

// Files are the log's files, as the public has them.
type Files interface {
	// Get returns a file, or objects.ErrNotFound.
	Get(ctx context.Context, key string) (data []byte, tag string, err error)
}

// Sender sends messages to the archive.
type Sender interface {
	Send(ctx context.Context, body string, delay time.Duration) error
}

// LogRecorder is notified of what was found, for metrics and alarms.
type LogRecorder interface {
	// LogLag is how many entries wait to be public.
	LogLag(entries int)
	// LogFault counts something that contradicts the log.
	LogFault(kind string)
}

// The kinds of faults.
const (
	BadSignature = "signature_invalid" // the checkpoint is none, or not signed by the log's key
	Older        = "checkpoint_older"  // than the one seen last
	Forked       = "log_forked"        // it did not grow out of the one seen last
	TableBehind  = "table_behind"      // the public has seen more than the table knows of
	BadMemory    = "memory_invalid"    // what was seen last is not signed by the log's key
	WrongFile    = "file_wrong"        // a tile or an entry is missing, or not the one in the tree
	Mismatch     = "entry_unequal"     // an entry says something else than the records
)

// Monitor watches one log. Its fields are set once, before it is used.
type Monitor struct {
	Origin  string
	Table   *store.Table
	Files   Files
	Known   note.Verifiers // the log's keys
	Archive Sender         // the queue archive-entries
	Record  LogRecorder
	// ForDraws says that another monitor remembers what was seen last: this one proves that the log
	// grew out of that, and leaves it as it is.
	ForDraws bool
	Log      *slog.Logger
}

// lock has the log's state and its index.
func (m *Monitor) lock() sequencer.Lock { return archive.TableLock{Table: m.Table, Origin: m.Origin} }

// Run is one look at the log. Each of its calls may have a context of its own; one goroutine at a time
// uses it.
type Run struct {
	*Monitor
	tree    tlog.Tree // that the public sees; of size 0 when it can't be used
	blind   bool      // nothing can be said of draws: the checkpoint is not to be trusted
	tiles   *tiles.Reader
	failed  error // of reading a file
	missing string
	bundles map[int64][][]byte
	lag     int
}

// memory is what was seen last.
type memory struct {
	Checkpoint string `json:"checkpoint"` // signed
}

// Begin reads the checkpoint and compares it with the one seen last. What is wrong
// with it is recorded; the error says that something could not be read.
func (m *Monitor) Begin(ctx context.Context) (*Run, error) {
	r := &Run{Monitor: m, blind: true, bundles: map[int64][][]byte{}}
	// In this order: what another run has seen was public before this one looks, and
	// what is public was committed before.
	before, seen, err := m.seen(ctx)
	if err != nil {
		return r, err
	}
	signed, _, err := m.Files.Get(ctx, checkpoint.Path)
	isThere := !errors.Is(err, objects.ErrNotFound)
	if err != nil && isThere {
		return r, fmt.Errorf("reading the public checkpoint: %w", err)
	}
	committed, err := sequencer.Committed(ctx, m.lock(), m.Origin)
	if errors.Is(err, sequencer.ErrState) {
		r.fault(ctx, TableBehind, err.Error())
		return r, nil
	}
	if err != nil {
		return r, err
	}
	var now *checkpoint.Checkpoint
	if isThere {
		if now, err = checkpoint.Open(signed, m.Origin, m.Known); err != nil {
			r.fault(ctx, BadSignature, err.Error())
			return r, nil
		}
		r.tree = now.Tree
	}
	if !r.grew(ctx, committed, seen) {
		return r, r.failed
	}
	r.blind, r.lag = false, int(committed.N-r.tree.N)
	if now == nil || m.ForDraws || string(now.Signed) == before.checkpoint {
		return r, nil
	}
	return r, m.remember(ctx, before, now)
}

// before is the memory as it is stored.
type before struct {
	checkpoint string
	version    int64 // 0 for none
}

// seen reads what was seen last, and verifies it.
func (m *Monitor) seen(ctx context.Context) (before, *checkpoint.Checkpoint, error) {
	kept, item, err := store.Read[memory](ctx, m.Table, store.LogKey(m.Origin), store.LogSeenKey)
	if err != nil || item.PK == "" {
		return before{}, nil, err
	}
	b := before{checkpoint: kept.Checkpoint, version: item.Version}
	c, err := checkpoint.Open([]byte(kept.Checkpoint), m.Origin, m.Known)
	if err != nil {
		// The log's key was replaced within a minute, or someone has changed the table.
		m.Record.LogFault(BadMemory)
		m.Log.LogAttrs(ctx, slog.LevelError, "log fault", slog.String("log", m.Origin), slog.String("kind", BadMemory), slog.String("reason", err.Error()))
		return b, nil, nil
	}
	return b, c, nil
}

// remember keeps the checkpoint that was seen.
func (m *Monitor) remember(ctx context.Context, b before, now *checkpoint.Checkpoint) error {
	// Before this write the next run compares with the checkpoint before; after it,
	// with this one. Each is proved to have grown out of the one that is kept.
	err := m.Table.Replace(ctx, store.Item{PK: store.LogKey(m.Origin), SK: store.LogSeenKey, Body: store.Encode(memory{
		Checkpoint: string(now.Signed),
	}), Version: b.version + 1})
	if errors.Is(err, store.ErrChanged) {
		return nil // another run has seen it
	}
	return err
}

// grew proves that the tree grew out of the one seen last, and not past what is
// committed.
func (r *Run) grew(ctx context.Context, committed tlog.Tree, seen *checkpoint.Checkpoint) bool {
	r.tiles = tiles.NewReader(ctx, r.get)
	switch {
	case r.tree.N > committed.N || r.tree.N == committed.N && r.tree.N > 0 && r.tree.Hash != committed.Hash:
		r.fault(ctx, TableBehind, fmt.Sprintf("size %d is public, the table has %d, or another root", r.tree.N, committed.N))
	case seen != nil && r.tree.N < seen.Tree.N:
		r.fault(ctx, Older, fmt.Sprintf("size %d is public, %d was seen before", r.tree.N, seen.Tree.N))
	case seen == nil || seen.Tree.N == 0 || seen.Tree == r.tree:
		return true
	default:
		root := r.tree.Hash
		if seen.Tree.N < r.tree.N {
			var err error
			if root, err = tlog.TreeHash(seen.Tree.N, r.hashes(ctx)); err != nil {
				r.wrong(ctx, err)
				return false
			}
		}
		if root == seen.Tree.Hash {
			return true
		}
		r.fault(ctx, Forked, fmt.Sprintf("the first %d entries are not those seen before", seen.Tree.N))
	}
	return false
}

// hashes reads hashes of the public tree, and verifies them.
func (r *Run) hashes(ctx context.Context) tlog.HashReader {
	return tlog.TileHashReader(r.tree, r.tiles.Under(ctx))
}

// get reads a file for tlog, and keeps what went wrong: tlog's own errors don't
// tell a file that is missing, or can't be read, from one that is wrong.
func (r *Run) get(ctx context.Context, path string) ([]byte, error) {
	data, err := tiles.Get(ctx, path, objects.ErrNotFound, func(ctx context.Context, path string) ([]byte, error) {
		data, _, err := r.Files.Get(ctx, path)
		return data, err
	})
	switch {
	case errors.Is(err, objects.ErrNotFound):
		r.missing = path
	case err != nil:
		r.failed = err
	}
	return data, err
}

// wrong records what reading hashes has failed of, unless a file could not be read, or there was no
// time to.
func (r *Run) wrong(ctx context.Context, err error) {
	if r.failed == nil && ctx.Err() != nil {
		r.failed = fmt.Errorf("reading the public log: %w", ctx.Err())
	}
	if r.failed == nil {
		if r.missing != "" {
			err = fmt.Errorf("%s is missing", r.missing)
		}
		r.fault(ctx, WrongFile, err.Error())
	}
}

func (r *Run) fault(ctx context.Context, kind, reason string) {
	r.Record.LogFault(kind)
	r.Log.LogAttrs(ctx, slog.LevelError, "log fault", slog.String("log", r.Origin), slog.String("kind", kind), slog.String("reason", reason))
}

// Logged reports whether the public log has the newest state of a draw, which was
// settled, and its settlement. What it lacks is sent to the archive again. A draw of
// which it is false is to be looked at again.
func (r *Run) Logged(ctx context.Context, draw string, state int) (bool, error) {
	if r.blind {
		return false, nil // the alarm was raised for the log as a whole
	}
	indexed, err := r.lock().Indexed(ctx, draw)
	if err != nil {
		return false, err
	}
	ids := []entry.ID{{Draw: draw, Kind: entry.KindState, State: state}, {Draw: draw, Kind: entry.KindSettlement, State: state}}
	waits := false
	for _, id := range ids {
		at, is := indexed[id.Key()]
		if !is {
			r.lag++ // those that are in the index were counted when the run began
		}
		waits = waits || !is || at.Index < 0 || at.Index >= r.tree.N
	}
	if waits {
		return false, r.send(ctx, draw, state)
	}
	right := true
	for _, id := range ids {
		same, err := r.compare(ctx, id, indexed[id.Key()])
		if err != nil {
			return false, err
		}
		right = right && same
	}
	return right, nil
}

// send notifies the archive of the draw again: it appends all that the log lacks.
func (r *Run) send(ctx context.Context, draw string, state int) error {
	r.Log.LogAttrs(ctx, slog.LevelWarn, "draw not in the log yet", slog.String("draw", draw), slog.Int("state", state))
	return r.Archive.Send(ctx, wire.Encode(wire.Append{Draw: draw, What: wire.AppendSettlement, State: state}), 0)
}

// compare compares an entry of the public log with the index and with the records.
func (r *Run) compare(ctx context.Context, id entry.ID, at sequencer.Indexed) (bool, error) {
	data, err := r.entry(ctx, at.Index)
	if err != nil || data == nil {
		return false, err
	}
	if hash := tlog.RecordHash(data); hex.EncodeToString(hash[:]) != at.Hash {
		r.fault(ctx, Mismatch, fmt.Sprintf("entry %d is not %s as the index has it", at.Index, id))
		return false, nil
	}
	read, err := entry.Parse(data)
	if err != nil || read.ID() != id {
		r.fault(ctx, Mismatch, fmt.Sprintf("entry %d is not %s", at.Index, id))
		return false, nil
	}
	settlement, is := read.(*entry.Settlement)
	want, err := archive.Expected(ctx, r.Table, id, is && settlement.ShowTotals)
	if errors.Is(err, games.ErrUnknown) {
		return true, nil // it was resolved by rules that this program does not have: it can't tell
	}
	if errors.Is(err, archive.ErrRecords) {
		r.fault(ctx, Mismatch, fmt.Sprintf("entry %d, %s: %v", at.Index, id, err))
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if string(want) != string(data) {
		r.fault(ctx, Mismatch, fmt.Sprintf("entry %d, %s, says something else than the records", at.Index, id))
		return false, nil
	}
	return true, nil
}

// maxBundles bounds how many bundles a run keeps.
const maxBundles = 16

// entry reads an entry and proves that it is in the tree; nil when something is
// wrong.
func (r *Run) entry(ctx context.Context, index int64) ([]byte, error) {
	n := index / tiles.Width
	list, read := r.bundles[n]
	if !read {
		width := int(min(tiles.Width, r.tree.N-n*tiles.Width))
		data, err := r.get(ctx, tiles.EntriesPath(n, width))
		if err == nil {
			list, err = tiles.Entries(data, width)
		}
		if err != nil {
			r.wrong(ctx, err)
			return nil, r.failed
		}
		if len(r.bundles) >= maxBundles {
			clear(r.bundles)
		}
		r.bundles[n] = list
	}
	want, err := r.hashes(ctx).ReadHashes([]int64{tlog.StoredHashIndex(0, index)})
	if err == nil && tlog.RecordHash(list[index%tiles.Width]) != want[0] {
		err = fmt.Errorf("entry %d is not the one in the tree", index)
	}
	if err != nil {
		r.wrong(ctx, err)
		return nil, r.failed
	}
	return list[index%tiles.Width], nil
}

// End records how many entries wait to be public.
func (r *Run) End() { r.Record.LogLag(r.lag) }
