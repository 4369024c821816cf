package draw_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
)

// noon is 2026-11-30T12:00:00.000Z; the tables count seconds from it.
const noon settlement.Instant = 1_795_953_600_000

// stored is a message and when it was stored.
type stored struct {
	*wire.Message
	at   settlement.Instant
	sent settlement.Instant // zero for the same
}

// say reads a message as the tables write it: "100 opened 1:10-30 2:40-60", "95
// round 2:40-60", "129 closed 1 at 128", "170 result 1", "171 cancel 2", "180 void
// a", "190 revoke b a". The first number is when it was stored; "sent 90" at the end is when
// it was sent, where it is not the same; selections behind a closing are what it closes.
func say(t testing.TB, text string) stored {
	t.Helper()
	text, sentText, late := strings.Cut(text, " sent ")
	words := strings.Fields(text)
	second := func(text string) settlement.Instant {
		var n float64
		if _, err := fmt.Sscan(text, &n); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return noon + settlement.Instant(n*1000)
	}
	var sent settlement.Instant
	if late {
		sent = second(sentText)
	}
	round := func(text string) map[string]any {
		number, times, _ := strings.Cut(text, ":")
		opens, closes, _ := strings.Cut(times, "-")
		return map[string]any{"round": json.Number(number), "opens_at": instant.Format(second(opens)), "closes_at": instant.Format(second(closes))}
	}
	m := map[string]any{"schema": 1, "id": "m", "game": "war", "table": "war-1", "draw": "war-1.7", "at": instant.Format(noon)}
	switch words[1] {
	case "opened":
		var rounds []any
		for _, text := range words[2:] {
			if text == "odds" {
				m["odds"] = map[string]any{"player": "2.08"}
				continue
			}
			rounds = append(rounds, round(text))
		}
		m["type"], m["sequence"], m["rounds"] = "draw.opened", 7, rounds
	case "round":
		m["type"], m["odds"] = "betting.opened", map[string]any{"player": "2.08"}
		for name, value := range round(words[2]) {
			m[name] = value
		}
		if m["round"] != json.Number("1") {
			m["visible"] = map[string]any{"player": "KS"}
		}
	case "closed":
		m["type"], m["round"], m["closed_at"] = "betting.closed", json.Number(words[2]), instant.Format(second(words[4]))
		if len(words) > 5 {
			m["selections"] = words[5:]
		}
	case "result":
		m["type"], m["revision"], m["facts"] = "draw.resulted", json.Number(words[2]), map[string]any{"player": "KS", "dealer": "AD"}
		if words[2] != "1" {
			m["correction"] = map[string]any{"reason": "video_review"}
		}
	case "cancel":
		m["type"], m["revision"], m["reason"] = "draw.cancelled", json.Number(words[2]), "card_hidden"
	case "void":
		m["type"], m["order"], m["reason"], m["evidence"], m["scope"] = "bets.voided", words[2], "x", "y", map[string]any{"round": 1}
	case "revoke":
		m["type"], m["order"], m["revokes"], m["reason"], m["evidence"] = "order.revoked", words[2], words[3], "x", "y"
	default:
		t.Fatalf("no message %q", words[1])
	}
	body, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	message, _, faults := wire.Parse(body)
	if message == nil {
		t.Fatalf("%s: %v, want message other than nil", text, faults)
	}
	return stored{message, second(words[0]), sent}
}

var settings = draw.Settings{Shards: 1, RetainMillis: 400 * 24 * 3600 * 1000}

// apply applies messages in their order and returns the head and its newest state.
func apply(t testing.TB, messages ...stored) (*draw.Head, *draw.StateRecord) {
	t.Helper()
	head := draw.New("war-1.7")
	var newest *draw.StateRecord
	for _, m := range messages {
		if err := head.Apply(m.Message, m.sent, m.at, settings); err != nil {
			t.Fatalf("%s: %v", m.Type, err)
		}
		if next := head.Next(newest, m.Game, m.at); next != nil {
			newest = next
		}
	}
	return head, newest
}

