package settlement_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/games/blackjack"
	"tally/lib/rulebook/games/lucky"
	"tally/lib/rulebook/games/war"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

// The notation of the tables: fields as name=value. Bets are on war unless the
// table says otherwise. Its betting rounds are open from 100 to 200 and from 300
// to 400; when the second opens the Player shows a king.

// fields reads name=value pairs; a word without = is its own name.
func fields(text string) map[string]string {
	list := map[string]string{}
	for field := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(field, "=")
		list[name] = value
	}
	return list
}

func whole(t testing.TB, text string) int64 {
	t.Helper()
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// bet reads a bet; what it does not say is a bet of 1000 at 2.00, accepted in
// time in round 1.
func bet(t testing.TB, game *rules.Game, text string) *settlement.Bet {
	t.Helper()
	f := fields("ref=b1 by=acme on=dealer stake=1000 round=1 at=150 " + text)
	b := &settlement.Bet{
		Reference: f["ref"], Bookmaker: f["by"], Shop: f["shop"], Selection: ruletest.Selection(t, game, f["on"]),
		Stake: money.Amount(whole(t, f["stake"])), Round: int(whole(t, f["round"])),
		AcceptedAt: settlement.Instant(whole(t, f["at"])), CancelledAt: settlement.Instant(whole(t, f["cancelled"])),
	}
	if !game.Paytable() {
		odds := f["odds"]
		if odds == "" {
			odds = "2.00"
		}
		var err error
		if b.Odds, err = money.ParseOdds(odds); err != nil {
			t.Fatal(err)
		}
	}
	if f["mode"] != "" {
		mode, known := money.ParseRounding(f["mode"])
		if !known {
			t.Fatalf("%v, want known", f["mode"])
		}
		b.Rounding = mode
	}
	return b
}

// order reads the scope of an order.
func order(t testing.TB, text string) settlement.Order {
	t.Helper()
	f := fields(text)
	scope := settlement.Scope{
		Bookmaker: f["by"], Shop: f["shop"], Round: int(whole(t, f["round"])),
		AcceptedFrom: settlement.Instant(whole(t, f["from"])), AcceptedTo: settlement.Instant(whole(t, f["to"])),
	}
	if f["bets"] != "" {
		scope.Bets = strings.Split(f["bets"], ",")
	}
	return settlement.Order{ID: "ord-1", Scope: scope}
}

// state reads a state of a draw of war: the cards as KS/2D, or cancelled=reason,
// and orders behind semicolons.
func state(t testing.TB, number int, text string) *settlement.Basis {
	t.Helper()
	what, orders, _ := strings.Cut(text, ";")
	s := &settlement.Basis{Game: war.Game, Number: number, Rounds: []settlement.Round{
		{OpensAt: 100, Closing: 200},
		{OpensAt: 300, Closing: 400, Decided: afterTheKing(t)},
	}}
	what = strings.TrimSpace(what)
	if reason, cancelled := strings.CutPrefix(what, "cancelled="); cancelled {
		s.Cancelled = reason
	} else {
		player, dealer, _ := strings.Cut(what, "/")
		s.Outcome = ruletest.Outcome(t, war.Game, fmt.Sprintf(`{"player":%q,"dealer":%q}`, player, dealer))
	}
	if orders != "" {
		for text := range strings.SplitSeq(orders, ";") {
			s.Orders = append(s.Orders, order(t, text))
		}
	}
	return s
}

// afterTheKing is what the rulebook says a king decides.
func afterTheKing(t testing.TB) map[rules.Selection]rules.Mark {
	decided := map[rules.Selection]rules.Mark{}
	for s := range war.Game.Selections {
		text := war.Game.Text(s)
		if strings.HasPrefix(text, "player_") {
			decided[s] = rules.MarkLose
		}
	}
	for _, text := range []string{"player_black", "player_spades", "player_over_8", "player_figure"} {
		decided[ruletest.Selection(t, war.Game, text)] = rules.MarkWin
	}
	return decided
}

// settled is a settlement on one line: result, reason and payout.
func settled(s settlement.BetResult) string {
	return strings.Join(strings.Fields(fmt.Sprintf("%v %s %d", s.Result, s.Reason, s.Payout)), " ")
}

func settle(t testing.TB, b *settlement.Bet, s *settlement.Basis) string {
	t.Helper()
	got, err := settlement.Settle(b, s)
	if err != nil {
		t.Fatal(err)
	}
	return settled(got)
}

func TestSettle(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		bet                                     | state                      | settled
		# the rules of the game
		on=player odds=1.95                     | KS/2D                      | won 1950
		on=player                               | 2S/KD                      | lost 0
		on=player                               | KS/KD                      | lost 0
		on=war odds=12.5                        | KS/KD                      | won 12500
		on=player odds=1.95 stake=1             | KS/2D                      | won 2
		on=player odds=1.95 stake=1 mode=down   | KS/2D                      | won 1
		on=player odds=2.5 stake=1              | KS/2D                      | won 3
		on=player odds=2.5 stake=1 mode=half_even | KS/2D                    | won 2
		# a round takes bets from its opening until just before its closing
		on=player at=99                         | KS/2D                      | refunded late_bet 1000
		on=player at=100                        | KS/2D                      | won 2000
		on=player at=199                        | KS/2D                      | won 2000
		on=player at=200                        | KS/2D                      | refunded late_bet 1000
		on=dealer round=2 at=299                | KS/AD                      | refunded late_bet 1000
		on=dealer round=2 at=300                | KS/AD                      | won 2000
		on=dealer round=2 at=399                | KS/AD                      | won 2000
		on=dealer round=2 at=400                | KS/AD                      | refunded late_bet 1000
		on=dealer round=1 at=350                | KS/AD                      | refunded late_bet 1000
		on=dealer round=2 at=150                | KS/AD                      | refunded late_bet 1000
		on=dealer round=0 at=150                | KS/AD                      | refunded late_bet 1000
		on=dealer round=3 at=350                | KS/AD                      | refunded late_bet 1000
		on=dealer round=-1 at=150               | KS/AD                      | refunded late_bet 1000
		# the bookmaker's cancellation counts by the same test, with its own time
		on=player cancelled=199                 | KS/2D                      | refunded cancelled_by_bookmaker 1000
		on=player cancelled=200                 | KS/2D                      | won 2000
		on=player cancelled=350                 | KS/2D                      | won 2000
		on=player cancelled=99                  | KS/2D                      | won 2000
		on=dealer round=2 at=300 cancelled=399  | KS/AD                      | refunded cancelled_by_bookmaker 1000
		on=dealer round=2 at=300 cancelled=400  | KS/AD                      | won 2000
		# what was decided when its round opened comes back
		on=player_red round=2 at=300            | KS/2D                      | refunded decided_selection 1000
		on=player_black round=2 at=300          | KS/2D                      | refunded decided_selection 1000
		on=player_black round=1                 | KS/2D                      | won 2000
		on=dealer_red round=2 at=300            | KS/2D                      | won 2000
		# orders
		on=player shop=riga-7                   | KS/2D;shop=riga-7 by=acme  | refunded voided 1000
		on=player shop=riga-8                   | KS/2D;shop=riga-7 by=acme  | won 2000
		on=player                               | KS/2D;by=other;bets=b1     | refunded voided 1000
		on=player                               | KS/2D;by=other;bets=b2     | won 2000
		# a cancelled draw
		on=player                               | cancelled=wrong_scan       | refunded draw_cancelled 1000
		on=war                                  | cancelled=connection_lost  | refunded draw_cancelled 1000
		# reasons in their order: what depends on the bet alone comes first
		on=player_red round=2 at=400 cancelled=350 | cancelled=wrong_scan;by=acme | refunded late_bet 1000
		on=player_red round=2 at=350 cancelled=360 | cancelled=wrong_scan;by=acme | refunded cancelled_by_bookmaker 1000
		on=player_red round=2 at=350            | cancelled=wrong_scan;by=acme | refunded decided_selection 1000
		on=dealer_red round=2 at=350            | cancelled=wrong_scan;by=acme | refunded voided 1000
		on=dealer_red round=2 at=350            | cancelled=wrong_scan;by=beta | refunded draw_cancelled 1000
	`) {
		t.Run(row[0], func(t *testing.T) {
			if got := settle(t, bet(t, war.Game, row[0]), state(t, 1, row[1])); got != row[2] {
				t.Errorf("%s under %s: %s, want %s", row[0], row[1], got, row[2])
			}
		})
	}
}

// TestRules: a settlement names the paragraph that decided; one that the rulebook
// does not decide names none.
func TestRules(t *testing.T) {
	first := war.Game.First()
	for _, row := range ruletest.Rows(t, `
		bet                         | state                | rule      | in version 1
		on=war                      | KS/KD                | WAR-2.3.2 | WAR-2.3.2
		on=war                      | KS/2D                | WAR-2.3.2 | WAR-2.3.2
		on=war                      | cancelled=wrong_scan | WAR-5.1.4 | WAR-5.1.4
		on=war at=200               | KS/KD                | WAR-3.2   |
		on=war round=3              | KS/KD                | WAR-3.2   |
		on=war                      | KS/KD;by=acme        | POK-5.4   |
		on=player_red round=2 at=300 | KS/2D               | POK-3.6.3 |
		on=war cancelled=160        | KS/KD                |           |
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			for i, game := range []*rules.Game{war.Game, first} {
				s := state(t, 1, row[1])
				s.Game = game
				got, err := settlement.Settle(bet(t, game, row[0]), s)
				if want := row[2+i]; err != nil || got.Rule != want {
					t.Errorf("%s under %s of version %d: %q, %v; want %q", row[0], row[1], game.Version, got.Rule, err, want)
				}
			}
		})
	}
}

