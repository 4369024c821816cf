package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// number is the outcome of a game that draws one number.
type number int

func (n number) AppendJSON(dst []byte) []byte { return fmt.Appendf(dst, "%d", int(n)) }

type (
	spec   = rules.Spec[int64, number]
	family = rules.Family[number]
)

// numbers is the smallest game: one number, and a selection with each kind of
// parameter.
func numbers() spec {
	never := func(number, rules.Selection) bool { return false }
	with := func(name string, params ...rules.Param) family {
		return family{Name: name, Params: params, Rule: "NUM-2", Means: "never", Wins: never}
	}
	return spec{
		ID: "numbers", Title: "Numbers", Prefix: "NUM", Version: 1,
		Rounds: []rules.Round{{Number: 1, When: "before"}}, CancelRule: "NUM-5", LateRule: "NUM-3",
		Families: []family{
			{Name: "is", Params: []rules.Param{rules.Int{Min: 1, Max: 12}}, Rule: "NUM-1", Means: "it is the number",
				Wins: func(n number, s rules.Selection) bool { return int(n) == s.At(0) }},
			{Name: "over", Params: []rules.Param{rules.Line{Min: 1, Max: 11}}, Rule: "NUM-1", Means: "it is over the line",
				Judge: func(n number, s rules.Selection) rules.Verdict {
					switch {
					case n == 7:
						return rules.Verdict{Result: rules.Refunded, Reason: "seven", Rule: "NUM-7"}
					case rules.Over(int(n), s.At(0)):
						return rules.Verdict{Result: rules.Won}
					}
					return rules.Verdict{Result: rules.Lost}
				}},
			with("plain"),
			with("word", rules.Word{"red", "blue"}),
			with("pair", rules.WordPair{"red", "blue", "green"}),
			with("set", rules.Set{Min: 1, Max: 5, From: 2, To: 3}),
			with("one", rules.Int{Min: 1, Max: 1}),
			with("both", rules.Word{"red", "blue"}, rules.Int{Min: 0, Max: 2}),
			{Name: "even", Params: []rules.Param{rules.Int{Min: 1, Max: 12}}, Rule: "NUM-1", Means: "never", Wins: never,
				Check: func(s rules.Selection) string {
					if s.At(0)%2 == 1 {
						return "it is odd"
					}
					return ""
				}},
		},
		Read:    func(o strictjson.Object) int64 { return o.Int("number") },
		Resolve: func(n int64) rules.Resolution[number] { return rules.Resolution[number]{Outcome: number(n)} },
	}
}