// Whatever the order in which they are handled, messages stored at the same
// times make the same head and the same newest state, but for its number.
func TestPermutations(t *testing.T) {
	for _, row := range []string{
		"1 opened 1:10-30 2:40-60 | 9 round 1:10-30 | 29 closed 1 at 28 | 39 round 2:40-60 | 58 closed 2 at 57 | 70 result 1 | 90 void a",
		"1 opened 1:10-30 2:40-60 | 20 round 2:40-60 | 50 cancel 1 | 80 result 2 | 90 void a | 95 revoke b a | 99 void c",
		"1 opened 1:10-90 | 30 closed 1 at 28 player | 31 closed 1 at 29 player war | 40 closed 1 at 39 sent 39 | 50 round 2:95-99 sent 45 | 70 result 1 sent 35 | 71 closed 1 at 30 war sent 31",
		"65 opened 1:10-30 | 9 round 1:10-30 | 29 closed 1 at 1 | 39 round 2:40-60 | 70 result 1 | 71 closed 2 at 60 | 80 result 3",
		"1 opened 1:10-30 | 15 result 1 | 16 round 1:10-30 | 17 closed 1 at 14 | 18 round 2:40-60 | 19 cancel 2 | 20 revoke b a",
	} {
		t.Run("", func(t *testing.T) {
			var messages []stored
			for text := range strings.SplitSeq(row, "|") {
				messages = append(messages, say(t, text))
			}
			wantHead, wantState := apply(t, messages...)
			seen := 0
			permute(messages, 0, func(order []stored) {
				seen++
				head, state := apply(t, order...)
				forget(head, state)
				forget(wantHead, wantState)
				if !reflect.DeepEqual(head, wantHead) || !reflect.DeepEqual(state, wantState) {
					t.Fatalf("%s\nin the order %v: head %+v, state %+v\ninstead of head %+v, state %+v", row, kinds(order), head, state, wantHead, wantState)
				}
			})
			if seen != 5040 {
				t.Errorf("%d orders", seen)
			}
		})
	}
}

// forget drops what counts the states on the way.
func forget(head *draw.Head, state *draw.StateRecord) {
	head.State, head.StateAt, state.Number, state.MadeAt = 0, 0, 0, 0
}

func kinds(order []stored) (list []string) {
	for _, m := range order {
		list = append(list, string(m.Type))
	}
	return list
}

// permute calls visit with every order of what comes from n on.
func permute(list []stored, n int, visit func([]stored)) {
	if n == len(list) {
		visit(list)
		return
	}
	for i := n; i < len(list); i++ {
		list[n], list[i] = list[i], list[n]
		permute(list, n+1, visit)
		list[n], list[i] = list[i], list[n]
	}
}

