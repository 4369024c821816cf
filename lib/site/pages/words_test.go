package pages

import (
	"bytes"
	"fmt"
	"go/format"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/valyala/quicktemplate/parser"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"tally/lib/archive/entry"
	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/catalogue"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/show"
	"tally/lib/site/statistics"
)

// messagesOf reads the messages of a language by their keys.
func messagesOf(t *testing.T, lang string) map[string]*i18n.Message {
	t.Helper()
	messages, files := map[string]*i18n.Message{}, map[fs.FS][]string{os.DirFS("."): {lang, "verify." + lang}}
	for _, game := range games.All() {
		files[game.Show.Messages()] = []string{lang}
	}
	read := func(from fs.FS, name string) {
		data, err := fs.ReadFile(from, "messages/"+name+".toml")
		if err != nil {
			t.Fatal(err)
		}
		file, err := i18n.ParseMessageFileBytes(data, name+".toml", map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range file.Messages {
			if messages[m.ID] != nil {
				t.Errorf("%s: %s is there twice", lang, m.ID)
			}
			messages[m.ID] = m
		}
	}
	for from, names := range files {
		for _, name := range names {
			read(from, name)
		}
	}
	return messages
}

// forms are the forms of a message that its language has.
func forms(m *i18n.Message) map[string]string {
	all := map[string]string{"one": m.One, "few": m.Few, "many": m.Many, "other": m.Other}
	maps.DeleteFunc(all, func(_, text string) bool { return text == "" })
	return all
}

// pluralForms are the forms of counted messages in each language, by CLDR.
var pluralForms = map[string]string{"en": "one other", "es": "many one other", "pt": "many one other", "uk": "few many one other"}

var placeholder = regexp.MustCompile(`\{\{\.\w+\}\}|\{\w+\}`)

// TestMessages compares the languages: the same keys, the same placeholders, all
// plurals.
func TestMessages(t *testing.T) {
	english := messagesOf(t, "en")
	for _, lang := range Languages {
		messages := messagesOf(t, lang)
		for _, key := range slices.Sorted(maps.Keys(messages)) {
			if english[key] == nil {
				t.Errorf("%s: %s is not there in English", lang, key)
				continue
			}
			have := strings.Join(slices.Sorted(maps.Keys(forms(messages[key]))), " ")
			if english[key].One != "" && have != pluralForms[lang] || english[key].One == "" && have != "other" {
				t.Errorf("%s: %s has the forms %q", lang, key, have)
			}
			want := places(english[key].Other)
			for form, text := range forms(messages[key]) {
				if got := places(text); !slices.Equal(got, want) && !(form == "one" && english[key].One != "" && !strings.Contains(english[key].One, "{{.Count}}")) {
					t.Errorf("%s: %s (%s) has the placeholders %v, in English %v", lang, key, form, got, want)
				}
				if strings.TrimSpace(text) != text || strings.Contains(text, "  ") {
					t.Errorf("%s: %s has spaces too many", lang, key)
				}
			}
		}
		for key := range english {
			if messages[key] == nil {
				t.Errorf("%s: %s is missing", lang, key)
			}
		}
	}
}

func places(text string) []string {
	found := placeholder.FindAllString(text, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// dynamic are the families of messages that are looked up by a code, with all codes
// that there are.
func dynamic() map[string][]string {
	families := map[string][]string{
		"game": nil, "about_game": nil, "reason": nil, "round": nil, "aspect": nil,
		"status":     {string(entry.Resolved), string(entry.Void), string(entry.Cancelled), pending, "corrected"},
		"correction": entry.Codes,
		"leaf":       {string(entry.KindOpening), string(entry.KindClosings), string(entry.KindState), string(entry.KindSettlement)},
		"language":   Languages,
		"baccarat":   {"player", "banker", "tie", "small", "big"},
		"war":        {"player", "dealer", "war"},
		"blackjack":  {"win", "lose", "push", "count_win", "count_lose", "count_push"},
		"balls":      strings.Fields("white green red blue yellow black"),
		"ball":       strings.Fields("white green red blue yellow black"),
		"colour":     {"red", "black", "grey", "green", "none"},
		"parity":     {"odd", "even"},
		"half":       {"low", "high"},
		"table":      {"yes", "no"},
		"pairs_of":   {"both", "player", "banker", "none"},
		"about_file": {"entry", "proof", "draw", "day", "rows", "months", "log"},
	}
	add := func(family string, codes ...string) {
		for _, code := range codes {
			if !slices.Contains(families[family], code) {
				families[family] = append(families[family], code)
			}
		}
	}
	for _, game := range games.All() {
		add("game", game.ID)
		add("about_game", game.ID)
		for _, reason := range game.Reasons {
			add("reason", reason.Code)
		}
		for _, round := range game.Rounds {
			add("round", fmt.Sprintf("%s_%d", game.ID, round.Number))
		}
		for _, family := range catalogue.New(game).Families {
			if family.Family != "combo" {
				continue
			}
			for _, selection := range family.Selections {
				add(map[string]string{"dice": "combination", "poker": "category"}[game.ID], strings.TrimPrefix(selection, "combo:"))
			}
		}
		for _, aspect := range statistics.Aspects(game.ID) {
			add("aspect", aspect.Name)
		}
	}
	for card := range cards.Card(cards.Count) {
		add("card", "rank_"+card.Rank().String(), "suit_"+card.String()[1:])
	}
	for month := 1; month <= 12; month++ {
		add("date", fmt.Sprintf("month%02d", month), fmt.Sprintf("month%02d_alone", month))
	}
	return families
}

// TestEveryCode has a text for every code of the catalogue of all games, and for no
// other of the families that hold nothing else.
func TestEveryCode(t *testing.T) {
	english := messagesOf(t, "en")
	families := dynamic()
	for family, codes := range families {
		for _, code := range codes {
			if english[family+"."+code] == nil {
				t.Errorf("%s.%s has no text", family, code)
			}
		}
	}
	for key := range english {
		family, code, _ := strings.Cut(key, ".")
		switch family {
		case "about_game", "reason", "correction", "status", "combination", "category", "aspect", "ball", "balls", "colour", "parity", "half", "pairs_of", "language", "about_file":
			if !slices.Contains(families[family], code) {
				t.Errorf("%s is the text of no code", key)
			}
		}
	}
	if len(families["reason"]) < 25 || len(families["combination"]) != 9 || len(families["category"]) != 10 {
		t.Errorf("the catalogue has %v", families)
	}
}

// TestEveryKey finds messages that nothing uses, and uses of messages that are not
// there.
func TestEveryKey(t *testing.T) {
	english := messagesOf(t, "en")
	var sources strings.Builder
	for _, pattern := range []string{"*.go", "*.qtpl", "../../rulebook/show/*.go", "../../rulebook/games/*/*.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			sources.Write(data)
		}
	}
	used := map[string]bool{}
	for _, found := range regexp.MustCompile(`"([a-z0-9_]+(?:\.[a-z0-9_]+)+)"`).FindAllStringSubmatch(sources.String(), -1) {
		used[found[1]] = true
	}
	for _, found := range regexp.MustCompile(`(?:\b[wpe]\.(?:Text|Count)|show\.Text)\("([^"]+)"[,)]`).FindAllStringSubmatch(sources.String(), -1) {
		if key := found[1]; english[key] == nil {
			t.Errorf("%s is used and not there", key)
		}
	}
	families := dynamic()
	for _, key := range slices.Sorted(maps.Keys(english)) {
		family, code, _ := strings.Cut(key, ".")
		if !used[key] && family != "verify" && !slices.Contains(families[family], code) {
			t.Errorf("%s is used nowhere", key)
		}
	}
}

// alike are the words that other languages share with English.
var alike = []string{"Lucky 5", "Lucky 7", "Blackjack", "blackjack", "Flush", "Full house", "Straight flush", "Royal flush", "Dealer", "dealer",
	"Color", "no", "Natural", "English", "Español", "Português", "Українська", "Final", "Sector", "Bytes", "Odds"}

// TestTranslated says that no message was left in English by accident.
func TestTranslated(t *testing.T) {
	english := messagesOf(t, "en")
	for _, lang := range Languages[1:] {
		for key, m := range messagesOf(t, lang) {
			for form, text := range forms(m) {
				words := strings.TrimSpace(placeholder.ReplaceAllString(text, ""))
				if !strings.ContainsFunc(words, unicode.IsLetter) || slices.Contains(alike, words) {
					continue
				}
				if text == english[key].Other || text == english[key].One {
					t.Errorf("%s: %s (%s) is English: %s", lang, key, form, text)
				}
				if lang == "uk" && !strings.ContainsFunc(words, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
					t.Errorf("uk: %s is not Ukrainian: %s", key, text)
				}
			}
		}
	}
}

func in(t *testing.T, lang string) *words {
	t.Helper()
	e, err := expand()
	if err != nil {
		t.Fatal(err)
	}
	return newWords(e)[slices.Index(Languages, lang)]
}

// TestPlurals counts in Ukrainian, which has three forms.
func TestPlurals(t *testing.T) {
	w := in(t, "uk")
	for n, want := range map[int]string{0: "0 розіграшів", 1: "1 розіграш", 2: "2 розіграші", 4: "4 розіграші", 5: "5 розіграшів", 11: "11 розіграшів",
		12: "12 розіграшів", 21: "21 розіграш", 22: "22 розіграші", 111: "111 розіграшів", 1001: "1\u00a0001 розіграш"} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if got := w.Count("list.count", n); got != want {
				t.Errorf("%d: %q, want %q", n, got, want)
			}
		})
	}
	if got := in(t, "es").Count("list.count", 1_000_000); got != "1.000.000 de sorteos" {
		t.Errorf("a million: %q", got)
	}
}

