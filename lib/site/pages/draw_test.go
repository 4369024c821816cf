package pages_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/entry"
	"tally/lib/rulebook/games"
	"tally/lib/site/history"
	"tally/lib/site/pages"
)

// drawn returns the English page of a draw.
func drawn(t testing.TB, d *history.Draw) document {
	t.Helper()
	return drawnIn(t, "en", d)
}

func drawnIn(t testing.TB, lang string, d *history.Draw) document {
	t.Helper()
	files, err := newSite(t).Draw(d)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(files, func(f pages.File) bool { return strings.HasPrefix(f.Path, lang+"/") })
	return read(t, files[at])
}

// labels returns the names of the drawings of a class.
func (d document) labels(class string) (list []string) {
	for _, n := range d.class(class) {
		list = append(list, attribute(n, "aria-label"))
	}
	return list
}

// within returns the part of a page that an element is.
func within(n *html.Node) document { return document{n} }

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestBaccaratIsDrawn(t *testing.T) {
	d := drawn(t, newStory(t, "baccarat", "b").result(`{"banker":["9H","2C","QS"],"burned":["5C"],"player":["KS","3D","7C"]}`).history())
	equal(t, "cards", d.labels("card"), []string{"king of spades", "three of diamonds", "seven of clubs", "nine of hearts", "two of clubs", "queen of spades", "five of clubs"})
	equal(t, "across", d.labels("sideways"), []string{"seven of clubs", "queen of spades"})
	equal(t, "red", d.labels("red"), []string{"three of diamonds", "nine of hearts"})
	sides := d.class("side")
	if len(sides) != 2 || len(within(sides[0]).class("wins")) != 0 || len(d.class("wins")) != 1 {
		t.Errorf("%d sides, %d of them win", len(sides), len(d.class("wins")))
	}
	equal(t, "points", texts(d.class("points")), []string{"0 points", "1 point"})
	equal(t, "line", texts(d.class("line")), []string{"Banker 0 : 1"})
	if burned := d.class("burned"); len(burned) != 1 || !slices.Equal(within(burned[0]).labels("card"), []string{"five of clubs"}) {
		t.Errorf("burned: %v", texts(burned))
	}
	d = drawn(t, newStory(t, "baccarat", "b").result(`{"banker":["4S","4S"],"player":["KS","KD"]}`).history())
	equal(t, "natural with pairs", texts(d.class("points")), []string{"0 points pair", "8 points pair"})
	equal(t, "line", texts(d.class("line")), []string{"Banker 0 : 8 · Natural"})
	if pairs := d.class("facts"); !strings.Contains(text(pairs[0]), "Player pair, Banker pair, perfect pair") {
		t.Errorf("%s", text(pairs[0]))
	}
}

func TestWarIsDrawn(t *testing.T) {
	for facts, want := range map[string]string{
		`{"dealer":"AD","player":"KS"}`: "Dealer · K♠ : A♦",
		`{"dealer":"2D","player":"TS"}`: "Player · 10♠ : 2♦",
		`{"dealer":"TD","player":"TS"}`: "War · 10♠ : 10♦",
	} {
		t.Run(facts, func(t *testing.T) {
			d := drawn(t, newStory(t, "war", "w").result(facts).history())
			equal(t, "line", texts(d.class("line")), []string{want})
			wins := 1
			if strings.HasPrefix(want, "War") {
				wins = 0
			}
			if len(d.class("card")) != 2 || len(d.class("wins")) != wins {
				t.Errorf("%s: %d cards, %d win", want, len(d.class("card")), len(d.class("wins")))
			}
		})
	}
}

