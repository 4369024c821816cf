package simulation

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"tally/lib/rulebook/money"
	"tally/lib/store"
)

// entry is an entry of a bookmaker's feed, as a bookmaker reads it.
type entry struct {
	Sequence, State, Replaces int
	Draw                      string
	Shards                    []struct{ Shard, Pages, Lines int }
	Totals                    []totals
	Table                     *struct{ Table, Status, Since string }
}

// totals are those of one currency.
type totals struct {
	Currency      string
	Bets          int
	Stake, Payout string // in minor units
	Won, Lost     int
	Refunded      int
}

// line is a line of a report.
type line struct {
	Bet, Wager, Status, Stake, Payout, Currency, Reason string
	State, Replaces                                     int
	raw                                                 string
	shard                                               int
}

func (l *line) name() string { return l.Bet + " " + l.Wager }

// key is where the line's bet is stored; lines come in this order.
func (l *line) key() string {
	if l.Wager != "" {
		return store.WagerKey(l.Bet, l.Wager)
	}
	return store.BetKey(l.Bet)
}

// absolute is the line without what belongs to the report that it is in.
func (l *line) absolute() string {
	at := strings.LastIndex(l.raw, `,"state":`)
	return l.raw[:at] + "}"
}

// feed is what a bookmaker knows after reading its whole feed: for each draw and
// bet the line of the highest state.
type feed struct {
	entries []entry
	newest  map[string]map[string]*line // by draw and name
	lines   map[string]int              // how many there are, by draw and name
	told    map[string][]string         // what they say, by draw and name
}

// readFeed reads a bookmaker's feed and checks its form.
func (c *checker) readFeed(bookmaker string) *feed {
	f := &feed{newest: map[string]map[string]*line{}, lines: map[string]int{}, told: map[string][]string{}}
	counter := 0
	for item, err := range c.table.Query(context.Background(), store.FeedKey(bookmaker), "") {
		if err != nil {
			c.problem("reading the feed of %s: %v", bookmaker, err)
			return f
		}
		if item.SK == store.CounterKey {
			var body struct{ Newest int }
			c.decode(item, &body)
			counter = body.Newest
			continue
		}
		var e entry
		c.decode(item, &e)
		if e.Sequence != len(f.entries)+1 || item.SK != store.EntryKey(int64(e.Sequence)) {
			c.problem("feed of %s: entry %s has number %d after %d entries", bookmaker, item.SK, e.Sequence, len(f.entries))
		}
		f.entries = append(f.entries, e)
		c.readEntry(f, bookmaker, e)
	}
	if counter != len(f.entries) {
		c.problem("feed of %s: %d entries, the counter says %d", bookmaker, len(f.entries), counter)
	}
	return f
}

// readNews checks an entry that tells how a table stands: it has nothing else, and tells it
// once.
func (c *checker) readNews(f *feed, bookmaker string, e entry) {
	if e.State != 0 || len(e.Shards)+len(e.Totals) > 0 {
		c.problem("feed of %s: entry %d tells of table %s, and has state %d", bookmaker, e.Sequence, e.Table.Table, e.State)
	}
	for _, before := range f.entries[:len(f.entries)-1] {
		if before.Table != nil && *before.Table == *e.Table {
			c.problem("feed of %s: entries %d and %d tell the same of table %s", bookmaker, before.Sequence, e.Sequence, e.Table.Table)
		}
	}
}

