package replay_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"testing"

	"tally/internal/vectors"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/replay"
)

// contractLines are lines as the contract shows them, and some that are wrong
// in ways that no vector is.
var contractLines = []string{
	`{"game":"baccarat","facts":{"player":["KS","3D","7C"],"banker":["9H","2C","QS"]}}`,
	`{"game":"live_baccarat","facts":{"player":["KS","8D"],"banker":["9H","2C"]}}`,
	`{"game":"dice","facts":{"rolls":[{"dice":[6,1,1,2,5],"faults":["die_on_edge"]},{"dice":[3,3,5,5,5]}]}}`,
	`{"game":"lucky5","facts":{"balls":[36,1,17,9,22]}}`,
	`{"game":"lucky7","facts":{"balls":[42,7,1,30,12,5,19,33]}}`,
	`{"game":"poker","facts":{"hands":[["AS","KD"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]],"board":["4H","5H","6H","KC","2H"]}}`,
	`{"game":"war","facts":{"player":"KS","dealer":"AD"}}`,
	`{"game":"wheel","facts":{"spins":[{"turns":2,"sector":"4"},{"turns":5,"sector":"cup"}]}}`,
	`{"game":"blackjack","facts":{"dealer":["AS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D","TC"],"doubled":true}]},{"seat":4,"split":true,"hands":[{"cards":["8D","TC"]},{"cards":["8S","9C"]}]}]}}`,
	`{"game":"roulette","facts":{"spins":[{"revolutions":6,"pocket":17}]}}`,
	`{"game":"war","facts":{"player":"KS","dealer":"AD"},"bets":[{"bet":"b1","selection":"dealer","odds":"1.95","stake":"10.00","currency":"EUR"}],"rounding":"half_even"}`,
	`{"game":"poker","cancelled":"card_hidden","bets":[{"bet":"b1","selection":"hand:1","odds":"3.3335","stake":"10","currency":"JPY"}]}`,
	`{"game":"wheel","facts":{"spins":[{"turns":3,"sector":null}]},"id":"\u2028","id":2}`,
	`{"game":"war","facts":{"player":"ks","dealer":""},"note":{"a":[1,` + "\r" + `2]}}`,
	"[]", "{", "null", "\xff", `{"game":7}`, `{"facts":{},"bets":{}}`,
}

// seedsOf returns every so many vectors' lines of a file, and the contract's.
func seedsOf(tb testing.TB, file string, every int) (seeds [][]byte) {
	tb.Helper()
	for i, v := range readVectors(tb, file) {
		if i%every == 0 {
			seeds = append(seeds, v.line())
		}
	}
	for _, line := range contractLines {
		seeds = append(seeds, []byte(line))
	}
	return seeds
}

func FuzzResolve(f *testing.F) {
	for _, seed := range seedsOf(f, vectors.Resolve, 23) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return // it is two lines
		}
		answer := answerTwice(t, line, func() replay.Responder { return &replay.Resolver{} })
		if _, known := answer["status"].(string); !known {
			t.Fatalf("no status in %v", answer)
		}
	})
}

func FuzzSettle(f *testing.F) {
	for _, seed := range seedsOf(f, vectors.Settle, 41) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return
		}
		answer := answerTwice(t, line, func() replay.Responder { return &replay.Settler{} })
		status := answer["status"]
		if status == "invalid" || status == "malformed" {
			if answer["settlements"] != nil || answer["totals"] != nil || answer["errors"] == nil {
				t.Fatalf("a line that is %v settles something: %v", status, answer)
			}
			return
		}
		checkMoney(t, decode(t, line).(map[string]any), answer)
	})
}

// answerTwice responds to a line with a fresh Responder and twice with another,
// checks that the responses are the same single line of JSON, and returns it.
func answerTwice(t *testing.T, line []byte, newAnswerer func() replay.Responder) map[string]any {
	t.Helper()
	first := newAnswerer().Respond(nil, line)
	other := newAnswerer()
	for range 2 {
		if again := other.Respond(nil, line); !bytes.Equal(first, again) {
			t.Fatalf("answers differ:\n%s%s", first, again)
		}
	}
	if bytes.IndexByte(first, '\n') != len(first)-1 || bytes.IndexByte(first, '\r') >= 0 || !json.Valid(first) {
		t.Fatalf("the answer is not one line of JSON: %q", first)
	}
	return decode(t, first).(map[string]any)
}

