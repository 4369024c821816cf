package functions

import (
	"cmp"
	"time"

	"tally/lib/archive"
	"tally/lib/archive/watchdog"
	"tally/lib/archive/witness"
	"tally/lib/observe"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
	"tally/lib/pipeline/webhook"
)

// recorder turns what the packages tell into metrics.
type recorder struct{ measured *observe.Metrics }

var (
	_ intake.Recorder    = recorder{}
	_ settle.Recorder    = recorder{}
	_ reconcile.Recorder = recorder{}
	_ archive.Recorder   = recorder{}
	_ PagesRecorder      = recorder{}
	_ witness.Recorder   = recorder{}
	_ watchdog.Recorder  = recorder{}
	_ webhook.Recorder   = recorder{}
)

// unknown stands for the game of a message that names none.
const unknown = "unknown"

func (r recorder) Quarantined(game string) {
	r.measured.Add(observe.Quarantined, cmp.Or(game, unknown), 1)
}

func (r recorder) Stored(game string, age time.Duration, concern string) {
	r.measured.Delay(observe.MessageAge, game, age)
	switch concern {
	case intake.ConcernMoved:
		r.measured.Add(observe.MovedClosings, game, 1)
	case intake.ConcernUnclosed:
		r.measured.Add(observe.Unclosed, game, 1)
	}
}

func (r recorder) OutOfSequence(concern string) { r.measured.Add(observe.BadSequence, concern, 1) }

func (r recorder) CancelledInARow(game string) { r.measured.Add(observe.LongBreaks, game, 1) }

func (r recorder) Settled(game string, lines, refunded int, corrected bool, delay time.Duration) {
	if corrected {
		r.measured.Add(observe.Corrected, game, lines)
		return
	}
	r.measured.Add(observe.Settled, game, lines-refunded)
	r.measured.Add(observe.Refunded, game, refunded)
	r.measured.Delay(observe.SettlementDelay, game, delay)
}

func (r recorder) Unequal(game string) { r.measured.Add(observe.Unequal, cmp.Or(game, unknown), 1) }

func (r recorder) Stuck(game, why string) {
	name := observe.Stuck
	if why == reconcile.StuckResult || why == reconcile.StuckOpening {
		name = observe.Overdue
	}
	r.measured.Add(name, cmp.Or(game, unknown), 1)
}

func (r recorder) Waiting(game string) { r.measured.Add(observe.Waiting, cmp.Or(game, unknown), 1) }

func (r recorder) Straggled(game string, bets int) { r.measured.Add(observe.Stragglers, game, bets) }

func (r recorder) Depth(queue string, messages int) {
	r.measured.Set(observe.DeadLetterDepth, queue, messages)
}

func (r recorder) InQuarantine(messages int) { r.measured.Set(observe.QuarantineDepth, "", messages) }

func (r recorder) Delivered(reports int) { r.measured.Add(observe.Delivered, "", reports) }

func (r recorder) NotDelivered(kind string) { r.measured.Add(observe.NotDelivered, kind, 1) }

func (r recorder) WebhookDisabled(reason string) {
	r.measured.Add(observe.WebhooksDisabled, reason, 1)
}

func (r recorder) Appended(game string, entries int) { r.measured.Add(observe.Archived, game, entries) }

func (r recorder) Behind(entries int64) { r.measured.Set(observe.PagesLag, "", int(entries)) }

func (r recorder) Written(files int) { r.measured.Add(observe.PagesFiles, "", files) }

func (r recorder) Witness(_ string, outcome witness.Outcome) {
	switch outcome {
	case witness.Cosigned:
	case witness.Contradicted:
		r.measured.Add(observe.LogFaults, string(outcome), 1)
	default:
		r.measured.Add(observe.Uncosigned, string(outcome), 1)
	}
}

func (r recorder) LogLag(entries int) { r.measured.Set(observe.LogLag, "", entries) }

func (r recorder) LogFault(kind string) { r.measured.Add(observe.LogFaults, kind, 1) }