// TestGrammars compares how languages count and write numbers with libraries that have the
// tables of CLDR.
func TestGrammars(t *testing.T) {
	for _, lang := range Languages {
		t.Run(lang, func(t *testing.T) {
			bundle, w := i18n.NewBundle(language.English), in(t, lang)
			if err := bundle.AddMessages(language.Make(lang), messagesOf(t, lang)["list.count"]); err != nil {
				t.Fatal(err)
			}
			localizer, printer := i18n.NewLocalizer(bundle, lang), message.NewPrinter(language.Make(lang))
			for _, from := range []int{0, 900, 9_990, 999_990, 1_999_990, 10_000_000} {
				for n := from; n < from+250; n++ {
					count := map[string]any{"Count": printer.Sprint(number.Decimal(n))}
					want, err := localizer.Localize(&i18n.LocalizeConfig{MessageID: "list.count", TemplateData: count, PluralCount: n})
					if got := w.Count("list.count", n); err != nil || got != want {
						t.Errorf("%d: %q, want %q, %v", n, got, want, err)
					}
				}
			}
			if got, want := w.decimal("12345.5"), printer.Sprint(number.Decimal(12345.5)); got != want {
				t.Errorf("12345.5 is %q, want %q", got, want)
			}
		})
	}
}

// TestFill puts values into messages: each where its name is, and once.
func TestFill(t *testing.T) {
	w := &words{lang: "en", known: map[string]plurals{"key": {"other": "{{.B}}, {{.A}}; {{.B}} {kept}"}}, grammar: grammars["en"]}
	if got := w.Text("key", "A", "B", "B", "{{.A}}"); got != "{{.A}}, B; {{.A}} {kept}" {
		t.Errorf("%q", got)
	}
	for name, call := range map[string]func(){
		"no such message": func() { w.Text("other") }, "no such form": func() { w.Count("key", 1, "A", 1, "B", 2) }, "no value": func() { w.Text("key", "A", 1) },
		"a value of that name": func() { w.Text("key", "A", "B") }, "a name alone": func() { w.Text("key", "A", 1, "B") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it is made")
				}
			}()
			call()
		})
	}
}