func TestDefineRefusesContradictions(t *testing.T) {
	change := map[string]func(*spec){
		"no id":               func(s *spec) { s.ID = "" },
		"no title":            func(s *spec) { s.Title = "" },
		"no prefix":           func(s *spec) { s.Prefix = "" },
		"no version":          func(s *spec) { s.Version = 0 },
		"no rounds":           func(s *spec) { s.Rounds = nil },
		"five rounds":         func(s *spec) { s.Rounds = make([]rules.Round, 5) },
		"round misnumbered":   func(s *spec) { s.Rounds[0].Number = 2 },
		"nothing decides":     func(s *spec) { s.Rounds = append(s.Rounds, rules.Round{Number: 2}) },
		"no families":         func(s *spec) { s.Families = nil },
		"family twice":        func(s *spec) { s.Families = append(s.Families, s.Families[0]) },
		"foreign cancel rule": func(s *spec) { s.CancelRule = "BAC-5" },
		"foreign late rule":   func(s *spec) { s.LateRule = "BAC-3" },
		"no verdict":          func(s *spec) { s.Families[0].Wins = nil },
		"two verdicts":        func(s *spec) { s.Families[1].Wins = s.Families[0].Wins },
		"foreign rule":        func(s *spec) { s.Families[0].Rule = "BAC-1" },
		"no meaning":          func(s *spec) { s.Families[0].Means = "" },
		"some odds":           func(s *spec) { s.Families[1].Odds = money.ToOne(1) },
		"unknown round":       func(s *spec) { s.Families[0].Round = 2 },
		"no selections":       func(s *spec) { s.Families[0].Check = func(rules.Selection) string { return "none" } },
		"does not read back":  func(s *spec) { s.Families[3].Params = []rules.Param{rules.Word{"red", "red"}} },
		"unknown group":       func(s *spec) { s.Groups = [][]string{{"is", "nothing"}} },
	}
	want := map[string]string{
		"no id": "id, title, prefix or version missing", "no title": "id, title, prefix or version missing",
		"no prefix": "id, title, prefix or version missing", "no version": "id, title, prefix or version missing",
		"no rounds": "0 betting rounds", "five rounds": "5 betting rounds", "round misnumbered": "betting round 1 is numbered 2",
		"nothing decides": "nothing decides selections", "no families": "there are none", "family twice": "family names repeat",
		"foreign cancel rule": `cancel rule "BAC-5"`, "no verdict": "is: needs Wins or Judge", "two verdicts": "over: needs Wins or Judge",
		"foreign rule": `is: rule "BAC-1"`, "no meaning": "is: no meaning", "some odds": "some families have paytable odds",
		"unknown round": "is: betting round 2", "no selections": "is has no selections",
		"does not read back": "word:red does not read back", "unknown group": `group names "nothing"`,
	}
	for name, breakIt := range change {
		t.Run(name, func(t *testing.T) {
			s := numbers()
			breakIt(&s)
			if got := panicOf(func() { rules.Define(s) }); !strings.Contains(got, want[name]) {
				t.Errorf("%s: %q, want %q", name, got, want[name])
			}
		})
	}
	if got := panicOf(func() { rules.Define(numbers()) }); got != "" {
		t.Errorf("the game itself: %s", got)
	}
}

func panicOf(run func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	run()
	return ""
}