func TestPokerIsDrawn(t *testing.T) {
	d := drawn(t, newStory(t, "poker", "p").result(`{"board":["4H","5H","6H","KC","2H"],"hands":[["AS","KD"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]]}`).history())
	hands := d.class("hands")
	if len(hands) != 1 {
		t.Fatalf("%d lists of hands", len(hands))
	}
	equal(t, "board", within(d.class("board")[0]).labels("card"), []string{"four of hearts", "five of hearts", "six of hearts", "king of clubs", "two of hearts"})
	equal(t, "best five marked", d.labels("marked"), []string{"four of hearts", "five of hearts", "six of hearts", "two of hearts", "queen of hearts"})
	equal(t, "best", texts(d.class("best")), []string{"Best five: K♦ K♣ A♠ 6♥ 5♥", "Best five: 2♥ 2♦ 2♣ K♣ 6♥", "Best five: 10♥ 9♥ 6♥ 5♥ 4♥",
		"Best five: 6♥ 5♥ 4♥ 3♠ 2♥", "Best five: Q♥ 6♥ 5♥ 4♥ 2♥", "Best five: 8♠ 7♠ 6♥ 5♥ 4♥"})
	equal(t, "categories", texts(within(hands[0]).class("points")), []string{"Pair", "Three of a kind", "Flush", "Straight", "Flush", "Straight"})
	if wins := d.class("wins"); len(wins) != 1 || !strings.Contains(text(wins[0]), "Hand 5") {
		t.Errorf("%v win", texts(wins))
	}
	d = drawn(t, newStory(t, "poker", "p").result(`{"board":["TH","JH","QH","KH","AH"],"hands":[["2S","2D"],["3C","3D"],["9D","8D"],["JC","3S"],["QD","4H"],["7S","8S"]]}`).history())
	if len(d.class("wins")) != 6 || len(d.class("marked")) != 5 {
		t.Errorf("%d hands win, %d cards are marked", len(d.class("wins")), len(d.class("marked")))
	}
	equal(t, "line", texts(d.class("line")), []string{"Hands 1, 2, 3, 4, 5, 6 · Royal flush"})
}

func TestBlackjackIsDrawn(t *testing.T) {
	d := drawn(t, newStory(t, "blackjack", "b").result(`{"dealer":["AS","6D"],"seats":[{"hands":[{"cards":["8H","3D","TC"],"doubled":true}],"seat":1},{"hands":[{"cards":["8D","TC"]},{"cards":["8S","9C"]}],"seat":4,"split":true},{"hands":[{"cards":["AH","KC"]}],"seat":6}]}`).history())
	equal(t, "points", texts(d.class("points")), []string{"17", "21 wins doubled", "18 wins", "17 push", "Blackjack wins"})
	equal(t, "across", d.labels("sideways"), []string{"ten of clubs"})
	equal(t, "line", texts(d.class("line")), []string{"Dealer 17 · 3 hands win · 1 push"})
	seats := d.class("seat")
	if len(seats) != 3 || !strings.HasPrefix(text(seats[1]), "Seat 4 split") {
		t.Errorf("%v", texts(seats))
	}
}

func TestDiceAreDrawn(t *testing.T) {
	d := drawn(t, newStory(t, "dice", "d").result(`{"rolls":[{"dice":[6,1,1,2],"faults":["die_fell"]},{"dice":[3,3,5,5,5]}]}`).history())
	equal(t, "dice", d.labels("die"), strings.Fields("6 1 1 2 3 3 5 5 5 5 5 5 3 3"))
	for _, die := range d.class("die") {
		pips := within(die).find(func(n *html.Node) bool { return n.Data == "circle" })
		if fmt.Sprint(len(pips)) != attribute(die, "aria-label") {
			t.Errorf("the die %s has %d pips", attribute(die, "aria-label"), len(pips))
		}
	}
	faulty := d.class("faulty")
	if len(faulty) != 1 || text(faulty[0]) != "Roll 1 not counted A die fell off the table" {
		t.Errorf("%v", texts(faulty))
	}
	equal(t, "line", texts(d.class("line")), []string{"5 5 5 3 3 · Full house · 21"})
}