// checkMoney checks the settlements of a draw with exact fractions: a payout is
// at most stake × odds rounded up, a refund is the stake, what is lost pays
// nothing, and the totals are the sums.
func checkMoney(t *testing.T, line, answer map[string]any) {
	t.Helper()
	game, _ := games.Find(answer["game"].(string))
	highest := func(bet map[string]any) *big.Rat {
		if odds, own := bet["odds"].(string); own {
			return fraction(t, odds)
		}
		selection, err := game.Parse(bet["selection"].(string))
		if err != nil {
			t.Fatalf("settled, but no selection: %v", err)
		}
		odds := fraction(t, game.Odds(selection).String())
		if game.ID == "blackjack" && odds.Cmp(big.NewRat(5, 2)) < 0 {
			return big.NewRat(5, 2) // a blackjack pays 3 to 2
		}
		return odds
	}
	bets, settlements := line["bets"].([]any), answer["settlements"].([]any)
	if len(bets) != len(settlements) {
		t.Fatalf("%d settlements of %d bets", len(settlements), len(bets))
	}
	sums := map[string]*sum{}
	for i := range bets {
		bet, settled := bets[i].(map[string]any), settlements[i].(map[string]any)
		if bet["bet"] != settled["bet"] {
			t.Fatalf("settlement %d is of bet %v, want %v", i, settled["bet"], bet["bet"])
		}
		if settled["status"] == "rejected" {
			continue
		}
		currency := bet["currency"].(string)
		if sums[currency] == nil {
			sums[currency] = &sum{count: map[string]int64{}}
		}
		sums[currency].add(t, bet, settled, highest)
	}
	checkTotals(t, sums, answer["totals"].(map[string]any))
}

// sum is what the settlements of one currency add up to.
type sum struct {
	stake, payout big.Rat
	count         map[string]int64
}

func (s *sum) add(t *testing.T, bet, settled map[string]any, highest func(map[string]any) *big.Rat) {
	t.Helper()
	stake, payout := fraction(t, bet["stake"].(string)), fraction(t, settled["payout"].(string))
	status := settled["status"].(string)
	switch status {
	case "won":
		if most := roundUp(new(big.Rat).Mul(stake, highest(bet)), settled["payout"].(string)); payout.Cmp(most) > 0 {
			t.Fatalf("%v pays more than %v: %v", bet, most, settled)
		}
	case "lost":
		if payout.Sign() != 0 {
			t.Fatalf("%v is lost and pays: %v", bet, settled)
		}
	case "refunded":
		if payout.Cmp(stake) != 0 || settled["reason"] == nil {
			t.Fatalf("%v is refunded another amount than its stake, or for no reason: %v", bet, settled)
		}
	default:
		t.Fatalf("%v has a status of its own: %v", bet, settled)
	}
	s.stake.Add(&s.stake, stake)
	s.payout.Add(&s.payout, payout)
	s.count[status]++
	s.count["bets"]++
}

// roundUp brings an amount up to as many decimals as an amount of its currency
// is written with.
func roundUp(amount *big.Rat, example string) *big.Rat {
	unit := big.NewRat(1, 1)
	if point := bytes.IndexByte([]byte(example), '.'); point >= 0 {
		for range len(example) - point - 1 {
			unit.Mul(unit, big.NewRat(1, 10))
		}
	}
	units := new(big.Rat).Quo(amount, unit)
	whole, rest := new(big.Int).QuoRem(units.Num(), units.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return unit.Mul(unit, new(big.Rat).SetInt(whole))
}

func checkTotals(t *testing.T, sums map[string]*sum, totals map[string]any) {
	t.Helper()
	if len(totals) != len(sums) {
		t.Fatalf("totals of %d currencies, want %d: %v", len(totals), len(sums), totals)
	}
	for currency, want := range sums {
		got, _ := totals[currency].(map[string]any)
		if got == nil || fraction(t, got["stake"].(string)).Cmp(&want.stake) != 0 || fraction(t, got["payout"].(string)).Cmp(&want.payout) != 0 {
			t.Fatalf("totals of %s are %v, want stake %v and payout %v", currency, got, &want.stake, &want.payout)
		}
		for _, name := range []string{"bets", "won", "lost", "refunded"} {
			if n, err := got[name].(json.Number).Int64(); err != nil || n != want.count[name] {
				t.Fatalf("totals of %s are %v, want %d %s", currency, got, want.count[name], name)
			}
		}
	}
}

func fraction(tb testing.TB, decimal string) *big.Rat {
	tb.Helper()
	n, ok := new(big.Rat).SetString(decimal)
	if !ok {
		tb.Fatalf("%q is no decimal", decimal)
	}
	return n
}
