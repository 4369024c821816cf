package pages_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tally/internal/studio"
	"tally/lib/archive/entry"
	"tally/lib/rulebook/settlement"
)

// facts returns the values of the list of what the rules make of a draw, by label.
func (d document) facts(t *testing.T) map[string]string {
	t.Helper()
	lists := d.class("facts")
	if len(lists) != 1 {
		t.Fatalf("%d lists of the outcome", len(lists))
	}
	labels := within(lists[0]).find(func(n *html.Node) bool { return n.Data == "dt" })
	values := within(lists[0]).find(func(n *html.Node) bool { return n.Data == "dd" })
	all := map[string]string{}
	for i, label := range labels {
		all[text(label)] = text(values[i])
	}
	return all
}

// outcome is what `tally resolve` answers, of all games.
type outcome struct {
	Winner                 string
	PlayerPoints           int  `json:"player_points"`
	BankerPoints           int  `json:"banker_points"`
	PlayerPair             bool `json:"player_pair"`
	BankerPair             bool `json:"banker_pair"`
	PerfectPair            bool `json:"perfect_pair"`
	Natural                bool
	Cards                  int
	Size                   string
	Combination            string
	Arranged               []int
	Sum, Odd, Even         int
	First, Last            int
	Colours                map[string]int
	Winners                []int
	Sector, Colour, Parity string
	Pocket, Dozen, Column  int
	Half                   string
	Dealer                 total
	Seats                  []struct{ Hands []total }
	Hands                  []struct {
		Category string
		Best     []string
	}
}

type total struct {
	Total           int
	Blackjack, Bust bool
	Result          string
}

func (o total) describe() string {
	switch {
	case o.Blackjack:
		return "Blackjack"
	case o.Bust:
		return fmt.Sprintf("%d, bust", o.Total)
	}
	return fmt.Sprint(o.Total)
}

// spoken are the words of the page for codes that are not simply those with spaces.
var spoken = map[string]string{"pair": "One pair", "low": "1 to 18", "high": "19 to 36", "win": "wins", "lose": "loses"}

func say(code string) string {
	if words, is := spoken[code]; is {
		return words
	}
	return strings.ReplaceAll(code, "_", " ")
}

func yes(is bool) string { return map[bool]string{true: "yes", false: "no"}[is] }

// drawnCode is a card's code by its name.
var drawnCode = func() map[string]string {
	codes := map[string]string{}
	for i, rank := range strings.Fields("two three four five six seven eight nine ten jack queen king ace") {
		for k, suit := range strings.Fields("spades hearts diamonds clubs") {
			codes[rank+" of "+suit] = "23456789TJQKA"[i:i+1] + "SHDC"[k:k+1]
		}
	}
	return codes
}()

// TestPagesSayWhatIsResolved reads the pages of many dealt draws of all games, and
// compares what is drawn and what is told with the facts and with what the rules
// make of them, as `tally resolve` answers it.
func TestPagesSayWhatIsResolved(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(12) {
		script, err := studio.New(seed, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, draw := range script.Draws {
			for _, facts := range []string{draw.Facts, draw.First} {
				resolved, ok := draw.Outcome()
				if facts == "" || !ok {
					continue
				}
				if facts == draw.First {
					resolved = resolve(t, draw.Game.ID, facts).Outcome
				}
				var o outcome
				if err := json.Unmarshal(resolved.AppendJSON(nil), &o); err != nil {
					t.Fatal(err)
				}
				d := drawn(t, newStory(t, draw.Game.ID, "d").result(canonical(t, facts)).history())
				t.Run(fmt.Sprintf("%s of seed %d", draw.Game.ID, seed), func(t *testing.T) { compare(t, draw.Game.ID, facts, o, d) })
				seen[draw.Game.ID]++
			}
		}
	}
	if len(seen) != 10 {
		t.Errorf("%v", seen)
	}
}

// canonical writes facts as the log has them.
func canonical(t *testing.T, facts string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(facts), &value); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(written)
}