// TestBallsAreDrawn compares the colours drawn with those that the rules count.
func TestBallsAreDrawn(t *testing.T) {
	for game, balls := range map[string]int{"lucky5": 36, "lucky7": 42} {
		t.Run(game, func(t *testing.T) {
			counting := map[string]int{"lucky5": 5, "lucky7": 7}[game]
			for first := 1; first+counting-1 <= balls; first++ {
				numbers := make([]int, counting)
				for i := range numbers {
					numbers[i] = first + counting - 1 - i
				}
				list, _ := json.Marshal(map[string]any{"balls": numbers})
				story := newStory(t, game, "l").result(string(list))
				var outcome struct{ Colours map[string]int }
				if err := json.Unmarshal(story.history().Row().Outcome, &outcome); err != nil {
					t.Fatal(err)
				}
				drawn, colours := drawn(t, story.history()).class("ball"), map[string]int{}
				for i, ball := range drawn {
					colour := strings.TrimPrefix(attribute(ball, "class"), "ball ")
					colours[colour]++
					if want := fmt.Sprintf("%d, %s", numbers[i], colour); attribute(ball, "aria-label") != want {
						t.Errorf("%s: %s, want %s", game, attribute(ball, "aria-label"), want)
					}
				}
				for colour, n := range outcome.Colours {
					if colours[colour] != n {
						t.Errorf("%s from %d: %d balls are %s, the rules count %d", game, first, colours[colour], colour, n)
					}
				}
			}
		})
	}
	d := drawn(t, newStory(t, "lucky7", "l").result(`{"balls":[42,7,1,30,12,5,19,33]}`).history())
	equal(t, "not counted", texts(d.class("ignored")), []string{"33 yellow not counted"})
	d = drawn(t, newStory(t, "lucky5", "l").result(`{"balls":[3,2]}`).history())
	if len(d.class("ball")) != 2 || len(d.class("line")) != 0 || !strings.Contains(text(d.class("stop")[0]), "Rule LUCKY5-2.2.") {
		t.Errorf("a void draw: %d balls, %v", len(d.class("ball")), texts(d.class("stop")))
	}
}

// sectors returns the names of a wheel's sectors in the order of their angles, and
// the one that is marked.
func sectors(t *testing.T, d document) (names []string, hit, colour string) {
	t.Helper()
	type place struct {
		angle float64
		name  string
	}
	var places []place
	for _, n := range d.class("sector") {
		angle, isTurned := strings.CutPrefix(attribute(n, "transform"), "rotate(")
		if !isTurned {
			continue // the number in the middle
		}
		degrees, err := strconv.ParseFloat(strings.TrimSuffix(angle, ")"), 64)
		if err != nil {
			t.Fatal(err)
		}
		name := text(n)
		if name == "" {
			name = "cup"
		}
		if classes := strings.Fields(attribute(n, "class")); slices.Contains(classes, "hit") {
			hit, colour = name, classes[1] // drawn once more, over the others
			continue
		}
		places = append(places, place{degrees, name})
	}
	slices.SortFunc(places, func(a, b place) int { return int(math.Round((a.angle - b.angle) * 100)) })
	for i, p := range places {
		if want := float64(i) * 360 / float64(len(places)); math.Abs(p.angle-want) > 0.01 {
			t.Errorf("%s is at %f degrees", p.name, p.angle)
		}
		names = append(names, p.name)
	}
	return names, hit, colour
}

