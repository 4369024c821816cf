// Package runtime is what tally's Lambdas have in common: what runs them, their clock, their
// metrics, and the start of a process. Each is put together in a package of its own beside
// this one, which imports only what that function needs: a cold start loads all that is
// linked. So there is no client of AWS here.
package runtime

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"

	"tally/lib/lambda/metrics"
	"tally/lib/rulebook/settlement"
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

// Scheduled makes the handler of a function that a schedule runs. Metrics are written at
// the end of each run; what says what a failure comes to.
func Scheduled(r Runtime, measured *metrics.Metrics, what string, run func(context.Context) error) ScheduledHandler {
	return func(ctx context.Context) error {
		defer r.Flush(ctx, measured)
		err := run(ctx)
		if err != nil {
			measured.Add(metrics.Failures, "error", 1)
			r.Log.ErrorContext(ctx, what, "error", err)
		}
		return err
	}
}

// Flush writes the metrics; that they could not be written fails nothing.
func (r Runtime) Flush(ctx context.Context, measured *metrics.Metrics) {
	if err := measured.Flush(); err != nil {
		r.Log.WarnContext(ctx, "metrics are lost", "error", err)
	}
}
