package pages

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"tally/lib/draw/instant"
	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
	"tally/lib/rulebook/show"
)

// Languages are those of the pages: English first, then those of the rulebooks.
var Languages = []string{"en", "es", "pt", "uk"}

//go:embed messages/*.toml
var messageFiles embed.FS

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

// readWords reads the message files. That all have the same keys is checked here,
// so that a page never falls back to another language.
func readWords() (list []*words, err error) {
	for _, lang := range Languages {
		messages, err := readMessages(lang)
		if err != nil {
			return nil, err
		}
		list = append(list, &words{lang: lang, known: messages, grammar: grammars[lang]})
	}
	for _, w := range list[1:] {
		if err := sameKeys(list[0], w); err != nil {
			return nil, err
		}
	}
	for _, w := range list {
		w.nameCards()
	}
	return list, nil
}

// English returns the English words, for other programs that tell of draws.
func English() (show.Words, error) {
	list, err := readWords()
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// readMessages reads the message files of a language: one for the pages, one for
// what the Verify button says, and those of the games.
func readMessages(lang string) (map[string]plurals, error) {
	known := map[string]plurals{}
	if err := errors.Join(readFile(known, messageFiles, lang), readFile(known, messageFiles, "verify."+lang)); err != nil {
		return nil, err
	}
	var done []fs.FS // games of one package have their messages together
	for _, game := range games.All() {
		if game.Show == nil || slices.Contains(done, game.Show.Messages()) {
			continue
		}
		done = append(done, game.Show.Messages())
		if err := readFile(known, game.Show.Messages(), lang); err != nil {
			return nil, fmt.Errorf("%s: %w", game.ID, err)
		}
	}
	return known, nil
}

// readFile adds the messages of a file to those that are known.
func readFile(known map[string]plurals, files fs.FS, name string) error {
	var table map[string]any
	if _, err := toml.DecodeFS(files, "messages/"+name+".toml", &table); err != nil {
		return fmt.Errorf("reading the messages in %s.toml: %w", name, err)
	}
	if err := addMessages(known, "", table); err != nil {
		return fmt.Errorf("reading the messages in %s.toml: %w", name, err)
	}
	return nil
}

// addMessages adds the messages of a table of a file, whose keys begin with a prefix.
func addMessages(known map[string]plurals, prefix string, table map[string]any) error {
	add := func(key string, m plurals) error {
		if _, twice := known[key]; twice {
			return fmt.Errorf("the message %s is there twice", key)
		}
		known[key] = m
		return nil
	}
	for name, value := range table {
		err := fmt.Errorf("%s is no text", prefix+name)
		switch value := value.(type) {
		case string:
			err = add(prefix+name, plurals{"other": value})
		case map[string]any:
			if m := formsOf(value); m != nil {
				err = add(prefix+name, m)
			} else {
				err = addMessages(known, prefix+name+".", value)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// formsOf returns the forms of the message that a table is, nil for a table of messages:
// one that counts has the form one, and nothing but forms.
func formsOf(table map[string]any) plurals {
	if table["one"] == nil || table["other"] == nil {
		return nil
	}
	m := plurals{}
	for name, value := range table {
		text, is := value.(string)
		if !is || !slices.Contains([]string{"one", "few", "many", "other"}, name) {
			return nil
		}
		m[name] = text
	}
	return m
}

func sameKeys(a, b *words) error {
	var wrong []error
	for _, pair := range [][2]*words{{a, b}, {b, a}} {
		for _, key := range slices.Sorted(maps.Keys(pair[0].known)) {
			if pair[1].known[key] == nil {
				wrong = append(wrong, fmt.Errorf("the message %s is there in %s and not in %s", key, pair[0].lang, pair[1].lang))
			}
		}
	}
	return errors.Join(wrong...)
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