// TestWheelsAreDrawn stops both wheels everywhere: the right sector is marked, in
// the colour that the rules give, and the wheel of fortune is turned to its pointer.
func TestWheelsAreDrawn(t *testing.T) {
	european := strings.Fields("0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12 35 3 26")
	for pocket := range 37 {
		story := newStory(t, "roulette", "r").result(fmt.Sprintf(`{"spins":[{"pocket":%d,"revolutions":3}]}`, pocket))
		names, hit, colour := sectors(t, drawn(t, story.history()))
		equal(t, "pockets", names, european)
		var outcome struct{ Colour string }
		if err := json.Unmarshal(story.history().Row().Outcome, &outcome); err != nil {
			t.Fatal(err)
		}
		if hit != fmt.Sprint(pocket) || colour != outcome.Colour {
			t.Errorf("pocket %d: %s is marked, %s; the rules say %s", pocket, hit, colour, outcome.Colour)
		}
	}
	for n := range 19 {
		name := fmt.Sprint(n)
		if n == 0 {
			name = "cup"
		}
		story := newStory(t, "wheel", "w").result(fmt.Sprintf(`{"spins":[{"sector":%q,"turns":3}]}`, name))
		d := drawn(t, story.history())
		names, hit, colour := sectors(t, d)
		if len(names) != 19 || names[0] != "cup" || names[18] != "18" || hit != name {
			t.Errorf("%v, %s is marked, want %s", names, hit, name)
		}
		var outcome struct{ Colour string }
		if err := json.Unmarshal(story.history().Row().Outcome, &outcome); err != nil {
			t.Fatal(err)
		}
		if n > 0 && colour != outcome.Colour {
			t.Errorf("%s is drawn %s; the rules say %s", name, colour, outcome.Colour)
		}
		wheel := within(d.class("wheel")[0]).find(func(n *html.Node) bool { return n.Data == "g" })[0]
		if want := fmt.Sprintf("rotate(%.2f)", float64((19-n)%19)*360/19); attribute(wheel, "transform") != want && n > 0 {
			t.Errorf("%s: the wheel stands at %s, want %s", name, attribute(wheel, "transform"), want)
		}
	}
	d := drawn(t, newStory(t, "roulette", "r").result(manySpins(30)).history())
	if spins := d.class("spins"); len(within(spins[0]).class("faulty")) != 20 || !strings.Contains(text(d.class("felt")[0]), "10 more spins that did not count are not drawn") {
		t.Errorf("%s", text(spins[0]))
	}
}

