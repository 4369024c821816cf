package studio

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

var update = flag.Bool("update", false, "rewrite golden files")

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// written are the scripts of this process: odds take a while.
var written = map[uint64]*Script{}

// write returns the script of a seed.
func write(t *testing.T, seed uint64) *Script {
	t.Helper()
	if written[seed] == nil {
		written[seed] = newScript(t, seed)
	}
	return written[seed]
}

func newScript(t *testing.T, seed uint64) *Script {
	t.Helper()
	script, err := New(seed, 6)
	if err != nil {
		t.Fatal(err)
	}
	return script
}

// Every message is one that tally takes, but for the impossible one.
func TestMessagesAreValid(t *testing.T) {
	for seed := range uint64(3) {
		impossible := 0
		for _, step := range write(t, seed).Steps {
			m := step.Message
			if m == nil {
				continue
			}
			read, _, faults := wire.Parse([]byte(m.Body(start, start)))
			switch {
			case m.Impossible:
				impossible++
				if len(faults) == 0 {
					t.Errorf("seed %d: %s is possible", seed, m.Body(start, start))
				}
			case len(faults) > 0:
				t.Errorf("seed %d: %v: %s", seed, faults, m.Body(start, start))
			case read.Draw != m.Draw.ID(start) || read.Type != m.Type || read.Revision != m.Revision:
				t.Errorf("seed %d: it says something else: %s", seed, m.Body(start, start))
			case read.Type == wire.DrawResulted && (read.Resolution.Void.Reason != "") != (m.Draw.Event == TooFew):
				t.Errorf("seed %d: %s", seed, m.Body(start, start))
			}
		}
		if impossible != 1 {
			t.Errorf("seed %d: %d impossible messages", seed, impossible)
		}
	}
}

// Every way of dealing is tried often: each shuffle must come to facts that the
// rules accept.
func TestFactsFollowTheRules(t *testing.T) {
	for _, game := range games.All() {
		dealing := game.Show.Dealing()
		if len(dealing.Open) != len(game.Rounds) {
			t.Errorf("%s is not played, or not in all its betting rounds", game.ID)
			continue
		}
		random := newRandom(1)
		seen := map[string]bool{}
		for range 1000 {
			facts := jsonOf(dealing.Facts(dealing.Shuffle(random, nil)))
			if faults := resolved(game, facts).Faults; len(faults) > 0 {
				t.Fatalf("%s: %s: %v, want len(faults) = 0", game.ID, facts, faults)
			}
			seen[facts] = true
		}
		if len(seen) < 30 {
			t.Errorf("%s: only %d different draws", game.ID, len(seen))
		}
	}
}

func TestSameSeedSameScript(t *testing.T) {
	one, two, other := write(t, 1), newScript(t, 1), write(t, 2)
	if !bytes.Equal(bodies(one), bodies(two)) {
		t.Error("the same seed gives another script")
	}
	if bytes.Equal(bodies(one), bodies(other)) {
		t.Error("another seed gives the same script")
	}
}

// A seed gives the same messages and bets as ever.
func TestFrozenScript(t *testing.T) {
	script := write(t, 1)
	got := fmt.Sprintf("%d draws, %d steps, sha256 %x\n", len(script.Draws), len(script.Steps), sha256.Sum256(bodies(script)))
	const golden = "testdata/script.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the script of seed 1 has %sinstead of %s", got, want)
	}
}

func bodies(s *Script) []byte {
	var all bytes.Buffer
	for _, step := range s.Steps {
		switch {
		case step.Message != nil:
			all.WriteString(step.Message.Body(start, start))
		case step.Bet != nil:
			bet := step.Bet
			all.WriteString(strings.Join([]string{bet.Bookmaker, bet.Reference, bet.Selection, bet.Odds, bet.Stake, bet.Currency, bet.Shop, bet.Base}, " "))
		}
		all.WriteString(step.At.String() + "\n")
	}
	return all.Bytes()
}

