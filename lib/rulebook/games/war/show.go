package war

import (
	"embed"
	"io/fs"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/show"
)

//go:embed messages/*.toml
var messages embed.FS

// presentation is how the game is shown and dealt.
type presentation struct{}

func (presentation) Messages() fs.FS     { return messages }
func (presentation) Draw() show.DrawView { return &shown{} }

// shown is a draw that is shown.
type shown struct{ show.Of[facts, outcome] }

func (d *shown) Places() []show.Place {
	return []show.Place{{Label: show.Text("war.player"), Cards: list(d.Facts.Player)}, {Label: show.Text("war.dealer"), Cards: list(d.Facts.Dealer)}, show.Burned(d.Facts.Burned)}
}

func (d *shown) Result(w show.Words) []show.Pair {
	return []show.Pair{{Label: w.Text("war.winner"), Value: w.Code("war", d.Outcome.Winner)}}
}

func (d *shown) Line(w show.Words) string {
	both := show.Join(" : ", show.Short(show.Cards(list(d.Facts.Player)...)), show.Short(show.Cards(list(d.Facts.Dealer)...)))
	return show.Join(" · ", w.Code("war", d.Outcome.Winner), both)
}

func (d *shown) Picture(w show.Words) show.Picture {
	side := func(name string, card *string) show.Side {
		return show.Side{Title: w.Code("war", name), Cards: show.Cards(list(card)...), Wins: d.Outcome.Winner == name}
	}
	sides := show.Sides{Sides: []show.Side{side(player, d.Facts.Player), side(dealer, d.Facts.Dealer)}, Middle: true, Burned: show.Cards(d.Facts.Burned...)}
	if d.Outcome.Winner == war {
		sides.Between = w.Text("war.war")
	}
	return sides
}

// Aspects are worked out from the ranks of two cards of a full shoe.
func (presentation) Aspects() []show.Countable {
	return show.Expect(func(way func(show.DrawView, int64)) {
		const ofRank = 4 * decks
		for p := cards.Two; p <= cards.Ace; p++ {
			for d := cards.Two; d <= cards.Ace; d++ {
				left := int64(ofRank)
				if p == d {
					left--
				}
				player, dealer := cards.New(p, cards.Spades).String(), cards.New(d, cards.Hearts).String()
				f := facts{Player: &player, Dealer: &dealer}
				way(&shown{Of: show.Of[facts, outcome]{Facts: f, Outcome: *resolve(f).Outcome}}, ofRank*left)
			}
		}
	}, []show.Countable{
		{Name: "winner", Values: show.Named(player, war, dealer), Label: show.Coded("war")},
		{Name: "player_card", Values: show.Named(show.Ranks()...), Ordered: true, Label: show.RankName},
		{Name: "dealer_card", Values: show.Named(show.Ranks()...), Ordered: true, Label: show.RankName},
	})
}

func (d *shown) Values() map[string][]string {
	return map[string][]string{"winner": {d.Outcome.Winner}, "player_card": show.RankOf(list(d.Facts.Player)...), "dealer_card": show.RankOf(list(d.Facts.Dealer)...)}
}
