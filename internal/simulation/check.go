package simulation

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	storedrecord "tally/lib/store/record"
)

// checker verifies a run's result from what is stored.
type checker struct {
	world  *world
	table  *store.Table
	truths map[string]*truth
	feeds  map[string]*feed
	bets   map[string][]*record          // by draw
	ends   map[string]settlement.Instant // of each draw's records
}

func (c *checker) problem(format string, args ...any) { c.world.problem(format, args...) }

// check verifies everything; it needs all queues to be empty.
func (w *world) check() *checker {
	c := &checker{world: w, table: w.table, truths: map[string]*truth{}, feeds: map[string]*feed{}, bets: map[string][]*record{}, ends: map[string]settlement.Instant{}}
	for _, bookmaker := range []string{"acme", "borealis", "cresta"} {
		c.feeds[bookmaker] = c.readFeed(bookmaker)
	}
	w.log.read()
	for _, id := range w.plan.Draws {
		c.draw(id)
	}
	for bookmaker, f := range c.feeds {
		for id := range f.newest {
			if !slices.Contains(w.plan.Draws, id) {
				c.problem("feed of %s names draw %s, which nobody plays", bookmaker, id)
			}
		}
	}
	c.messages()
	c.answers()
	c.expiry()
	c.reader()
	return c
}

// draw verifies one draw.
func (c *checker) draw(id string) {
	t, err := readTruth(c.table, id)
	if err != nil {
		c.problem("draw %s: %v", id, err)
		return
	}
	c.truths[id] = t
	head, _, err := storedrecord.LoadHead(context.Background(), c.table, id)
	if err != nil {
		c.problem("draw %s: %v", id, err)
		return
	}
	t.shards = head.Shards
	c.ends[id] = head.RetainUntil
	c.bets[id] = c.readBets(id)
	ready := t.opened && t.revision >= 0
	if ready != (head.State > 0) {
		c.problem("draw %s: opened %v, revision %d, but state %d", id, t.opened, t.revision, head.State)
		return
	}
	c.runOf(t, head)
	c.archive(t, head)
	c.due(t, head, ready)
	if !ready {
		for bookmaker, f := range c.feeds {
			if len(f.newest[id]) > 0 {
				c.problem("feed of %s: draw %s has no result", bookmaker, id)
			}
		}
		return
	}
	c.settlements(t, head)
	c.histories(t)
}

// readBets reads the stored bets of a draw, whatever shard they are in.
func (c *checker) readBets(id string) (list []*record) {
	for _, pk := range c.world.db.Partitions() {
		rest, isBets := strings.CutPrefix(pk, "BETS#"+id+"#")
		if !isBets {
			continue
		}
		bookmaker, _, _ := strings.Cut(rest, "#")
		bases := map[string]*record{}
		for b, err := range c.table.Bets(context.Background(), pk, "") {
			if err != nil {
				c.problem("reading %s: %v", pk, err)
				return list
			}
			reference, part, _ := strings.Cut(strings.TrimPrefix(b.SK, "BET#"), "#")
			switch r := (&record{StoredBet: b, draw: id, bookmaker: bookmaker, reference: reference, wager: part, base: bases[reference]}); {
			case b.Refused != "":
			case part == "cancel":
				bases[reference].cancelledAt = b.AcceptedAt
			case part == "":
				bases[reference] = r
				list = append(list, r)
			default:
				if r.base == nil {
					c.problem("%s / %s hangs on no bet", pk, b.SK)
				}
				list = append(list, r)
			}
		}
	}
	return list
}

// runOf verifies that the newest state is settled and reported to every bookmaker.
func (c *checker) runOf(t *truth, head *draw.Head) {
	items, err := c.table.All(context.Background(), store.DrawKey(t.id))
	if err != nil {
		c.problem("draw %s: %v", t.id, err)
		return
	}
	var run struct {
		Base, State int
		Stopped     string
		Skipped     []int
	}
	if item, found := items[store.SweepKey]; found {
		c.decode(item, &run)
	}
	if run.State != 0 || run.Base != head.State || run.Stopped != "" {
		c.problem("draw %s has state %d, its run is %+v", t.id, head.State, run)
	}
	c.logged(t, head, items)
	c.lateRecords(head, items)
	abandoned := c.abandonedOf(items)
	if c.world.abandoned += len(abandoned); len(abandoned) > 0 && !c.world.plan.MayBeLate() {
		c.problem("draw %s: states %v were abandoned without a late record", t.id, slices.Sorted(maps.Keys(abandoned)))
	}
	if c.world.plan.HoldAbove != "" { // the others that were never reported were held
		for _, state := range run.Skipped {
			abandoned[state] = true
		}
	}
	for range c.table.Query(context.Background(), store.ReleasedIn(t.id), "") {
		c.world.released++
	}
	for sk := range items {
		state, bookmaker, isDone := doneOf(sk)
		if _, told := items[store.FedKey(state, bookmaker)]; isDone && abandoned[state] && !told {
			c.world.replaced++
		}
		if _, told := items[store.FedKey(state, bookmaker)]; isDone && told == abandoned[state] {
			c.problem("draw %s: %s was notified of state %d: %v; the state was abandoned: %v", t.id, bookmaker, state, told, abandoned[state])
		}
	}
}

// abandonedOf returns the states of a draw that were given up.
func (c *checker) abandonedOf(items map[string]store.Item) map[int]bool {
	abandoned := map[int]bool{}
	for sk, item := range items {
		var done struct{ Abandoned bool }
		if state, _, isDone := doneOf(sk); isDone {
			c.decode(item, &done)
			if done.Abandoned {
				abandoned[state] = true
			}
		}
	}
	return abandoned
}