// What each betting round closes at, by everything that can close it.
func TestClosing(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
messages                                                          | round | closing
1 opened 1:10-30                                                  | 1     | 30
1 opened 1:10-30, 29 closed 1 at 28                               | 1     | 28
1 opened 1:10-30, 29 closed 1 at 10                               | 1     | 24
1 opened 1:10-30, 12 closed 1 at 11                               | 1     | 11
1 opened 1:10-30, 12 closed 1 at 3                                | 1     | 10
1 opened 1:10-30, 40 closed 1 at 39                               | 1     | 30
1 opened 1:10-30, 20 result 1                                     | 1     | 20
1 opened 1:10-30, 5 result 1                                      | 1     | 10
1 opened 1:10-30, 50 result 1                                     | 1     | 30
1 opened 1:10-30, 25 cancel 2, 22 result 1                        | 1     | 22
1 opened 1:10-30 2:40-60, 25 round 2:40-60                        | 1     | 25
1 opened 1:10-30 2:40-60, 25 round 2:40-60                        | 2     | 60
1 opened 1:10-30 2:40-60, 25 result 1                             | 2     | 40
1 opened 1:10-30, 20 result 1, 21 closed 1 at 18                  | 1     | 20
1 opened 1:10-30, 20 result 1, 19 closed 1 at 18                  | 1     | 18
29 closed 1 at 28                                                 | 1     | 0
1 opened 1:10-90, 80 result 1 sent 40                             | 1     | 40
1 opened 1:10-90, 80 result 1 sent 95                             | 1     | 80
1 opened 1:10-90, 80 result 1 sent 5                              | 1     | 10
1 opened 1:10-2000, 1999 result 1 sent 40                         | 1     | 1099
1 opened 1:10-90, 80 cancel 1 sent 40                             | 1     | 40
1 opened 1:10-90, 80 closed 1 at 40 sent 41                       | 1     | 40
1 opened 1:10-90, 80 closed 1 at 40 sent 47                       | 1     | 42
1 opened 1:10-2000, 1999 closed 1 at 40 sent 41                   | 1     | 1094
1 opened 1:10-90, 80 result 1 sent 40, 81 result 2 sent 20        | 1     | 40
1 opened 1:10-90, 80 result 1 sent 60, 81 closed 1 at 20 sent 20  | 1     | 60
1 opened 1:10-90, 80 round 2:95-99 sent 40                        | 1     | 40
1 opened 1:10-90, 80 result 1 sent 60, 81 round 2:95-99 sent 40   | 1     | 60
1 opened 1:10-90, 20 closed 1 at 19 player                        | 1     | 90
1 opened 1:10-30                                                  | 2     | 0
`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			var messages []stored
			for text := range strings.SplitSeq(row[0], ",") {
				messages = append(messages, say(t, text))
			}
			head, _ := apply(t, messages...)
			var number, want int
			if _, err := fmt.Sscan(row[1]+" "+row[2], &number, &want); err != nil {
				t.Fatal(err)
			}
			got := head.Closing(number)
			if want == 0 && got != 0 || want != 0 && got != noon+settlement.Instant(want*1000) {
				t.Errorf("%s: round %d closes at %s instead of second %d", row[0], number, instant.Format(got), want)
			}
		})
	}
}

// Who is refused, and leaves the head as it was.
func TestConflicts(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
stored                               | then                        | taken
1 opened 1:10-30                     | 2 round 1:10-30             | yes
1 opened 1:10-30                     | 2 round 1:10-31             | no
1 round 1:10-30                      | 2 opened 1:9-30             | no
1 opened 1:10-30 odds                | 2 round 1:10-30             | no
1 round 1:10-30                      | 2 opened 1:10-30 odds       | no
1 round 2:40-60                      | 2 opened 1:10-30 odds       | yes
1 opened 1:10-30                     | 33782399 result 1           | yes
1 opened 1:10-30                     | 33955230 result 1           | no
1 opened 1:10-30                     | 33955230 void a             | no
1 void a                             | 2 revoke b a                | yes
1 revoke b a                         | 2 revoke c b                | no
`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			head, _ := apply(t, say(t, row[0]))
			before, err := json.Marshal(head)
			if err != nil {
				t.Fatal(err)
			}
			then := say(t, row[1])
			err = head.Apply(then.Message, then.sent, then.at, settings)
			if (err == nil) != (row[2] == "yes") {
				t.Errorf("%s, then %s: %v", row[0], row[1], err)
			}
			var conflict *draw.Conflict
			var late *draw.TooLate
			if err != nil && !errors.As(err, &conflict) && !errors.As(err, &late) {
				t.Errorf("%s, then %s: it is no conflict: %v", row[0], row[1], err)
			}
			if after, _ := json.Marshal(head); err != nil && string(after) != string(before) {
				t.Errorf("%s, then %s: refused, but the head has changed to %s", row[0], row[1], after)
			}
		})
	}
	head, _ := apply(t, say(t, "1 opened 1:10-30"))
	other := say(t, "2 result 1")
	other.Table = "war-2"
	if err := head.Apply(other.Message, other.sent, other.at, settings); err == nil {
		t.Error("a message of another table is taken")
	}
	head, _ = apply(t, say(t, "1 opened 1:10-30"))
	for n := range wire.MaxOrders {
		if err := head.Apply(say(t, fmt.Sprintf("3 void a%d", n)).Message, 0, noon, settings); err != nil {
			t.Fatalf("order %d: %v", n, err)
		}
	}
	if err := head.Apply(say(t, "3 void b").Message, 0, noon, settings); !errors.Is(err, draw.ErrTooMany) {
		t.Errorf("one order too many: %v", err)
	}
}

