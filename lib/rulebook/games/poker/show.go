package poker

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/pokerhand"
	"tally/lib/rulebook/show"
)

//go:embed messages/*.toml
var messages embed.FS

// presentation is how the game is shown and dealt.
type presentation struct{}

func (presentation) Messages() fs.FS     { return messages }
func (presentation) Draw() show.DrawView { return &shown{} }

// shown is a deal that is shown.
type shown struct{ show.Of[facts, outcome] }

func (d *shown) Check() error {
	if len(d.Outcome.Hands) > 0 && len(d.Facts.Hands) > 0 && len(d.Outcome.Hands) != len(d.Facts.Hands) {
		return fmt.Errorf("%d hands, %d of them judged", len(d.Facts.Hands), len(d.Outcome.Hands))
	}
	return nil
}

func (d *shown) Places() (list []show.Place) {
	for i, hand := range d.Facts.Hands {
		list = append(list, show.Place{Label: show.Text("poker.hand", "Number", i+1), Cards: hand})
	}
	return append(list, show.Place{Label: show.Text("poker.board"), Cards: d.Facts.Board}, show.Burned(d.Facts.Burned))
}

// winners names the hands that win.
func (o *outcome) winners(w show.Words) string {
	return w.Count("poker.hands", len(o.Winners), "Numbers", strings.Join(show.Texts(o.Winners), ", "))
}

func (d *shown) Result(w show.Words) []show.Pair {
	return []show.Pair{
		{Label: w.Text("poker.winners"), Value: d.Outcome.winners(w)},
		{Label: w.Text("poker.combination"), Value: w.Code("category", d.Outcome.Combination)},
	}
}

func (d *shown) Line(w show.Words) string {
	return d.Outcome.winners(w) + " · " + w.Code("category", d.Outcome.Combination)
}

// picture draws the hands and the board; the cards that a winner's best five have are
// marked.
func (d *shown) Picture(w show.Words) show.Picture {
	board := show.Board{Title: w.Text("poker.board"), Cards: show.Cards(d.Facts.Board...), Best: w.Text("poker.best"), Burned: show.Cards(d.Facts.Burned...)}
	for i := range max(len(d.Facts.Hands), len(d.Outcome.Hands)) {
		side := show.Side{Title: w.Text("poker.hand", "Number", i+1), Wins: slices.Contains(d.Outcome.Winners, int64(i+1))}
		if i < len(d.Facts.Hands) {
			side.Cards = show.Cards(d.Facts.Hands[i]...)
		}
		if i < len(d.Outcome.Hands) {
			side.Points = w.Code("category", d.Outcome.Hands[i].Category)
			for _, card := range d.Outcome.Hands[i].Best {
				side.Best = append(side.Best, show.OpenCard{Card: card})
			}
			if side.Wins {
				mark(side.Cards, d.Outcome.Hands[i].Best)
				mark(board.Cards, d.Outcome.Hands[i].Best)
			}
		}
		board.Hands = append(board.Hands, side)
	}
	return board
}

func mark(list []show.OpenCard, best []cards.Card) {
	for i, c := range list {
		list[i].Marked = c.Marked || slices.Contains(best, c.Card)
	}
}

// How many of all fives, and of all sevens, make each category, from the weakest up.
var (
	ofFive  = [pokerhand.Categories]int64{1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 36, 4}
	ofSeven = [pokerhand.Categories]int64{23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 37260, 4324}
)

func categoryShares(counts [pokerhand.Categories]int64) []show.Value {
	var groups []show.Group
	for category, n := range counts {
		groups = append(groups, show.Group{Name: pokerhand.Category(category).String(), Count: n})
	}
	return show.Shares(groups)
}

func (presentation) Aspects() []show.Countable {
	return []show.Countable{
		// Six hands that are dealt alike win alone alike. How often several share a win
		// is not known exactly.
		{Name: "sole_winner", Values: show.Alike(show.Range(1, hands)), Some: true,
			Label: func(w show.Words, hand string) string { return w.Text("poker.hand", "Number", hand) }},
		{Name: "board", Values: categoryShares(ofFive), Ordered: true, Label: show.Coded("category")},
		// The six hands share the board and depend on each other: one of them is counted.
		{Name: "first_hand", Values: categoryShares(ofSeven), Ordered: true, Label: show.Coded("category")},
	}
}

func (d *shown) Values() map[string][]string {
	shown := map[string][]string{}
	if len(d.Outcome.Winners) == 1 {
		shown["sole_winner"] = show.Texts(d.Outcome.Winners)
	}
	var board []cards.Card
	for _, c := range show.Cards(d.Facts.Board...) {
		board = append(board, c.Card)
	}
	if _, rank := pokerhand.BestFive(board); rank != 0 && len(board) == boardCards {
		shown["board"] = []string{rank.Category().String()}
	}
	if len(d.Outcome.Hands) > 0 {
		shown["first_hand"] = []string{d.Outcome.Hands[0].Category}
	}
	return shown
}