func TestScope(t *testing.T) {
	const one = "ref=b1 by=acme shop=riga-7 round=2 at=350"
	for _, row := range ruletest.Rows(t, `
		scope                                              | covers
		by=acme                                            | true
		by=beta                                            | false
		by=ACME                                            | false
		shop=riga-7                                        | true
		shop=riga-8                                        | false
		shop=riga                                          | false
		round=2                                            | true
		round=1                                            | false
		from=350                                           | true
		from=351                                           | false
		to=351                                             | true
		to=350                                             | false
		from=350 to=351                                    | true
		from=340 to=350                                    | false
		from=351 to=360                                    | false
		bets=b1                                            | true
		bets=b0,b1,b2                                      | true
		bets=b0,b2                                         | false
		bets=b                                             | false
		by=acme shop=riga-7                                | true
		by=acme shop=riga-8                                | false
		by=beta shop=riga-7                                | false
		by=acme round=1                                    | false
		by=acme bets=b2                                    | false
		by=beta bets=b1                                    | false
		by=acme shop=riga-7 round=2 from=350 to=351 bets=b1 | true
		by=acme shop=riga-7 round=2 from=350 to=351 bets=b2 | false
		by=acme shop=riga-7 round=2 from=350 to=350 bets=b1 | false
		by=acme shop=riga-7 round=2 from=351 to=352 bets=b1 | false
		by=acme shop=riga-7 round=1 from=350 to=351 bets=b1 | false
		by=acme shop=riga-8 round=2 from=350 to=351 bets=b1 | false
		by=beta shop=riga-7 round=2 from=350 to=351 bets=b1 | false
		                                                   | false
	`) {
		t.Run(row[0], func(t *testing.T) {
			o := order(t, row[0])
			if got := fmt.Sprint(o.Scope.Covers(bet(t, war.Game, one))); got != row[1] {
				t.Errorf("%q covers it: %s, want %s", row[0], got, row[1])
			}
			if o.Scope.Empty() != (row[0] == "") {
				t.Errorf("%q is empty: %t", row[0], o.Scope.Empty())
			}
		})
	}
	noShop := bet(t, war.Game, "ref=b1 by=acme")
	if order(t, "shop=riga-7").Scope.Covers(noShop) {
		t.Error("a bet without a shop is covered by an order for one")
	}
}