// TestStatesAreShown follows a draw through its states.
func TestStatesAreShown(t *testing.T) {
	d := drawn(t, archivetest.Histories(t, games.All()[0])[0])
	states := d.class("states")[0]
	items := within(states).find(func(n *html.Node) bool { return n.Data == "li" && n.Parent == states })
	if len(items) != 4 {
		t.Fatalf("%d states", len(items))
	}
	for i, want := range []string{
		"State 4 Resolved 12:04:12.250 · studio's revision 2 Orders in force: 1 order → 0 orders",
		"State 3 Resolved 12:03:22.250 · studio's revision 2 Orders in force: 0 orders → 1 order 1 order to void bets is in force; hash of the orders: 546f2af74ee733d8631b73a7c126c8f3e2f8236b096eb5111bb106c7d760a07a",
		"State 2 Resolved 12:02:27.250 · studio's revision 2 Player: K♠ 3♦ 7♣ → K♠ 3♦ 8♣ Winner: Banker → Tie Points: Player 0, Banker 1 → Player 1, Banker 1 Studio's revision: 1 → 2 Why: The video was reviewed Note of the studio, as its hash: 88cbfaaf66a1f09ebb2dd1fe70e904fe4d960450cb053f39fdbe51e475ce6ada",
		"State 1 Resolved 12:01:27.250 · studio's revision 1 Banker 0 : 1",
	} {
		if got := text(items[i]); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	var places []string
	for _, n := range within(d.find(func(n *html.Node) bool { return attribute(n, "aria-labelledby") == "leaves" && n.Data == "div" })[0]).find(func(n *html.Node) bool { return n.Data == "th" && attribute(n, "scope") == "row" }) {
		places = append(places, text(n))
	}
	equal(t, "places in the log", places, strings.Fields("0 1 2 3 4 5 6 7 8 9"))
}

// TestMoneyIsShown shows the totals in each language's way, to the last digit.
func TestMoneyIsShown(t *testing.T) {
	story := newStory(t, "war", "w").result(`{"dealer":"2D","player":"TS"}`).
		settled(1, 0, totals(t, "EUR", "123456789012345678.90", "1000.05", 1200, 34, 5), totals(t, "JPY", "5000", "0", 0, 3, 0), totals(t, "KWD", "10.000", "19.505", 1, 0, 0))
	for lang, want := range map[string][]string{
		"en": {"1 EUR 1,239 1,200 34 5 123,456,789,012,345,678.90 1,000.05", "JPY 3 0 3 0 5,000 0", "KWD 1 1 0 0 10.000 19.505"},
		"pt": {"1 EUR 1.239 1.200 34 5 123.456.789.012.345.678,90 1.000,05", "JPY 3 0 3 0 5.000 0", "KWD 1 1 0 0 10,000 19,505"},
	} {
		table := drawnIn(t, lang, story.history()).class("money")[0]
		var rows []string
		for _, row := range within(table).find(func(n *html.Node) bool { return n.Data == "tr" && n.Parent.Data == "tbody" }) {
			var cells []string
			for _, cell := range within(row).find(func(n *html.Node) bool { return n.Data == "td" || n.Data == "th" }) {
				cells = append(cells, text(cell))
			}
			rows = append(rows, strings.Join(cells, " "))
		}
		equal(t, lang, rows, want)
	}
}

// TestWhatIsNotDrawn shows what there is in the states that have no picture.
func TestWhatIsNotDrawn(t *testing.T) {
	pages := map[string]document{}
	for _, d := range cases(t) {
		pages[d.Opening.Game+" "+d.Opening.Draw] = drawn(t, d)
	}
	for name, want := range map[string]string{
		"baccarat pending":    "The draw was opened and has no result yet.",
		"dice by-tally":       "No result could be established The draw was cancelled. All stakes are returned. Rule DICE-5.1. No result came in time.",
		"dice unknown-reason": "meteor_strike The draw was cancelled.",
		"lucky5 void":         "The number of balls drawn is wrong By the rules the draw is void. All stakes are returned. Rule LUCKY5-2.2.",
		"roulette hidden":     "What was seen is too long to be shown in the log. This is its SHA-256",
		"keno unknown-game":   `{"<b>":"&amp;</script>"}`,
		"war by-hash":         "The operator keeps the totals back.",
		"war odd-visible":     `{"player":"<i>ZZ</i>"}`,
		"baccarat natural":    "JPY",
		"wheel cup":           "Spin 1: between two sectors · 4 full turns not counted",
		"dice revived":        "Status: Cancelled → Resolved Reason: A die fell off the table → – Roll 1: – → 1 1 2 2 3 Combination: – → Two pairs",
	} {
		t.Run(name, func(t *testing.T) {
			page, is := pages[name]
			if !is || !strings.Contains(text(page.root), want) {
				t.Errorf("%s does not say %q", name, want)
			}
			if name == "baccarat pending" && len(page.find(func(n *html.Node) bool { return attribute(n, "id") == "verify" })) != 0 {
				t.Errorf("%s has a button for a result that is not there", name)
			}
		})
	}
}

// TestEntryIsShown says that the entry on the page is the log's, byte by byte: the
// Verify button hashes it.
func TestEntryIsShown(t *testing.T) {
	for _, d := range cases(t) {
		state, index := d.State()
		if state == nil {
			continue
		}
		page := drawn(t, d)
		shown := page.find(func(n *html.Node) bool { return attribute(n, "data-part") == "entry" })
		if len(shown) != 1 || shown[0].FirstChild.Data != string(d.Leaves[index-1000].Data) {
			t.Errorf("%s shows %v", d.Opening.Draw, texts(shown))
		}
	}
}

// TestSameBytes makes all pages twice, by two sites.
func TestSameBytes(t *testing.T) {
	fresh, err := freshSite()
	if err != nil {
		t.Fatal(err)
	}
	first, second := sampleFiles(t), makeFiles(t, fresh)
	if !maps.EqualFunc(first, second, func(a, b pages.File) bool { return bytes.Equal(a.Data, b.Data) }) {
		t.Error("the same draws made other pages")
	}
}

// TestAssets says that the name of an asset changes with what it holds, and that
// modules import each other by these names.
func TestAssets(t *testing.T) {
	names := map[string]bool{}
	for _, file := range newSite(t).Assets() {
		if !file.Immutable || file.ContentType == "" {
			t.Errorf("%s: %q, immutable %t", file.Path, file.ContentType, file.Immutable)
		}
		names[strings.TrimPrefix(file.Path, "assets/")] = true
	}
	modules := 0
	for _, file := range newSite(t).Assets() {
		if !strings.HasSuffix(file.Path, ".js") {
			continue
		}
		modules++
		for line := range strings.Lines(string(file.Data)) {
			_, from, imports := strings.Cut(strings.TrimSpace(line), ` from "./`)
			if name := strings.TrimSuffix(from, `";`); imports && !names[name] {
				t.Errorf("%s imports %s, which is not there", file.Path, name)
			}
		}
	}
	if modules < 2 {
		t.Errorf("%d modules", modules)
	}
}

// TestOptions refuses a site that could not be made.
func TestOptions(t *testing.T) {
	for _, o := range []pages.Options{{}, {Origin: "o", LogURL: "log/"}, {Origin: "o", VerifierKeys: []string{"k"}, LogURL: "/log/"}, {Origin: "o", VerifierKeys: []string{"k"}, LogURL: "log"}} {
		t.Run(o.Origin, func(t *testing.T) {
			if _, err := pages.New(o); err == nil {
				t.Errorf("%+v was taken", o)
			}
		})
	}
}

// FuzzDraw draws whatever an entry may hold: the page stays a right page.
func FuzzDraw(f *testing.F) {
	for _, d := range cases(f) {
		if state, _ := d.State(); state != nil {
			f.Add(d.Opening.Draw, d.Opening.Game, string(state.Facts), string(state.Outcome), `{"player":"KS"}`, state.Reason)
		}
	}
	f.Add("..", "war", `{"player":"KS"}`, `{}`, `{"a":"</script><script>alert(1)</script>"}`, "")
	f.Add("-._", "roulette", `{"spins":[{"pocket":-5,"revolutions":-1}]}`, `{"pocket":36,"colour":"\u0022 onload=\u0022x"}`, `{}`, "")
	f.Add("a", "poker", `{"hands":[["AS"]]}`, `{"winners":[9,-1]}`, `{"hands":[[]]}`, "")
	f.Add("a", "wheel", `{"spins":[{"sector":"<b>"}]}`, `{"sector":"99"}`, `{}`, "")
	f.Add("a", "lucky5", `{"balls":[-1,99]}`, `{"sum":-7}`, `{}`, "")
	made, err := pages.New(pages.Options{Origin: "example.com/<log>", VerifierKeys: []string{`k"&<`}, LogURL: "log/"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, draw, game, facts, outcome, visible, reason string) {
		opening := &entry.Opening{Draw: draw, Game: game, Table: draw, Sequence: 1, StoredAt: opens, Rounds: []entry.Planned{{Round: 1, OpensAt: opens, ClosesAt: opens}}, Message: entry.HashOf("")}
		closings := &entry.Closings{Draw: draw, Game: game, State: 1, Rounds: []entry.Closed{{Round: 1, OpensAt: opens, Closing: opens, Visible: []byte(visible)}}}
		state := &entry.State{Draw: draw, Game: game, State: 1, MadeAt: opens, Catalogue: 1, Revision: 1, Status: entry.Resolved, Facts: []byte(facts), Outcome: []byte(outcome), Message: entry.HashOf("")}
		if reason != "" {
			state.Status, state.Outcome, state.Reason, state.Rule = entry.Void, nil, reason, reason
		}
		var leaves []history.Leaf
		for i, e := range []entry.Entry{opening, closings, state} {
			data, err := entry.Encode(e)
			if err != nil {
				return // no such entry can be in a log
			}
			leaf, err := history.Read(int64(i), data)
			if err != nil {
				t.Fatal(err)
			}
			leaves = append(leaves, leaf)
		}
		d, err := history.New(leaves)
		if err != nil {
			t.Fatal(err)
		}
		files, err := made.Draw(d)
		if err != nil {
			t.Fatal(err)
		}
		more, err := made.Day(game, d.Day(), []history.Row{d.Row()})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append(files, more...) {
			checkPage(t, file)
			scripts := read(t, file).find(func(n *html.Node) bool { return n.Data == "script" })
			if len(scripts) > 1 {
				t.Errorf("%s has %d scripts", file.Path, len(scripts))
			}
		}
	})
}

// What the studio closed within a betting round is told beside the round's closing.
// Where the studio says that a recording is stands below the state, as a link that leaves the
// site, with what it hashes to; in every language.
func TestRecordingIsShown(t *testing.T) {
	hash := entry.HashOf("recording")
	s := newStory(t, "war", "seen").result(`{"dealer":"2D","player":"TS"}`)
	s.leaves[len(s.leaves)-1].Entry.(*entry.State).Video = &entry.Recording{URL: "https://video.example/7.mp4?a=1&b=2", SHA256: hash, KeptUntil: opens}
	for lang, want := range map[string]string{"en": "Recording, at the studio (kept until", "es": "Grabación, en el estudio (se conserva hasta", "pt": "Gravação, no estúdio (guardada até", "uk": "Запис, у студії (зберігається до"} {
		t.Run(lang, func(t *testing.T) {
			links := drawnIn(t, lang, s.history()).find(func(n *html.Node) bool { return strings.HasPrefix(attribute(n, "href"), "https://video.example/") })
			if len(links) != 1 || attribute(links[0], "href") != "https://video.example/7.mp4?a=1&b=2" || !strings.Contains(attribute(links[0], "rel"), "noopener") {
				t.Fatalf("%d links lead to the recording, want one that is safe to follow", len(links))
			}
			if got := text(links[0].Parent); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "SHA-256 "+hash) {
				t.Errorf("the page says %q, want %q … with the hash", got, want)
			}
		})
	}
}

