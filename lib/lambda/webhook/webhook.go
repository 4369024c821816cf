// Package webhook puts the Lambda webhook together, which pushes reports to bookmakers' own
// addresses. What it does is in lib/pipeline/webhook.
package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/draw/wire"
	"tally/lib/lambda/dynamo"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsbatch"
	pipeline "tally/lib/pipeline/webhook"
	"tally/lib/rulebook/settlement"
)

// Main is the main function of the Lambda.
func Main() { runtime.Main(New) }

// Config is the configuration of webhook.
type Config struct {
	runtime.Common
	WebhooksURL string `env:"TALLY_WEBHOOKS_URL" doc:"URL of the queue webhooks"`
	Loopback    bool   `env:"TALLY_WEBHOOK_LOOPBACK" doc:"whether endpoints on the machine that the function runs on are allowed, without TLS too: for trying" default:"false"`
}

// webhookConcurrency is how many messages of a batch are worked on at once. They
// wait for receivers most of the time.
const webhookConcurrency = 10

// New puts webhook together.
func New(c Config, r runtime.Runtime) (runtime.QueueHandler, error) {
	client := sqs.NewFromConfig(r.AWS)
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "webhook", r.Now)
	worker := &pipeline.Worker{Table: dynamo.Table(r, c.Common), Sender: pipeline.NewSender(pipeline.SenderOptions{Loopback: c.Loopback}),
		Record: recorder{measured: measured}, Now: r.Instant, Log: r.Log}
	handler, err := sqsbatch.HandleQueues(r, func(ctx context.Context, m sqsbatch.Message) error {
		asked, err := wire.ParsePush(m.Body)
		if err != nil {
			return err
		}
		again, err := worker.Deliver(ctx, asked.Bookmaker)
		if err != nil {
			return err
		}
		return afterPush(again, r.Instant(), m.ReceiveCount)
	}, measured, client, sqsbatch.Options{Concurrency: webhookConcurrency}, c.WebhooksURL)
	if err != nil {
		return nil, fmt.Errorf("putting webhook together: %w", err)
	}
	return handler, nil
}

const (
	// maxPushes is how often a message is worked on before it is left to reconcile,
	// which sends another one every minute: a message that came back for ever would
	// end among the dead letters.
	maxPushes = 4
	// soon is the longest time for which a message is retried later.
	soon = time.Minute
)

// afterPush tells what becomes of a message after which an endpoint wants to be
// looked at again. It is given back if that is soon, and never sent again by the
// function itself: Lambda would take that for a loop.
func afterPush(again, now settlement.Instant, receives int) error {
	after := max(0, time.Duration(again-now)*time.Millisecond)
	if again == 0 || after > soon || receives >= maxPushes {
		return nil
	}
	return sqsbatch.RetryAfter{After: after, Reason: "an endpoint is not done"}
}

// recorder turns what pushing tells into metrics.
type recorder struct{ measured *metrics.Metrics }

var _ pipeline.Recorder = recorder{}

func (r recorder) Delivered(reports int) { r.measured.Add(metrics.Delivered, "", reports) }

func (r recorder) NotDelivered(kind string) { r.measured.Add(metrics.NotDelivered, kind, 1) }

func (r recorder) WebhookDisabled(reason string) {
	r.measured.Add(metrics.WebhooksDisabled, reason, 1)
}