// An operator's order does not fix a draw's game and table. One that came first and
// names another never holds, and neither does such a revocation.
func TestMismatchedOrders(t *testing.T) {
	mismatched, revocation := say(t, "1 void a"), say(t, "2 revoke b c")
	mismatched.Table, revocation.Table = "war-2", "war-2"
	head, state := apply(t, mismatched, revocation, say(t, "3 void c"), say(t, "4 opened 1:10-30"), say(t, "40 result 1"))
	if head.Table != "war-1" || !slices.Equal(state.Orders, []string{"c"}) {
		t.Errorf("table %s, orders %v hold", head.Table, state.Orders)
	}
	var ids []string
	for _, order := range head.MismatchedOrders() {
		ids = append(ids, order.ID)
	}
	if !slices.Equal(ids, []string{"a", "b"}) {
		t.Errorf("strays are %v", ids)
	}
}

// What is stored before the opening is kept at least as long as what follows it.
func TestRetention(t *testing.T) {
	const days = 24 * 3600 * 1000
	for _, row := range ruletest.Rows(t, `
messages                                      | kept days, counted from noon
1 opened 1:10-30                              | 400
1 round 1:10-30                               | 430
1 void a                                      | 430
1 round 1:10-30, 20 opened 1:10-30            | 400
1 round 1:10-30, 20 opened 2:8640000-8640001  | 430
1 opened 1:8640000-8640001                    | 500
`) {
		t.Run(row[0], func(t *testing.T) {
			var messages []stored
			for text := range strings.SplitSeq(row[0], ",") {
				messages = append(messages, say(t, text))
			}
			head, _ := apply(t, messages...)
			if got := fmt.Sprint((head.RetainUntil - noon) / days); got != row[1] {
				t.Errorf("%s: kept for %s days instead of %s", row[0], got, row[1])
			}
		})
	}
}

// Messages are stored one after the other, whatever the clocks say, so that no
// closing moves once a state has it.
func TestClock(t *testing.T) {
	head, state := apply(t, say(t, "1 opened 1:10-30"), say(t, "20 result 1"))
	for _, text := range []string{"19.9 closed 1 at 15", "19.8 round 2:40-60", "19.7 cancel 2"} {
		t.Run(text, func(t *testing.T) {
			late := say(t, text)
			at := head.Clock(late.at)
			if at <= noon+20_000 {
				t.Errorf("%s is stored at %s, before what is stored", text, instant.Format(at))
			}
			if err := head.Apply(late.Message, 0, at, settings); err != nil {
				t.Fatal(err)
			}
		})
	}
	next := head.Next(state, say(t, "1 opened 1:10-30").Game, head.StoredAt)
	if !next.Rounds[0].Same(state.Rounds[0]) {
		t.Errorf("round 1 was %+v and is now %+v", state.Rounds[0], next.Rounds[0])
	}
}

// A draw is settled ten seconds after whoever takes bets could learn that betting was over:
// from the plan, a closing that is stored and has come, a later round or the result; and
// never before the result. Rounds that were still to open keep nobody waiting.
func TestSettleFrom(t *testing.T) {
	for text, want := range map[string]settlement.Instant{
		"1 opened 1:10-30, 31 result 1":                                  40,
		"1 opened 1:10-30, 50 result 1":                                  50,
		"1 opened 1:10-30, 20 result 1":                                  30,
		"1 opened 1:10-30, 20 result 1, 90 result 2":                     30,
		"1 opened 1:10-30, 18 closed 1 at 15, 50 result 1":               50,
		"1 opened 1:10-30, 18 closed 1 at 15, 20 result 1":               28,
		"1 opened 1:10-30, 7 closed 1 at 23, 16 result 1":                26, // S1: bets were taken until 16
		"1 opened 1:10-30 2:1000-1060, 40 cancel 1":                      40,
		"1 opened 1:100-300 2:1000-1060, 40 cancel 1":                    40,
		"1 opened 1:10-30, 20 cancel 1, 5 round 2:8-12":                  22,
		"1 opened 1:0-30, 4 closed 1 at 4, 5 round 2:14-40, 14 result 1": 24, // S2: round 2 takes bets until 14 is seen
	} {
		t.Run(text, func(t *testing.T) {
			if got := settledFrom(t, text, settings); got != want*1000 {
				t.Errorf("%s: from second %d instead of %d", text, got/1000, want)
			}
		})
	}
}