func TestClosedSelectionsAreShown(t *testing.T) {
	d := drawn(t, newStory(t, "war", "stopped").add(&entry.Closings{Draw: "stopped", Game: "war", State: 1, Rounds: []entry.Closed{
		{Round: 1, OpensAt: opens, Closing: opens + 19_500, Selections: []entry.Stopped{{Selection: "player_black", Closing: opens + 3_000}, {Selection: "war", Closing: opens + 4_000}}},
		{Round: 2, OpensAt: opens + 30_000, Closing: opens + 49_500}}}).history())
	shown := texts(d.class("lying"))
	if len(shown) != 2 || !strings.HasPrefix(shown[0], "player_black ") || !strings.HasPrefix(shown[1], "war ") {
		t.Errorf("told is %q", shown)
	}
}

// A draw whose side wagers were closed by their round alone says so, in each language.
func TestUnclosedSelectionsAreShown(t *testing.T) {
	first := entry.Closed{Round: 1, OpensAt: opens, Closing: opens + 19_500}
	second := entry.Closed{Round: 2, OpensAt: opens + 30_000, Closing: opens + 49_500}
	stopped := second
	stopped.Selections = []entry.Stopped{{Selection: "insurance:*", Closing: opens + 33_000}}
	for name, c := range map[string]struct {
		game   string
		rounds []entry.Closed
		shown  bool
	}{
		"none closed":          {game: "blackjack", rounds: []entry.Closed{first, second}, shown: true},
		"one closed":           {game: "blackjack", rounds: []entry.Closed{first, stopped}},
		"the round never came": {game: "blackjack", rounds: []entry.Closed{first}},
		"no side wagers":       {game: "war", rounds: []entry.Closed{first, second}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory(t, c.game, "unclosed").add(&entry.Closings{Draw: "unclosed", Game: c.game, State: 1, Rounds: c.rounds})
			before := texts(drawn(t, s.history()).class("notice"))
			d := s.cancelled("presenter_error", 1).history()
			for lang, begins := range map[string]string{"en": "No selection", "es": "Ninguna selección", "pt": "Nenhuma seleção", "uk": "Жоден вибір"} {
				t.Run(lang, func(t *testing.T) {
					shown := texts(drawnIn(t, lang, d).class("notice"))
					note := func(text string) bool { return strings.HasPrefix(text, begins) }
					if slices.ContainsFunc(shown, note) != c.shown || slices.ContainsFunc(before, note) {
						t.Errorf("%s: told is %q, before the result %q", lang, shown, before)
					}
				})
			}
		})
	}
}
