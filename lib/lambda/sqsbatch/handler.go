package sqsbatch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Handler handles SQS events. Make one with [New]. It keeps nothing between
// events and may be used by several goroutines.
type Handler struct {
	handle  Func
	options Options
}

// Handle works through the messages of an event and names those that failed. It
// returns before the context's deadline. Its own error is for an event that
// can't be answered by message, and fails the whole batch.
func (h *Handler) Handle(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
	response := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
	if err := checkIDs(event.Records); err != nil {
		return response, fmt.Errorf("reading an SQS event: %w", err)
	}
	done := h.runAll(ctx, event.Records)
	for i, record := range event.Records {
		if !done[i] {
			response.BatchItemFailures = append(response.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: record.MessageId})
		}
	}
	return response, nil
}

// runAll tells for each record whether its message is done.
func (h *Handler) runAll(ctx context.Context, records []events.SQSMessage) []bool {
	work, cancel := before(ctx, margin)
	defer cancel()
	done := make([]bool, len(records))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(h.options.Concurrency, len(records)) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(records) {
					return
				}
				done[i] = h.deliver(ctx, work, records[i])
			}
		})
	}
	workers.Wait()
	return done
}

// before returns a context that ends the given time before ctx does.
func before(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	deadline, bounded := ctx.Deadline()
	if !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-by))
}

// deliver runs one message in the context work, sees to its return unless it is
// done, and tells whether it is.
func (h *Handler) deliver(ctx, work context.Context, record events.SQSMessage) bool {
	message, err := messageOf(record)
	var result result
	switch {
	case err != nil:
		result = faultOf(fmt.Errorf("reading the record: %w", err))
	case !timeLeft(work):
		result.outcome = OutcomeNotStarted
	default:
		result = h.run(work, message)
	}
	h.options.Observe(message, result.outcome)
	h.log(ctx, message, result)
	if result.outcome != OutcomeDone {
		h.bringBack(ctx, message, result)
	}
	return result.outcome == OutcomeDone
}

func timeLeft(work context.Context) bool {
	deadline, bounded := work.Deadline()
	return work.Err() == nil && (!bounded || time.Until(deadline) >= least)
}

// run calls the message function and waits for it, but not for long after its
// context has ended.
func (h *Handler) run(work context.Context, message Message) result {
	ctx, cancel := context.WithCancel(work)
	defer cancel()
	// With room for the result, so that a function that was left behind can end.
	returned := make(chan result, 1)
	go func() { h.call(ctx, message, returned) }()
	select {
	case result := <-returned:
		return result
	case <-ctx.Done():
	}
	patience := time.NewTimer(margin / 2)
	defer patience.Stop()
	select {
	case result := <-returned:
		return result
	case <-patience.C:
		return result{outcome: OutcomeDeadline, err: fmt.Errorf("left behind, still running: %w", context.Cause(ctx))}
	}
}

// call sends exactly one result, however the message function ends: by return,
// panic or runtime.Goexit.
func (h *Handler) call(ctx context.Context, message Message, returned chan<- result) {
	ended := result{outcome: OutcomePanic, err: errors.New("the message function ended its goroutine")}
	defer func() {
		if value := recover(); value != nil {
			ended = result{outcome: OutcomePanic, err: panicError(value), stack: string(debug.Stack())}
		}
		returned <- ended
	}()
	err := h.handle(ctx, message)
	ended = resultOf(ctx, err)
}

// panicError quotes a runtime error, such as an index out of range. Any other
// value may hold parts of a message.
func panicError(value any) error {
	if fault, ok := value.(runtime.Error); ok {
		return fmt.Errorf("panic: %w", fault)
	}
	return fmt.Errorf("panic with a %T", value)
}

func resultOf(ctx context.Context, err error) result {
	var back RetryAfter
	switch {
	case err == nil:
		return result{outcome: OutcomeDone}
	case errors.As(err, &back):
		return result{outcome: OutcomeGivenBack, err: err, after: back.After}
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return result{outcome: OutcomeDeadline, err: err}
	default:
		return faultOf(err)
	}
}

func faultOf(err error) result { return result{outcome: OutcomeError, err: err} }

func (h *Handler) log(ctx context.Context, message Message, result result) {
	log := h.options.Log.With("queue", message.QueueName(), "message_id", message.ID, "receives", message.ReceiveCount)
	switch {
	case result.outcome == OutcomePanic:
		log.ErrorContext(ctx, "message failed", "kind", result.outcome, "error", result.err, "stack", result.stack)
	case result.outcome.Fault():
		log.ErrorContext(ctx, "message failed", "kind", result.outcome, "error", result.err)
	case result.outcome == OutcomeGivenBack:
		log.InfoContext(ctx, "message retried later", "reason", result.err)
	case result.outcome == OutcomeNotStarted:
		log.WarnContext(ctx, "message not started: the time of this invocation is up")
	default:
		log.DebugContext(ctx, "message done")
	}
}

// bringBack changes when the message is delivered again; best effort.
func (h *Handler) bringBack(ctx context.Context, message Message, result result) {
	if h.options.Visibility == nil {
		return
	}
	var after time.Duration
	switch {
	case result.outcome == OutcomeGivenBack:
		after = result.after
	case result.outcome.Fault():
		after = backoff(message.ReceiveCount, h.options.Random())
	}
	// The message's own context may have ended; this one leaves time to answer.
	ctx, cancel := before(ctx, margin/4)
	defer cancel()
	ctx, cancelCall := context.WithTimeout(ctx, margin/2)
	defer cancelCall()
	if err := h.options.Visibility.ChangeVisibility(ctx, message, wholeSeconds(after)); err != nil {
		h.options.Log.LogAttrs(ctx, slog.LevelWarn, "message comes back only at the end of its visibility timeout",
			slog.String("queue", message.QueueName()), slog.String("message_id", message.ID), slog.Any("error", err))
	}
}