func settledFrom(t *testing.T, text string, settings draw.Settings) settlement.Instant {
	t.Helper()
	head := draw.New("d")
	for text := range strings.SplitSeq(text, ",") {
		m := say(t, text)
		if err := head.Apply(m.Message, m.sent, m.at, settings); err != nil {
			t.Fatal(err)
		}
	}
	return head.SettleFrom() - noon
}

// Where they look after each bet, it is settled a moment after the first could learn it;
// where they look only shortly before the plan's closing, those who do not are waited for.
func TestSettleAtOnce(t *testing.T) {
	always := settings
	always.Looks = true
	late := always
	late.LookMillisByGame = map[string]int64{"war": 10_000}
	for _, row := range []struct {
		text         string
		always, late settlement.Instant // milliseconds
	}{
		{"1 opened 1:10-30, 31 result 1", 31_000, 31_000},
		{"1 opened 1:10-30, 30 result 1", 30_250, 30_250},
		{"1 opened 1:10-30, 20 result 1", 20_250, 30_000},
		{"1 opened 1:10-30, 15 result 1", 15_250, 25_000},
		{"1 opened 1:10-30, 18 closed 1 at 15, 20 result 1", 20_000, 28_000},
		{"1 opened 1:10-30, 7 closed 1 at 23, 16 result 1", 16_250, 26_000},
	} {
		t.Run(row.text, func(t *testing.T) {
			if got := settledFrom(t, row.text, always); got != row.always {
				t.Errorf("%s, looked after always: from %d ms instead of %d", row.text, got, row.always)
			}
			if got := settledFrom(t, row.text, late); got != row.late {
				t.Errorf("%s, looked after in the last ten seconds: from %d ms instead of %d", row.text, got, row.late)
			}
		})
	}
}

// tally's own cancellation ranks below every revision of the studio's.
func TestCancel(t *testing.T) {
	head, _ := apply(t, say(t, "1 round 1:10-30"))
	if head.Cancel(noon + 99_000) {
		t.Error("a draw that was never opened is cancelled")
	}
	head, newest := apply(t, say(t, "1 opened 1:10-30"))
	if !head.Cancel(noon+99_000) || head.Revision != draw.AutomaticRevision || head.Cancel(noon+99_001) {
		t.Errorf("it is not cancelled once: %+v", head)
	}
	game := say(t, "1 opened 1:10-30").Game
	first := head.Next(newest, game, noon+99_000)
	late := say(t, "120 result 1")
	if err := head.Apply(late.Message, late.sent, late.at, settings); err != nil {
		t.Fatal(err)
	}
	second := head.Next(first, game, late.at)
	if first.Revision != 0 || second.Revision != 1 || !slices.EqualFunc(first.Rounds, second.Rounds, draw.FinalRound.Same) {
		t.Errorf("states %+v, then %+v", first, second)
	}
	if head.Cancel(noon + 130_000) {
		t.Error("a draw with a result is cancelled")
	}
}

