package functions

import (
	"cmp"
	"time"

	"tally/lib/archive"
	"tally/lib/archive/watchdog"
	"tally/lib/archive/witness"
	"tally/lib/lambda/metrics"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
	"tally/lib/pipeline/webhook"
)

// recorder turns what the packages tell into metrics.
type recorder struct{ measured *metrics.Metrics }

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
	r.measured.Add(metrics.Quarantined, cmp.Or(game, unknown), 1)
}

func (r recorder) Stored(game string, age time.Duration, concern string) {
	r.measured.Delay(metrics.MessageAge, game, age)
	switch concern {
	case intake.ConcernMoved:
		r.measured.Add(metrics.MovedClosings, game, 1)
	case intake.ConcernUnclosed:
		r.measured.Add(metrics.Unclosed, game, 1)
	}
}

func (r recorder) OutOfSequence(concern string) { r.measured.Add(metrics.BadSequence, concern, 1) }

func (r recorder) CancelledInARow(game string) { r.measured.Add(metrics.LongBreaks, game, 1) }

func (r recorder) Settled(game string, lines, refunded int, corrected bool, delay time.Duration) {
	if corrected {
		r.measured.Add(metrics.Corrected, game, lines)
		return
	}
	r.measured.Add(metrics.Settled, game, lines-refunded)
	r.measured.Add(metrics.Refunded, game, refunded)
	r.measured.Delay(metrics.SettlementDelay, game, delay)
}

func (r recorder) Unequal(game string) { r.measured.Add(metrics.Unequal, cmp.Or(game, unknown), 1) }

func (r recorder) Stuck(game, why string) {
	name := metrics.Stuck
	if why == reconcile.StuckResult || why == reconcile.StuckOpening {
		name = metrics.Overdue
	}
	r.measured.Add(name, cmp.Or(game, unknown), 1)
}

func (r recorder) Waiting(game string) { r.measured.Add(metrics.Waiting, cmp.Or(game, unknown), 1) }

func (r recorder) Straggled(game string, bets int) { r.measured.Add(metrics.Stragglers, game, bets) }

func (r recorder) Depth(queue string, messages int) {
	r.measured.Set(metrics.DeadLetterDepth, queue, messages)
}

func (r recorder) InQuarantine(messages int) { r.measured.Set(metrics.QuarantineDepth, "", messages) }

func (r recorder) Delivered(reports int) { r.measured.Add(metrics.Delivered, "", reports) }

func (r recorder) NotDelivered(kind string) { r.measured.Add(metrics.NotDelivered, kind, 1) }

func (r recorder) WebhookDisabled(reason string) {
	r.measured.Add(metrics.WebhooksDisabled, reason, 1)
}

func (r recorder) Appended(game string, entries int) { r.measured.Add(metrics.Archived, game, entries) }

func (r recorder) Behind(entries int64) { r.measured.Set(metrics.PagesLag, "", int(entries)) }

func (r recorder) Written(files int) { r.measured.Add(metrics.PagesFiles, "", files) }

func (r recorder) Witness(_ string, outcome witness.Outcome) {
	switch outcome {
	case witness.Cosigned:
	case witness.Contradicted:
		r.measured.Add(metrics.LogFaults, string(outcome), 1)
	default:
		r.measured.Add(metrics.Uncosigned, string(outcome), 1)
	}
}

func (r recorder) LogLag(entries int) { r.measured.Set(metrics.LogLag, "", entries) }

func (r recorder) LogFault(kind string) { r.measured.Add(metrics.LogFaults, kind, 1) }
