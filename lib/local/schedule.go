package local

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"tally/lib/lambda/runtime"
)

// schedule runs one function at a rate.
type schedule struct {
	every    time.Duration
	timeout  time.Duration
	function string
	handle   runtime.ScheduledHandler
	log      *slog.Logger
}

// run runs the function until ctx ends, the first time when one interval has
// passed. A run that takes longer than the interval leaves out what it missed.
func (s *schedule) run(ctx, work context.Context) {
	ticks := time.NewTicker(s.every)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if err := s.invoke(work); err != nil {
			s.log.ErrorContext(work, "invocation failed", "function", s.function, "error", err)
		}
	}
}

// invoke calls the function within its timeout.
func (s *schedule) invoke(work context.Context) (err error) {
	ctx, cancel := context.WithTimeout(work, s.timeout)
	defer cancel()
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	return s.handle(ctx)
}

// parseRate reads a schedule such as rate(1 minute).
func parseRate(text string) (time.Duration, error) {
	fail := fmt.Errorf("%q is no schedule that the local stack knows: it knows rate(1 minute), rate(5 minutes) and the like", text)
	inside, isRate := strings.CutPrefix(text, "rate(")
	inside, ends := strings.CutSuffix(inside, ")")
	count, unit, _ := strings.Cut(inside, " ")
	n, err := strconv.Atoi(count)
	if !isRate || !ends || err != nil || n < 1 {
		return 0, fail
	}
	switch strings.TrimSuffix(unit, "s") {
	case "minute":
		return time.Duration(n) * time.Minute, nil
	case "hour":
		return time.Duration(n) * time.Hour, nil
	case "day":
		return time.Duration(n) * 24 * time.Hour, nil
	}
	return 0, fail
}