// TestPanics says that a page that can't be made is an error.
func TestPanics(t *testing.T) {
	site, err := New(Options{Origin: "example.com/tally", VerifierKeys: []string{"key"}, LogURL: "log/"})
	if err != nil {
		t.Fatal(err)
	}
	files, err := site.render("", "a.html", func(w *words) string { return "title" }, func(p *page, _ io.Writer) { p.Text("no such message") })
	if err == nil || files != nil || !strings.Contains(err.Error(), "making a.html: the message no such message in en") {
		t.Errorf("%v, %v", files, err)
	}
}

// TestGenerated says that what qtc made of the templates is up to date.
func TestGenerated(t *testing.T) {
	templates, err := filepath.Glob("*.qtpl")
	if err != nil || len(templates) == 0 {
		t.Fatalf("%v, %v", templates, err)
	}
	for _, name := range templates {
		t.Run(name, func(t *testing.T) {
			template, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var made bytes.Buffer
			if err := parser.ParseNoLineComments(&made, bytes.NewReader(template), name, "pages"); err != nil {
				t.Fatal(err)
			}
			want, err := format.Source(made.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(name + ".go"); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s.go is not made of %s: run go generate ./lib/site/pages (%v)", name, name, err)
			}
		})
	}
}

// TestNumbers writes numbers and days as each language does. No digit of an amount
// is lost.
func TestNumbers(t *testing.T) {
	for lang, want := range map[string][3]string{
		"en": {"98,765,432,109,876,543,210.05", "5 January 2027", "February 2026"},
		"es": {"98.765.432.109.876.543.210,05", "5 de enero de 2027", "Febrero de 2026"},
		"pt": {"98.765.432.109.876.543.210,05", "5 de janeiro de 2027", "Fevereiro de 2026"},
		"uk": {"98\u00a0765\u00a0432\u00a0109\u00a0876\u00a0543\u00a0210,05", "5 січня 2027 р.", "Лютий 2026 р."},
	} {
		t.Run(lang, func(t *testing.T) {
			w := in(t, lang)
			if got := [3]string{w.decimal("98765432109876543210.05"), w.day("2027-01-05"), w.month("2026-02")}; got != want {
				t.Errorf("%s: %q, want %q", lang, got, want)
			}
			for text, want := range map[string]string{"0": "0", "999": "999", "-999": "-999", "-1000": "-1" + w.group + "000", "0.05": "0" + w.point + "05"} {
				if got := w.decimal(text); got != want {
					t.Errorf("%s: %s is %q, want %q", lang, text, got, want)
				}
			}
		})
	}
}

// TestUnknownCodes shows a code of later rules as it is.
func TestUnknownCodes(t *testing.T) {
	if got := in(t, "es").Code("reason", "meteor_strike"); got != "meteor_strike" {
		t.Errorf("%q", got)
	}
}

// TestPips counts the pips of cards and dice.
func TestPips(t *testing.T) {
	for card := range cards.Card(cards.Count) {
		want := int(card.Rank()) + 2
		if want > 10 {
			want = 0
		}
		seen := map[pip]bool{}
		for _, p := range (face{show.OpenCard{Card: card}}).Pips() {
			seen[p] = true
		}
		if len(seen) != want {
			t.Errorf("%v has %d pips", card, len(seen))
		}
	}
	for n := range 8 {
		if got := len(dotsOf(int64(n))); got != n%7 {
			t.Errorf("a die with %d has %d pips", n, got)
		}
	}
}
