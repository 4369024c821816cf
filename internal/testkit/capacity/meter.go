package capacity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
)

// Count is what was counted for one operation, or for several.
type Count struct {
	Calls    int64     // calls of the client's method
	Attempts int64     // requests sent for them
	Items    int64     // items written, deleted, checked or tried to be, or read and found
	Reads    HalfUnits // read capacity
	Writes   HalfUnits // write capacity
	Unseen   int64     // items or answers whose size was not all seen: units are then a lower bound
}

func (c Count) plus(o Count) Count {
	return Count{
		Calls: c.Calls + o.Calls, Attempts: c.Attempts + o.Attempts, Items: c.Items + o.Items,
		Reads: c.Reads + o.Reads, Writes: c.Writes + o.Writes, Unseen: c.Unseen + o.Unseen,
	}
}

func (c Count) times(n int64) Count {
	return Count{
		Calls: n * c.Calls, Attempts: n * c.Attempts, Items: n * c.Items,
		Reads: HalfUnits(n) * c.Reads, Writes: HalfUnits(n) * c.Writes, Unseen: n * c.Unseen,
	}
}

// Snapshot holds the counts by operation: "PutItem", "Query", …
type Snapshot map[string]Count

// Total returns the sum over all operations.
func (s Snapshot) Total() Count {
	var total Count
	for _, count := range s {
		total = total.plus(count)
	}
	return total
}

// Minus returns what was counted since an earlier snapshot of the same meter,
// without the operations that were not called since.
func (s Snapshot) Minus(earlier Snapshot) Snapshot {
	since := Snapshot{}
	for operation, count := range s {
		if change := count.plus(earlier[operation].times(-1)); change != (Count{}) {
			since[operation] = change
		}
	}
	return since
}

// Operations returns the names of the operations counted, in order.
func (s Snapshot) Operations() []string { return slices.Sorted(maps.Keys(s)) }

// Meter counts for all the clients that it is attached to. It may be used by any
// number of goroutines.
type Meter struct {
	keys []string

	mu     sync.Mutex
	counts Snapshot
}

// New returns a meter that has counted nothing. Keys are the names of the key
// attributes of the tables: a write under attribute_not_exists of one of them is
// known to replace nothing.
func New(keys ...string) *Meter {
	return &Meter{keys: slices.Clone(keys), counts: Snapshot{}}
}

// Attach makes a client count here:
//
//	dynamodb.NewFromConfig(config, meter.Attach)
func (m *Meter) Attach(options *dynamodb.Options) {
	options.APIOptions = append(options.APIOptions, m.addTo)
}

// Reset forgets what was counted.
func (m *Meter) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts = Snapshot{}
}

// Snapshot returns a copy of the counts. Calls still under way count in it with
// the attempts that have ended.
func (m *Meter) Snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.counts)
}

// String returns the counts as a table; see [Snapshot.String].
func (m *Meter) String() string { return m.Snapshot().String() }

func (m *Meter) add(operation string, count Count) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[operation] = m.counts[operation].plus(count)
}

// Attempted counts one call of one attempt that was not made through a client, and returns what it
// took: of an operation's input, and its output or its error.
func (m *Meter) Attempted(operation string, input, output any, err error) Count {
	count := m.cost(input, output, err)
	count.Calls, count.Attempts = 1, 1
	m.add(operation, count)
	return count
}

// inputKey is the context key of an operation's input, for its attempts.
type inputKey struct{}

// addTo adds the two halves: one around the call, which has the input, and one
// around each attempt, which has the answer to it.
func (m *Meter) addTo(stack *middleware.Stack) error {
	call := middleware.InitializeMiddlewareFunc("tally.MeterCall", m.call)
	if err := stack.Initialize.Add(call, middleware.After); err != nil {
		return fmt.Errorf("adding the meter of calls: %w", err)
	}
	attempt := middleware.FinalizeMiddlewareFunc("tally.MeterAttempt", m.attempt)
	if err := stack.Finalize.Insert(attempt, "Retry", middleware.After); err != nil {
		return fmt.Errorf("adding the meter of attempts: %w", err)
	}
	return nil
}

func (m *Meter) call(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
	m.add(awsmiddleware.GetOperationName(ctx), Count{Calls: 1})
	return next.HandleInitialize(middleware.WithStackValue(ctx, inputKey{}, in.Parameters), in)
}

func (m *Meter) attempt(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
	out, metadata, err := next.HandleFinalize(ctx, in)
	count := m.cost(middleware.GetStackValue(ctx, inputKey{}), out.Result, err)
	count.Attempts = 1
	m.add(awsmiddleware.GetOperationName(ctx), count)
	return out, metadata, err
}