// A draw has an outcome unless it is cancelled or has a ball too few, and one that is
// corrected has another before.
func TestOutcomes(t *testing.T) {
	for _, d := range write(t, 0).Draws {
		if _, resolved := d.Outcome(); resolved == (d.Cancelled != "" || d.Event == TooFew) {
			t.Errorf("%s: resolved %v", d.Table, resolved)
		}
		first, resolved := d.OutcomeOf(d.First)
		if resolved != (d.Event == Correction) {
			t.Errorf("%s: resolved before it was corrected: %v", d.Table, resolved)
		}
		if last, _ := d.Outcome(); resolved && bytes.Equal(first.AppendJSON(nil), last.AppendJSON(nil)) {
			t.Errorf("%s: the correction changes nothing", d.Table)
		}
	}
}

// Each step belongs to a draw of the script.
func TestStepsHaveDraws(t *testing.T) {
	script := write(t, 0)
	for i, step := range script.Steps {
		if !slices.Contains(script.Draws, step.Draw()) {
			t.Errorf("step %d is of no draw", i)
		}
	}
}

// What a newcomer is to see is in every script.
func TestScriptHasEverything(t *testing.T) {
	script := write(t, 0)
	played, events, bets, wagers, cancels, repeats := map[string]bool{}, map[Event]bool{}, 0, 0, 0, 0
	for _, d := range script.Draws {
		played[d.Game.ID], events[d.Event] = true, true
	}
	last := time.Duration(0)
	for _, step := range script.Steps {
		switch {
		case step.Cancel != nil:
			cancels++
		case step.Bet != nil && step.Bet.Base != "":
			wagers++
		case step.Bet != nil:
			bets++
			if _, err := step.Bet.Draw.Game.Parse(step.Bet.Selection); err != nil {
				t.Error(err)
			}
		case step.Message.Repeat:
			repeats++
		}
		if step.After == nil && step.At < last {
			t.Error("the steps are not in the order of their times")
		}
		last = step.At
	}
	if script.Followed == nil {
		t.Error("no bet is worth following")
	}
	if len(played) != len(games.All()) {
		t.Errorf("%d games are played", len(played))
	}
	for _, event := range []Event{Ordinary, Impossible, Correction, Cancelled, TooFew, Voided, Storm} {
		t.Run(string(event), func(t *testing.T) {
			if !events[event] {
				t.Errorf("there is no %q", event)
			}
		})
	}
	if bets < 300 || cancels == 0 || wagers == 0 || repeats != stormTimes*10 {
		t.Errorf("%d bets, %d taken back, %d side wagers, %d repeated messages", bets, cancels, wagers, repeats)
	}
}

// Odds must not depend on what will happen, only on what is seen.
func TestBoardOffersWhatIsOpen(t *testing.T) {
	for _, d := range write(t, 0).Draws {
		for i, o := range d.offers {
			for _, s := range o.open {
				if o.marks[s] != rules.Open {
					t.Errorf("%s round %d offers %s, which is decided", d.Table, i+1, d.Game.Text(s))
				}
				if (o.odds[s] == "") != d.Game.Paytable() {
					t.Errorf("%s round %d: odds %q of %s", d.Table, i+1, o.odds[s], d.Game.Text(s))
				}
			}
		}
	}
}

func TestTooFewBets(t *testing.T) {
	if _, err := New(1, 0); err == nil {
		t.Error("a script without bets is written")
	}
}

// Blackjack's side wagers are closed before their betting round is, insurance first.
func TestClosesSideWagers(t *testing.T) {
	script := write(t, 1)
	var closed []string
	for _, step := range script.Steps {
		if m := step.Message; m != nil && m.Type == wire.BettingClosed && m.Draw.Game.ID == "blackjack" && m.Round == 2 && !m.Repeat {
			parsed, _, faults := wire.Parse([]byte(m.Body(time.Unix(1_800_000_000, 0), time.Unix(1_800_000_001, 0))))
			if len(faults) > 0 {
				t.Fatalf("the studio's own message has the faults %v, want none", faults)
			}
			closed = append(closed, strings.Join(parsed.Selections, " "))
		}
	}
	if want := []string{"insurance:*", "double:*", "split:*", ""}; !slices.Equal(closed, want) {
		t.Errorf("it closes %q instead of %q", closed, want)
	}
}
