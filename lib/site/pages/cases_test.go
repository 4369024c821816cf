package pages_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tally/lib/archive/entry"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/site/history"
	"tally/lib/strictjson"
)

// opens is when the draws of the cases open.
const opens settlement.Instant = 1796040000000 // 2026-11-30T12:00:00Z

// story makes a draw entry by entry.
type story struct {
	t      testing.TB
	draw   string
	game   string
	leaves []history.Leaf
}

// newStory starts the story of a draw with its opening.
func newStory(t testing.TB, game, draw string) *story {
	t.Helper()
	s := &story{t: t, draw: draw, game: game}
	rounds := 1
	if g, known := games.Find(game); known {
		rounds = len(g.Rounds)
	}
	opening := &entry.Opening{Draw: draw, Game: game, Table: "table-1", Sequence: 7, StoredAt: opens - 4000, Message: entry.HashOf("opening")}
	for i := range rounds {
		from := opens + settlement.Instant(i)*30_000
		opening.Rounds = append(opening.Rounds, entry.Planned{Round: i + 1, OpensAt: from, ClosesAt: from + 20_000})
	}
	return s.add(opening)
}

func (s *story) add(e entry.Entry) *story {
	s.t.Helper()
	data, err := entry.Encode(e)
	if err != nil {
		s.t.Fatal(err)
	}
	leaf, err := history.Read(int64(1000+len(s.leaves)), data)
	if err != nil {
		s.t.Fatal(err)
	}
	s.leaves = append(s.leaves, leaf)
	return s
}

// state adds a state after a change to what it says.
func (s *story) state(change func(*entry.State)) *story {
	s.t.Helper()
	number := 1
	for _, leaf := range s.leaves {
		if _, is := leaf.Entry.(*entry.State); is {
			number++
		}
	}
	e := &entry.State{Draw: s.draw, Game: s.game, State: number, Replaces: number - 1, MadeAt: opens + 90_000 + settlement.Instant(number)*60_000,
		Catalogue: 1, Revision: number, Message: entry.HashOf(fmt.Sprint(number))}
	change(e)
	return s.add(e)
}

// result adds a state with facts, resolved by the rules.
func (s *story) result(facts string) *story {
	s.t.Helper()
	resolved := resolve(s.t, s.game, facts)
	return s.state(func(e *entry.State) {
		e.ShowFacts([]byte(facts))
		e.Status, e.Outcome, e.Reason, e.Rule = entry.Resolved, nil, resolved.Void.Reason, resolved.Void.Rule
		if e.Reason != "" {
			e.Status = entry.Void
			return
		}
		e.Outcome = resolved.Outcome.AppendJSON(nil)
	})
}

// cancelled adds a cancellation.
func (s *story) cancelled(reason string, revision int) *story {
	s.t.Helper()
	game, _ := games.Find(s.game)
	return s.state(func(e *entry.State) {
		e.Status, e.Reason, e.Rule, e.Revision = entry.Cancelled, reason, game.CancelRule, revision
		if revision == 0 {
			e.Message = ""
		}
	})
}

