package settlement_test

import (
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games/baccarat"
	"tally/lib/rulebook/games/roulette"
	"tally/lib/rulebook/games/war"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

// world is a random bet and a random state, from one seed.
func world(t testing.TB, seed uint64) (*settlement.Bet, *settlement.Basis) {
	random := rand.New(rand.NewPCG(seed, 1))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	cards := func() string { return pick("2S", "8D", "KH", "AC") + "/" + pick("2S", "8D", "KH", "AC") }
	draw := cards()
	if random.IntN(5) == 0 {
		draw = "cancelled=wrong_scan"
	}
	for range random.IntN(3) {
		draw += ";" + pick("by=acme", "by=beta", "round=1", "from=150", "to=150", "bets=b1", "shop=riga-7")
	}
	var selections []string
	for s := range war.Game.Selections {
		selections = append(selections, war.Game.Text(s))
	}
	b := bet(t, war.Game, "on="+pick(selections...)+" round="+pick("0", "1", "2", "3")+" shop="+pick("", "riga-7")+" mode="+pick("half_up", "half_even", "down"))
	b.AcceptedAt = settlement.Instant(90 + random.IntN(320))
	if random.IntN(3) == 0 {
		b.CancelledAt = b.AcceptedAt + settlement.Instant(random.IntN(100))
	}
	b.Odds = money.Even + money.Odds(random.Uint64N(uint64(money.MaxOdds-money.Even)+1)>>random.IntN(30))
	b.Stake = 1 + money.Amount(random.Uint64N(uint64(money.MaxStake))>>random.IntN(40))
	if random.IntN(4) == 0 {
		base := *b
		base.AcceptedAt, base.Round = settlement.Instant(90+random.IntN(120)), 1
		b.Base = &base
	}
	return b, state(t, 1, draw)
}

// checkWorld checks what holds for any bet under any state.
func checkWorld(t *testing.T, seed uint64) {
	t.Helper()
	b, s := world(t, seed)
	got, err := settlement.Settle(b, s)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	limit := new(big.Int).Mul(big.NewInt(int64(b.Stake)), big.NewInt(int64(b.Odds)))
	limit.Add(limit, big.NewInt(9_999)).Quo(limit, big.NewInt(10_000)) // rounded up
	switch got.Result {
	case rules.Lost:
		if got.Payout != 0 || got.Reason != "" {
			t.Errorf("seed %d: lost, but %+v", seed, got)
		}
	case rules.Refunded:
		if got.Payout != b.Stake || got.Reason == "" {
			t.Errorf("seed %d: a refund of %d for a stake of %d, reason %q", seed, got.Payout, b.Stake, got.Reason)
		}
	case rules.Won:
		if big.NewInt(int64(got.Payout)).Cmp(limit) > 0 || got.Payout < b.Stake || got.Reason != "" {
			t.Errorf("seed %d: %d is paid for %d at %v", seed, got.Payout, b.Stake, b.Odds)
		}
	}
	again, sameState := world(t, seed)
	if second, err := settlement.Settle(again, sameState); err != nil || second != got {
		t.Errorf("seed %d: %+v, then %+v, %v", seed, got, second, err)
	}
}

func TestProperties(t *testing.T) {
	for seed := range uint64(3000) {
		checkWorld(t, seed)
	}
}

func FuzzSettle(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(checkWorld)
}

// TestTotals adds up settlements by currency and merges books.
func TestTotals(t *testing.T) {
	eur, jpy := currency(t, "EUR"), currency(t, "JPY")
	var byCurrency, other settlement.Totals
	byCurrency.In(jpy).Add(500, settlement.BetResult{Result: rules.Refunded, Payout: 500})
	byCurrency.In(eur).Add(1000, settlement.BetResult{Result: rules.Won, Payout: 1950})
	other.In(eur).Add(200, settlement.BetResult{Result: rules.Lost})
	other.In(eur).Add(money.MaxStake, settlement.BetResult{Result: rules.Won, Payout: 1 << 62})
	other.In(eur).Add(money.MaxStake, settlement.BetResult{Result: rules.Won, Payout: 1 << 62})
	byCurrency.Merge(other)
	if len(byCurrency) != 2 || byCurrency[0].Currency != eur || byCurrency[1].Currency != jpy {
		t.Fatalf("%+v, want len(byCurrency) = 2 and byCurrency[0].Currency = %v and byCurrency[1].Currency = %v", byCurrency, eur, jpy)
	}
	for i, want := range []string{"4 bets, 20000000012.00 staked, 92233720368547777.58 paid, 3 won, 1 lost, 0 refunded",
		"1 bets, 500 staked, 500 paid, 0 won, 0 lost, 1 refunded"} {
		t.Run(want, func(t *testing.T) {
			b := byCurrency[i]
			text := strconv.Itoa(b.Bets) + " bets, " + string(b.Stake.AppendTo(nil, b.Currency)) + " staked, " +
				string(b.Payout.AppendTo(nil, b.Currency)) + " paid, " + strconv.Itoa(b.Won) + " won, " + strconv.Itoa(b.Lost) + " lost, " +
				strconv.Itoa(b.Refunded) + " refunded"
			if text != want {
				t.Errorf("%s: %s, want %s", b.Currency.Code(), text, want)
			}
		})
	}
}

func currency(t testing.TB, code string) money.Currency {
	t.Helper()
	c, ok := money.ParseCurrency(code)
	if !ok {
		t.Fatalf("%s is no currency, want one", code)
	}
	return c
}

// cases are what settling mostly is: a bet parsed, a draw resolved.
func cases(t testing.TB) map[string]func() (settlement.BetResult, error) {
	at := func(b *settlement.Bet, s *settlement.Basis) func() (settlement.BetResult, error) {
		return func() (settlement.BetResult, error) { return settlement.Settle(b, s) }
	}
	coup := &settlement.Basis{Game: baccarat.Game, Number: 1,
		Outcome: ruletest.Outcome(t, baccarat.Game, `{"player":["KS","3D","7C"],"banker":["9H","2C","QS"]}`)}
	stored := *coup
	stored.Rounds = []settlement.Round{{OpensAt: 100, Closing: 200}}
	ordered := stored
	ordered.Orders = []settlement.Order{order(t, "by=beta shop=riga-7"), order(t, "by=acme bets=b5,b6,b7")}
	spin := &settlement.Basis{Game: roulette.Game, Number: 1, Outcome: ruletest.Outcome(t, roulette.Game, `{"spins":[{"revolutions":6,"pocket":17}]}`)}
	return map[string]func() (settlement.BetResult, error){
		"won":          at(bet(t, baccarat.Game, "on=banker odds=1.95"), coup),
		"lost":         at(bet(t, baccarat.Game, "on=player odds=1.95"), coup),
		"paytable":     at(bet(t, roulette.Game, "on=corner:13-14-16-17"), spin),
		"stored":       at(bet(t, baccarat.Game, "on=banker odds=1.95"), &stored),
		"with orders":  at(bet(t, baccarat.Game, "on=banker odds=1.95"), &ordered),
		"decided":      at(bet(t, war.Game, "on=player_red round=2 at=350"), state(t, 1, "KS/2D")),
		"not decided":  at(bet(t, war.Game, "on=dealer_red round=2 at=350"), state(t, 1, "KS/2D")),
		"cancelled":    at(bet(t, war.Game, "on=dealer_red"), state(t, 1, "cancelled=wrong_scan")),
		"late refunds": at(bet(t, war.Game, "on=dealer_red at=200"), state(t, 1, "KS/2D")),
	}
}

func TestSettleTakesNoMemory(t *testing.T) {
	for name, settle := range cases(t) {
		if allocs := testing.AllocsPerRun(100, func() { settle() }); allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

func BenchmarkSettle(b *testing.B) {
	cases := cases(b)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		settle := cases[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := settle(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
