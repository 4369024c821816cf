package pages

import (
	"fmt"
	"strconv"
	"strings"

	"tally/lib/draw/instant"
	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/settlement"
	"tally/lib/rulebook/show"
)

// Languages are those of the pages: English first, then those of the rulebooks.
var Languages = []string{"en", "es", "pt", "uk"}

// words are the texts of one language.
type words struct {
	lang  string
	known map[string]plurals
	*grammar
	cards [cards.Count]string    // their names
	faces [2][cards.Count]string // their drawings, upright and across
}

// plurals are the forms of a message by their names; most messages have the form other alone.
type plurals map[string]string

// grammar is how a language counts.
type grammar struct {
	point, group string             // what stands before decimals and between thousands
	plural       func(n int) string // the form of a message about so many things
}

// grammars are those of CLDR. Its tables for all languages would be a tenth of the program.
var grammars = map[string]*grammar{
	"en": {point: ".", group: ",", plural: func(n int) string {
		if n == 1 {
			return "one"
		}
		return "other"
	}},
	"es": {point: ",", group: ".", plural: func(n int) string {
		switch {
		case n == 1:
			return "one"
		case n != 0 && n%1_000_000 == 0:
			return "many"
		}
		return "other"
	}},
	"pt": {point: ",", group: ".", plural: func(n int) string {
		switch {
		case n == 0 || n == 1:
			return "one"
		case n%1_000_000 == 0:
			return "many"
		}
		return "other"
	}},
	"uk": {point: ",", group: "\u00a0", plural: func(n int) string {
		switch last, teen := n%10, n%100/10 == 1; {
		case last == 1 && !teen:
			return "one"
		case last >= 2 && last <= 4 && !teen:
			return "few"
		}
		return "many"
	}},
}

// newWords returns the words of all languages.
func newWords(e *embedded) (list []*words) {
	for _, lang := range Languages {
		w := &words{lang: lang, known: e.Messages[lang], grammar: grammars[lang]}
		w.nameCards()
		list = append(list, w)
	}
	return list
}

// English returns the English words, for other programs that tell of draws.
func English() (show.Words, error) {
	e, err := expand()
	if err != nil {
		return nil, err
	}
	return newWords(e)[0], nil
}

// Text returns a message; args are the names and values of its placeholders. A
// message that does not exist is a fault of the program, which a test finds.
func (w *words) Text(key string, args ...any) string { return w.fill(key, "other", args) }

// Count returns a message about so many things.
func (w *words) Count(key string, n int, args ...any) string {
	return w.fill(key, w.plural(n), append(args, "Count", w.number(n)))
}

// fill puts values into a form of a message, in the places that are written {{.Name}}.
func (w *words) fill(key, form string, args []any) string {
	text, is := w.known[key][form]
	if !is {
		panic(fmt.Errorf("the message %s in %s has no form %s", key, w.lang, form))
	}
	before, rest, more := strings.Cut(text, "{{.")
	if !more {
		return text
	}
	var out strings.Builder
	for more {
		name, after, _ := strings.Cut(rest, "}}")
		value, is := valueOf(args, name)
		if !is {
			panic(fmt.Errorf("the message %s in %s: there is no value for %s", key, w.lang, name))
		}
		out.WriteString(before)
		out.WriteString(value)
		before, rest, more = strings.Cut(after, "{{.")
	}
	return out.String() + before
}

// valueOf returns the value after a name.
func valueOf(args []any, name string) (string, bool) {
	for i := 0; i+1 < len(args); i += 2 {
		if args[i] == name {
			return fmt.Sprint(args[i+1]), true
		}
	}
	return "", false
}

// Code returns the text of a code, or the code itself where a later version of the
// rules knows more codes than this one.
func (w *words) Code(family, code string) string {
	if key := family + "." + code; w.known[key] != nil {
		return w.Text(key)
	}
	return code
}

// number writes a whole number.
func (w *words) number(n int) string { return w.decimal(strconv.Itoa(n)) }

// decimal writes a decimal number that has a dot before its decimals, digit by
// digit: an amount is never made a float.
func (w *words) decimal(text string) string {
	whole, decimals, has := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0 && whole[at-1] != '-'; at -= 3 {
		whole = whole[:at] + w.group + whole[at:]
	}
	if has {
		return whole + w.point + decimals
	}
	return whole
}

// day writes a day such as 2026-11-30.
func (w *words) day(day string) string {
	year, rest, _ := strings.Cut(day, "-")
	month, date, _ := strings.Cut(rest, "-")
	return w.Text("date.day", "Day", strings.TrimPrefix(date, "0"), "Month", w.Text("date.month"+month), "Year", year)
}

// month writes a month such as 2026-11.
func (w *words) month(month string) string {
	year, number, _ := strings.Cut(month, "-")
	return w.Text("date.month_of_year", "Month", w.Text("date.month"+number+"_alone"), "Year", year)
}

// clock returns the time of day of an instant, without milliseconds that are zero.
func clock(at settlement.Instant) string {
	text := instant.Format(at)
	return strings.TrimSuffix(text[len("2026-11-30T"):len(text)-len("Z")], ".000")
}

// nameCards makes the names of all cards.
func (w *words) nameCards() {
	for card := range cards.Card(cards.Count) {
		w.cards[card] = w.Text("card.name", "Rank", w.Text("card.rank_"+card.Rank().String()), "Suit", w.Text("card.suit_"+card.String()[1:]))
	}
}