// readEntry reads an entry's pages and checks each line against those before.
func (c *checker) readEntry(f *feed, bookmaker string, e entry) {
	known := f.newest[e.Draw]
	if known == nil {
		known = map[string]*line{}
		f.newest[e.Draw] = known
	}
	if e.Table != nil {
		c.readNews(f, bookmaker, e)
		return
	}
	for _, before := range f.entries[:len(f.entries)-1] {
		if before.Table == nil && before.Draw == e.Draw && before.State >= e.State {
			c.problem("feed of %s: state %d of %s comes after state %d", bookmaker, e.State, e.Draw, before.State)
		}
	}
	for _, s := range e.Shards {
		count := 0
		for page := range s.Pages {
			item, found, err := c.table.Get(context.Background(), store.ReportKey(e.Draw, e.State, bookmaker, s.Shard), store.PageKey(page+1))
			if err != nil || !found {
				c.problem("feed of %s: page %d of %s state %d is missing: %v", bookmaker, page+1, e.Draw, e.State, err)
				return
			}
			for _, l := range c.lines(item) {
				count++
				l.shard = s.Shard
				c.follow(bookmaker, e, known[l.name()], l)
				known[l.name()] = l
				name := e.Draw + " " + l.name()
				f.lines[name]++
				f.told[name] = append(f.told[name], said(l.State, l.Replaces, l.Status, l.Payout, l.Reason))
			}
		}
		if count != s.Lines {
			c.problem("feed of %s: %s state %d shard %d has %d lines, the entry says %d", bookmaker, e.Draw, e.State, s.Shard, count, s.Lines)
		}
	}
}

// follow checks that a line comes after the one that it replaces and says
// something else.
func (c *checker) follow(bookmaker string, e entry, before, l *line) {
	switch {
	case l.State != e.State:
		c.problem("feed of %s: a line of %s has state %d in the report of state %d", bookmaker, e.Draw, l.State, e.State)
	case before == nil && l.Replaces != 0:
		c.problem("feed of %s: the first line of %s %s replaces state %d", bookmaker, e.Draw, l.name(), l.Replaces)
	case before != nil && (l.Replaces != e.Replaces || l.Replaces < before.State || l.Replaces >= l.State):
		c.problem("feed of %s: line %s of %s state %d replaces %d; the entry replaces %d, the line before has state %d", bookmaker, l.name(), e.Draw, l.State, l.Replaces, e.Replaces, before.State)
	case before != nil && l.absolute() == before.absolute():
		c.problem("feed of %s: line %s of %s state %d says nothing new", bookmaker, l.name(), e.Draw, l.State)
	}
}

// lines reads a page.
func (c *checker) lines(item store.Item) (list []*line) {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(item.Binary)))
	if err != nil {
		c.problem("page %s / %s: %v", item.PK, item.SK, err)
	}
	for raw := range strings.Lines(string(text)) {
		l := &line{raw: strings.TrimSuffix(raw, "\n")}
		if err := json.Unmarshal([]byte(raw), l); err != nil {
			c.problem("page %s / %s: %v", item.PK, item.SK, err)
			continue
		}
		list = append(list, l)
	}
	if n := c.world.plan.PageLines; len(list) > n || len(list) == 0 {
		c.problem("page %s / %s has %d lines, at most %d are allowed", item.PK, item.SK, len(list), n)
	}
	return list
}

func (c *checker) decode(item store.Item, into any) {
	if err := json.Unmarshal([]byte(item.Body), into); err != nil {
		c.problem("item %s / %s: %v", item.PK, item.SK, err)
	}
}

// add adds lines up by currency, in the order of their codes.
func add(lines []*line) (list []totals) {
	sums := map[string]*struct{ stake, payout money.Sum }{}
	for _, code := range []string{"EUR", "JPY"} {
		t := totals{Currency: code}
		currency, _ := money.ParseCurrency(code)
		sums[code] = &struct{ stake, payout money.Sum }{}
		for _, l := range lines {
			if l.Currency != code {
				continue
			}
			stake, _ := money.ParseAmount(l.Stake, currency)
			payout, _ := money.ParseAmount(l.Payout, currency)
			sums[code].stake.Add(stake)
			sums[code].payout.Add(payout)
			t.Bets++
			switch l.Status {
			case "won":
				t.Won++
			case "lost":
				t.Lost++
			case "refunded":
				t.Refunded++
			}
		}
		if t.Bets > 0 {
			stake, _ := sums[code].stake.Amount()
			payout, _ := sums[code].payout.Amount()
			t.Stake, t.Payout = fmt.Sprint(int64(stake)), fmt.Sprint(int64(payout))
			list = append(list, t)
		}
	}
	return list
}

// digestOf is what DONE says of lines in the order of their bets.
func digestOf(lines []*line) string {
	hash := sha256.New()
	for _, l := range lines {
		_, _ = hash.Write([]byte(l.absolute())) // a hash never fails
	}
	return hex.EncodeToString(hash.Sum(nil))
}