// lateRecords counts the late records of a draw that reconcile had settled.
func (c *checker) lateRecords(head *draw.Head, items map[string]store.Item) {
	for sk, item := range items {
		m, _, _ := wire.Parse([]byte(item.Body))
		if !strings.HasPrefix(sk, store.OrderKey("")) || m == nil || m.Type != wire.BetsFound {
			continue
		}
		if m.Reason == "missed_by_sweep" {
			c.lateOrder(head, item, m.Late)
		}
		for _, record := range m.Late.Records {
			kind := "bet"
			if _, part, hangsOn := strings.Cut(record, "#"); hangsOn {
				kind = "wager"
				if part == "cancel" {
					kind = part
				}
			}
			c.world.late[kind]++
		}
		if len(m.Late.Records) == 0 {
			c.world.late["first"]++
		}
	}
}

// doneOf reads the key of a partition that is done.
func doneOf(sk string) (state int, bookmaker string, ok bool) {
	parts := strings.Split(sk, "#")
	if parts[0] != "DONE" {
		return 0, "", false
	}
	_, err := fmt.Sscanf(parts[1], "%d", &state)
	return state, parts[2], err == nil
}

// due verifies that reconcile will look at the draw again, once, while it is not
// opened, settled and counted, and not after that.
func (c *checker) due(t *truth, head *draw.Head, ready bool) {
	looks := 0
	for _, pk := range c.world.db.Partitions() {
		if pk < store.DueKey(settlement.Instant(time.Now().UnixMilli()-60_000), 0) || !strings.HasPrefix(pk, "DUE#") {
			continue
		}
		for _, err := range c.table.Query(context.Background(), pk, t.id+"#") {
			if err != nil {
				c.problem("draw %s: %v", t.id, err)
				return
			}
			looks++
		}
	}
	want := 1
	if ready || head.Game == "" { // nobody but an operator has sent it
		want = 0
	}
	if looks != want {
		c.problem("draw %s: it is settled: %v, but reconcile looks at it %d times more", t.id, ready, looks)
	}
}

// archive verifies that the archive was notified of everything.
func (c *checker) archive(t *truth, head *draw.Head) {
	newest := map[string]int{}
	for _, m := range c.world.archive.messages {
		var e wire.Append
		c.decode(store.Item{PK: "archive", Body: m.body}, &e)
		if e.Draw == t.id {
			newest[e.What] = max(newest[e.What], e.State)
			newest["told "+e.What]++
		}
	}
	if t.opened && newest["told "+wire.AppendOpening] == 0 {
		c.problem("draw %s: the archive was not told of its opening", t.id)
	}
	if newest[wire.AppendState] != head.State || newest[wire.AppendSettlement] != head.State {
		c.problem("draw %s: the archive was asked for state %d and settlement %d, the newest is %d", t.id, newest[wire.AppendState], newest[wire.AppendSettlement], head.State)
	}
}

// settlements compares the newest line of every bet with the offline settler's.
func (c *checker) settlements(t *truth, head *draw.Head) {
	expected, err := t.settle(c.bets[t.id])
	if err != nil {
		c.problem("draw %s: %v", t.id, err)
		return
	}
	seen := map[string]bool{}
	for _, b := range c.bets[t.id] {
		seen[b.name()] = true
		l := c.feeds[b.bookmaker].newest[t.id][b.reference+" "+b.wager]
		if l == nil {
			c.problem("draw %s: bet %s is stored and was never reported", t.id, b.name())
			continue
		}
		got := outcome{status: l.Status, payout: l.Payout, reason: l.Reason}
		if want := expected[b]; got != want {
			c.problem("draw %s: bet %s was reported as %v, offline it is %v", t.id, b.name(), got, want)
		}
		if l.Stake != stakeOf(b) || l.Currency != b.Currency {
			c.problem("draw %s: bet %s of %s %s was reported with stake %s %s", t.id, b.name(), stakeOf(b), b.Currency, l.Stake, l.Currency)
		}
	}
	for bookmaker, f := range c.feeds {
		var all []*line
		for name, l := range f.newest[t.id] {
			if !seen[bookmaker+" "+name] {
				c.problem("feed of %s: draw %s has a line of %s, which is not stored", bookmaker, t.id, name)
			}
			all = append(all, l)
		}
		c.done(t, head, bookmaker, all)
	}
}

// done compares what DONE says of the newest state with the newest lines.
func (c *checker) done(t *truth, head *draw.Head, bookmaker string, all []*line) {
	slices.SortFunc(all, func(a, b *line) int { return strings.Compare(a.key(), b.key()) })
	var inPlan bool
	for shard := range t.shards {
		item, found, err := c.table.Get(context.Background(), store.DrawKey(t.id), store.DoneKey(head.State, bookmaker, shard))
		if err != nil {
			c.problem("draw %s: %v", t.id, err)
		}
		if !found {
			continue
		}
		inPlan = true
		var done struct {
			Bets   int
			Totals []totals
			Digest string
		}
		c.decode(item, &done)
		lines := slices.DeleteFunc(slices.Clone(all), func(l *line) bool { return l.shard != shard })
		if want := add(lines); !slices.Equal(done.Totals, want) || done.Bets != len(lines) {
			c.problem("draw %s: %s is %+v, the lines come to %+v", t.id, item.SK, done, want)
		}
		if done.Digest != digestOf(lines) {
			c.problem("draw %s: %s has another digest than the lines", t.id, item.SK)
		}
	}
	if len(all) > 0 && !inPlan {
		c.problem("draw %s: nothing is done for %s in state %d", t.id, bookmaker, head.State)
	}
}