// draw returns the history so far.
func (s *story) history() *history.Draw {
	s.t.Helper()
	d, err := history.New(s.leaves)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// resolve applies the rules to facts.
func resolve(t testing.TB, game, facts string) rules.Resolution[rules.Outcome] {
	t.Helper()
	g, known := games.Find(game)
	if !known {
		t.Fatalf("there is no game %s", game)
	}
	document := strictjson.Document{}
	root, _ := document.Parse("facts", []byte(facts))
	object, _ := root.Object()
	read := g.ReadFacts(object)
	if problems := document.Problems(); len(problems) > 0 {
		t.Fatalf("%s: %s", facts, problems[0].Message())
	}
	resolved := g.Resolve(read)
	if len(resolved.Faults) > 0 {
		t.Fatalf("%s: %s", facts, resolved.Faults[0].Message)
	}
	return resolved
}

func totals(t testing.TB, code, stake, payout string, won, lost, refunded int) settlement.Total {
	t.Helper()
	currency, known := money.ParseCurrency(code)
	if !known {
		t.Fatalf("there is no currency %s", code)
	}
	made := settlement.Total{Currency: currency, Bets: won + lost + refunded, Won: won, Lost: lost, Refunded: refunded}
	for text, sum := range map[string]*money.Sum{stake: &made.Stake, payout: &made.Payout} {
		if err := sum.UnmarshalText([]byte(strings.Replace(text, ".", "", 1))); err != nil {
			t.Fatal(err)
		}
	}
	return made
}

func (s *story) settled(state, replaces int, byCurrency ...settlement.Total) *story {
	s.t.Helper()
	return s.add(&entry.Settlement{Draw: s.draw, Game: s.game, State: state, Replaces: replaces, ShowTotals: true, Totals: byCurrency,
		Bookmakers: entry.Commitments{Count: len(byCurrency), Root: entry.HashOf("root")}})
}

// manySpins are the facts of a roulette draw whose ball had to be spun often.
func manySpins(faulty int) string {
	spins := []map[string]int{}
	for i := range faulty {
		spins = append(spins, map[string]int{"pocket": i % 37, "revolutions": i % 3})
	}
	text, _ := json.Marshal(map[string]any{"spins": append(spins, map[string]int{"pocket": 0, "revolutions": 4})})
	return string(text)
}

// cases are draws that the samples don't have.
func cases(t testing.TB) []*history.Draw {
	t.Helper()
	eur := totals(t, "EUR", "1234567.89", "1000.00", 1200, 34, 5)
	note := func(s *entry.State) {
		s.Correction = &entry.Correction{Reason: entry.NoteOf("Anna saw it"), Note: entry.NoteOf("video_review")}
	}
	list := []*story{
		newStory(t, "baccarat", "pending"),
		newStory(t, "poker", "pending"),
		newStory(t, "baccarat", "natural").result(`{"banker":["9H","2C"],"burned":["5C","5C"],"player":["KS","8D"]}`).settled(1, 0, eur, totals(t, "JPY", "5000", "0", 0, 3, 0), totals(t, "KWD", "10.000", "19.505", 1, 0, 0)),
		newStory(t, "baccarat", "pairs").result(`{"banker":["4S","5D"],"player":["4S","4S"]}`),
		newStory(t, "live_baccarat", "third").result(`{"banker":["KH","7C"],"player":["2S","3D","TC"]}`),
		newStory(t, "war", "player").result(`{"dealer":"2D","player":"TS"}`),
		newStory(t, "war", "dealer").result(`{"burned":["QH"],"dealer":"AD","player":"QS"}`),
		newStory(t, "dice", "low").result(`{"rolls":[{"dice":[5,4,3,2,1]}]}`),
		newStory(t, "dice", "fell").result(`{"rolls":[{"dice":[1,2,3],"faults":["die_fell","die_covers_line"]},{"dice":[6,6,6,6,6]}]}`),
		newStory(t, "lucky5", "void").result(`{"balls":[1,10,19]}`).settled(1, 0),
		newStory(t, "lucky7", "void").result(`{"balls":[]}`),
		newStory(t, "wheel", "cup").result(`{"spins":[{"sector":null,"turns":4},{"sector":"cup","turns":5}]}`),
		newStory(t, "wheel", "black").result(`{"spins":[{"sector":"7","turns":3}]}`),
		newStory(t, "roulette", "zero").result(manySpins(30)),
		newStory(t, "roulette", "hidden").result(manySpins(3000)),
		newStory(t, "poker", "all-six").result(`{"board":["TH","JH","QH","KH","AH"],"hands":[["2S","2D"],["3C","3D"],["9D","8D"],["JC","3S"],["QD","4H"],["7S","8S"]]}`),
		newStory(t, "blackjack", "all").result(`{"burned":["2C"],"dealer":["AS","KD"],"seats":[{"hands":[{"cards":["AH","KC"]}],"seat":1},{"hands":[{"cards":["TH","9C"]}],"seat":7}]}`),
		newStory(t, "blackjack", "bust").result(`{"dealer":["9S","7D","TC"],"seats":[{"hands":[{"cards":["8H","6D","TC"]}],"seat":2},{"hands":[{"cards":["AD","9C"]},{"cards":["AS","2C"]}],"seat":3,"split":true}]}`),
		newStory(t, "dice", "by-tally").cancelled("no_result", 0),
		newStory(t, "dice", "unknown-reason").cancelled("meteor_strike", 1),
		newStory(t, "dice", "revived").cancelled("die_fell", 1).result(`{"rolls":[{"dice":[1,1,2,2,3]}]}`).settled(1, 0, eur).settled(2, 1, eur),
		newStory(t, "war", "by-hash").result(`{"dealer":"2D","player":"TS"}`).state(func(s *entry.State) {
			note(s)
			s.Status, s.Facts, s.Outcome = entry.Resolved, []byte(`{"dealer":"TD","player":"TS"}`), []byte(`{"winner":"war"}`)
			s.Orders = &entry.List{Count: 2, SHA256: entry.HashOf("orders")}
		}).add(&entry.Settlement{Draw: "by-hash", Game: "war", State: 2, Bookmakers: entry.Commitments{Root: entry.HashOf("root")}}),
		newStory(t, "keno", "unknown-game").state(func(s *entry.State) {
			s.Status, s.Facts, s.Outcome = entry.Resolved, []byte(`{"<b>":"&amp;</script>"}`), []byte(`{"x":"<img src=x onerror=alert(1)>"}`)
		}),
		newStory(t, "war", "odd-visible").add(&entry.Closings{Draw: "odd-visible", Game: "war", State: 1, Rounds: []entry.Closed{
			{Round: 1, OpensAt: opens, Closing: opens + 19_000},
			{Round: 2, OpensAt: opens + 30_000, Closing: opens + 49_000, Visible: []byte(`{"player":"<i>ZZ</i>"}`)},
			{Round: 5, OpensAt: opens + 60_000, Closing: opens + 61_000, Odds: &entry.List{Count: 1, SHA256: entry.HashOf("odds")}},
		}}).result(`{"dealer":"2D","player":"TS"}`),
	}
	draws := make([]*history.Draw, len(list))
	for i, s := range list {
		draws[i] = s.history()
	}
	return draws
}
