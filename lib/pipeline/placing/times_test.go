package placing

import (
	"fmt"
	"testing"
	"time"

	"tally/lib/draw"
	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/settlement"
	"tally/lib/store/record"
)

// clocks is how far the clocks of two processes may be apart.
const clocks = time.Second

// The times that are counted on each other: what may still be written is written when
// someone else takes it for sure that it is. Their values are free, these relations
// are not.
func TestTimes(t *testing.T) {
	millis := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	settleGrace, closedGrace := millis(draw.SettleGrace), millis(draw.ClosedGrace)
	const opens, closes = 1_796_040_000_000, 1_796_040_060_000
	waits := func(round draw.Round) time.Duration { // after a planned closing, until the draw is settled
		round.Number, round.OpensAt, round.ClosesAt = 1, opens, closes
		head := draw.Head{Draw: "d", Opened: true, State: 1, ResultAt: closes, Rounds: []draw.Round{round}}
		return millis(int64(head.SettleFrom() - closes))
	}
	looked := draw.Head{Rounds: []draw.Round{{Number: 1, OpensAt: opens, ClosesAt: closes, LookFrom: closes}}}
	final := draw.Head{Opened: true, Rounds: []draw.Round{{Number: 1, OpensAt: opens, ClosesAt: closes}}}
	for what, holds := range map[string]bool{
		"a bet that is not looked after is written before the first run reads":     acceptWithin+clocks < settleGrace,
		"a refusal is written before nothing is in flight any more":                refuseWithin+clocks < millis(overAfter),
		"a record is looked after before it can be taken for a replay":             lookWithin+clocks < millis(overAfter),
		"a refusal may be written after the bet that it refuses":                   refuseWithin > acceptWithin,
		"a refusal stands until whoever it refuses knows of it":                    millis(refusalStands) >= refuseWithin+clocks,
		"a message is stored before the first run reads":                           intake.StoreWithin+clocks < settleGrace,
		"a message is stored before bets are answered by a closing that is final":  intake.StoreWithin+clocks < closedGrace+settleGrace,
		"what an API process remembers is older than a message that is stored":     millis(headFor) <= intake.StoreWithin,
		"a bet that was answered is not closed out by a message stored after that": acceptWithin < closedGrace,
		"a bet that took longer than it may is looked after":                       looked.Looks(1, opens, settlement.Instant((acceptWithin + time.Millisecond).Milliseconds())),
		"where nobody looks, settling waits for bets under way":                    waits(draw.Round{}) > acceptWithin+clocks,
		"where all look, settling waits for heads that are remembered":             waits(draw.Round{LookFrom: opens}) > millis(headFor),
		"where some look, settling waits for bets of before":                       waits(draw.Round{LookFrom: closes}) > acceptWithin+clocks,
		"a closing is final when no message can move it any more":                  !final.Final(1, closes+draw.ClosedGrace+settlement.Instant((intake.StoreWithin+clocks).Milliseconds())),
	} {
		t.Run(what, func(t *testing.T) {
			if !holds {
				t.Errorf("it does not hold that %s", what)
			}
		})
	}
}

// A refusal is put under its key until no earlier try can land there any more, whenever
// the draw is settled.
func TestOver(t *testing.T) {
	const noon = 1_796_040_000_000
	head := draw.Head{Draw: "d", Opened: true, State: 1, ResultAt: noon, Rounds: []draw.Round{{Number: 1, OpensAt: noon - 60_000, ClosesAt: noon}}}
	for after, want := range map[settlement.Instant]bool{0: false, settlement.Instant(refuseWithin.Milliseconds()): false, draw.SettleGrace: false, overAfter - 1: false, overAfter: true} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			if over(&cachedDraw{Draw: record.New(nil, &head)}, noon+after) != want {
				t.Errorf("%d ms after the result it is over: %v", after, !want)
			}
		})
	}
}
