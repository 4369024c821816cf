package exploration

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tally/internal/testkit/duequeue"
	"tally/lib/draw"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/reconcile"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// check looks at a state: nobody was refused what is stored, and where all has come to
// rest, what was answered is reported.
func (x *explorer) check(s state) string {
	for slot, p := range x.scope.processes {
		for _, said := range x.nodes.values[s.slots[slot]].said {
			if said.stored || said.refused == placing.CodeReferenceUsed || said.refused == placing.CodeUnknownBet {
				continue
			}
			if o := p.ops[said.op]; x.stands(s.table, o) {
				return fmt.Sprintf("%s was refused (%s), and is stored", o, said.refused)
			}
		}
	}
	switch {
	case s.phase == over:
		return x.reported(s.table)
	case s.phase == atWork && x.atRest(s):
		x.calm++
		return x.prompt(s)
	}
	return ""
}

// record reads what a request stores, as the attributes of its item.
func (x *explorer) record(table uint32, pk, sk string) item {
	return x.tables.items.values[x.tables.at(table, x.tables.key(pk+" / "+sk))]
}

// stands tells whether a record is a bet, or a cancellation that counts.
func (x *explorer) stands(table uint32, o op) bool {
	it := x.record(table, o.partition(), o.record())
	if it == nil || textOf(it, "x") != "" {
		return false
	}
	bet := x.record(table, o.partition(), store.BetKey(o.reference))
	return o.selection != "" || number(it, "a") < x.scope.closing(number(bet, "r"))
}

// prompt checks that what was answered is reported before anybody looks again: whoever
// died in between has answered nobody.
func (x *explorer) prompt(s state) string {
	r := x.report(s.table)
	for slot, p := range x.scope.processes {
		for _, said := range x.nodes.values[s.slots[slot]].said {
			if !said.stored || !said.asked {
				continue // what could not be asked for is counted, and found later
			}
			o := p.ops[said.op]
			name := o.bookmaker + " " + o.record()
			if o.selection == "" {
				name = o.bookmaker + " " + store.BetKey(o.reference)
			}
			if told := r.told[name]; told == "" || o.selection == "" && told != r.want[name] {
				return fmt.Sprintf("%s was answered, and is not reported before a later look: %s is %q, stored is %q; %s", o, name, told, r.want[name], r.sweep)
			}
		}
	}
	return ""
}

// reported checks that all that is stored is reported in the end, and nothing else.
func (x *explorer) reported(table uint32) string {
	r := x.report(table)
	if !r.settled {
		return "in the end the draw is not settled: " + r.sweep
	}
	for name, want := range r.want {
		if r.told[name] != want {
			return fmt.Sprintf("in the end %s was reported as %q, and is %q", name, r.told[name], want)
		}
	}
	if len(r.told) != len(r.want) {
		return fmt.Sprintf("in the end %v was reported, and stored is %v", r.told, r.want)
	}
	return ""
}

// report is what was reported to the bookmakers, and what should be, by bookmaker and record.
type report struct {
	told, want map[string]string
	settled    bool
	sweep      string
}

func (x *explorer) report(table uint32) report {
	if r, known := x.reports[table]; known {
		return r
	}
	r := report{told: map[string]string{}, want: x.want(table)}
	read := x.tables.store(table)
	for number, it := range x.tables.contents.values[table] {
		key := x.tables.keys.values[number]
		bookmaker, isFeed := strings.CutPrefix(key.pk, "FEED#")
		if it == 0 || !isFeed || key.sk == store.CounterKey {
			continue
		}
		var entry struct {
			State  int
			Shards []struct{ Shard, Pages int }
		}
		x.decode(x.tables.items.values[it], &entry)
		for _, shard := range entry.Shards {
			for page := range shard.Pages {
				lines, err := record.Page(context.Background(), read, store.ReportKey(theDraw, entry.State, bookmaker, shard.Shard), page+1)
				if err != nil || lines == nil {
					x.t.Fatalf("page %d of state %d of %s is missing: %v", page+1, entry.State, bookmaker, err)
				}
				x.tell(r.told, bookmaker, lines)
			}
		}
	}
	item := x.record(table, store.DrawKey(theDraw), store.SweepKey)
	var run record.RunState
	x.decode(item, &run)
	r.sweep = "SWEEP is " + textOf(item, "b")
	r.settled = run.State == 0 && run.Base == x.head(table).State
	x.reports[table] = r
	return r
}

func (x *explorer) decode(it item, into any) {
	if it == nil {
		return
	}
	if err := json.Unmarshal([]byte(textOf(it, "b")), into); err != nil {
		x.t.Fatal(err)
	}
}

func (x *explorer) head(table uint32) (head draw.Head) {
	x.decode(x.record(table, store.DrawKey(theDraw), store.HeadKey), &head)
	return head
}

// tell takes over the lines of a page. The entries of a feed come in their order, since
// they are written so.
func (x *explorer) tell(told map[string]string, bookmaker string, lines []byte) {
	for raw := range bytes.Lines(lines) {
		var line struct{ Bet, Wager, Status, Reason string }
		if err := json.Unmarshal(raw, &line); err != nil {
			x.t.Fatal(err)
		}
		sk := store.BetKey(line.Bet)
		if line.Wager != "" {
			sk = store.WagerKey(line.Bet, line.Wager)
		}
		told[bookmaker+" "+sk] = strings.TrimSpace(line.Status + " " + line.Reason)
	}
}

