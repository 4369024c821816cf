package showtest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	codes "tally/lib/rulebook/cards"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/show"
)

// Laws checks what holds of every draw of a game: so many are made up, each of a seed of
// its own, and each is compared with its facts, its outcome and what the game counts.
func Laws(t *testing.T, g *rules.Game, draws int) {
	t.Helper()
	aspects := g.Show.Aspects()
	sumToOne(t, aspects)
	named(t, g)
	for seed := range uint64(draws) {
		dealing := g.Show.Dealing()
		symbols := dealing.Shuffle(rand.New(rand.NewPCG(seed, 5)), nil)
		facts := jsonOf(t, dealing.Facts(symbols))
		l := law{T: t, game: g, facts: facts, outcome: ruletest.Outcome(t, g, facts)}
		l.dealt(symbols)
		l.shown(aspects)
		l.opened(dealing, seed, symbols)
		if t.Failed() {
			t.Fatalf("%s: the draw of seed %d breaks a law: %s", g.ID, seed, facts)
		}
	}
	example(t, g)
}

// law is a draw that is checked.
type law struct {
	*testing.T
	game    *rules.Game
	facts   string
	outcome rules.Outcome
}

// seen are the cards, and the numbers in lists, that JSON has: what lay on the table.
func seen(t testing.TB, text string) (list []string) {
	t.Helper()
	var walk func(value any, listed bool)
	walk = func(value any, listed bool) {
		switch value := value.(type) {
		case map[string]any:
			for _, member := range value {
				walk(member, false)
			}
		case []any:
			for _, element := range value {
				walk(element, true)
			}
		case string:
			if _, is := codes.Parse(value); is {
				list = append(list, value)
			}
		case float64:
			if listed {
				list = append(list, fmt.Sprint(value))
			}
		}
	}
	var all any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	walk(all, false)
	slices.Sort(list)
	return list
}

// dealt: each card of the facts was shuffled, and a shoe has each once a deck.
func (l law) dealt(symbols []string) {
	left := slices.Clone(symbols)
	copies := map[string]int{}
	for _, card := range seen(l, l.facts) {
		at := slices.Index(left, card)
		if at < 0 {
			l.Errorf("%s was dealt, but %v were shuffled", card, symbols)
			return
		}
		left = slices.Delete(left, at, at+1)
		if copies[card]++; l.game.Decks > 0 && copies[card] > l.game.Decks {
			l.Errorf("%s was dealt %d times from %d decks", card, copies[card], l.game.Decks)
		}
	}
}

// shown: the places and the picture name each card, die and ball of the facts once, with
// and without the outcome, and what the draw counts for is something that can happen.
func (l law) shown(aspects []show.Countable) {
	want := seen(l, l.facts)
	outcome := ruletest.JSON(l.outcome)
	for _, d := range []show.DrawView{read(l, l.game, l.facts, outcome), read(l, l.game, l.facts, "")} {
		if got := pictured(d.Picture(Words{})); !slices.Equal(got, want) {
			l.Errorf("the picture has %v, the facts %v", got, want)
		}
		if len(d.Places()) > 0 {
			if got := placed(d.Places()); !slices.Equal(got, want) {
				l.Errorf("the places have %v, the facts %v", got, want)
			}
		}
		if len(show.Seen(Words{}, d)) == 0 {
			l.Errorf("the facts are not told")
		}
	}
	bare := read(l, l.game, "", outcome)
	d := read(l, l.game, l.facts, outcome)
	if got := placed(bare.Places()); len(got) > 0 {
		l.Errorf("without facts, %v lie on the table", got)
	}
	if got, all := Pairs(bare.Result(Words{})), Pairs(d.Result(Words{})); got != all || got == "" {
		l.Errorf("the result is %q with the facts and %q without", all, got)
	}
	if d.Line(Words{}) == "" || d.Picture(Words{}).Form() != bare.Picture(Words{}).Form() {
		l.Errorf("it is %q in one line, drawn as %s or %s", d.Line(Words{}), d.Picture(Words{}).Form(), bare.Picture(Words{}).Form())
	}
	l.counted(d, aspects)
}

func (l law) counted(d show.DrawView, aspects []show.Countable) {
	values := d.Values()
	for _, a := range aspects {
		shown, most := values[a.Name], max(a.PerDraw, 1)
		if len(shown) != most && !(a.Some && len(shown) == 0) {
			l.Errorf("%s shows %v, want %d", a.Name, shown, most)
		}
		for _, value := range shown {
			if at := a.Index(value); at < 0 || a.Values[at].Probability.Sign() <= 0 {
				l.Errorf("%s shows %q, which can't be", a.Name, value)
			} else if a.Label != nil && a.Label(Words{}, value) == "" {
				l.Errorf("%s has no name for %q", a.Name, value)
			}
		}
		delete(values, a.Name)
	}
	if len(values) > 0 {
		l.Errorf("%v is shown and not counted", values)
	}
}

func placed(places []show.Place) (list []string) {
	for _, place := range places {
		if place.Label(Words{}) == "" {
			list = append(list, "a place without a name")
		}
		list = append(list, place.Cards...)
	}
	slices.Sort(list)
	return list
}

