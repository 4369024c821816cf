package verify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/entry"
	"tally/lib/archive/verify"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
)

// warDraw is a draw with a correction and an order, warCancelled one that was
// cancelled.
const warDraw, warCancelled = "war-1.20261130.0512", "war-1.20261130.0513"

// alter changes one entry of the list; what is made of it is again an entry in its
// one spelling.
func alter[E entry.Entry](t *testing.T, list [][]byte, draw string, state int, change func(E)) [][]byte {
	t.Helper()
	for i, data := range list {
		read, err := entry.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		e, is := read.(E)
		if id := read.ID(); !is || id.Draw != draw || id.State != state {
			continue
		}
		change(e)
		if list[i], err = entry.Encode(e); err != nil {
			t.Fatal(err)
		}
		return list
	}
	t.Fatalf("there is no such entry of %s, state %d", draw, state)
	return nil
}

// move puts an entry of the list behind another.
func move(list [][]byte, from, to int) [][]byte {
	e := list[from]
	return slices.Insert(slices.Delete(list, from, from+1), to, e)
}

// TestContradictions verifies logs whose trees are right and signed, and each of
// whose entries is one by itself, but which can't all be true: who runs the log lies.
func TestContradictions(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	whole, options := entriesOf(t, s), optionsOf(t, s)
	const minute = settlement.Instant(60_000)
	tests := []struct {
		name, says string
		want       verify.Code
		make       func(list [][]byte) [][]byte
	}{
		{"a betting round that opens at another time than was planned", "betting round 1 takes bets from", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 1, func(e *entry.Closings) { e.Rounds[0].OpensAt-- })
		}},
		{"a betting round that closes later than was planned", "betting round 1 takes bets from", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 1, func(e *entry.Closings) { e.Rounds[0].Closing += 401 })
		}},
		{"a betting round that is gone", "betting round 2 is not there", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 1, func(e *entry.Closings) { e.Rounds = e.Rounds[:1] })
		}},
		{"a closing that moves after it was final", "betting round 2 takes bets from", verify.Contradiction, func(list [][]byte) [][]byte {
			again := alter(t, slices.Clone(list[1:2]), warDraw, 1, func(e *entry.Closings) { e.State = 2; e.Rounds[1].Closing -= 5000 })
			return slices.Insert(list, 3, again[0])
		}},
		{"selections that turn out to have been closed, after it was final", "what was closed within betting round 2", verify.Contradiction, func(list [][]byte) [][]byte {
			again := alter(t, slices.Clone(list[1:2]), warDraw, 1, func(e *entry.Closings) {
				e.State = 2
				e.Rounds[1].Selections = []entry.Stopped{{Selection: "dealer", Closing: e.Rounds[1].OpensAt + 1000}}
			})
			return slices.Insert(list, 3, again[0])
		}},
		{"a result that was known while bets were taken", "was made while betting round 2 took bets", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 1, func(e *entry.State) { e.MadeAt -= minute / 2 })
		}},
		{"a state that is older than the one before", "was made before", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 2, func(e *entry.State) { e.MadeAt -= minute })
		}},
		{"a draw that was opened after its result", "was made before", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 0, func(e *entry.Opening) { e.StoredAt += minute })
		}},
		{"other facts of the same revision", "as revision 1, whose message was another", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 2, func(e *entry.State) { e.Revision = 1 })
		}},
		{"other facts of the same revision, by other rules", "as revision 1, whose message was another", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 2, func(e *entry.State) { e.Revision, e.Catalogue = 1, 1 })
		}},
		{"another reason of the same cancellation", "as revision 1, whose message was another", verify.Contradiction, func(list [][]byte) [][]byte {
			again := alter(t, slices.Clone(list[len(list)-2:]), warCancelled, 1, func(e *entry.State) { e.State, e.Replaces, e.Reason = 2, 1, "scanner_mismatch" })
			return append(list, again[0])
		}},
		{"a result changed without a revision", "as revision 2, whose message was another", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 3, func(e *entry.State) {
				e.Facts, e.Outcome = []byte(`{"burned":["5C"],"dealer":"QD","player":"KS"}`), []byte(`{"winner":"player"}`)
			})
		}},
		{"an older revision that holds again", "revision 1 holds after revision 2", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 4, func(e *entry.State) { e.Revision = 1 })
		}},
		{"a correction without a reason", "nothing says why", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 2, func(e *entry.State) { e.Correction = nil })
		}},
		{"bets that win in a cancelled draw", "all bets are refunded", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warCancelled, 1, func(e *entry.Settlement) { e.Totals[0].Won, e.Totals[0].Refunded = 1, 0 })
		}},
		{"bets that vanish", "has 5 bets, there were 6", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 2, func(e *entry.Settlement) { e.Totals[0].Bets--; e.Totals[0].Won-- })
		}},
		{"a bookmaker that vanishes", "has 1 bookmakers, there were 2", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 2, func(e *entry.Settlement) { e.Bookmakers.Count = 1 })
		}},
		{"bets of nobody", "bets of no bookmaker", verify.Contradiction, func(list [][]byte) [][]byte {
			return alter(t, list, warCancelled, 1, func(e *entry.Settlement) { e.Bookmakers.Count = 0 })
		}},
		{"a game that there is not", "no game is called", verify.UnknownRules, func(list [][]byte) [][]byte {
			return alter(t, list, warCancelled, 0, func(e *entry.Opening) { e.Game = "keno" })
		}},
		{"a betting round that the game has not", "no betting round 3", verify.MismatchResult, func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 0, func(e *entry.Opening) {
				e.Rounds = append(e.Rounds, entry.Planned{Round: 3, OpensAt: e.Rounds[1].ClosesAt, ClosesAt: e.Rounds[1].ClosesAt + 1})
			})
		}},
		{"a settlement of a state that there is not", "but not its state", verify.MisplacedEntry, func(list [][]byte) [][]byte {
			return alter(t, list, warCancelled, 1, func(e *entry.Settlement) { e.State = 2 })
		}},
		{"a settlement before its state", "but not its state", verify.MisplacedEntry, func(list [][]byte) [][]byte { return move(list, len(list)-1, len(list)-2) }},
		{"a state before its closings", "but not the closings", verify.MisplacedEntry, func(list [][]byte) [][]byte { return move(list, 1, 2) }},
		{"the same draw twice, with another result", "was opened before", verify.RepeatedEntry, func(list [][]byte) [][]byte {
			again := slices.Clone(list[len(list)-4:])
			return append(list, again...)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := verified(t, filesOf(rewritten(t, test.make(slices.Clone(whole)))), options)
			if !slices.ContainsFunc(r.Findings, func(f verify.Finding) bool { return f.Code == test.want && strings.Contains(f.Message, test.says) }) {
				t.Errorf("found %v, want %s with %q", r.Findings, test.want, test.says)
			}
		})
	}
}

