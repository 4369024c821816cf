package statistics_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/ruletest"
	"tally/lib/archive/entry"
	"tally/lib/rulebook/games"
	"tally/lib/site/history"
	"tally/lib/site/statistics"
)

// TestCount counts single draws.
func TestCount(t *testing.T) {
	for _, c := range ruletest.Rows(t, `
game      | facts | counts
baccarat  | {"player":["KS","3D","7C"],"banker":["9H","2C","QS"]} | {"winner":{"banker":1},"cards":{"6":1},"natural":{"no":1},"pairs":{"none":1},"perfect_pair":{"no":1}}
baccarat  | {"player":["KS","KS","7C"],"banker":["AH","AC","QS"]} | {"winner":{"player":1},"cards":{"6":1},"natural":{"no":1},"pairs":{"both":1},"perfect_pair":{"yes":1}}
baccarat  | {"player":["4S","4D"],"banker":["9H","9C"]}           | {"winner":{"tie":1},"cards":{"4":1},"natural":{"yes":1},"pairs":{"both":1},"perfect_pair":{"no":1}}
live_baccarat | {"player":["4S","5D"],"banker":["2H","2C"]}       | {"winner":{"player":1},"cards":{"4":1},"natural":{"yes":1},"pairs":{"banker":1},"perfect_pair":{"no":1}}
live_baccarat | {"player":["4S","4D"],"banker":["2H","3C"]}       | {"winner":{"player":1},"cards":{"4":1},"natural":{"yes":1},"pairs":{"player":1},"perfect_pair":{"no":1}}
dice      | {"rolls":[{"dice":[6,1,1,2],"faults":["die_fell"]},{"dice":[3,3,5,5,5]}]} | {"combination":{"full_house":1},"sum":{"21":1},"face":{"3":2,"5":3}}
lucky5    | {"balls":[36,1,17,9,22]}          | {"ball":{"1":1,"9":1,"17":1,"22":1,"36":1},"sum":{"81-90":1},"odd":{"3":1},"colour":{"white":2,"green":1,"red":1,"blue":1}}
lucky5    | {"balls":[1,2,3,4,10]}            | {"ball":{"1":1,"2":1,"3":1,"4":1,"10":1},"sum":{"15-20":1},"odd":{"2":1},"colour":{"white":4,"green":1}}
lucky7    | {"balls":[42,7,1,30,12,5,19,33]}  | {"ball":{"1":1,"5":1,"7":1,"12":1,"19":1,"30":1,"42":1},"sum":{"111-120":1},"odd":{"4":1},"colour":{"yellow":3,"black":4}}
poker     | {"hands":[["AS","KD"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]],"board":["4H","5H","6H","KC","2H"]} | {"sole_winner":{"5":1},"board":{"high_card":1},"first_hand":{"pair":1}}
poker     | {"hands":[["2S","3D"],["2C","2D"],["3H","3S"],["4C","4S"],["5D","5H"],["6S","6D"]],"board":["AH","KH","QH","JH","TH"]} | {"board":{"royal_flush":1},"first_hand":{"royal_flush":1}}
war       | {"player":"KS","dealer":"AD"}     | {"winner":{"dealer":1},"player_card":{"K":1},"dealer_card":{"A":1}}
war       | {"player":"TS","dealer":"TD"}     | {"winner":{"war":1},"player_card":{"T":1},"dealer_card":{"T":1}}
wheel     | {"spins":[{"turns":2,"sector":"4"},{"turns":5,"sector":"cup"}]} | {"sector":{"cup":1},"colour":{"none":1}}
wheel     | {"spins":[{"turns":5,"sector":"7"}]} | {"sector":{"7":1},"colour":{"black":1}}
blackjack | {"dealer":["AS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","9D"]}]}]} | {"dealer_open":{"A":1},"dealer_blackjack":{"no":1}}
blackjack | {"dealer":["TS","AD"],"seats":[{"seat":1,"hands":[{"cards":["8H","9D"]}]}]} | {"dealer_open":{"T":1},"dealer_blackjack":{"yes":1}}
roulette  | {"spins":[{"revolutions":2,"pocket":8},{"revolutions":6,"pocket":17}]} | {"pocket":{"17":1},"colour":{"black":1}}
roulette  | {"spins":[{"revolutions":6,"pocket":0}]} | {"pocket":{"0":1},"colour":{"green":1}}
`) {
		t.Run(c[0], func(t *testing.T) {
			var want statistics.Counts
			if err := json.Unmarshal([]byte(c[2]), &want); err != nil {
				t.Fatal(err)
			}
			got := count(t, row(t, c[0], c[1]))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s: %v instead of %v", c[0], c[1], got, want)
			}
			if err := got.Check(c[0]); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSampleDraws counts the draws of the sample log: those that are resolved, each
// once.
func TestSampleDraws(t *testing.T) {
	for _, game := range games.All() {
		day, resolved := statistics.Counts{}, int64(0)
		for _, draw := range archivetest.Histories(t, game) {
			counts := count(t, draw.Row())
			if draw.Row().Status == entry.Resolved {
				resolved++
			} else if len(counts) > 0 {
				t.Errorf("%s: a draw that is %s shows %v", draw.Row().Draw, draw.Row().Status, counts)
			}
			day.Add(counts)
		}
		if err := day.Check(game.ID); err != nil {
			t.Error(err)
		}
		for _, a := range statistics.Aspects(game.ID) {
			if got := statistics.Test(a, day[a.Name]); got.Draws != resolved && a.Name != "sole_winner" || got.Draws > resolved {
				t.Errorf("%s: %s: %d draws were counted, %d are resolved", game.ID, a.Name, got.Draws, resolved)
			}
		}
	}
}

func TestNotCounted(t *testing.T) {
	resolved := row(t, "war", `{"player":"KS","dealer":"AD"}`)
	for _, status := range []entry.Status{"", entry.Void, entry.Cancelled} {
		t.Run(string(status), func(t *testing.T) {
			other := resolved
			other.Status = status
			if counts := count(t, other); len(counts) != 0 {
				t.Errorf("a draw with status %q shows %v", status, counts)
			}
		})
	}
	resolved.Game = "whist"
	if _, err := statistics.Count(resolved); !errors.Is(err, statistics.ErrGame) {
		t.Errorf("a game that there is not: %v", err)
	}
}

// TestJunk refuses facts and outcomes that are not those of the game.
func TestJunk(t *testing.T) {
	for _, c := range ruletest.Rows(t, `
game      | facts | outcome
war       | {"player":"KS","dealer":"AD"} |
war       | {"player":"KS","dealer":"AD"} | {}
war       | {"player":"KS","dealer":"AD"} | []
war       | {"player":"KS","dealer":"AD"} | {"winner":"nobody"}
war       | {"player":"KS","dealer":"AD"} | {"winner":1}
war       | {"player":"KS","dealer":"AD"} | {"winner":"dealer","winner":"player"}
war       | {"player":"KS","dealer":"AD"} | {"winner":"dealer"
war       | {"player":"ks","dealer":"AD"} | {"winner":"dealer"}
war       | {"dealer":"AD"}               | {"winner":"dealer"}
war       |                               | {"winner":"dealer"}
dice      | {} | {"combination":"pair","arranged":[1,1,2,3],"sum":7}
dice      | {} | {"combination":"pair","arranged":[1,1,2,3,7],"sum":14}
dice      | {} | {"combination":"pair","arranged":[1,1,2,3,4,5],"sum":16}
dice      | {} | {"combination":"poker","arranged":[1,1,2,3,4],"sum":11}
dice      | {} | {"combination":"pair","arranged":[1,1,2,3,4],"sum":31}
dice      | {} | {"combination":"pair","arranged":[],"sum":11}
lucky5    | {"balls":[1,2,3,4]}    | {"sum":20,"odd":3,"colours":{"white":4,"green":1,"red":0,"blue":0}}
lucky5    | {"balls":[1,2,3,4,4]}  | {"sum":20,"odd":3,"colours":{"white":4,"green":1,"red":0,"blue":0}}
lucky5    | {"balls":[1,2,3,4,37]} | {"sum":20,"odd":3,"colours":{"white":4,"green":1,"red":0,"blue":0}}
lucky5    | {"balls":[1,2,3,4,10]} | {"sum":14,"odd":3,"colours":{"white":4,"green":1,"red":0,"blue":0}}
lucky5    | {"balls":[1,2,3,4,10]} | {"sum":9223372036854775807,"odd":3,"colours":{"white":4,"green":1,"red":0,"blue":0}}
lucky5    | {"balls":[1,2,3,4,10]} | {"sum":-9223372036854775808,"odd":3,"colours":{"white":4,"green":1,"red":0,"blue":0}}
lucky5    | {"balls":[1,2,3,4,10]} | {"sum":20,"odd":6,"colours":{"white":4,"green":1,"red":0,"blue":0}}
lucky5    | {"balls":[1,2,3,4,10]} | {"sum":20,"odd":3,"colours":{"white":9223372036854775807,"green":1,"red":0,"blue":0}}
lucky5    | {"balls":[1,2,3,4,10]} | {"sum":20,"odd":3,"colours":{"white":-1,"green":6,"red":0,"blue":0}}
lucky5    | {"balls":[1,2,3,4,10]} | {"sum":20,"odd":3,"colours":[4,1]}
lucky5    | {"balls":[1,2,3,4,10]} | {"sum":20,"odd":3,"colours":{"white":0,"green":0,"red":0,"blue":0}}
lucky5    | {"balls":[1,2,3,4,10]} | {"sum":20,"odd":3}
lucky5    | {"balls":[]}           | {"sum":20,"odd":3,"colours":{"white":4,"green":1,"red":0,"blue":0}}
poker     | {"board":["AS","AS","KD","2C","3C"]} | {"winners":[1],"hands":[{"category":"pair"}]}
poker     | {"board":["AS","KD","2C","3C"]}      | {"winners":[1],"hands":[{"category":"pair"}]}
poker     | {"board":["AS","AD","KD","2C","xx"]} | {"winners":[1],"hands":[{"category":"pair"}]}
poker     | {"board":["AS","AD","KD","2C","3C","4C","5C","6C"]} | {"winners":[1],"hands":[{"category":"pair"}]}
poker     | {"board":["AS","AD","KD","2C","3C"]} | {"winners":[],"hands":[{"category":"pair"}]}
poker     | {"board":["AS","AD","KD","2C","3C"]} | {"winners":[7],"hands":[{"category":"pair"}]}
poker     | {"board":["AS","AD","KD","2C","3C"]} | {"winners":[1],"hands":[]}
poker     | {"board":["AS","AD","KD","2C","3C"]} | {"winners":[1],"hands":[{"category":"flash"}]}
blackjack | {"dealer":[]}          | {"dealer":{"blackjack":false}}
blackjack | {"dealer":["AS","2D"]} | {"dealer":{}}
blackjack | {"dealer":["AS","2D"]} | {"dealer":true}
blackjack | {"dealer":["AS","2D"]} | {}
baccarat  | {} | {"winner":"tie","cards":4,"natural":"yes","player_pair":false,"banker_pair":false,"perfect_pair":false}
baccarat  | {} | {"winner":"tie","cards":7,"natural":true,"player_pair":false,"banker_pair":false,"perfect_pair":false}
baccarat  | {} | {"winner":"tie","cards":4,"natural":true,"banker_pair":false,"perfect_pair":false}
wheel     | {} | {"sector":"0","colour":"red"}
wheel     | {} | {"sector":"19","colour":"red"}
wheel     | {} | {"sector":"7"}
roulette  | {} | {"pocket":37,"colour":"red"}
roulette  | {} | {"pocket":-1,"colour":"red"}
roulette  | {} | {"pocket":1.5,"colour":"red"}
`) {
		t.Run(c[0], func(t *testing.T) {
			r := history.Row{Draw: "d1", Game: c[0], Status: entry.Resolved, Facts: []byte(c[1]), Outcome: []byte(c[2])}
			if counts, err := statistics.Count(r); !errors.Is(err, statistics.ErrRow) || counts != nil || !strings.Contains(err.Error(), `"d1"`) {
				t.Errorf("%s: %s, %s: %v, %v, want statistics.ErrRow and no counts and `\"d1\"` in it", c[0], c[1], c[2], counts, err)
			}
		})
	}
}

// TestChangedBytes changes, takes away and doubles each byte of facts and outcome: what
// is still counted is what a draw can show.
func TestChangedBytes(t *testing.T) {
	for game, deal := range deals {
		right := row(t, game, deal(rand.New(rand.NewPCG(4, 44))))
		try := func(facts, outcome []byte) {
			changed := right
			changed.Facts, changed.Outcome = facts, outcome
			counts, err := statistics.Count(changed)
			if err == nil {
				err = counts.Check(game)
			} else if errors.Is(err, statistics.ErrRow) {
				err = nil
			}
			if err != nil {
				t.Errorf("%s: %s, %s: %v", game, facts, outcome, err)
			}
		}
		for changed := range changes(right.Facts) {
			try(changed, right.Outcome)
		}
		for changed := range changes(right.Outcome) {
			try(right.Facts, changed)
		}
	}
}

func changes(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i, c := range text {
			for _, instead := range []string{"", string(c) + string(c), string(c ^ 1), string(c ^ 4), "-", "\x00"} {
				if !yield(slices.Concat(text[:i], []byte(instead), text[i+1:])) {
					return
				}
			}
		}
	}
}

// TestPage compares the page that describes the aspects with what they are.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/statistics.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, game := range games.All() {
		for _, a := range statistics.Aspects(game.ID) {
			line := fmt.Sprintf("| `%s` | `%s` | %d |", game.ID, a.Name, len(a.Values))
			if !strings.Contains(string(page), line) {
				t.Errorf("docs/statistics.md has no line %s", line)
			}
		}
	}
}