// TestStates follows a bet through the states of its draw: each settles it by itself,
// whatever was before. A line is reported for the first state and whenever the
// settlement changes.
func TestStates(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		bet                   | states                                                      | lines
		on=player             | KS/2D                                                       | 1: won 2000
		on=player             | KS/2D > KS/AD                                               | 1: won 2000 > 2 for 1: lost 0
		on=player             | KS/2D > KS/3D                                               | 1: won 2000 > same
		on=war                | KS/2D > KS/KD > KS/2D                                       | 1: lost 0 > 2 for 1: won 2000 > 3 for 2: lost 0
		# a cancellation after a result, and a result after a cancellation
		on=player             | KS/2D > cancelled=wrong_scan                                | 1: won 2000 > 2 for 1: refunded draw_cancelled 1000
		on=player             | cancelled=wrong_scan > KS/2D                                | 1: refunded draw_cancelled 1000 > 2 for 1: won 2000
		on=player             | cancelled=wrong_scan > cancelled=no_result                  | 1: refunded draw_cancelled 1000 > same
		# an order given and revoked; it outlives a correction
		on=player             | KS/2D > KS/2D;by=acme > KS/2D                               | 1: won 2000 > 2 for 1: refunded voided 1000 > 3 for 2: won 2000
		on=player             | KS/2D;by=acme > 2S/KD;by=acme > 2S/KD                       | 1: refunded voided 1000 > same > 3 for 2: lost 0
		on=player             | KS/2D;by=acme > cancelled=wrong_scan;by=acme                | 1: refunded voided 1000 > same
		on=player             | KS/2D;by=acme > KS/2D;by=acme;bets=b1 > KS/2D;bets=b1       | 1: refunded voided 1000 > same > same
		# what depends on the bet alone never changes
		on=player at=200      | KS/2D > cancelled=wrong_scan > KS/2D;by=acme > 2S/KD        | 1: refunded late_bet 1000 > same > same > same
		on=player cancelled=199 | KS/2D > cancelled=wrong_scan > KS/2D;by=acme > 2S/KD      | 1: refunded cancelled_by_bookmaker 1000 > same > same > same
	`) {
		t.Run(row[0], func(t *testing.T) {
			b := bet(t, war.Game, row[0])
			var before settlement.BetResult
			var lines []string
			for i, text := range strings.Split(row[1], " > ") {
				now, err := settlement.Settle(b, state(t, i+1, text))
				if err != nil {
					t.Fatal(err)
				}
				got := "same"
				switch {
				case i == 0:
					got = "1: " + settled(now)
				case now != before:
					got = fmt.Sprintf("%d for %d: %s", i+1, i, settled(now))
				}
				lines = append(lines, got)
				before = now
			}
			if got := strings.Join(lines, " > "); got != row[2] {
				t.Errorf("%s through %s:\n%s, want\n%s", row[0], row[1], got, row[2])
			}
		})
	}
}

// TestSideWagers: a double, split or insurance shares its base's lateness,
// cancellation and orders, and has its own beside.
func TestSideWagers(t *testing.T) {
	game := blackjack.Game
	for _, row := range ruletest.Rows(t, `
		base                         | wager                                    | order                  | settled
		on=seat:1                    | on=double:1:1 round=2 at=350             |                        | won 2000
		on=seat:1                    | on=insurance:1 round=2 at=350            |                        | lost 0
		on=seat:1                    | on=split:1 round=2 at=350                |                        | refunded no_such_wager 1000
		on=seat:1 at=200             | on=double:1:1 round=2 at=350             |                        | refunded late_bet 1000
		on=seat:1 at=199             | on=double:1:1 round=2 at=350             |                        | won 2000
		on=seat:1                    | on=double:1:1 round=2 at=400             |                        | refunded late_bet 1000
		on=seat:1                    | on=double:1:1 round=1 at=350             |                        | refunded late_bet 1000
		on=seat:1 cancelled=199      | on=double:1:1 round=2 at=350             |                        | refunded cancelled_by_bookmaker 1000
		on=seat:1 cancelled=200      | on=double:1:1 round=2 at=350             |                        | won 2000
		on=seat:1 cancelled=350      | on=double:1:1 round=2 at=350             |                        | won 2000
		on=seat:1                    | on=double:1:1 round=2 at=350 cancelled=360 |                      | refunded cancelled_by_bookmaker 1000
		on=seat:1 at=200 cancelled=150 | on=double:1:1 round=2 at=350           |                        | refunded late_bet 1000
		ref=b7 on=seat:1             | ref=d1 on=double:1:1 round=2 at=350      | by=acme bets=b7        | refunded voided 1000
		ref=b7 on=seat:1             | ref=d1 on=double:1:1 round=2 at=350      | by=acme bets=d1        | refunded voided 1000
		ref=b7 on=seat:1             | ref=d1 on=double:1:1 round=2 at=350      | by=acme bets=b8        | won 2000
		on=seat:1                    | on=double:1:1 round=2 at=350             | round=1                | refunded voided 1000
		on=seat:1                    | on=double:1:1 round=2 at=350             | from=150 to=151        | refunded voided 1000
		on=seat:1 shop=riga-7        | on=double:1:1 round=2 at=350             | by=acme shop=riga-7    | refunded voided 1000
	`) {
		t.Run(row[0]+" "+row[1]+" "+row[2], func(t *testing.T) {
			wager := bet(t, game, row[1])
			wager.Base = bet(t, game, row[0])
			s := &settlement.Basis{Game: game, Number: 1, Rounds: []settlement.Round{{OpensAt: 100, Closing: 200}, {OpensAt: 300, Closing: 400}},
				Outcome: ruletest.Outcome(t, game, `{"dealer":["AS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D","TC"],"doubled":true}]}]}`)}
			if row[2] != "" {
				s.Orders = []settlement.Order{order(t, row[2])}
			}
			if got := settle(t, wager, s); got != row[3] {
				t.Errorf("%s of %s, order %s: %s, want %s", row[1], row[0], row[2], got, row[3])
			}
		})
	}
	voided := &settlement.Basis{Game: game, Number: 1, Orders: []settlement.Order{order(t, "round=2")},
		Outcome: ruletest.Outcome(t, game, `{"dealer":["TS","7D"],"seats":[{"seat":1,"hands":[{"cards":["TH","8D"]}]}]}`)}
	if got := settle(t, bet(t, game, "on=seat:1"), voided); got != "won 2000" {
		t.Errorf("an order for side wagers leaves the base alone: %s", got)
	}
}

// TestVoidDraw: facts with a wrong number of balls give every stake back.
func TestVoidDraw(t *testing.T) {
	for game, rule := range map[*rules.Game]string{lucky.Five: "LUCKY5-2.2", lucky.Seven: "LUCKY7-2.2"} {
		t.Run(game.ID, func(t *testing.T) {
			facts, _ := ruletest.Read(game, `{"balls":[1,2,3,4]}`)
			s := &settlement.Basis{Game: game, Number: 1, Void: game.Resolve(facts).Void}
			for _, on := range []string{"drawn:1", "not_drawn:1", "sum_odd"} {
				t.Run(on, func(t *testing.T) {
					got, err := settlement.Settle(bet(t, game, "on="+on), s)
					want := settlement.BetResult{Result: rules.Refunded, Payout: 1000, Reason: "wrong_ball_count", Rule: rule}
					if err != nil || got != want {
						t.Errorf("%s %s: %+v, %v, want no error and %v", game.ID, on, got, err, want)
					}
				})
			}
		})
	}
}

// TestCancelledDraw: in every game, for every reason, every stake comes back.
func TestCancelledDraw(t *testing.T) {
	for _, game := range games.All() {
		for s := range game.Selections {
			b := &settlement.Bet{Selection: s, Odds: 2_0000, Stake: 1000}
			for _, reason := range game.Reasons {
				got, err := settlement.Settle(b, &settlement.Basis{Game: game, Number: 1, Cancelled: reason.Code})
				want := settlement.BetResult{Result: rules.Refunded, Payout: 1000, Reason: "draw_cancelled", Rule: game.CancelRule}
				if err != nil || got != want {
					t.Fatalf("%s, %s: %+v, %v, want no error and %v", game.ID, game.Text(s), got, err, want)
				}
			}
			if game == lucky.Seven && game.Family(s).Name == "not_drawn" {
				break // the rest is the same
			}
		}
	}
}

// TestPaytables: where the rulebook gives odds a bet's own don't matter, and a
// commission is part of the odds.
func TestPaytables(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		game          | facts                                       | bet                               | settled
		live_baccarat | {"player":["KS","7D"],"banker":["9H","KC"]} | on=banker stake=1000              | won 1950
		live_baccarat | {"player":["KS","7D"],"banker":["9H","KC"]} | on=banker stake=1                 | won 2
		live_baccarat | {"player":["KS","7D"],"banker":["9H","KC"]} | on=banker stake=1 mode=down       | won 1
		live_baccarat | {"player":["KS","7D"],"banker":["9H","KC"]} | on=banker stake=10                | won 20
		live_baccarat | {"player":["KS","7D"],"banker":["9H","KC"]} | on=banker stake=10 mode=half_even | won 20
		live_baccarat | {"player":["KS","7D"],"banker":["9H","KC"]} | on=banker stake=30 mode=half_even | won 58
		live_baccarat | {"player":["KS","7D"],"banker":["9H","KC"]} | on=banker stake=30                | won 59
		live_baccarat | {"player":["KS","7D"],"banker":["7H","KC"]} | on=banker                         | refunded tie 1000
		live_baccarat | {"player":["KS","7D"],"banker":["7H","KC"]} | on=player                         | refunded tie 1000
		live_baccarat | {"player":["KS","7D"],"banker":["7H","KC"]} | on=tie                            | won 9000
		roulette      | {"spins":[{"revolutions":3,"pocket":17}]}   | on=straight:17                    | won 36000
		wheel         | {"spins":[{"turns":3,"sector":"cup"}]}      | on=fortune                        | won 18000
	`) {
		t.Run(row[0]+" "+row[1]+" "+row[2], func(t *testing.T) {
			game, known := games.Find(row[0])
			if !known {
				t.Fatalf("there is no game %s, want one", row[0])
			}
			b := bet(t, game, row[2])
			b.Odds = 0
			if got := settle(t, b, &settlement.Basis{Game: game, Number: 1, Outcome: ruletest.Outcome(t, game, row[1])}); got != row[3] {
				t.Errorf("%s, %s on %s: %s, want %s", row[0], row[2], row[1], got, row[3])
			}
		})
	}
}