// A revision is at most five above the highest stored, so that a slip can't use them
// up; those that come out of order fill the gap.
func TestRevisionsAhead(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
messages                                                  | refused
20 result 1                                               |
20 result 5, 21 result 1, 22 result 3                     |
20 result 6                                               | 6 above 0
20 cancel 6                                               | 6 above 0
20 result 1, 21 result 6                                  |
20 result 1, 21 cancel 7                                  | 7 above 1
20 result 1, 21 cancel 1000                               | 1000 above 1
20 result 1, 21 result 6, 22 result 11, 23 result 2       |
20 result 1, 21 result 6, 22 result 12                    | 12 above 6
`) {
		t.Run(row[0], func(t *testing.T) {
			head, refused := draw.New("war-1.7"), ""
			for text := range strings.SplitSeq(row[0], ",") {
				m := say(t, text)
				var ahead *draw.AheadError
				if err := head.Apply(m.Message, m.sent, m.at, settings); errors.As(err, &ahead) {
					refused = fmt.Sprintf("%d above %d", ahead.Revision, ahead.Highest)
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if refused != row[1] {
				t.Errorf("refused is %q instead of %q", refused, row[1])
			}
		})
	}
}

// tally's own cancellation ranks below all: after it the studio begins at 1 too.
func TestRevisionsAfterAutomaticCancellation(t *testing.T) {
	head, _ := apply(t, say(t, "1 opened 1:10-30"))
	head.Cancel(noon + 99_000)
	var ahead *draw.AheadError
	if six := say(t, "120 result 6"); !errors.As(head.Apply(six.Message, six.sent, six.at, settings), &ahead) {
		t.Error("revision 6 is taken after tally's own cancellation")
	}
	if five := say(t, "121 result 5"); head.Apply(five.Message, five.sent, five.at, settings) != nil {
		t.Error("revision 5 is refused after tally's own cancellation")
	}
}

// What is closed within a round, by selection: the earliest closing holds, the round's
// own before it, and what comes after the first revision moves nothing.
func TestStopped(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
messages                                                                           | player | war | dealer | player_red
1 opened 1:10-90                                                                   | 90     | 90  | 90     | 90
1 opened 1:10-90, 31 closed 1 at 30 player                                         | 30     | 90  | 90     | 90
1 opened 1:10-90, 31 closed 1 at 20 player                                         | 26     | 90  | 90     | 90
1 opened 1:10-90, 12 closed 1 at 8 player war                                      | 10     | 10  | 90     | 90
1 opened 1:10-90, 31 closed 1 at 30 player war, 41 closed 1 at 40 war dealer       | 30     | 30  | 40     | 90
1 opened 1:10-90, 31 closed 1 at 30 player, 81 closed 1 at 30 player war sent 31   | 30     | 30  | 90     | 90
1 opened 1:10-90, 41 closed 1 at 40 player, 81 closed 1 at 30 player war sent 31   | 30     | 30  | 90     | 90
1 opened 1:10-90, 31 closed 1 at 30 player, 21 closed 1 at 20                      | 20     | 20  | 20     | 20
1 opened 1:10-90, 50 result 1, 51 closed 1 at 49 player                            | 50     | 50  | 50     | 50
1 opened 1:10-90, 49 closed 1 at 48 player, 50 result 1                            | 48     | 50  | 50     | 50
31 closed 1 at 30 player, 32 opened 1:10-90                                        | 30     | 90  | 90     | 90
1 opened 1:10-20 2:30-90, 31 closed 2 at 30 player                                 | 20     | 20  | 20     | 20
`) {
		t.Run(row[0], func(t *testing.T) {
			var messages []stored
			for text := range strings.SplitSeq(row[0], ",") {
				messages = append(messages, say(t, text))
			}
			head, state := apply(t, messages...)
			game := messages[0].Game
			for i, selection := range []string{"player", "war", "dealer", "player_red"} {
				t.Run(selection, func(t *testing.T) {
					if got := fmt.Sprint((head.ClosingOf(1, game, selection) - noon) / 1000); got != row[i+1] {
						t.Errorf("%s closes at %s instead of %s", selection, got, row[i+1])
					}
				})
			}
			if state != nil && !slices.Equal(state.Rounds[0].Stopped, head.Stopped(1)) {
				t.Errorf("the state has %+v", state.Rounds[0].Stopped)
			}
		})
	}
}

// A draw has at most so many closed selections.
func TestTooManyStops(t *testing.T) {
	head, _ := apply(t, say(t, "1 opened 1:10-90"))
	texts := "player war dealer player_red player_black dealer_red dealer_black player_8 dealer_8 player_spades"
	for n := range 30 {
		if m := say(t, fmt.Sprintf("%d closed 1 at %d %s", 10+n, 10+n, texts)); head.Apply(m.Message, 0, m.at, settings) != nil {
			t.Fatalf("closing %d is refused", n)
		}
	}
	if m := say(t, "50 closed 1 at 50 war"); !errors.Is(head.Apply(m.Message, 0, m.at, settings), draw.ErrTooManyStops) {
		t.Error("the 301st is taken")
	}
}
