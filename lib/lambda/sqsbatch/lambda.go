package sqsbatch

import (
	"context"

	"github.com/aws/aws-lambda-go/events"

	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
)

// HandleQueues makes the handler of a function that the queues of these URLs
// feed. Metrics are written at the end of each invocation.
func HandleQueues(r runtime.Runtime, handle Func, measured *metrics.Metrics, client SQSClient, options Options, urls ...string) (runtime.QueueHandler, error) {
	visibility, err := NewSQSVisibility(client, urls...)
	if err != nil {
		return nil, err
	}
	options.Visibility, options.Log = visibility, r.Log
	options.Observe = func(_ Message, outcome Outcome) {
		if outcome.Fault() {
			measured.Add(metrics.Failures, string(outcome), 1)
		}
	}
	handler := New(handle, options)
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		defer r.Flush(ctx, measured)
		return handler.Handle(ctx, event)
	}, nil
}
