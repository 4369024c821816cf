// Package settle puts the Lambda settle together, which settles the bets of draws. What it
// does is in lib/pipeline/settle.
package settle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/draw/wire"
	"tally/lib/lambda/dynamo"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsbatch"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/reconcile"
	pipeline "tally/lib/pipeline/settle"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
)

// Main is the main function of the Lambda.
func Main() { runtime.Main(New) }

// Config is the configuration of settle.
type Config struct {
	runtime.Common
	SweepsURL   string `env:"TALLY_SWEEPS_URL" doc:"URL of the queue sweeps"`
	ArchiveURL  string `env:"TALLY_ARCHIVE_URL" doc:"URL of the queue archive-entries"`
	WebhooksURL string `env:"TALLY_WEBHOOKS_URL" doc:"URL of the queue webhooks"`
	Parallel    int    `env:"TALLY_PARALLEL" doc:"partitions of a draw that are settled at once, each of which takes some MB" default:"8" min:"1" max:"64"`
	HoldAbove   string `env:"TALLY_HOLD_CORRECTIONS_ABOVE" doc:"money by currency that a correction may move before it waits for an operator, such as EUR=10000.00,JPY=1000000; nothing for any" default:""`
}

// New puts settle together.
func New(c Config, r runtime.Runtime) (runtime.QueueHandler, error) {
	limits, err := settlement.ParseLimits(c.HoldAbove)
	if err != nil {
		return nil, fmt.Errorf("TALLY_HOLD_CORRECTIONS_ABOVE has %w", err)
	}
	client := sqs.NewFromConfig(r.AWS)
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "settle", r.Now)
	table, check := dynamo.Clocked(r, c.Common, measured)
	sweeps, archive, record := sqsqueue.New(client, c.SweepsURL), sqsqueue.New(client, c.ArchiveURL), recorder{measured: measured}
	settler := &pipeline.Settler{Table: table, Clock: check, Archive: archive, Looks: sweeps, Webhooks: sqsqueue.New(client, c.WebhooksURL), Record: record,
		Now: r.Instant, Log: r.Log, Parallel: c.Parallel, HoldAbove: limits}
	looker := &reconcile.Looker{Table: table, Settler: settler, LateRecords: record.LateRecords, Now: r.Instant, Log: r.Log,
		Intake: &intake.Intake{Table: table, Clock: check, Sweeps: sweeps, Archive: archive, Record: record, Now: r.Instant, Log: r.Log}}
	handler, err := sqsbatch.HandleQueues(r, func(ctx context.Context, m sqsbatch.Message) error {
		asked, err := wire.ParseRun(m.Body)
		if err != nil {
			return err
		}
		if asked.Table != "" {
			return settler.Tell(ctx, asked.Draw, asked.Table)
		}
		if asked.Look != nil {
			return afterRun(ctx, looker.Look(ctx, asked, r.Now().Sub(m.SentAt)))
		}
		return afterRun(ctx, settler.Handle(ctx, asked.Draw))
	}, measured, client, sqsbatch.Options{}, c.SweepsURL)
	if err != nil {
		return nil, fmt.Errorf("putting settle together: %w", err)
	}
	return handler, nil
}

// afterRun tells what becomes of the message that asked for a settlement run. One that
// came too early is given back. One whose run was stopped is done with: the
// same would come of it again, and reconcile asks again in its time. One whose
// time is up is given back, too: the next delivery goes on after the last page
// that was stored. One of a draw whose rules this program does not have is done with,
// too: reconcile asks again, and raises the alarm.
func afterRun(ctx context.Context, err error) error {
	var notYet *pipeline.NotYetError
	var mismatch *pipeline.MismatchError
	var later *reconcile.LaterError
	switch {
	case errors.As(err, &later):
		return sqsbatch.RetryAfter{After: later.After, Reason: err.Error()}
	case errors.As(err, &notYet):
		return sqsbatch.RetryAfter{After: notYet.After, Reason: err.Error()}
	case errors.As(err, &mismatch), errors.Is(err, games.ErrUnknown):
		return nil
	case err != nil && ctx.Err() != nil:
		return sqsbatch.RetryAfter{Reason: "the time of this invocation is up"}
	default:
		return err
	}
}

// recorder turns what a settlement run tells into metrics.
type recorder struct{ measured *metrics.Metrics }

var (
	_ pipeline.Recorder      = recorder{}
	_ intake.MessageRecorder = recorder{}
)

func (r recorder) Settled(game string, lines, refunded int, corrected bool, delay time.Duration) {
	if corrected {
		r.measured.Add(metrics.Corrected, game, lines)
		return
	}
	r.measured.Add(metrics.Settled, game, lines-refunded)
	r.measured.Add(metrics.Refunded, game, refunded)
	r.measured.Delay(metrics.SettlementDelay, game, delay)
}

func (r recorder) Mismatch(game string) {
	r.measured.Add(metrics.Mismatch, cmp.Or(game, metrics.NoGame), 1)
}

func (r recorder) LateRecords(game string, bets int) { r.measured.Add(metrics.LateRecords, game, bets) }

func (r recorder) Quarantined(game string) {
	r.measured.Add(metrics.Quarantined, cmp.Or(game, metrics.NoGame), 1)
}

// Stored counts nothing: the orders are tally's own.
func (r recorder) Stored(string, time.Duration, string) {}