func TestParse(t *testing.T) {
	g := rules.Define(numbers())
	for _, row := range ruletest.Rows(t, `
		text               | code, and what its reason contains
		is:1               |
		is:12              |
		is                 | unknown_selection: is:<1-12>
		is:                | illegal_shape: "" is no whole number from 1 to 12
		is:0               | illegal_shape: from 1 to 12
		is:13              | illegal_shape: from 1 to 12
		is:01              | illegal_shape: from 1 to 12
		is:+1              | illegal_shape: from 1 to 12
		is:-1              | illegal_shape: from 1 to 12
		is:1.0             | illegal_shape: from 1 to 12
		is:1e0             | illegal_shape: from 1 to 12
		is:1:2             | illegal_shape: "1:2" is no whole number
		is:1:              | illegal_shape: "1:" is no whole number
		is::1              | illegal_shape: ":1" is no whole number
		is:18446744073709551617 | illegal_shape: from 1 to 12
		is:4294967297      | illegal_shape: from 1 to 12
		is:65537           | illegal_shape: from 1 to 12
		is:１              | illegal_shape: from 1 to 12
		over:1.5           |
		over:11.5          |
		over:0.5           | illegal_shape: no line from 1.5 to 11.5
		over:12.5          | illegal_shape: no line from 1.5 to 11.5
		over:1             | illegal_shape: no line
		over:1.0           | illegal_shape: no line
		over:1.50          | illegal_shape: no line
		over:01.5          | illegal_shape: no line
		over:.5            | illegal_shape: no line
		over:1.5.5         | illegal_shape: no line
		over:1,5           | illegal_shape: no line
		over:-1.5          | illegal_shape: no line
		plain              |
		plain:             | illegal_shape: plain has no parameters
		plain:1            | illegal_shape: plain has no parameters
		Plain              | unknown_selection: Numbers has no such selection
		plai               | unknown_selection: Numbers has no such selection
		word:red           |
		word:Red           | illegal_shape: none of red, blue
		word:re            | illegal_shape: none of red, blue
		word:              | illegal_shape: none of red, blue
		pair:red-blue      |
		pair:blue-red      |
		pair:red-red       | illegal_shape: compares red with itself
		pair:red           | illegal_shape: no pair such as red-blue
		pair:red-          | illegal_shape: none of red, blue, green
		pair:-red          | illegal_shape: none of red, blue, green
		pair:red-blue-green | illegal_shape: none of red, blue, green
		set:1-2            |
		set:1-2-5          |
		set:2-1            | illegal_shape: 1 after 2: numbers are written ascending
		set:1-1            | illegal_shape: 1 is named twice
		set:1              | illegal_shape: fewer than 2 numbers
		set:1-2-3-4        | illegal_shape: more than 3 numbers
		set:1-6            | illegal_shape: from 1 to 5
		set:0-1            | illegal_shape: from 1 to 5
		set:1-02           | illegal_shape: from 1 to 5
		set:1--2           | illegal_shape: from 1 to 5
		set:-1-2           | illegal_shape: from 1 to 5
		set:1-2-           | illegal_shape: from 1 to 5
		set:1,2            | illegal_shape: from 1 to 5
		set:               | illegal_shape: from 1 to 5
		both:red:0         |
		both:red           | illegal_shape: it is written both:<red/blue>:<0-2>
		both:red:          | illegal_shape: from 0 to 2
		both:red:0:1       | illegal_shape: from 0 to 2
		both::0            | illegal_shape: none of red, blue
		even:2             |
		even:3             | illegal_shape: it is odd
		                   | unknown_selection: Numbers has no such selection
		:                  | unknown_selection: Numbers has no such selection
		:1                 | unknown_selection: Numbers has no such selection
		nothing            | unknown_selection: Numbers has no such selection
		nothing:1          | unknown_selection: Numbers has no such selection
	`) {
		t.Run(row[0], func(t *testing.T) {
			checkParse(t, g, row[0], strings.ReplaceAll(row[1], "/", "|"))
		})
	}
	checkParse(t, g, " is:1", "unknown_selection: no such selection")
	checkParse(t, g, "is:1 ", "illegal_shape: from 1 to 12")
	checkParse(t, g, "is:1\n", "illegal_shape: from 1 to 12")
	checkParse(t, g, "plain\x00", "unknown_selection: no such selection")
	checkParse(t, g, "set:"+strings.Repeat("1-", 1<<16), "illegal_shape: no selection is as long")
	checkParse(t, g, "is:"+strings.Repeat("1", 1<<16), "illegal_shape: no selection is as long")
	checkParse(t, g, strings.Repeat("is:1", 1<<14), "illegal_shape: no selection is as long")
}

// checkParse parses a text. want is the code and a part of the reason; it is
// empty for a selection, which is then printed as it was written.
func checkParse(t *testing.T, g *rules.Game, text, want string) {
	t.Helper()
	s, err := g.Parse(text)
	code, reason, _ := strings.Cut(want, ": ")
	if err == nil {
		if want != "" || g.Text(s) != text {
			t.Errorf("%.60q reads as %s; want %q", text, g.Text(s), want)
		}
		return
	}
	wrong := err.(*rules.SelectionError)
	if wrong.Code != code || want == "" || !strings.Contains(wrong.Reason, reason) || wrong.Text != text {
		t.Errorf("%.60q: %s: %.80s; want %s", text, wrong.Code, wrong.Reason, want)
	}
}

