package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"tally/lib/archive"
	logentry "tally/lib/archive/entry"
	"tally/lib/archive/sequencer"
	"tally/lib/draw"
	"tally/lib/store"
)

// publicLog is the log in memory. What is in it stays.
type publicLog struct {
	world  *world
	leaves []sequencer.Leaf
}

var _ archive.Appender = (*publicLog)(nil)

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
	return &archive.Archive{Table: w.table, To: &w.log, ShowTotals: true, Random: rand.NewChaCha8(seed), Record: discard{}, Log: quiet}
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
