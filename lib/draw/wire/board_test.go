package wire_test

import (
	"testing"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

// TestBoardByGroups: a selection has the odds of its group where the board has none of its
// own, and a mark holds for all of a group but those with an entry of their own.
func TestBoardByGroups(t *testing.T) {
	game, _ := games.Find("lucky7")
	board := wire.OddsBoard{"drawn/1": {Odds: 5_5000}, "drawn/2": {Mark: rules.MarkLose}, "drawn:1-2": {Odds: 30_0000}, "drawn:7": {Odds: 6_0000},
		"sum_odd": {Mark: rules.MarkWin}}
	for _, c := range []struct {
		selection string
		want      wire.BoardEntry
		offered   bool
	}{
		{"drawn:7", wire.BoardEntry{Odds: 6_0000}, true}, {"drawn:8", wire.BoardEntry{Odds: 5_5000}, true},
		{"drawn:1-2", wire.BoardEntry{Odds: 30_0000}, true}, {"drawn:1-3", wire.BoardEntry{Mark: rules.MarkLose}, true},
		{"drawn:1-2-3", wire.BoardEntry{}, false}, {"sum_even", wire.BoardEntry{}, false},
	} {
		t.Run(c.selection, func(t *testing.T) {
			s, err := game.Parse(c.selection)
			if err != nil {
				t.Fatal(err)
			}
			if got, offered := board.Entry(game, s); got != c.want || offered != c.offered {
				t.Errorf("the board has %+v, %t; want %+v, %t", got, offered, c.want, c.offered)
			}
		})
	}
	decided := map[rules.Selection]rules.Mark{}
	board.Marks(game, decided)
	lost, won := 0, 0
	for s, mark := range decided {
		if mark == rules.MarkWin && game.Text(s) == "sum_odd" {
			won++
		} else if mark == rules.MarkLose && game.Text(s) != "drawn:1-2" {
			lost++
		}
	}
	if want := 42*41/2 - 1; lost != want || won != 1 || len(decided) != want+1 {
		t.Errorf("%d are decided, %d lose and %d win; want all pairs but one to lose, %d, and the odd sum to win", len(decided), lost, won, want)
	}
	open := map[rules.Selection]rules.Mark{}
	wire.OddsBoard{"drawn/1": {Odds: 5_5000}}.Marks(game, open)
	if len(open) > 0 {
		t.Errorf("a board without marks decides %d selections, want none", len(open))
	}
}

// TestSenders: an operator sends orders, tally alone what it found, and the studio the rest.
func TestSenders(t *testing.T) {
	for kind, want := range map[wire.Type][2]bool{
		wire.BetsVoided: {true, false}, wire.OrderRevoked: {true, false}, wire.BetsFound: {false, true},
		wire.DrawOpened: {false, false}, wire.DrawResulted: {false, false}, wire.DrawCancelled: {false, false},
	} {
		t.Run(string(kind), func(t *testing.T) {
			if kind.IsOrder() != want[0] || kind.IsOwn() != want[1] {
				t.Errorf("%s is an operator's: %t, tally's own: %t; want %v", kind, kind.IsOrder(), kind.IsOwn(), want)
			}
		})
	}
}
