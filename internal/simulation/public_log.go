package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive"
	logentry "tally/lib/archive/entry"
	"tally/lib/archive/objects"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
	"tally/lib/archive/watchdog"
	"tally/lib/draw"
	"tally/lib/pipeline/reconcile"
	"tally/lib/store"
)

// origin is the log's name.
const origin = "example.com/tally"

// publicLog is the log: files that appenders agree on by the table, or, where a plan does not
// ask for that, a list in memory. What is in it stays.
type publicLog struct {
	world  *world
	leaves []sequencer.Leaf  // of the list; of the files once they are read
	files  *fakeobjects.Fake // nil for the list
	signer note.Signer
	known  note.Verifiers
}

var _ archive.Appender = (*publicLog)(nil)

// open opens the log of a world.
func (l *publicLog) open(t testing.TB, w *world) {
	if l.world = w; !w.plan.Log {
		return
	}
	signer, verifier, _ := archivetest.Key(t, origin, 1)
	l.signer, l.known, l.files = signer, note.VerifierList(verifier), fakeobjects.New()
	l.files.Intercept, l.files.Overwritten = w.intercept, w.fileOverwritten
}

// appender returns what one archive process appends with.
func (l *publicLog) appender(table *store.Table) archive.Appender {
	if l.files == nil {
		return l
	}
	return &sequencer.Log{Origin: origin, Lock: archive.TableLock{Table: table, Origin: origin}, Objects: l.files, Signers: []note.Signer{l.signer}, Known: l.known, Log: quiet,
		Pause: store.Pause}
}

// watch is what reconcile looks at the log with; nil where there are no files.
func (l *publicLog) watch() func(context.Context) (reconcile.PublicLog, error) {
	if l.files == nil {
		return nil
	}
	monitor := &watchdog.Monitor{Origin: origin, Table: l.world.table, Files: l.files, Known: l.known, Archive: sender{world: l.world, queue: l.world.archive}, Record: l, Log: quiet}
	return func(ctx context.Context) (reconcile.PublicLog, error) { return monitor.Begin(ctx) }
}

// LogLag implements watchdog.LogRecorder.
func (*publicLog) LogLag(int) {}

// LogFault implements watchdog.LogRecorder: there is none.
func (l *publicLog) LogFault(kind string) {
	l.world.problem("the watchdog finds in the log: %s", kind)
}

// Get implements verify.Source.
func (l *publicLog) Get(ctx context.Context, path string) ([]byte, error) {
	data, _, err := l.files.Get(ctx, path)
	if errors.Is(err, objects.ErrNotFound) {
		err = verify.ErrMissing
	}
	return data, err
}

// read reads the files as an auditor does, who verifies all of them, and keeps the entries.
func (l *publicLog) read() {
	if l.files == nil {
		return
	}
	ctx := context.Background()
	report, err := verify.Log(ctx, l, verify.Params{Origin: origin, Known: l.known, Parallel: 1})
	if err != nil {
		l.world.problem("the log can't be verified: %v", err)
		return
	}
	for _, found := range report.Findings {
		if found.Code != verify.NoCheckpoint { // nothing was ever told
			l.world.problem("the log: %s", found)
		}
	}
	for first := int64(0); first < report.Size; first += tiles.Width {
		width := int(min(tiles.Width, report.Size-first))
		bundle, err := l.Get(ctx, tiles.EntriesPath(first/tiles.Width, width))
		if err == nil {
			err = l.keep(bundle, width)
		}
		if err != nil {
			l.world.problem("the log's entries from %d: %v", first, err)
		}
	}
}

func (l *publicLog) keep(bundle []byte, width int) error {
	list, err := tiles.Entries(bundle, width)
	if err != nil {
		return err
	}
	for _, data := range list {
		e, err := logentry.Parse(data)
		if err != nil {
			return err
		}
		l.leaves = append(l.leaves, sequencer.Leaf{Group: e.ID().Draw, Key: e.ID().Key(), Data: data})
	}
	return nil
}

// Append appends the leaves that the log lacks. One that it has otherwise is a problem.
func (l *publicLog) Append(_ context.Context, leaves []sequencer.Leaf) (done sequencer.Appended, err error) {
	for _, leaf := range leaves {
		switch there := l.find(leaf.Group, leaf.Key); {
		case there == nil:
			l.leaves = append(l.leaves, leaf)
			done.New++
		case !bytes.Equal(there, leaf.Data):
			l.world.problem("the log has %s of %s as %s, appended is %s", leaf.Key, leaf.Group, there, leaf.Data)
		}
	}
	return done, nil
}

// Indexes returns where the log has a draw's entries.
func (l *publicLog) Indexes(_ context.Context, draw string) (map[string]int64, error) {
	known := map[string]int64{}
	for i, leaf := range l.leaves {
		if leaf.Group == draw {
			known[leaf.Key] = int64(i)
		}
	}
	return known, nil
}

func (l *publicLog) find(draw, key string) []byte {
	for _, leaf := range l.leaves {
		if leaf.Group == draw && leaf.Key == key {
			return leaf.Data
		}
	}
	return nil
}

func (w *world) archiver() *archive.Archive {
	var seed [32]byte
	for i := range seed {
		seed[i] = byte(w.random.Uint32())
	}
	return &archive.Archive{Table: w.table, To: w.log.appender(w.table), ShowTotals: true, Random: rand.NewChaCha8(seed), Record: discard{}, Log: quiet}
}

// logged verifies that the log has a draw's opening, all states, and the settlement of
// the newest; and that each settlement has all that its run has done.
func (c *checker) logged(t *truth, head *draw.Head, items map[string]store.Item) {
	lacks := func(kind logentry.Kind, state int) bool {
		return c.world.log.find(t.id, logentry.ID{Draw: t.id, Kind: kind, State: state}.Key()) == nil
	}
	if t.opened && lacks(logentry.KindOpening, 0) {
		c.problem("draw %s: the log lacks its opening", t.id)
	}
	if head.State > 0 && lacks(logentry.KindSettlement, head.State) {
		c.problem("draw %s: the log lacks the settlement of state %d", t.id, head.State)
	}
	for number := 1; number <= head.State; number++ {
		if lacks(logentry.KindState, number) {
			c.problem("draw %s: the log lacks state %d", t.id, number)
		}
		settled := c.world.log.find(t.id, logentry.ID{Draw: t.id, Kind: logentry.KindSettlement, State: number}.Key())
		if settled == nil {
			continue // it was skipped or abandoned
		}
		var said struct {
			Bookmakers struct{ Count int }
			Totals     map[string]struct{ Bets int }
		}
		if err := json.Unmarshal(settled, &said); err != nil {
			c.problem("draw %s: %s: %v", t.id, settled, err)
		}
		bets, bookmakers := 0, map[string]bool{}
		for sk, item := range items {
			if state, bookmaker, isDone := doneOf(sk); isDone && state == number {
				var done struct{ Bets int }
				c.decode(item, &done)
				bets += done.Bets
				bookmakers[bookmaker] = true
			}
		}
		for _, totals := range said.Totals {
			bets -= totals.Bets
		}
		if bets != 0 || said.Bookmakers.Count != len(bookmakers) {
			c.problem("draw %s: the log lacks %d bets of state %d; it has %d bookmakers, done are %s", t.id, bets, number, said.Bookmakers.Count, strings.Join(slices.Sorted(maps.Keys(bookmakers)), ", "))
		}
	}
}