// TestNoContradictions has what looks like a contradiction and is none.
func TestNoContradictions(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	whole, options := entriesOf(t, s), optionsOf(t, s)
	for name, make := range map[string]func(list [][]byte) [][]byte{
		// Its window is empty: it was to open after the result had come.
		"a round that never opened": func(list [][]byte) [][]byte {
			late := func(at settlement.Instant) settlement.Instant { return at + 600_000 }
			list = alter(t, list, warDraw, 0, func(e *entry.Opening) {
				e.Rounds[1].OpensAt, e.Rounds[1].ClosesAt = late(e.Rounds[1].OpensAt), late(e.Rounds[1].ClosesAt)
			})
			return alter(t, list, warDraw, 1, func(e *entry.Closings) {
				e.Rounds[1].OpensAt = late(e.Rounds[1].OpensAt)
				e.Rounds[1].Closing = e.Rounds[1].OpensAt
			})
		},
		"totals that are kept back in between": func(list [][]byte) [][]byte {
			return alter(t, list, warDraw, 3, func(e *entry.Settlement) { e.ShowTotals, e.Totals = false, nil })
		},
		"a betting round that is told of later": func(list [][]byte) [][]byte {
			list = alter(t, list, warDraw, 0, func(e *entry.Opening) { e.Rounds = e.Rounds[:1] })
			again := alter(t, slices.Clone(list[1:2]), warDraw, 1, func(e *entry.Closings) { e.State = 2 })
			list = alter(t, list, warDraw, 1, func(e *entry.Closings) { e.Rounds = e.Rounds[:1] })
			return slices.Insert(list, 3, again[0])
		},
	} {
		t.Run(name, func(t *testing.T) {
			if r := verified(t, filesOf(rewritten(t, make(slices.Clone(whole)))), options); len(r.Findings) > 0 {
				t.Errorf("found %v", r.Findings)
			}
		})
	}
}

