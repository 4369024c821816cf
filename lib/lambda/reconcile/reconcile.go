// Package reconcile puts the Lambda reconcile together, which finds what is due to be looked
// at, every minute, and has the function look do it. What it does is in lib/pipeline/reconcile.
package reconcile

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/archive/watchdog"
	"tally/lib/lambda/dynamo"
	"tally/lib/lambda/logwatch"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsqueue"
	pipeline "tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/webhook"
)

// Main is the main function of the Lambda.
func Main() { runtime.Main(New) }

// Config is the configuration of reconcile.
type Config struct {
	runtime.Common
	logwatch.Config
	DueURL      string `env:"TALLY_DUE_URL" doc:"URL of the queue due-draws"`
	WebhooksURL string `env:"TALLY_WEBHOOKS_URL" doc:"URL of the queue webhooks"`
	StudioDLQ   string `env:"TALLY_STUDIO_DLQ_URL" doc:"URL of the dead letters of studio-messages"`
	OrdersDLQ   string `env:"TALLY_ORDERS_DLQ_URL" doc:"URL of the dead letters of operator-orders"`
	SweepsDLQ   string `env:"TALLY_SWEEPS_DLQ_URL" doc:"URL of the dead letters of sweeps"`
	ArchiveDLQ  string `env:"TALLY_ARCHIVE_DLQ_URL" doc:"URL of the dead letters of archive-entries"`
	RepliesDLQ  string `env:"TALLY_REPLIES_DLQ_URL" doc:"URL of the dead letters of studio-replies"`
	WebhooksDLQ string `env:"TALLY_WEBHOOKS_DLQ_URL" doc:"URL of the dead letters of webhooks"`
	DueDLQ      string `env:"TALLY_DUE_DLQ_URL" doc:"URL of the dead letters of due-draws"`
}

// New puts reconcile together.
func New(c Config, r runtime.Runtime) (runtime.ScheduledHandler, error) {
	client := sqs.NewFromConfig(r.AWS)
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "reconcile", r.Now)
	record := recorder{measured: measured}
	table, check := dynamo.Clocked(r, c.Common, measured)
	log := &logwatch.Opener{Config: c.Config, Common: c.Common, Runtime: r, Record: record}
	cursor := &pipeline.Cursor{
		Table: table,
		Clock: check,
		Looks: sqsqueue.NewBatches(client, c.DueURL),
		Depths: sqsqueue.NewCounter(client, map[string]string{
			"studio-messages": c.StudioDLQ, "operator-orders": c.OrdersDLQ, "sweeps": c.SweepsDLQ, "archive-entries": c.ArchiveDLQ,
			"studio-replies": c.RepliesDLQ, "webhooks": c.WebhooksDLQ, "due-draws": c.DueDLQ,
		}),
		Record: record, SilentTables: record.SilentTables, Now: r.Instant, Log: r.Log, Watch: log.Begin,
	}
	dispatcher := &webhook.Dispatcher{Table: table, Queue: sqsqueue.New(client, c.WebhooksURL), Now: r.Instant}
	return runtime.Scheduled(r, measured, "reconcile failed in part", func(ctx context.Context) error {
		return errors.Join(dispatcher.Wake(ctx), cursor.Run(ctx))
	}), nil
}

// recorder turns what reconcile finds into metrics.
type recorder struct{ measured *metrics.Metrics }

var (
	_ pipeline.Found       = recorder{}
	_ watchdog.LogRecorder = recorder{}
)

func (r recorder) Behind(minutes int) { r.measured.Set(metrics.Behind, "", minutes) }

func (r recorder) Depth(queue string, messages int) {
	r.measured.Set(metrics.DeadLetterDepth, queue, messages)
}

func (r recorder) InQuarantine(messages int) { r.measured.Set(metrics.QuarantineDepth, "", messages) }

func (r recorder) SilentTables(tables int) { r.measured.Set(metrics.SilentTables, "", tables) }

func (r recorder) LogLag(entries int) { r.measured.Set(metrics.LogLag, "", entries) }

func (r recorder) LogFault(kind string) { r.measured.Add(metrics.LogFaults, kind, 1) }
