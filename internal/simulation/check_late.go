package simulation

import (
	"slices"
	"strings"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// promise is what a run notes of records that a settlement may have missed, to tell whether
// it should have had them.
type promise struct {
	wrote map[string]time.Time // when each record of a bet was written, by its key
	found map[string]finding   // by the key of tally's own order
	// unlooked are partitions that somebody was to look through, and the request is lost.
	unlooked map[string]bool
}

// finding is how a handler came to find late records.
type finding struct {
	step  int
	asked string          // the partition that it was asked to look through; empty for all
	open  map[string]bool // those that others are still to look through
}

// partitionOf returns the partition that is to be looked through, as its keys begin; empty for all of a
// draw, or none.
func partitionOf(run *wire.Run) string {
	if run.Look == nil || run.Look.Bookmaker == "" {
		return ""
	}
	return store.BetsKey(run.Draw, run.Look.Bookmaker, run.Look.Shard)
}

// wroteBets notes a write of records.
func (p *promise) wroteBets(call fakedynamo.Call) {
	for _, key := range call.Keys {
		if strings.HasPrefix(key, ofBets) {
			p.wrote[key] = time.Now()
		}
	}
}

// finds notes that a handler asks to store an order of tally's own.
func (w *world) finds(t *task) {
	if t.call.Operation != "TransactWriteItems" {
		return
	}
	at := slices.IndexFunc(t.call.Keys, func(key string) bool { return strings.Contains(key, " / "+store.OrderKey(intake.OwnOrder)) })
	if at < 0 {
		return
	}
	if _, known := w.promise.found[t.call.Keys[at]]; known {
		return
	}
	f := finding{step: w.step, asked: t.looks, open: map[string]bool{}}
	for _, m := range slices.Concat(w.sweeps.messages, w.sweeps.dead) {
		if run, err := wire.ParseRun(m.body); err == nil {
			f.open[partitionOf(&run)] = true
		}
	}
	w.promise.found[t.call.Keys[at]] = f
}

// A look counts for lookedFor, and a request to look is kept for keptFor, at most: what is left then
// others find.
const lookedFor, keptFor = 15 * time.Second, 2 * time.Minute

// looked notes a request to look that is done with, where it may have been given up.
func (w *world) looked(t *task, m *message) {
	if time.Since(t.began) >= lookedFor || time.Since(m.sentAt) >= keptFor {
		w.promise.unlooked[t.looks] = true
	}
}

// writeWithin is how long after its time of acceptance a record is written at most; it is then
// on its way for LateWithin.
const writeWithin = 2 * time.Second

// lateOrder verifies that the records that an order of tally's own names could be late.
func (c *checker) lateOrder(head *draw.Head, order store.Item, late wire.Late) {
	f, known := c.world.promise.found[order.PK+" / "+order.SK]
	if !known {
		c.problem("draw %s: nobody has found what %s names", head.Draw, order.SK)
		return
	}
	for _, b := range c.bets[head.Draw] {
		if b.bookmaker != late.Bookmaker {
			continue
		}
		first := len(late.Records) == 0 // all that it had until then
		name := strings.TrimPrefix(b.SK, store.BetKey(""))
		if first || slices.Contains(late.Records, name) {
			c.lateRecord(head, f, b, b.SK, b.AcceptedAt)
		}
		cancelled := b.wager == "" && b.cancelledAt != 0
		if cancelled && (first || slices.Contains(late.Records, name+"#cancel")) {
			c.lateRecord(head, f, b, store.CancelKey(b.reference), b.cancelledAt)
		}
	}
}

// lateRecord verifies that a late record could be: that those who do not look were not
// waited for long enough, because it was written later than it may be; or that nobody who
// looked was answered.
func (c *checker) lateRecord(head *draw.Head, f finding, b *record, sk string, at settlement.Instant) {
	w := c.world
	if r := w.plan.Rollout; r != nil && !r.Ordered() {
		return // old processes take bets of draws that are settled at once
	}
	partition := store.BetsKey(b.draw, b.bookmaker, placing.Shard(b.reference, head.Shards))
	round, _ := head.Round(int(b.Round))
	if wrote := w.promise.wrote[partition+" / "+sk]; round.LookFrom == 0 || at < round.LookFrom {
		if took := wrote.Sub(time.UnixMilli(int64(at))); took <= writeWithin+inTime+w.plan.Skew {
			c.problem("draw %s: %s of %s is a late record, though it was written %v after its time and waited for", b.draw, sk, b.bookmaker, took)
		}
		return
	}
	if f.asked != "" || f.open[partition] || w.promise.unlooked[partition] {
		return
	}
	for _, a := range w.attempts {
		if a.answer != nil && a.ended < f.step && a.about() == [3]string{b.bookmaker, b.draw, sk} {
			c.problem("draw %s: %s of %s is a late record that a later look has found, though it was answered: %s",
				b.draw, sk, b.bookmaker, a.result())
			return
		}
	}
}

// about is which record an attempt is about: bookmaker, draw and key.
func (a *attempt) about() [3]string {
	if a.cancel != nil {
		return [3]string{a.cancel.Bookmaker, a.cancel.Draw, store.CancelKey(a.cancel.Reference)}
	}
	return [3]string{a.bet.Bookmaker, a.bet.Draw, keyOf(a.bet)}
}
