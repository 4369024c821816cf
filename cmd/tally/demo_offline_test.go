package main

import (
	"bytes"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"tally/internal/pretty"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

func demoOf(t *testing.T, played []*rules.Game) string {
	t.Helper()
	text, err := playDemo(pretty.Pen{}, played)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDemoShowsEverything(t *testing.T) {
	text := demoOf(t, games.All())
	for _, game := range games.All() {
		if !strings.Contains("\n"+text, "\n"+game.Title+"\n") {
			t.Errorf("%s is not played", game.Title)
		}
	}
	// What a newcomer must have seen: each way a bet ends, and each thing that
	// happens to draws.
	for _, want := range []string{"\n  result ", "\n  corrected ", "\n  cancelled ", "\n  refused ", "\n  voided ", "\n  revoked ", "= void: ",
		"third_card_missing", "won", "lost", "refunded", "tie BAC-2.3.1", "push BJ-2.2", "draw_cancelled", "late_bet", "cancelled_by_bookmaker",
		"decided_selection", "no_such_wager", "wrong_ball_count", "K♠ 3♦ 7♣"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestDemoFitsTerminal(t *testing.T) {
	for line := range strings.Lines(demoOf(t, games.All())) {
		if columns := len([]rune(strings.TrimSuffix(line, "\n"))); columns > demoWidth {
			t.Errorf("%d columns: %s", columns, line)
		}
	}
}

// summaryRow is a line of the summary: title, currency, numbers of bets, sums.
var summaryRow = regexp.MustCompile(`(?m)^  (\S.*?) +([A-Z]{3}) +(\d+) +(\d+) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$`)

// The sums are added up once more from the printed text.
func TestDemoAddsUp(t *testing.T) {
	_, summary, _ := strings.Cut(demoOf(t, games.All()), "\nSettled in all\n")
	sums := map[string][]*big.Rat{} // by currency
	seen := map[string]bool{}
	for _, match := range summaryRow.FindAllStringSubmatch(summary, -1) {
		title, currency := match[1], match[2]
		row := make([]*big.Rat, len(match)-3)
		for i, text := range match[3:] {
			row[i], _ = new(big.Rat).SetString(text)
		}
		bets, won, lost, refunded := row[0], row[1], row[2], row[3]
		if add(won, lost, refunded).Cmp(bets) != 0 {
			t.Errorf("%s %s: the bets do not add up", title, currency)
		}
		if add(row[5], row[6], row[7]).Cmp(row[4]) != 0 {
			t.Errorf("%s %s: the stakes do not add up", title, currency)
		}
		if title == allGames {
			for i, total := range row {
				if total.Cmp(sums[currency][i]) != 0 {
					t.Errorf("%s: column %d of all games is %v, its sum %v", currency, i, total, sums[currency][i])
				}
			}
			continue
		}
		seen[title] = true
		for i, value := range row {
			if len(sums[currency]) <= i {
				sums[currency] = append(sums[currency], new(big.Rat))
			}
			sums[currency][i].Add(sums[currency][i], value)
		}
	}
	if len(seen) != len(games.All()) {
		t.Errorf("the summary has %d games", len(seen))
	}
}

func add(values ...*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, value := range values {
		sum.Add(sum, value)
	}
	return sum
}

// A row that does not add up must be seen.
func TestDemoSeesWrongMoney(t *testing.T) {
	game := games.All()[0]
	for name, spoil := range map[string]func(*demoRow){
		"bets":                      func(r *demoRow) { r.totals.Bets++ },
		"stakes":                    func(r *demoRow) { r.totals.Stake.Add(1) },
		"payouts":                   func(r *demoRow) { r.totals.Payout.Add(1) },
		"a lost bet was paid":       func(r *demoRow) { r.ended[rules.Lost].paid.Add(1) },
		"a refund is not the stake": func(r *demoRow) { r.ended[rules.Refunded].paid.Add(1) },
	} {
		p := &demoPlay{}
		if err := p.game(game); err != nil {
			t.Fatal(err)
		}
		spoil(p.rows[0])
		if _, err := p.summary(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A settlement that `tally settle` does not give must be seen.
func TestDemoSeesOtherSettlement(t *testing.T) {
	p, game := &demoPlay{}, games.All()[0]
	draws, err := p.play(game)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range draws {
		bet := d.bets[0]
		settled, err := settlement.Settle(&bet.Bet, d.settled)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.settleOffline(&p.settler, bet, settled); err != nil {
			t.Error(err)
		}
		settled.Payout += money.Amount(1)
		if err := d.settleOffline(&p.settler, bet, settled); err == nil {
			t.Error("a payout of one minor unit more is not seen")
		}
	}
}

func TestDemoCommand(t *testing.T) {
	var out, errors bytes.Buffer
	app := &app{in: strings.NewReader(""), out: &out, err: &errors, getenv: func(string) string { return "" }}
	if code := run([]string{"demo", "--offline", "poker"}, app); code != exitDone || !strings.HasPrefix(out.String(), "Bet on Poker\n") {
		t.Errorf("exit code %d: %s%s", code, out.String(), errors.String())
	}
	if code := run([]string{"demo", "--offline", "chess"}, app); code != exitMisuse || !strings.Contains(errors.String(), `no game is called "chess"`) {
		t.Errorf("exit code %d: %s", code, errors.String())
	}
	for _, args := range [][]string{{"demo", "poker"}, {"demo", "--bets", "0"}, {"demo", "--bets", "201"}} {
		if code := run(args, app); code != exitMisuse {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
	out.Reset()
	app.outTerminal = true
	if code := run([]string{"demo", "--offline", "war"}, app); code != exitDone || !strings.Contains(out.String(), "\x1b[") {
		t.Error("no colour on a terminal")
	}
}
