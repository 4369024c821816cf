package sqsbatch

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Func handles one message; the package comment says what it may rely on.
type Func func(ctx context.Context, message Message) error

// Options sets up a [Handler]. The zero value of a field stands for its default.
type Options struct {
	// Concurrency is how many messages of a batch are worked on at once; 1 by
	// default.
	Concurrency int

	// Visibility brings messages back sooner or later than the queue's own
	// timeout would; by default none does.
	Visibility Visibility

	// Log takes what the package comment says; slog.Default by default.
	Log *slog.Logger

	// Observe gets every outcome, for metrics. Several goroutines call it.
	Observe func(message Message, outcome Outcome)

	// Random returns numbers from 0 up to 1 for the backoff, from several
	// goroutines; math/rand's by default.
	Random func() float64
}

const (
	// margin is the time before the Lambda's deadline at which the messages'
	// contexts end. In the first half of it functions that heed their context
	// return; the second is for changing the visibility of what is left and for
	// answering.
	margin = 2 * time.Second
	// least is the time that must be left for a message to be started.
	least = time.Second
)

// New returns a handler that calls handle for each message.
func New(handle Func, options Options) *Handler {
	options.Concurrency = max(1, options.Concurrency)
	if options.Log == nil {
		options.Log = slog.Default()
	}
	if options.Observe == nil {
		options.Observe = func(Message, Outcome) {}
	}
	if options.Random == nil {
		options.Random = rand.Float64
	}
	return &Handler{handle: handle, options: options}
}
