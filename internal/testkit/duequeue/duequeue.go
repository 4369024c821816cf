// Package duequeue is the queue due-draws in memory, for tests: what is sent waits until a test
// takes it.
package duequeue

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"tally/lib/draw/wire"
	"tally/lib/pipeline/reconcile"
)

// ErrLost is the error of a send whose messages may be there.
var ErrLost = errors.New("the answer is lost")

// Queue holds looks. The zero value is empty; several goroutines may use it.
type Queue struct {
	Fails   bool // what is sent arrives, and the sender does not learn it
	Sent    int  // messages in all
	Batches int  // in which they were sent

	mutex  sync.Mutex
	bodies []string
}

var _ reconcile.Looks = (*Queue)(nil)

// SendAll implements [reconcile.Looks].
func (q *Queue) SendAll(_ context.Context, bodies []string) error {
	if len(bodies) == 0 || len(bodies) > reconcile.BatchSize {
		return fmt.Errorf("a batch has %d messages", len(bodies))
	}
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.bodies, q.Sent, q.Batches = append(q.bodies, bodies...), q.Sent+len(bodies), q.Batches+1
	if q.Fails {
		return ErrLost
	}
	return nil
}

// Waiting implements [reconcile.Looks].
func (q *Queue) Waiting(context.Context) (int, error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return len(q.bodies), nil
}

// Put puts a message back.
func (q *Queue) Put(body string) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.bodies = append(q.bodies, body)
}

// Take takes all messages.
func (q *Queue) Take() (bodies []string) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	bodies, q.bodies = q.bodies, nil
	return bodies
}

// Work has all looks made that wait, one after the other. What fails waits again.
func (q *Queue) Work(ctx context.Context, by *reconcile.Reconciler) (failed error) {
	for _, body := range q.Take() {
		asked, err := wire.ParseDue(body)
		if err == nil {
			err = by.Look(ctx, asked)
		}
		if err != nil {
			failed = errors.Join(failed, err)
			q.Put(body)
		}
	}
	return failed
}
