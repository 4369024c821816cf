// Package reconcile puts the Lambda reconcile together, which looks for what is overdue,
// stuck or missing, or does not match. What it does is in lib/pipeline/reconcile.
package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/archive/watchdog"
	"tally/lib/lambda/dynamo"
	"tally/lib/lambda/logfiles"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/pipeline/intake"
	pipeline "tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
	"tally/lib/pipeline/webhook"
)

// Main is the main function of the Lambda.
func Main() { runtime.Main(New) }

// Config is the configuration of reconcile.
type Config struct {
	runtime.Common
	SweepsURL       string        `env:"TALLY_SWEEPS_URL" doc:"URL of the queue sweeps"`
	ArchiveURL      string        `env:"TALLY_ARCHIVE_URL" doc:"URL of the queue archive-entries"`
	WebhooksURL     string        `env:"TALLY_WEBHOOKS_URL" doc:"URL of the queue webhooks"`
	StudioURL       string        `env:"TALLY_STUDIO_URL" doc:"URL of the queue studio-messages, which is only counted"`
	StudioDLQ       string        `env:"TALLY_STUDIO_DLQ_URL" doc:"URL of the dead letters of studio-messages"`
	OrdersDLQ       string        `env:"TALLY_ORDERS_DLQ_URL" doc:"URL of the dead letters of operator-orders"`
	SweepsDLQ       string        `env:"TALLY_SWEEPS_DLQ_URL" doc:"URL of the dead letters of sweeps"`
	ArchiveDLQ      string        `env:"TALLY_ARCHIVE_DLQ_URL" doc:"URL of the dead letters of archive-entries"`
	RepliesDLQ      string        `env:"TALLY_REPLIES_DLQ_URL" doc:"URL of the dead letters of studio-replies"`
	WebhooksDLQ     string        `env:"TALLY_WEBHOOKS_DLQ_URL" doc:"URL of the dead letters of webhooks"`
	AutoCancelAfter time.Duration `env:"TALLY_AUTO_CANCEL_AFTER" doc:"time after its last closing at which a draw without a result is cancelled; 0s never" default:"0s" min:"0s"`
	Origin          string        `env:"TALLY_LOG_ORIGIN" doc:"name of the public log, such as example.com/tally"`
	Bucket          string        `env:"TALLY_LOG_BUCKET" doc:"S3 bucket of the log, or file: and a folder"`
	Key             string        `env:"TALLY_LOG_KEY" doc:"KMS key that signs the log, or file: and a file"`
	OldKey          string        `env:"TALLY_LOG_OLD_KEY" doc:"key that Key replaces and that still signs too, or nothing" default:""`
	ResultWithin    time.Duration `env:"TALLY_RESULT_WITHIN" doc:"time after its last closing at which a draw's result is missed" default:"5m" min:"1s"`
}

// New puts reconcile together.
func New(c Config, r runtime.Runtime) (runtime.ScheduledHandler, error) {
	client := sqs.NewFromConfig(r.AWS)
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "reconcile", r.Now)
	record := recorder{measured: measured}
	table, check := dynamo.Clocked(r, c.Common, measured)
	sweeps, archive := sqsqueue.New(client, c.SweepsURL), sqsqueue.New(client, c.ArchiveURL)
	reconciler := &pipeline.Reconciler{
		Table:   table,
		Clock:   check,
		Intake:  &intake.Intake{Table: table, Sweeps: sweeps, Archive: archive, Record: record, CancelledInARow: record.CancelledInARow, Now: r.Instant, Log: r.Log},
		Settler: &settle.Settler{Table: table, Archive: archive, Now: r.Instant, Log: r.Log},
		Sweeps:  sweeps,
		Depths: sqsqueue.NewCounter(client, map[string]string{
			"studio-messages": c.StudioDLQ, "operator-orders": c.OrdersDLQ, "sweeps": c.SweepsDLQ,
			"archive-entries": c.ArchiveDLQ, "studio-replies": c.RepliesDLQ, "webhooks": c.WebhooksDLQ,
		}),
		Studio: sqsqueue.NewCounter(client, map[string]string{"studio-messages": c.StudioURL, "the dead letters of studio-messages": c.StudioDLQ}),
		Record: record, SilentTables: record.SilentTables, Now: r.Instant, Log: r.Log, ResultWithin: c.ResultWithin, CancelAfter: c.AutoCancelAfter,
		Watch: (&watcher{config: c, runtime: r, archive: archive, record: record}).begin,
	}
	dispatcher := &webhook.Dispatcher{Table: table, Queue: sqsqueue.New(client, c.WebhooksURL), Now: r.Instant}
	return runtime.Scheduled(r, measured, "reconcile failed in part", func(ctx context.Context) error {
		return errors.Join(dispatcher.Wake(ctx), reconciler.Run(ctx))
	}), nil
}

// watcher opens the public log when reconcile first runs: that asks KMS for its key.
// Where it fails, the next run tries again. Runs don't overlap in one instance.
type watcher struct {
	config  Config
	runtime runtime.Runtime
	archive *sqsqueue.Queue
	record  recorder
	opened  *watchdog.Monitor
}

func (w *watcher) begin(ctx context.Context) (pipeline.PublicLog, error) {
	if w.opened == nil {
		keys, err := logfiles.Keys(ctx, w.runtime.AWS, w.config.Origin, w.config.Key, w.config.OldKey)
		if err != nil {
			return nil, err
		}
		files, err := logfiles.Open(w.runtime.AWS, w.config.Bucket)
		if err != nil {
			return nil, err
		}
		w.opened = &watchdog.Monitor{Origin: w.config.Origin, Table: dynamo.Table(w.runtime, w.config.Common), Files: files, Known: logfiles.Verifiers(keys),
			Archive: w.archive, Record: w.record, Log: w.runtime.Log}
	}
	return w.opened.Begin(ctx)
}
