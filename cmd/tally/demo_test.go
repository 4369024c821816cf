package main

import (
	"bytes"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"tally/lib/archive/independent"
	"tally/lib/archive/signing"
	"tally/lib/games"
	"tally/lib/money"
	"tally/lib/pretty"
	"tally/lib/studio"
)

// A whole day, once: what it shows, that its sums add up, and that everything
// that could be wrong with the money is seen.
func TestDemo(t *testing.T) {
	var out, errs bytes.Buffer
	app := &app{out: &out, err: &errs, getenv: func(string) string { return "" }}
	day, stop, err := app.studioDay(t.Context(), pretty.Pen{}, demoFlags{seed: 5, bets: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if err := day.play(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := day.report(t.Context()); err != nil {
		t.Error(err)
	}
	if errs.Len() > 0 {
		t.Errorf("something went wrong: %s", errs.String())
	}
	checkDemoText(t, out.String())
	checkDemoSums(t, out.String())
	checkDemoLog(t, day.log)
	checkDemoSeesFaults(t, day)
}

// checkDemoText checks that a newcomer sees everything, within a terminal.
func checkDemoText(t *testing.T, text string) {
	t.Helper()
	words := strings.Join(strings.Fields(text), " ") // a sentence may go on in the next line
	for _, want := range []string{"impossible", "quarantined: ", "cancelled, a card lay face up", "a ball too few, void", "corrected after a review",
		"an order voids the bets of acme at riga-7", "a storm", "settled again", "betting_closed", "1 put in quarantine", "third_card_missing"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(text, "✓"); n != 7 || strings.Contains(text, "✗") {
		t.Errorf("%d things are checked and hold", n)
	}
	for line := range strings.Lines(text) {
		if columns := len([]rune(strings.TrimSuffix(line, "\n"))); columns > demoColumns {
			t.Errorf("%d columns: %s", columns, line)
		}
	}
	if t.Failed() {
		t.Log("\n" + text)
	}
}

// checkDemoLog has programs that others wrote accept the log that the demo has
// written, and refuse what is made of it by tampering.
func checkDemoLog(t *testing.T, folder string) {
	t.Helper()
	key, err := signing.FromFile(folder+".key", "tally.example/log")
	if err != nil {
		t.Fatal(err)
	}
	l := independent.Log{Folder: folder, Key: key.Verifier}
	l.Accept(t)
	t.Run("the log", func(t *testing.T) { l.Refuse(t, key.Signer) })
}

// demoRowText is a row of the table by game.
var demoRowText = regexp.MustCompile(`(?m)^  (\S.*?)  +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +(\d+) +(\d+)$`)

// checkDemoSums adds up the printed tables once more.
func checkDemoSums(t *testing.T, text string) {
	t.Helper()
	_, text, _ = strings.Cut(text, "\nBy game\n")
	byGame, byBookmaker, _ := strings.Cut(text, "\nBy bookmaker\n")
	sums, seen := make([]*big.Rat, 9), map[string]bool{}
	for i := range sums {
		sums[i] = new(big.Rat)
	}
	for _, match := range demoRowText.FindAllStringSubmatch(byGame, -1) {
		seen[match[1]] = true
		row := make([]*big.Rat, len(sums))
		for i, number := range match[2:] {
			row[i], _ = new(big.Rat).SetString(number)
		}
		if add(row[1], row[2], row[3]).Cmp(row[0]) != 0 {
			t.Errorf("%s: the bets don't add up", match[1])
		}
		for i := range sums {
			if match[1] == allGames && row[i].Cmp(sums[i]) != 0 {
				t.Errorf("column %d of all games is %v, the sum of the games %v", i, row[i], sums[i])
			}
			sums[i].Add(sums[i], row[i])
		}
	}
	if len(seen) != len(games.All())+1 {
		t.Errorf("the table has the rows %v", seen)
	}
	for _, bookmaker := range studio.Bookmakers {
		if !strings.Contains(byBookmaker, "  "+bookmaker.ID+" ") {
			t.Errorf("%s is not in the table", bookmaker.ID)
		}
	}
}

// checkDemoSeesFaults spoils one thing after the other.
func checkDemoSeesFaults(t *testing.T, day *demoDay) {
	t.Helper()
	finds := func(name string) {
		t.Helper()
		findings, err := day.check(t.Context())
		if err != nil {
			return // seen, too
		}
		var quiet bytes.Buffer
		if err := (&demoShow{out: &quiet}).findings(findings); err == nil {
			t.Errorf("not seen: %s", name)
		}
	}
	restore := day.books.lines
	spoil := func(name string, change func(key demoKey, line demoReport)) {
		t.Helper()
		lines := map[demoKey]demoReport{}
		for key, line := range restore {
			lines[key] = line
		}
		day.books.lines = lines
		for _, b := range day.accepted {
			if day.refund(b) == "" && lines[day.key(b.Bet)].Status == "won" {
				change(day.key(b.Bet), lines[day.key(b.Bet)])
				break
			}
		}
		finds(name)
		day.books.lines = restore
	}
	spoil("a payout that is another", func(key demoKey, line demoReport) {
		line.Payout = line.Stake
		day.books.lines[key] = line
	})
	spoil("a bet without a line", func(key demoKey, _ demoReport) { delete(day.books.lines, key) })
	spoil("a line without a bet", func(key demoKey, line demoReport) {
		key.bet = "nobody"
		day.books.lines[key] = line
	})
	spoil("a refund that is none", func(key demoKey, _ demoReport) { day.taken[key] = true })
	clear(day.taken)
	entries := day.books.entries[studio.Bookmakers[0].ID]
	entries[len(entries)-1].Totals[0].Payout.Add(money.Amount(1)) // the newest is no other's base
	finds("totals that are others")
}