// TestImpossibleEntries has entries that are wrong by themselves.
func TestImpossibleEntries(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	whole, options := entriesOf(t, s), optionsOf(t, s)
	for i, test := range []struct{ old, by, says string }{
		{`"revision":1,"status":"resolved"`, `"revision":0,"status":"resolved"`, "revision 0"},
		{`"closes_at":"2026-11-30T12:01:15.000Z"`, `"closes_at":"2026-11-30T12:01:00.000Z"`, "betting round 1 closes no later than it opens"},
		{`{"round":2,"opens_at":"2026-11-30T12:01:20.000Z","closes_at"`, `{"round":1,"opens_at":"2026-11-30T12:01:20.000Z","closes_at"`, "betting rounds are not in their order"},
		{`{"round":2,"opens_at":"2026-11-30T12:01:20.000Z","closes_at"`, `{"round":2,"opens_at":"2026-11-30T12:01:10.000Z","closes_at"`, "betting rounds are not in their order"},
		{`{"round":2,"opens_at":"2026-11-30T12:01:20.000Z","closing"`, `{"round":1,"opens_at":"2026-11-30T12:01:20.000Z","closing"`, "betting rounds are not in their order"},
		{`"correction":{"reason":"video_review",`, `"correction":{"reason":"anna_was_tired",`, "no reason of a correction"},
		{`"correction":{"reason":"video_review",`, `"correction":{`, "no reason of a correction"},
		{`{"bets":1,"stake":"3.00","payout":"3.00","won":0,"lost":0,"refunded":1}`, `{"bets":0,"stake":"0.00","payout":"0.00","won":0,"lost":0,"refunded":0}`, "bets: 0 is out of range"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := verified(t, filesOf(rewritten(t, replaceOne(t, slices.Clone(whole), test.old, test.by))), options)
			if len(r.Findings) == 0 || r.Findings[0].Code != verify.BadEntry || !strings.Contains(r.Findings[0].Message, test.says) {
				t.Errorf("found %v, want %q", r.Findings, test.says)
			}
		})
	}
}

// TestShuffled has logs of draws whose messages came in any order, twice, late, and by
// clocks that differ. What tally logs of them never contradicts itself.
func TestShuffled(t *testing.T) {
	states := 0
	for seed := range uint64(4) {
		s := archivetest.New(t)
		for _, id := range []string{"war", "poker", "blackjack", "lucky5", "roulette"} {
			game, _ := games.Find(id)
			s.PlayShuffled(game, rand.New(rand.NewPCG(seed, 5)))
			s.ArchiveAll()
		}
		r := verified(t, filesOf(s), optionsOf(t, s))
		if len(r.Findings) > 0 {
			t.Fatalf("seed %d: %v", seed, r.Findings)
		}
		states += r.Counts.States
	}
	if states < 60 {
		t.Errorf("only %d states", states)
	}
}

// TestImpossibleTotals has settlements whose totals no bets can come to: each as an entry
// of a log, and as one that is to be written.
func TestImpossibleTotals(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	whole, options := entriesOf(t, s), optionsOf(t, s)
	sum := func(minor uint64) (s money.Sum) { s.Add(money.Amount(minor)); return s }
	for _, test := range []struct {
		name                string
		won, lost, refunded int
		stake, payout       uint64
		says                string // empty for totals that can be
		bets                int    // 0 for what the others come to
	}{
		{"none won, and more is paid than was staked", 0, 5, 1, 19158, 49438, "refunds can't come to", 0},
		{"none won, one was refunded, and all is paid", 0, 5, 1, 19158, 19158, "refunds can't come to", 0},
		{"none won, one was refunded, and nothing is paid", 0, 5, 1, 19158, 0, "refunds can't come to", 0},
		{"none won, one was refunded", 0, 5, 1, 19158, 19157, "", 0},
		{"all lost, and something is paid", 0, 6, 0, 19158, 1, "lost bets in EUR", 0},
		{"all lost", 0, 6, 0, 19158, 0, "", 0},
		{"all refunded, and more is paid", 0, 0, 6, 19158, 19159, "refunded bets in EUR", 0},
		{"all refunded, and less is paid", 0, 0, 6, 19158, 19157, "refunded bets in EUR", 0},
		{"all refunded", 0, 0, 6, 19158, 19158, "", 0},
		{"one won", 1, 4, 1, 19158, 49438, "", 0},
		{"bets without a stake", 1, 5, 0, 0, 100, "without a stake", 0},
		{"counts that don't add up", 1, 4, 1, 19158, 100, "but 6 settled", 7},
	} {
		t.Run(test.name, func(t *testing.T) {
			byCurrency := settlement.Totals{{Currency: currency(t, "EUR"), Bets: test.won + test.lost + test.refunded, Won: test.won, Lost: test.lost,
				Refunded: test.refunded, Stake: sum(test.stake), Payout: sum(test.payout)}}
			if test.bets > 0 {
				byCurrency[0].Bets = test.bets
			}
			list := slices.Clone(whole)
			at := -1 // of the newest settlement: those before bind it to no less stake
			for i, data := range list {
				if read, err := entry.Parse(data); err == nil && read.ID().Draw == warDraw && read.ID().Kind == entry.KindSettlement {
					at = i
				}
			}
			read, err := entry.Parse(list[at])
			if err != nil {
				t.Fatal(err)
			}
			e := read.(*entry.Settlement)
			e.Totals = byCurrency
			if _, err := entry.Encode(e); (err == nil) != (test.says == "") {
				t.Errorf("written: %v", err)
			}
			list[at] = e.Append(nil)
			r := verified(t, filesOf(rewritten(t, list)), options)
			found := slices.ContainsFunc(r.Findings, func(f verify.Finding) bool {
				return (f.Code == verify.Contradiction || f.Code == verify.BadEntry) && strings.Contains(f.Message, test.says)
			})
			if found != (test.says != "") {
				t.Errorf("found %v, want %q", r.Findings, test.says)
			}
		})
	}
}