func TestSelectionsOfTheCatalogue(t *testing.T) {
	g := rules.Define(numbers())
	counts := map[string]int{}
	for s := range g.Selections {
		counts[g.Family(s).Name]++
	}
	for name, want := range map[string]int{"is": 12, "over": 11, "plain": 1, "word": 2, "pair": 6, "set": 10 + 10, "one": 1, "both": 6, "even": 6} {
		t.Run(name, func(t *testing.T) {
			if counts[name] != want {
				t.Errorf("%s has %d selections, want %d", name, counts[name], want)
			}
		})
	}
	for range g.Selections {
		break // a reader may leave early
	}
	for range g.SelectionsOf("nothing") {
		t.Error("an unknown family has selections")
	}
}

func TestForms(t *testing.T) {
	g := rules.Define(numbers())
	var forms []string
	for _, family := range g.Families {
		forms = append(forms, family.Form())
	}
	want := []string{"is:<1-12>", "over:<1.5-11.5>", "plain", "word:<red|blue>", "pair:<red|blue|green>-<red|blue|green>",
		"set:<1-5>-<1-5>[-…] up to 3", "one:1", "both:<red|blue>:<0-2>", "even:<1-12>"}
	if !slices.Equal(forms, want) {
		t.Errorf("%q, want forms = %v", forms, want)
	}
}

func TestVerdictsAreFilledIn(t *testing.T) {
	s := numbers()
	for i := range s.Families {
		s.Families[i].Odds = money.ToOne(i + 1)
	}
	priced := rules.Define(s)
	unpriced := rules.Define(numbers())
	for _, row := range ruletest.Rows(t, `
		number | selection | verdict
		5      | is:5      | won NUM-1 2.00
		5      | is:6      | lost NUM-1 2.00
		5      | over:4.5  | won NUM-1 3.00
		5      | over:5.5  | lost NUM-1 3.00
		7      | over:5.5  | refunded seven NUM-7 3.00
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			for g, want := range map[*rules.Game]string{priced: row[2], unpriced: row[2][:strings.LastIndex(row[2], " ")] + " 0.00"} {
				var n int
				fmt.Sscan(row[0], &n)
				v := g.Judge(number(n), ruletest.Selection(t, g, row[1]))
				got := strings.Join(strings.Fields(fmt.Sprint(v.Result, " ", v.Reason, " ", v.Rule, " ", v.Odds)), " ")
				if got != want {
					t.Errorf("%s on %s: %s, want %s", row[1], row[0], got, want)
				}
			}
		})
	}
	if !priced.Paytable() || unpriced.Paytable() {
		t.Error("which game has a paytable is not known")
	}
	if odds := priced.Odds(ruletest.Selection(t, priced, "over:4.5")); odds != money.ToOne(2) {
		t.Errorf("odds %v", odds)
	}
}

// TestTally marks what a few possible outcomes leave no doubt about. A refund
// neither wins nor loses.
func TestTally(t *testing.T) {
	g := rules.Define(numbers())
	for _, row := range ruletest.Rows(t, `
		outcomes | over:4.5 | over:5.5 | is:5
		5        | win      | lose     | win
		5 6      | win      | open     | open
		6 8      | win      | win      | lose
		7        | lose     | lose     | lose
		6 7      | win      | win      | lose
		5 7      | win      | lose     | open
		4 7 9    | open     | open     | lose
	`) {
		t.Run(row[0], func(t *testing.T) {
			tally := rules.NewTally(g)
			for _, field := range strings.Fields(row[0]) {
				tally.Add(number(field[0] - '0'))
			}
			marks := tally.Marks()
			for i, text := range []string{"over:4.5", "over:5.5", "is:5"} {
				if got := marks[text].String(); got != row[1+i] {
					t.Errorf("%s after %s: %s, want %s", text, row[0], got, row[1+i])
				}
			}
		})
	}
}

func TestGamesWithOneRoundDecideNothing(t *testing.T) {
	g := rules.Define(numbers())
	if marks, faults := g.Decide(1, rules.Facts{}); len(marks) > 0 || len(faults) > 0 {
		t.Errorf("%v, %v, want len(marks) = 0 and len(faults) = 0", marks, faults)
	}
}
