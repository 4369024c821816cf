// Package functions puts each of tally's Lambdas together: its configuration, its
// clients, its metrics, and what it does with a message. The main packages under
// functions/ read the environment, call one constructor and start; the local
// stack calls the same constructors with the variables of template.yaml.
package functions

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/lambda/metrics"
	"tally/lib/lambda/sqsbatch"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/clock"
)

// QueueHandler is a function that a queue feeds.
type QueueHandler func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error)

// Runtime is what a function is given by whoever runs it.
type Runtime struct {
	AWS     aws.Config
	Log     *slog.Logger
	Metrics io.Writer // takes metrics as lines; os.Stdout in a Lambda
	Now     func() time.Time
	Follow  FollowLog // of the function pages; nil for the others
	// TrustClock leaves Now alone, where a test sets it: it is not held against the
	// clock of DynamoDB.
	TrustClock bool
}

// Common is the configuration of every function.
type Common struct {
	Table     string `env:"TALLY_TABLE" doc:"name of the DynamoDB table"`
	Namespace string `env:"TALLY_NAMESPACE" doc:"CloudWatch namespace of the metrics" default:"tally"`
}

// instant is the time in milliseconds.
func (r Runtime) instant() settlement.Instant { return settlement.Instant(r.Now().UnixMilli()) }

func (r Runtime) table(c Common) *store.Table {
	return store.New(dynamodb.NewFromConfig(r.AWS), c.Table)
}

// clocked is the table of a function that decides by time, with the check of its
// clock, which hears all that the table is asked.
func (r Runtime) clocked(c Common, measured *metrics.Metrics) (*store.Table, clock.Check) {
	if r.TrustClock {
		return r.table(c), nil
	}
	watch := &clock.Watch{Now: r.instant, Record: func() { measured.Add(metrics.ClockWrong, "", 1) }}
	table := store.New(dynamodb.NewFromConfig(r.AWS, func(o *dynamodb.Options) { o.APIOptions = append(o.APIOptions, watch.Attach) }), c.Table)
	watch.Ask = func(ctx context.Context) error {
		_, _, err := table.Get(ctx, store.ReconcileKey, store.ReconcileKey)
		return err
	}
	return table, watch.Check
}

func (r Runtime) queue(client *sqs.Client, url string) *sqsqueue.Queue {
	return sqsqueue.New(client, url)
}

// queueHandler makes the handler of a function that the queues of these URLs
// feed. Metrics are written at the end of each invocation.
func (r Runtime) queueHandler(handle sqsbatch.Func, measured *metrics.Metrics, client *sqs.Client, options sqsbatch.Options, urls ...string) (QueueHandler, error) {
	visibility, err := sqsbatch.NewSQSVisibility(client, urls...)
	if err != nil {
		return nil, err
	}
	options.Visibility, options.Log = visibility, r.Log
	options.Observe = func(_ sqsbatch.Message, outcome sqsbatch.Outcome) {
		if outcome.Fault() {
			measured.Add(metrics.Failures, string(outcome), 1)
		}
	}
	handler, err := sqsbatch.New(handle, options)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		defer r.flush(ctx, measured)
		return handler.Handle(ctx, event)
	}, nil
}

// flush writes the metrics; that they could not be written fails nothing.
func (r Runtime) flush(ctx context.Context, measured *metrics.Metrics) {
	if err := measured.Flush(); err != nil {
		r.Log.WarnContext(ctx, "metrics are lost", "error", err)
	}
}