func currency(t *testing.T, code string) money.Currency {
	t.Helper()
	c, known := money.ParseCurrency(code)
	if !known {
		t.Fatalf("%s is no currency, want one", code)
	}
	return c
}

// TestStillToCome has entries that were made after now, by a clock that is a little late.
func TestStillToCome(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	whole, options := entriesOf(t, s), optionsOf(t, s)
	now := options.Now()
	at := func(later time.Duration) settlement.Instant { return settlement.Instant(now.Add(later).UnixMilli()) }
	for _, test := range []struct {
		name  string
		later time.Duration
		says  string
	}{
		{"years", 72 * 365 * 24 * time.Hour, "still to come"}, {"an hour", time.Hour, "still to come"}, {"a minute", time.Minute, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for kind, list := range map[string][][]byte{
				"a state":    alter(t, slices.Clone(whole), warCancelled, 1, func(e *entry.State) { e.MadeAt = at(test.later) }),
				"an opening": alter(t, slices.Clone(whole), warCancelled, 0, func(e *entry.Opening) { e.StoredAt = at(test.later) }),
			} {
				r := verified(t, filesOf(rewritten(t, list)), options)
				found := slices.ContainsFunc(r.Findings, func(f verify.Finding) bool {
					return f.Code == verify.Contradiction && strings.Contains(f.Message, "still to come")
				})
				if found != (test.says != "") {
					t.Errorf("%s of %s later: found %v", kind, test.name, r.Findings)
				}
			}
		})
	}
}

// TestFewerStakes has a settlement with less stake in a currency than the one before.
func TestFewerStakes(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	options := optionsOf(t, s)
	list := alter(t, entriesOf(t, s), warDraw, 1, func(e *entry.Settlement) { e.Totals[0].Stake.Add(1_000_000); e.Totals[0].Payout.Add(1_000_000) })
	r := verified(t, filesOf(rewritten(t, list)), options)
	if len(r.Findings) == 0 || r.Findings[0].Code != verify.Contradiction || !strings.Contains(r.Findings[0].Message, "fewer stakes in EUR") {
		t.Errorf("found %v", r.Findings)
	}
}

// TestUnsettled has logs without settlements: whatever was never settled is said.
func TestUnsettled(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	whole, options := entriesOf(t, s), optionsOf(t, s)
	without := func(which func(*entry.Settlement) bool) [][]byte {
		return slices.DeleteFunc(slices.Clone(whole), func(data []byte) bool {
			read, err := entry.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			e, is := read.(*entry.Settlement)
			return is && which(e)
		})
	}
	newest := map[string]int{}
	for _, data := range whole {
		if read, err := entry.Parse(data); err == nil && read.ID().Kind == entry.KindState {
			newest[read.ID().Draw] = read.ID().State
		}
	}
	for name, test := range map[string]struct {
		list      [][]byte
		unsettled int
	}{
		"all are there":                   {whole, 0},
		"without the newest of each draw": {without(func(e *entry.Settlement) bool { return e.State == newest[e.Draw] }), len(newest)},
		"without any":                     {without(func(*entry.Settlement) bool { return true }), len(newest)},
	} {
		t.Run(name, func(t *testing.T) {
			r := verified(t, filesOf(rewritten(t, test.list)), options)
			if len(r.Findings) > 0 || r.Counts.Unsettled != test.unsettled || len(r.Unsettled) != test.unsettled {
				t.Fatalf("found %v, unsettled %v, want %d", r.Findings, r.Unsettled, test.unsettled)
			}
			for _, u := range r.Unsettled {
				one, err := verify.Draw(t.Context(), filesOf(rewritten(t, test.list)), options, u.Draw, nil)
				if err != nil || u.State != newest[u.Draw] || u.Settled >= u.State || len(one.Unsettled) != 1 || one.Unsettled[0] != u {
					t.Errorf("%+v; alone %v, %v", u, one.Unsettled, err)
				}
			}
		})
	}
}