// compare compares a page with an outcome.
func compare(t *testing.T, game, facts string, o outcome, d document) {
	shown := d.facts(t)
	is := func(label, want string) {
		t.Helper()
		if got := shown[label]; !strings.EqualFold(got, want) {
			t.Errorf("%s\n%s: %q, want %q", facts, label, got, want)
		}
	}
	var cards []string
	for _, name := range d.labels("card") {
		cards = append(cards, drawnCode[name])
	}
	wins := func(class string) (list []bool) {
		for _, side := range d.class(class) {
			list = append(list, slices.Contains(strings.Fields(attribute(side, "class")), "wins"))
		}
		return list
	}
	switch game {
	case "baccarat", "live_baccarat":
		var f struct{ Player, Banker, Burned []string }
		unmarshal(t, facts, &f)
		equal(t, "cards", cards, slices.Concat(f.Player, f.Banker, f.Burned))
		is("Winner", o.Winner)
		is("Points", fmt.Sprintf("Player %d, Banker %d", o.PlayerPoints, o.BankerPoints))
		is("Natural", yes(o.Natural))
		is("Cards dealt", fmt.Sprintf("%d (%s)", o.Cards, o.Size))
		for label, there := range map[string]bool{"Player pair": o.PlayerPair, "Banker pair": o.BankerPair, "perfect pair": o.PerfectPair} {
			t.Run(label, func(t *testing.T) {
				if strings.Contains(shown["Pairs"], label) != there {
					t.Errorf("%s: %s, %s is %t", facts, shown["Pairs"], label, there)
				}
			})
		}
		equal(t, "wins", wins("side"), []bool{o.Winner == "player", o.Winner == "banker"})
		for i, points := range []int{o.PlayerPoints, o.BankerPoints} {
			t.Run(fmt.Sprint(points), func(t *testing.T) {
				if got := strings.Fields(text(d.class("points")[i]))[0]; got != fmt.Sprint(points) {
					t.Errorf("%s: %s points are drawn, want %d", facts, got, points)
				}
			})
		}
	case "war":
		var f struct {
			Player, Dealer string
			Burned         []string
		}
		unmarshal(t, facts, &f)
		equal(t, "cards", cards, append([]string{f.Player, f.Dealer}, f.Burned...))
		is("Winner", o.Winner)
		equal(t, "wins", wins("side"), []bool{o.Winner == "player", o.Winner == "dealer"})
	case "dice":
		is("Combination", say(o.Combination))
		is("Arranged", strings.Trim(fmt.Sprint(o.Arranged), "[]"))
		is("Sum", fmt.Sprint(o.Sum))
		var f struct{ Rolls []struct{ Dice []int } }
		unmarshal(t, facts, &f)
		want := ""
		for _, roll := range f.Rolls {
			want += fmt.Sprint(roll.Dice)
		}
		equal(t, "dice", d.labels("die"), strings.Fields(strings.NewReplacer("][", " ", "[", "", "]", "").Replace(want+fmt.Sprint(o.Arranged))))
	case "lucky5", "lucky7":
		is("Sum", fmt.Sprint(o.Sum))
		is("Odd and even", fmt.Sprintf("%d odd, %d even", o.Odd, o.Even))
		is("First ball", fmt.Sprint(o.First))
		is("Last ball", fmt.Sprint(o.Last))
		for colour, n := range o.Colours {
			is(strings.ToUpper(colour[:1])+colour[1:]+" balls", fmt.Sprint(n))
		}
		var f struct{ Balls []int }
		unmarshal(t, facts, &f)
		for i, label := range d.labels("ball") {
			if number, _, _ := strings.Cut(label, ","); number != fmt.Sprint(f.Balls[i]) {
				t.Errorf("%s: ball %d is %s", facts, i+1, label)
			}
		}
	case "poker":
		var f struct {
			Hands         [][]string
			Board, Burned []string
		}
		unmarshal(t, facts, &f)
		equal(t, "cards", cards, slices.Concat(f.Board, slices.Concat(f.Hands...), f.Burned))
		is("Combination", strings.TrimPrefix(say(o.Combination), "One "))
		is("Winner", map[bool]string{true: "Hand ", false: "Hands "}[len(o.Winners) == 1]+strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Winners), " ", ", "), "[]"))
		var marked []string
		for i, hand := range o.Hands {
			if wins("side")[i] != slices.Contains(o.Winners, i+1) {
				t.Errorf("%s: hand %d is drawn as if it had won or lost", facts, i+1)
			}
			if got := text(d.class("points")[i]); !strings.EqualFold(got, strings.TrimPrefix(say(hand.Category), "One ")) {
				t.Errorf("%s: hand %d is %s, want %s", facts, i+1, got, hand.Category)
			}
			if slices.Contains(o.Winners, i+1) {
				marked = append(marked, hand.Best...)
			}
		}
		var got []string
		for _, name := range d.labels("marked") {
			got = append(got, drawnCode[name])
		}
		slices.Sort(marked)
		slices.Sort(got)
		equal(t, "marked", slices.Compact(got), slices.Compact(marked))
	case "wheel", "roulette":
		_, hit, colour := sectors(t, d)
		if game == "wheel" {
			is("Sector", o.Sector)
			if hit != o.Sector || o.Colour != "" && colour != o.Colour {
				t.Errorf("%s: %s %s is marked", facts, hit, colour)
			}
		} else {
			is("Pocket", fmt.Sprint(o.Pocket))
			if hit != fmt.Sprint(o.Pocket) || colour != o.Colour {
				t.Errorf("%s: %s %s is marked", facts, hit, colour)
			}
		}
		if o.Parity != "" {
			is("Colour", o.Colour)
			is("Parity", o.Parity)
		}
		if o.Half != "" {
			is("Half", say(o.Half))
			is("Dozen", fmt.Sprint(o.Dozen))
			is("Column", fmt.Sprint(o.Column))
		}
	case "blackjack":
		var f struct {
			Dealer, Burned []string
			Seats          []struct {
				Seat  int
				Hands []struct{ Cards []string }
			}
		}
		unmarshal(t, facts, &f)
		want := f.Dealer
		is("Dealer", o.Dealer.describe())
		for i, seat := range f.Seats {
			for k, hand := range seat.Hands {
				want = append(want, hand.Cards...)
				label := fmt.Sprintf("Seat %d", seat.Seat)
				if len(seat.Hands) > 1 {
					label += fmt.Sprintf(", hand %d", k+1)
				}
				result := o.Seats[i].Hands[k]
				is(label, result.describe()+" · "+say(result.Result))
			}
		}
		equal(t, "cards", cards, append(want, f.Burned...))
	default:
		t.Fatalf("no test reads the pages of %s", game)
	}
}

func unmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// TestLateClosings shows what a later state knows of the betting rounds and the first
// one did not: nothing that the log says of them is left out.
func TestLateClosings(t *testing.T) {
	closings := func(state int, more ...entry.Closed) *entry.Closings {
		return &entry.Closings{Draw: "w", Game: "war", State: state, Rounds: append([]entry.Closed{{Round: 1, OpensAt: opens, Closing: opens + 19_500}}, more...)}
	}
	late := entry.Closed{Round: 2, OpensAt: opens + 30_000, Closing: opens + settlement.Instant(49_000), Visible: []byte(`{"player":"TS"}`), Odds: &entry.List{Count: 25, SHA256: entry.HashOf("odds")}}
	const facts = `{"dealer":"2D","player":"TS"}`
	d := drawn(t, newStory(t, "war", "w").add(closings(1)).result(facts).add(closings(2, late)).result(facts).history())
	changes := d.class("changes")
	if want := "Round 2: – → 12:00:30 – 12:00:49 · Player 10♠ · 25 entries, SHA-256 " + entry.HashOf("odds"); len(changes) != 1 || !strings.Contains(text(changes[0]), want) {
		t.Errorf("%v, without %s", texts(changes), want)
	}
}