// want is what is stored of bets and how it should be reported under the newest revision:
// the first wins all, the second loses all.
func (x *explorer) want(table uint32) map[string]string {
	want, result := map[string]string{}, "won"
	if x.head(table).Revision > 1 {
		result = "lost"
	}
	for number, it := range x.tables.contents.values[table] {
		key := x.tables.keys.values[number]
		if it == 0 || !strings.HasPrefix(key.pk, "BETS#") {
			continue
		}
		bookmaker := strings.Split(key.pk, "#")[2]
		if status := x.status(table, key, x.tables.items.values[it]); status != "" {
			want[bookmaker+" "+key.sk] = strings.TrimSpace(strings.TrimSuffix(status, "=") + strings.Repeat(result, strings.Count(status, "=")))
		}
	}
	return want
}

// status is how a record should be reported: "=" for by the cards, empty for not at all.
func (x *explorer) status(table uint32, k key, it item) string {
	parts := strings.Split(k.sk, "#")
	base := x.record(table, k.pk, store.BetKey(parts[1]))
	switch {
	case textOf(it, "x") != "" || base == nil || textOf(base, "x") != "" || len(parts) > 2 && parts[2] == "cancel":
		return ""
	case len(parts) > 2 && number(it, "a") >= x.scope.closing(number(it, "r")):
		return "refunded late_bet"
	}
	closing := x.scope.closing(number(base, "r"))
	cancelled := x.record(table, k.pk, store.CancelKey(parts[1]))
	switch {
	case number(base, "a") >= closing && len(parts) > 2:
		return "refunded base_refunded"
	case number(base, "a") >= closing:
		return "refunded late_bet"
	case cancelled != nil && textOf(cancelled, "x") == "" && number(cancelled, "a") < closing:
		return "refunded cancelled_by_bookmaker"
	}
	return "="
}

func number(it item, name string) (n settlement.Instant) {
	_, text, found := strings.Cut(encode(it), " "+name+" N")
	if rest, first := strings.CutPrefix(encode(it), name+" N"); first {
		text, found = rest, true
	}
	if found {
		_, _ = fmt.Sscan(text, &n)
	}
	return n
}

// checkTable checks what must hold at any time: nobody is notified of a state that is
// abandoned, or not done.
func (x *explorer) checkTable(table uint32) string {
	if found, known := x.faulty[table]; known {
		return found
	}
	done, abandoned, fed := map[string]bool{}, map[string]bool{}, []string{}
	for number, it := range x.tables.contents.values[table] {
		key := x.tables.keys.values[number]
		if it == 0 || key.pk != store.DrawKey(theDraw) {
			continue
		}
		kind, rest, _ := strings.Cut(key.sk, "#")
		switch kind {
		case "DONE":
			var d record.Done
			x.decode(x.tables.items.values[it], &d)
			state, _, _ := strings.Cut(rest, "#")
			abandoned[state] = abandoned[state] || d.Abandoned
			done[strings.TrimSuffix(rest, "#000")] = !d.Abandoned
		case "FED":
			fed = append(fed, rest)
		}
	}
	found := ""
	for _, who := range fed {
		state, _, _ := strings.Cut(who, "#")
		if !done[who] || abandoned[state] {
			found = fmt.Sprintf("FED#%s is there: done %v, abandoned %v", who, done[who], abandoned[state])
		}
	}
	x.faulty[table] = found
	return found
}

// rest is what reconcile does when all has come to rest.
type rest struct {
	table    uint32
	messages []string
	found    string
}

// reconcile has reconcile look every minute until it has found something to do, or for
// half an hour.
func (x *explorer) reconcile(s state) (next state, found string) {
	r, known := x.quiet[s.table]
	if !known {
		r = x.look(s.table)
		x.quiet[s.table] = r
	}
	next = s
	next.table = r.table
	next.phase = over
	if len(r.messages) > 0 || r.table != s.table && x.head(r.table).State != x.head(s.table).State {
		next.phase = reconciled
		for _, body := range r.messages {
			next.queue = x.put(next.queue, body)
		}
	}
	return next, r.found
}

func (x *explorer) look(table uint32) (r rest) {
	db := x.tables.open(table)
	read := store.New(db, tableName)
	probe := &probe{explorer: x}
	sweeps := queue{&r.messages}
	from := settles / 60_000 * 60_000
	if cursor, found, err := read.Get(context.Background(), store.ReconcileKey, store.CursorKey); err != nil {
		x.t.Fatal(err)
	} else if found {
		var at struct{ Sent settlement.Instant }
		if err := json.Unmarshal([]byte(cursor.Body), &at); err != nil {
			x.t.Fatal(err)
		}
		from = at.Sent
	}
	before := x.head(table).State
	for minute := range settlement.Instant(30) {
		now := from + (minute+1)*60_000
		settler := x.settler(read, nowhere{}, probe)
		due := duequeue.Queue{}
		cursor := &reconcile.Cursor{Table: read, Looks: &due, Depths: discard{}, Record: discard{}, Now: fixed(now), Log: quiet}
		looker := &reconcile.Reconciler{Table: read, Settler: settler, Sweeps: sweeps, Studio: discard{}, Record: counting{probe: probe}, Now: fixed(now), Log: quiet,
			ResultWithin: 1 << 40, Intake: x.intake(read, sweeps, now)}
		if err := errors.Join(cursor.Run(context.Background()), due.Work(context.Background(), looker)); err != nil {
			r.found = "reconcile fails: " + err.Error()
			return r
		}
		r.table = x.tables.read(db)
		if len(r.messages) > 0 || x.head(r.table).State != before {
			break
		}
	}
	if at := slices.IndexFunc(probe.notes, func(note string) bool { return strings.HasPrefix(note, "violation") }); at >= 0 {
		r.found = probe.notes[at]
	}
	return r
}

// counting notes what reconcile counts as a mismatch.
type counting struct {
	discard
	probe *probe
}

func (c counting) Mismatch(game string) {
	c.probe.note("violation: reconcile finds a mismatch in a draw of %s", game)
}
