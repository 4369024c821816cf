package pages

import (
	"embed"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

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
	lang      string
	plain     map[string]string // messages without placeholders, which are most of them
	known     map[string]bool
	forms     map[string]map[string]string // of all messages, by their plural forms
	localizer *i18n.Localizer
	// point and group are what stands before decimals and between thousands.
	point, group string
	cards        [cards.Count]string    // their names
	faces        [2][cards.Count]string // their drawings, upright and across
}

// readWords reads the message files. That all have the same keys is checked here,
// so that a page never falls back to another language.
func readWords() (list []*words, err error) {
	bundle := i18n.NewBundle(language.English)
	bundle.RegisterUnmarshalFunc("toml", toml.Unmarshal)
	for _, lang := range Languages {
		messages, err := readMessages(bundle, lang)
		if err != nil {
			return nil, err
		}
		list = append(list, newWords(lang, messages, i18n.NewLocalizer(bundle, lang)))
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
func readMessages(bundle *i18n.Bundle, lang string) (messages []*i18n.Message, err error) {
	known := map[string]bool{}
	read := func(files fs.FS, name string) error {
		file, err := bundle.LoadMessageFileFS(files, "messages/"+name+".toml")
		if err != nil {
			return fmt.Errorf("reading the messages in %s: %w", lang, err)
		}
		for _, m := range file.Messages {
			if known[m.ID] {
				return fmt.Errorf("the message %s is there twice in %s", m.ID, lang)
			}
			known[m.ID] = true
		}
		messages = append(messages, file.Messages...)
		return nil
	}
	if err := errors.Join(read(messageFiles, lang), read(messageFiles, "verify."+lang)); err != nil {
		return nil, err
	}
	var done []fs.FS // games of one package have their messages together
	for _, game := range games.All() {
		if game.Show == nil || slices.Contains(done, game.Show.Messages()) {
			continue
		}
		done = append(done, game.Show.Messages())
		if err := read(game.Show.Messages(), lang); err != nil {
			return nil, fmt.Errorf("%s: %w", game.ID, err)
		}
	}
	return messages, nil
}

func newWords(lang string, messages []*i18n.Message, localizer *i18n.Localizer) *words {
	w := &words{lang: lang, plain: map[string]string{}, known: map[string]bool{}, forms: map[string]map[string]string{}, localizer: localizer}
	for _, m := range messages {
		w.known[m.ID] = true
		w.forms[m.ID] = formsOf(m)
		if m.One == "" && m.Few == "" && m.Many == "" && !strings.Contains(m.Other, "{{") {
			w.plain[m.ID] = m.Other
		}
	}
	sample := message.NewPrinter(language.Make(lang)).Sprint(number.Decimal(1234567.5))
	w.group, w.point = between(sample, "1", "234"), between(sample, "567", "5")
	return w
}

// formsOf returns a message's forms by the names of the plurals.
func formsOf(m *i18n.Message) map[string]string {
	forms := map[string]string{"zero": m.Zero, "one": m.One, "two": m.Two, "few": m.Few, "many": m.Many, "other": m.Other}
	maps.DeleteFunc(forms, func(_, text string) bool { return text == "" })
	return forms
}

// between returns what stands between two parts of a text.
func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}

func sameKeys(a, b *words) error {
	var wrong []error
	for _, pair := range [][2]*words{{a, b}, {b, a}} {
		for _, key := range slices.Sorted(maps.Keys(pair[0].known)) {
			if !pair[1].known[key] {
				wrong = append(wrong, fmt.Errorf("the message %s is there in %s and not in %s", key, pair[0].lang, pair[1].lang))
			}
		}
	}
	return errors.Join(wrong...)
}

// Text returns a message; args are the names and values of its placeholders. A
// message that does not exist is a fault of the program, which a test finds.
func (w *words) Text(key string, args ...any) string {
	if text, is := w.plain[key]; is {
		return text
	}
	return w.localize(&i18n.LocalizeConfig{MessageID: key, TemplateData: dataOf(args)})
}

// Count returns a message about so many things.
func (w *words) Count(key string, n int, args ...any) string {
	data := dataOf(args)
	data["Count"] = w.number(n)
	return w.localize(&i18n.LocalizeConfig{MessageID: key, TemplateData: data, PluralCount: n})
}

func (w *words) localize(config *i18n.LocalizeConfig) string {
	text, err := w.localizer.Localize(config)
	if err != nil {
		panic(fmt.Errorf("the message %s in %s: %w", config.MessageID, w.lang, err))
	}
	return text
}

func dataOf(args []any) map[string]any {
	data := make(map[string]any, len(args)/2+1)
	for i := 0; i+1 < len(args); i += 2 {
		data[args[i].(string)] = args[i+1]
	}
	return data
}

// Code returns the text of a code, or the code itself where a later version of the
// rules knows more codes than this one.
func (w *words) Code(family, code string) string {
	if key := family + "." + code; w.known[key] {
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

// drawn draws a card. All cards are drawn when the site is made: a page has many.
func (w *words) drawn(f show.Card) template.HTML {
	class, size, across := "card", `width="60" height="84" viewBox="-2 -2 104 144"`, 0
	if f.Red() {
		class += " red"
	}
	if f.Marked {
		class += " marked"
	}
	if f.Sideways {
		class, size, across = class+" sideways", `width="84" height="60" viewBox="-2 -2 144 104"`, 1
	}
	return template.HTML(`<svg class="` + class + `" ` + size + ` role="img" aria-label="` + html.EscapeString(w.cards[f.Card]) + `">` + w.faces[across][f.Card] + "</svg>")
}
