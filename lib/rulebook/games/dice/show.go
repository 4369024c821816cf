package dice

import (
	"embed"
	"io/fs"
	"strconv"
	"strings"

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

// title names a roll by its number.
func title(w show.Words, number int) string { return w.Text("dice.roll", "Number", number) }

// fault tells the faults of a roll.
func (r roll) fault(w show.Words) string {
	texts := make([]string, len(r.Faults))
	for i, code := range r.Faults {
		texts[i] = w.Code("reason", code)
	}
	return strings.Join(texts, ". ")
}

func (d *shown) Seen(w show.Words) (list []show.Pair) {
	for i, r := range d.Facts.Rolls {
		text := show.Numbers(r.Dice)
		if len(r.Faults) > 0 {
			text = show.Join(" · ", text, r.fault(w))
		}
		list = append(list, show.Pair{Label: title(w, i+1), Value: text})
	}
	return list
}

func (d *shown) Result(w show.Words) []show.Pair {
	return []show.Pair{
		{Label: w.Text("dice.combination"), Value: w.Code("combination", d.Outcome.Combination)},
		{Label: w.Text("dice.arranged"), Value: show.Numbers(d.Outcome.Arranged)},
		{Label: w.Text("dice.sum"), Value: strconv.Itoa(d.Outcome.Sum)},
	}
}

func (d *shown) Line(w show.Words) string {
	return show.Numbers(d.Outcome.Arranged) + " · " + w.Code("combination", d.Outcome.Combination) + " · " + strconv.Itoa(d.Outcome.Sum)
}

func (d *shown) Picture(w show.Words) show.Picture {
	rolls := show.Rolls{Arranged: show.Roll{Title: w.Text("dice.arranged"), Dice: d.Outcome.Arranged}}
	for i, r := range d.Facts.Rolls[:min(len(d.Facts.Rolls), show.MaxTries)] {
		rolls.Rolls = append(rolls.Rolls, show.Roll{Title: title(w, i+1), Dice: r.Dice, Faulty: len(r.Faults) > 0, Fault: r.fault(w)})
	}
	return rolls
}

// Aspects are worked out from all rolls of dice in ascending order; each stands for the
// orders in which the same dice can lie.
func (presentation) Aspects() []show.Countable {
	return show.Expect(func(way func(show.DrawView, int64)) {
		var fall func(faces []int64, least, orders, run int64)
		fall = func(faces []int64, least, orders, run int64) {
			if len(faces) == diceCount {
				f := facts{Rolls: []roll{{Dice: faces}}}
				way(&shown{Of: show.Of[facts, outcome]{Facts: f, Outcome: *resolve(f).Outcome}}, orders)
				return
			}
			for face := least; face <= 6; face++ {
				same := int64(1)
				if face == least && len(faces) > 0 {
					same = run + 1
				}
				// A multinomial coefficient, die by die: the n-th die can lie in n places, of which
				// dice with the same face share theirs.
				fall(append(faces[:len(faces):len(faces)], face), face, orders*int64(len(faces)+1)/same, same)
			}
		}
		fall(nil, 1, 1, 0)
	}, []show.Countable{
		{Name: "combination", Values: show.Named(combinations...), Label: show.Coded("combination")},
		{Name: "sum", Values: show.Named(show.Range(diceCount, 6*diceCount)...), Ordered: true},
		// No rule says in which order the dice are read, so they count together.
		{Name: "face", Values: show.Named(show.Range(1, 6)...), PerDraw: diceCount},
	})
}

func (d *shown) Values() map[string][]string {
	return map[string][]string{"combination": {d.Outcome.Combination}, "sum": {strconv.Itoa(d.Outcome.Sum)}, "face": show.Texts(d.Outcome.Arranged)}
}