// TestAdd adds up draws in parts and in another order, by way of JSON.
func TestAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole, parts := statistics.Counts{}, [3]statistics.Counts{{}, {}, {}}
	for i := range 90 {
		one := count(t, row(t, "lucky5", deals["lucky5"](r)))
		whole.Add(one)
		parts[i%3].Add(one)
	}
	sum := statistics.Counts{}
	for _, i := range []int{2, 0, 1} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			text, err := json.Marshal(parts[i])
			if err != nil {
				t.Fatal(err)
			}
			var read statistics.Counts
			if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(read, parts[i]) {
				t.Errorf("%s is read as %v, %v", text, read, err)
			}
			if err := read.Check("lucky5"); err != nil {
				t.Error(err)
			}
			sum.Add(read)
		})
	}
	if !reflect.DeepEqual(sum, whole) || sum.Check("lucky5") != nil {
		t.Errorf("the parts come to %v, all together to %v", sum, whole)
	}
	if n := statistics.Test(aspect(t, "lucky5", "ball"), whole["ball"]).Draws; n != 90 {
		t.Errorf("%d draws instead of 90", n)
	}
}

// TestAddKeepsTheOther adds counts and leaves those that were added alone.
func TestAddKeepsTheOther(t *testing.T) {
	one := count(t, row(t, "roulette", `{"spins":[{"revolutions":6,"pocket":0}]}`))
	sum := statistics.Counts{}
	sum.Add(one)
	sum.Add(one)
	if one["pocket"]["0"] != 1 || sum["pocket"]["0"] != 2 {
		t.Errorf("%v, %v, want one[\"pocket\"][\"0\"] = 1 and sum[\"pocket\"][\"0\"] = 2", one, sum)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range ruletest.Rows(t, `
game   | counts
whist  | {"winner":{"player":1}}
dice   | {"winner":{"player":1}}
dice   | {"sum":{"4":1}}
dice   | {"sum":{"5":-1}}
dice   | {"sum":{"5":1125899906842625}}
dice   | {"sum":{"5":1125899906842624,"6":1}}
dice   | {"face":{"1":4}}
lucky5 | {"ball":{"1":3,"2":3}}
`) {
		t.Run(c[0], func(t *testing.T) {
			var counts statistics.Counts
			if err := json.Unmarshal([]byte(c[1]), &counts); err != nil {
				t.Fatal(err)
			}
			if err := counts.Check(c[0]); !errors.Is(err, statistics.ErrCounts) {
				t.Errorf("%s: %s: %v, want statistics.ErrCounts", c[0], c[1], err)
			}
		})
	}
	for _, counts := range []statistics.Counts{nil, {}, {"sum": nil}, {"sum": {"5": 0, "6": 3}, "face": {"1": 5}}} {
		t.Run(fmt.Sprint(counts), func(t *testing.T) {
			if err := counts.Check("dice"); err != nil {
				t.Errorf("%v: %v", counts, err)
			}
		})
	}
}