// pictured are the cards, dice or balls of a picture.
func pictured(p show.Picture) (list []string) {
	var found []show.OpenCard
	switch p := p.(type) {
	case show.Sides:
		found = p.Burned
		for _, s := range p.Sides {
			found = append(found, s.Cards...)
		}
	case show.Board:
		found = append(p.Burned, p.Cards...)
		for _, s := range p.Hands {
			found = append(found, s.Cards...)
		}
	case show.Seats:
		found = append(p.Burned, p.Dealer.Cards...)
		for _, s := range p.Seats {
			for _, h := range s.Hands {
				found = append(found, h.Cards...)
			}
		}
	case show.Rolls:
		for _, r := range p.Rolls {
			list = append(list, show.Texts(r.Dice)...)
		}
	case show.Balls:
		for _, b := range p.Balls {
			list = append(list, fmt.Sprint(b.Number))
		}
	}
	for _, c := range found {
		list = append(list, c.String())
	}
	slices.Sort(list)
	return list
}

// opened: what lies open when a betting round opens are the symbols that have appeared;
// the rules accept it, and what it decides comes true. What follows begins with it.
func (l law) opened(dealing rules.Dealing, seed uint64, symbols []string) {
	if len(dealing.Open) != len(l.game.Rounds) {
		l.Fatalf("%d betting rounds are played, want %d", len(dealing.Open), len(l.game.Rounds))
	}
	for i, open := range dealing.Open {
		known := symbols[:open]
		if open == 0 {
			continue
		}
		if again := dealing.Shuffle(rand.New(rand.NewPCG(seed, 6)), known); !slices.Equal(again[:open], known) {
			l.Errorf("after %v, %v follow", known, again)
		}
		visible := jsonOf(l, dealing.Visible(known))
		places, err := show.ReadVisible(l.game.Show, []byte(visible))
		sorted := slices.Sorted(slices.Values(known))
		if got := placed(places); err != nil || !slices.Equal(got, sorted) {
			l.Errorf("%v lie open, %v are shown, %v", sorted, got, err)
		}
		if !l.game.Enumerates {
			l.decided(i+1, visible)
		}
	}
}

func (l law) decided(round int, visible string) {
	decided := ruletest.Decided(l.game, round, visible)
	if strings.HasPrefix(decided, "invalid:") || strings.HasPrefix(decided, "malformed:") {
		l.Errorf("round %d can't open with %s: %s", round, visible, decided)
		return
	}
	for mark := range strings.SplitSeq(decided, ", ") {
		mark, selection, decided := strings.Cut(mark, " ")
		if !decided {
			continue
		}
		// One that can no longer lose may still be refunded.
		result := l.game.Judge(l.outcome, ruletest.Selection(l, l.game, selection)).Result
		if mark == "win" && result == rules.Lost || mark == "lose" && result == rules.Won {
			l.Errorf("%s was said to %s with %s; it is %v", selection, mark, visible, result)
		}
	}
}

// named: each language has a name for the game.
func named(t *testing.T, g *rules.Game) {
	t.Helper()
	for _, language := range []string{"en", "es", "pt", "uk"} {
		text, err := fs.ReadFile(g.Show.Messages(), "messages/"+language+".toml")
		if err != nil || !strings.Contains(string(text), "\n"+g.ID+" = ") {
			t.Errorf("%s has no name in the language %s: %v", g.ID, language, err)
		}
	}
}

func sumToOne(t *testing.T, aspects []show.Countable) {
	t.Helper()
	if len(aspects) == 0 {
		t.Error("nothing is counted")
	}
	for _, a := range aspects {
		sum := new(big.Rat)
		for _, v := range a.Values {
			sum.Add(sum, v.Probability)
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("the probabilities of %s add up to %v", a.Name, sum)
		}
	}
}

// example: where a game has one, its results are possible, its bets exist, its odds are
// on the board, and what is said to be wrong is.
func example(t *testing.T, g *rules.Game) {
	t.Helper()
	e := g.Show.Example()
	if e == nil {
		return
	}
	for _, facts := range e.Facts {
		if answer := ruletest.Answer(g, facts); strings.HasPrefix(answer, "invalid") || strings.HasPrefix(answer, "malformed") {
			t.Errorf("%s of the example: %s", facts, answer)
		}
	}
	if answer := ruletest.Answer(g, e.Wrong); !strings.HasPrefix(answer, "invalid") {
		t.Errorf("%s of the example is wrong, the answer is %s", e.Wrong, answer)
	}
	if _, known := g.CancelReason(e.Cancel); !known {
		t.Errorf("%s of the example is no reason to cancel", e.Cancel)
	}
	for i, round := range e.Rounds {
		if round.Visible != "" {
			(law{T: t, game: g, outcome: ruletest.Outcome(t, g, e.Facts[0])}).decided(i+1, round.Visible)
		}
		if (round.Odds == nil) != g.Paytable() {
			t.Errorf("round %d of the example has the odds %v", i+1, round.Odds)
		}
		for _, bet := range round.Bets {
			ruletest.Selection(t, g, bet)
		}
		for bet, wager := range round.Wagers {
			ruletest.Selection(t, g, bet)
			ruletest.Selection(t, g, wager)
		}
	}
}