func TestOverflowIsAnError(t *testing.T) {
	b := bet(t, war.Game, "on=player odds=100000 stake=92233720368548")
	if got, err := settlement.Settle(b, state(t, 1, "KS/2D")); !errors.Is(err, money.ErrOverflow) || got != (settlement.BetResult{}) {
		t.Errorf("%+v, %v, want money.ErrOverflow and (settlement.BetResult{})", got, err)
	}
}

// What was closed within its round comes back as late, quoting its own paragraph, and
// is not taken back either; everything else stands.
func TestSettleClosedSelections(t *testing.T) {
	outcome := ruletest.Outcome(t, blackjack.Game, `{"dealer":["AS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D","TC"],"doubled":true}]},{"seat":4,"split":true,"hands":[{"cards":["8D","TC"]},{"cards":["8S","9C"]}]}]}`)
	s := &settlement.Basis{Game: blackjack.Game, Number: 1, Outcome: outcome, Rounds: []settlement.Round{{OpensAt: 100, Closing: 200}, {OpensAt: 300, Closing: 400}}}
	for at, text := range map[settlement.Instant]string{320: "insurance:*", 330: "double:1:*", 340: "split:4", 390: "split:*"} {
		pattern, err := blackjack.Game.ParsePattern(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Rounds[1].Stops = append(s.Rounds[1].Stops, settlement.Stop{Pattern: pattern, Closing: at})
	}
	for _, row := range ruletest.Rows(t, `
		bet                                        | settled                              | rule
		on=insurance:1 round=2 at=319              | lost 0                               | BJ-2.5.1
		on=insurance:1 round=2 at=320              | refunded late_bet 1000               | BJ-2.5.2
		on=double:1:1 round=2 at=329               | won 2000                             | BJ-2.6
		on=double:1:1 round=2 at=330               | refunded late_bet 1000               | BJ-2.6
		on=double:1:1 round=2 at=400               | refunded late_bet 1000               | BJ-2.6
		on=double:4:1 round=2 at=399               | refunded no_such_wager 1000          | BJ-2.6
		on=split:4 round=2 at=339                  | push                                 |
		on=split:4 round=2 at=340                  | refunded late_bet 1000               | BJ-2.7
		on=split:1 round=2 at=389                  | refunded no_such_wager 1000          | BJ-2.7
		on=split:1 round=2 at=390                  | refunded late_bet 1000               | BJ-2.7
		on=seat:1 at=150                           | won 2000                             | BJ-2.3.1
		on=double:1:1 round=2 at=325 cancelled=329 | refunded cancelled_by_bookmaker 1000 |
		on=double:1:1 round=2 at=325 cancelled=330 | won 2000                             | BJ-2.6
	`) {
		t.Run(row[0], func(t *testing.T) {
			got, err := settlement.Settle(bet(t, blackjack.Game, row[0]), s)
			if err != nil {
				t.Fatal(err)
			}
			if row[1] == "push" {
				row[1], row[2] = "refunded push 1000", got.Rule
			}
			if settled(got) != row[1] || got.Rule != row[2] {
				t.Errorf("%s: %s by %s, want %s by %s", row[0], settled(got), got.Rule, row[1], row[2])
			}
		})
	}
}
