package studio

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

// Event is what is out of the ordinary about a draw.
type Event string

// The events.
const (
	Ordinary   Event = ""
	Impossible Event = "impossible" // the first result breaks the rules; a right one follows
	Correction Event = "correction" // a second revision after the draw was settled
	Cancelled  Event = "cancelled"
	TooFew     Event = "void"  // Lucky 5 with four balls
	Voided     Event = "order" // an order voids a shop's bets after the draw was settled
	Storm      Event = "storm" // all messages again, several times, in any order
)

// table is a table of the studio and what happens on it.
type table struct {
	name, game string
	event      Event
}

var tables = []table{
	{"pok-1", "poker", Storm}, // first: it has the most betting rounds
	{"bac-1", "baccarat", Impossible},
	{"bac-2", "baccarat", Ordinary},
	{"lba-1", "live_baccarat", Ordinary},
	{"lba-2", "live_baccarat", Cancelled},
	{"dice-1", "dice", Voided},
	{"lky5-1", "lucky5", Ordinary},
	{"lky5-2", "lucky5", TooFew},
	{"lky7-1", "lucky7", Ordinary},
	{"war-1", "war", Ordinary},
	{"whl-1", "wheel", Ordinary},
	{"bj-1", "blackjack", Ordinary},
	{"rou-1", "roulette", Correction},
	{"rou-2", "roulette", Ordinary},
}

// allTables are the studio's tables, and one for each other game.
func allTables() []table {
	list := slices.Clone(tables)
	for _, game := range games.All() {
		if !slices.ContainsFunc(list, func(t table) bool { return t.game == game.ID }) {
			list = append(list, table{name: game.ID + "-1", game: game.ID, event: Ordinary})
		}
	}
	return list
}

// The times of a draw, short enough to watch. Where answers take longer, so does
// the draw.
const (
	roundLasts   = 1000 * time.Millisecond
	betweenRound = 400 * time.Millisecond
	untilOpen    = 400 * time.Millisecond // from draw.opened to the first betting round
	announced    = 200 * time.Millisecond // betting.opened comes so long before it opens, after what came too late for the round before
	untilResult  = 300 * time.Millisecond // from the last closing
	stagger      = 60 * time.Millisecond  // from one table's draw to the next one's
	// planned is when a betting round would close by itself. It is far away: rounds
	// end with the message that closes them, when all their bets are answered.
	planned = time.Hour
)

// window is when a betting round takes bets, since the start, where answers are
// fast.
type window struct{ opens, closes time.Duration }

// Draw is one draw of the script, as its author knows it.
type Draw struct {
	Game     *rules.Game
	Table    string
	Event    Event
	Sequence int

	// Facts are those of the newest result, as JSON; empty when the draw is
	// cancelled for the reason Cancelled.
	Facts     string
	Cancelled string
	// First are the facts of a first result that a second one corrects, else empty.
	First string
	// Void is the scope of the order on the draw, nil when there is none.
	Void *settlement.Scope

	impossible string // facts that break the rules
	symbols    []string
	windows    []window
	offers     []offer
	begins     time.Duration
}

// ID is the draw's identifier when the script starts at a time.
func (d *Draw) ID(start time.Time) string {
	return fmt.Sprintf("%s.%s.%04d", d.Table, start.UTC().Format("20060102"), d.Sequence)
}

// Outcome is what the rules make of the facts; ok is false when the draw is
// cancelled or void.
func (d *Draw) Outcome() (outcome rules.Outcome, ok bool) { return d.OutcomeOf(d.Facts) }

// OutcomeOf is Outcome of other facts, such as those that were corrected.
func (d *Draw) OutcomeOf(facts string) (outcome rules.Outcome, ok bool) {
	if facts != "" {
		outcome = resolved(d.Game, facts).Outcome
	}
	return outcome, outcome != nil
}

// ends is when the first result or the cancellation is sent.
func (d *Draw) ends() time.Duration { return d.windows[len(d.windows)-1].closes + untilResult }

// newDraws returns a draw on every table.
func newDraws(r *rand.Rand) ([]*Draw, error) {
	draws := make([]*Draw, 0, len(tables))
	for i, table := range allTables() {
		game, known := games.Find(table.game)
		if !known {
			return nil, fmt.Errorf("there is no game %q", table.game)
		}
		d := &Draw{Game: game, Table: table.name, Event: table.event, Sequence: 1 + r.IntN(9000), begins: time.Duration(i) * stagger}
		opens := d.begins + untilOpen
		for range game.Rounds {
			d.windows = append(d.windows, window{opens: opens, closes: opens + roundLasts})
			opens += roundLasts + betweenRound
		}
		if err := d.deal(r); err != nil {
			return nil, err
		}
		draws = append(draws, d)
	}
	return draws, nil
}

// deal lets the draw happen: its facts, and what is offered before.
func (d *Draw) deal(r *rand.Rand) error {
	dealing := d.Game.Show.Dealing()
	d.symbols = dealing.Shuffle(r, nil)
	d.Facts = jsonOf(dealing.Facts(d.symbols))
	switch d.Event {
	case Impossible:
		for d.withoutThirds(); d.impossible == ""; d.withoutThirds() {
			d.symbols = dealing.Shuffle(r, nil)
			d.Facts = jsonOf(dealing.Facts(d.symbols))
		}
	case Correction:
		// What was seen first was read wrongly.
		for d.First = d.Facts; d.First == d.Facts; {
			d.First = jsonOf(dealing.Facts(dealing.Shuffle(r, nil)))
		}
	case Cancelled:
		d.Facts, d.Cancelled = "", "card_exposed"
	case TooFew:
		d.Facts = jsonOf(dealing.Facts(d.symbols[:len(d.symbols)-1]))
	case Voided:
		d.Void = &settlement.Scope{Bookmaker: Bookmakers[0].ID, Shop: Bookmakers[0].Shops[0]}
	}
	for i, open := range dealing.Open {
		o, err := newOffer(r, d.Game, i+1, slices.Clip(d.symbols[:open]))
		if err != nil {
			return err
		}
		d.offers = append(d.offers, o)
	}
	return nil
}

// withoutThirds makes baccarat facts that lack the third cards, if there were any.
func (d *Draw) withoutThirds() {
	s := d.symbols
	facts := fmt.Sprintf(`{"player":[%q,%q],"banker":[%q,%q]}`, s[0], s[2], s[1], s[3])
	if len(resolved(d.Game, facts).Faults) > 0 {
		d.impossible = facts
	}
}
