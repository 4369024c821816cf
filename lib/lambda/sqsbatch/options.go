package sqsbatch

import (
	"context"
	"errors"
	"fmt"
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

	// Timeout bounds the work on one message; by default only the Lambda's
	// deadline does.
	Timeout time.Duration

	// Margin is the time before the Lambda's deadline at which the messages'
	// contexts end; 2 s by default. In the first half of it functions that heed
	// their context return; the second is for changing the visibility of what
	// is left and for answering.
	Margin time.Duration

	// Least is the time that must be left for a message to be started; 1 s by
	// default.
	Least time.Duration

	// Backoff is for messages that failed; from 2 s up to 15 minutes by default.
	Backoff Backoff

	// Visibility brings messages back sooner or later than the queue's own
	// timeout would; by default none does.
	Visibility Visibility

	// Log takes what the package comment says; slog.Default by default.
	Log *slog.Logger

	// Observe is told every outcome, for metrics. Several goroutines call it.
	Observe func(message Message, outcome Outcome)

	// Random returns numbers from 0 up to 1 for the backoff, from several
	// goroutines; math/rand's by default.
	Random func() float64
}

// New returns a handler that calls handle for each message.
func New(handle Func, options Options) (*Handler, error) {
	for name, value := range map[string]time.Duration{
		"Timeout": options.Timeout, "Margin": options.Margin, "Least": options.Least,
		"Backoff.Base": options.Backoff.Base, "Backoff.Max": options.Backoff.Max,
	} {
		if value < 0 {
			return nil, fmt.Errorf("lambdaqueue: %s is negative: %s", name, value)
		}
	}
	switch {
	case handle == nil:
		return nil, errors.New("lambdaqueue: there is no message function")
	case options.Concurrency < 0:
		return nil, fmt.Errorf("lambdaqueue: Concurrency is negative: %d", options.Concurrency)
	}
	return &Handler{handle: handle, options: options.withDefaults()}, nil
}

func (o Options) withDefaults() Options {
	o.Concurrency = orElse(o.Concurrency, 1)
	o.Margin = orElse(o.Margin, 2*time.Second)
	o.Least = orElse(o.Least, time.Second)
	o.Backoff.Base = orElse(o.Backoff.Base, 2*time.Second)
	o.Backoff.Max = orElse(o.Backoff.Max, 15*time.Minute)
	o.Log = orElse(o.Log, slog.Default())
	if o.Observe == nil {
		o.Observe = func(Message, Outcome) {}
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return o
}

func orElse[T comparable](value, byDefault T) T {
	var zero T
	if value == zero {
		return byDefault
	}
	return value
}
