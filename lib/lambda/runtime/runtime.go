// Package runtime is what tally's Lambdas have in common: what runs them, their clients,
// their clock, their metrics, and the start of a process. Each is put together in a
// package of its own beside this one, which imports only what that function needs: a
// cold start loads all that is linked.
package runtime

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/lambda/metrics"
	"tally/lib/lambda/sqsbatch"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/clock"
)

// QueueHandler is a function that a queue feeds.
type QueueHandler func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error)

// ScheduledHandler is a function that a schedule runs.
type ScheduledHandler func(ctx context.Context) error

// HTTPHandler is a function that API Gateway calls with requests. Serve is the
// same for an HTTP server: metrics are written after each request.
type HTTPHandler struct {
	Serve  http.Handler
	Invoke func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)
}

// Runtime is what a function is given by whoever runs it.
type Runtime struct {
	AWS     aws.Config
	Log     *slog.Logger
	Metrics io.Writer // takes metrics as lines; os.Stdout in a Lambda
	Now     func() time.Time
	// TrustClock leaves Now alone, where a test sets it: it is not held against the
	// clock of DynamoDB.
	TrustClock bool
}

// Common is the configuration of every function that has the table.
type Common struct {
	Table     string `env:"TALLY_TABLE" doc:"name of the DynamoDB table"`
	Namespace string `env:"TALLY_NAMESPACE" doc:"CloudWatch namespace of the metrics" default:"tally"`
}

// Instant is the time in milliseconds.
func (r Runtime) Instant() settlement.Instant { return settlement.Instant(r.Now().UnixMilli()) }

// Table is the table of a function that decides nothing by time. What brings a client is
// no method of Runtime: where templates are linked, as in pages, a method stays in the
// program though nothing calls it.
func Table(r Runtime, c Common) *store.Table {
	return store.New(dynamodb.NewFromConfig(r.AWS), c.Table)
}

// Clocked is the table of a function that decides by time, with the check of its
// clock, which hears all that the table is asked.
func Clocked(r Runtime, c Common, measured *metrics.Metrics) (*store.Table, clock.Check) {
	if r.TrustClock {
		return Table(r, c), nil
	}
	watch := &clock.Watch{Now: r.Instant, Record: func() { measured.Add(metrics.ClockWrong, "", 1) }}
	table := store.New(dynamodb.NewFromConfig(r.AWS, func(o *dynamodb.Options) { o.APIOptions = append(o.APIOptions, watch.Attach) }), c.Table)
	watch.Ask = func(ctx context.Context) error {
		_, _, err := table.Get(ctx, store.ReconcileKey, store.ReconcileKey)
		return err
	}
	return table, watch.Check
}

// HandleQueues makes the handler of a function that the queues of these URLs
// feed. Metrics are written at the end of each invocation.
func HandleQueues(r Runtime, handle sqsbatch.Func, measured *metrics.Metrics, client *sqs.Client, options sqsbatch.Options, urls ...string) (QueueHandler, error) {
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
	handler := sqsbatch.New(handle, options)
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		defer r.Flush(ctx, measured)
		return handler.Handle(ctx, event)
	}, nil
}

// Flush writes the metrics; that they could not be written fails nothing.
func (r Runtime) Flush(ctx context.Context, measured *metrics.Metrics) {
	if err := measured.Flush(); err != nil {
		r.Log.WarnContext(ctx, "metrics are lost", "error", err)
	}
}
