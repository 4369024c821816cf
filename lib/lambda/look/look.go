// Package look puts the Lambda look together, which looks at the draws that reconcile has
// found to be due. What it does is in lib/pipeline/reconcile.
package look

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/draw/wire"
	"tally/lib/lambda/dynamo"
	"tally/lib/lambda/logwatch"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsbatch"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
)

// Main is the main function of the Lambda.
func Main() { runtime.Main(New) }

// Config is the configuration of look.
type Config struct {
	runtime.Common
	logwatch.Config
	DueURL          string        `env:"TALLY_DUE_URL" doc:"URL of the queue due-draws"`
	SweepsURL       string        `env:"TALLY_SWEEPS_URL" doc:"URL of the queue sweeps"`
	ArchiveURL      string        `env:"TALLY_ARCHIVE_URL" doc:"URL of the queue archive-entries"`
	StudioURL       string        `env:"TALLY_STUDIO_URL" doc:"URL of the queue studio-messages, which is only counted"`
	StudioDLQ       string        `env:"TALLY_STUDIO_DLQ_URL" doc:"URL of the dead letters of studio-messages"`
	AutoCancelAfter time.Duration `env:"TALLY_AUTO_CANCEL_AFTER" doc:"time after its last closing at which a draw without a result is cancelled; 0s never" default:"0s" min:"0s"`
	ResultWithin    time.Duration `env:"TALLY_RESULT_WITHIN" doc:"time after its last closing at which a draw's result is missed" default:"5m" min:"1s"`
	Parallel        int           `env:"TALLY_PARALLEL" doc:"draws that are looked at at once, each of which takes some 30 MB" default:"4" min:"1" max:"10"`
}

// New puts look together.
func New(c Config, r runtime.Runtime) (runtime.QueueHandler, error) {
	client := sqs.NewFromConfig(r.AWS)
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "look", r.Now)
	record := recorder{measured: measured}
	table, check := dynamo.Clocked(r, c.Common, measured)
	sweeps, archive := sqsqueue.New(client, c.SweepsURL), sqsqueue.New(client, c.ArchiveURL)
	log := &logwatch.Opener{Config: c.Config, Common: c.Common, Runtime: r, Archive: archive, Record: record, ForDraws: true}
	reconciler := &reconcile.Reconciler{
		Table:   table,
		Clock:   check,
		Intake:  &intake.Intake{Table: table, Sweeps: sweeps, Archive: archive, Record: record, CancelledInARow: record.CancelledInARow, Now: r.Instant, Log: r.Log},
		Settler: &settle.Settler{Table: table, Archive: archive, Now: r.Instant, Log: r.Log},
		Sweeps:  sweeps,
		Studio:  sqsqueue.NewCounter(client, map[string]string{"studio-messages": c.StudioURL, "the dead letters of studio-messages": c.StudioDLQ}),
		Record:  record, Now: r.Instant, Log: r.Log, ResultWithin: c.ResultWithin, CancelAfter: c.AutoCancelAfter, Watch: log.BeginDraw,
	}
	handler, err := sqsbatch.HandleQueues(r, func(ctx context.Context, m sqsbatch.Message) error {
		asked, err := wire.ParseDue(m.Body)
		if err != nil {
			return err
		}
		if deadline, bounded := ctx.Deadline(); bounded && time.Until(deadline) < reconcile.LookTakes {
			return sqsbatch.RetryAfter{Reason: "there is no time for it in this invocation"}
		}
		return reconciler.Look(ctx, asked)
	}, measured, client, sqsbatch.Options{Concurrency: c.Parallel}, c.DueURL)
	if err != nil {
		return nil, fmt.Errorf("putting look together: %w", err)
	}
	return handler, nil
}
