package look

import (
	"cmp"
	"time"

	"tally/lib/archive/watchdog"
	"tally/lib/lambda/metrics"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/reconcile"
)

// recorder turns what looks find into metrics, and what becomes of the orders that
// it hands to intake.
type recorder struct{ measured *metrics.Metrics }

var (
	_ reconcile.Recorder     = recorder{}
	_ intake.MessageRecorder = recorder{}
	_ watchdog.LogRecorder   = recorder{}
)

func (r recorder) Quarantined(game string) { r.add(metrics.Quarantined, game) }

// Stored gets the studio's messages alone, and look takes none.
func (recorder) Stored(string, time.Duration, string) {}

func (r recorder) CancelledInARow(game string) { r.measured.Add(metrics.LongBreaks, game, 1) }

func (r recorder) Mismatch(game string) { r.add(metrics.Mismatch, game) }

func (r recorder) Stuck(game, why string) {
	name := metrics.Stuck
	if why == reconcile.StuckResult || why == reconcile.StuckOpening {
		name = metrics.Overdue
	}
	r.add(name, game)
}

func (r recorder) Waiting(game string) { r.add(metrics.Waiting, game) }

func (r recorder) LateRecords(game string, bets int) { r.measured.Add(metrics.LateRecords, game, bets) }

func (r recorder) LogLag(entries int) { r.measured.Set(metrics.LogLag, "", entries) }

func (r recorder) LogFault(kind string) { r.measured.Add(metrics.LogFaults, kind, 1) }

// add counts one of a game, which may not be known.
func (r recorder) add(name metrics.Name, game string) {
	r.measured.Add(name, cmp.Or(game, metrics.NoGame), 1)
}
