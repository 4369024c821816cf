package functions_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"tally"
	"tally/lib/lambda/config"
	"tally/lib/local"
	"tally/lib/local/samtemplate"
)

var stacks atomic.Int64

// emulate makes the table and the queues of template.yaml in the emulator, for
// one test. Nothing is delivered by itself.
func emulate(t testing.TB, parameters map[string]string) *local.Stack {
	t.Helper()
	name := fmt.Sprintf("functions%d", stacks.Add(1))
	stack, err := local.Start(t.Context(), local.Options{
		Template: tally.Template, Stack: name, Parameters: parameters, Log: logger(t),
		Build: local.Tally(runtimeAt(t, time.Now)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stack.Close)
	return stack
}

func logger(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// functionOf is the function of a short name as template.yaml describes it.
func functionOf(t testing.TB, stack *local.Stack, name string) samtemplate.Function {
	t.Helper()
	at := slices.IndexFunc(stack.Resolved.Functions, func(f samtemplate.Function) bool { return f.Short == name })
	if at < 0 {
		t.Fatalf("template.yaml has no function %s", name)
	}
	return stack.Resolved.Functions[at]
}

// variables are those that the stack gives a function.
func variables(t *testing.T, stack *local.Stack, name string) map[string]string {
	t.Helper()
	return functionOf(t, stack, name).Environment.Variables
}

func lookup(variables map[string]string) config.Lookup {
	return func(name string) (string, bool) {
		value, set := variables[name]
		return value, set
	}
}

// queue returns the ARN of a queue by its logical id.
func queue(t *testing.T, stack *local.Stack, id string) string {
	t.Helper()
	for _, q := range stack.Resolved.Queues {
		if q.ID == id {
			return q.ARN
		}
	}
	t.Fatalf("template.yaml has no queue %s", id)
	return ""
}

// envelope is an event with messages of one queue, delivered once.
func envelope(arn string, sentAt time.Time, bodies ...string) events.SQSEvent {
	var event events.SQSEvent
	for i, body := range bodies {
		id := fmt.Sprintf("11111111-2222-4333-8444-%012d", i+1)
		event.Records = append(event.Records, events.SQSMessage{
			MessageId:         id,
			ReceiptHandle:     "receipt-" + id,
			Body:              body,
			Attributes:        map[string]string{"ApproximateReceiveCount": "1", "SentTimestamp": fmt.Sprint(sentAt.UnixMilli()), "SenderId": "AIDAEXAMPLE", "ApproximateFirstReceiveTimestamp": fmt.Sprint(sentAt.UnixMilli() + 25)},
			MessageAttributes: map[string]events.SQSMessageAttribute{},
			EventSource:       "aws:sqs",
			EventSourceARN:    arn,
			AWSRegion:         strings.Split(arn, ":")[3],
		})
	}
	return event
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
