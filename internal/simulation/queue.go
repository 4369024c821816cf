package simulation

import (
	"context"
	"errors"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw/wire"
)

// maxReceive is how often a message is delivered before it goes to the
// dead-letter queue.
const maxReceive = 6

// queue is an SQS queue in memory: at least once, in any order.
type queue struct {
	name     string
	messages []*message
	dead     []*message
}

type message struct {
	body      string
	sentAt    time.Time
	visibleAt time.Time
	receives  int
	inFlight  bool
}

func (q *queue) put(body string, delay time.Duration) {
	now := time.Now()
	q.messages = append(q.messages, &message{body: body, sentAt: now, visibleAt: now.Add(delay)})
}

// copy puts a message into the queue once more: it is delivered while it is being handled.
func (q *queue) copy(m *message, delay time.Duration) {
	q.messages = append(q.messages, &message{body: m.body, sentAt: m.sentAt, visibleAt: time.Now().Add(delay)})
}

// visible returns the messages that may be delivered now.
func (q *queue) visible() (list []*message) {
	now := time.Now()
	for _, m := range q.messages {
		if !m.inFlight && !m.visibleAt.After(now) {
			list = append(list, m)
		}
	}
	return list
}

// next returns when the next message becomes visible; ok is false when none will.
func (q *queue) next() (at time.Time, ok bool) {
	for _, m := range q.messages {
		if !m.inFlight && (!ok || m.visibleAt.Before(at)) {
			at, ok = m.visibleAt, true
		}
	}
	return at, ok
}

func (q *queue) remove(m *message) {
	for i := range q.messages {
		if q.messages[i] == m {
			q.messages = append(q.messages[:i], q.messages[i+1:]...)
			return
		}
	}
}

// retryAfter makes a message visible again after a while. A fault counts; after
// too many the message is dead.
func (q *queue) retryAfter(m *message, after time.Duration, fault bool) {
	m.inFlight = false
	m.visibleAt = time.Now().Add(after)
	if fault {
		m.receives++
	}
	if m.receives >= maxReceive {
		q.remove(m)
		q.dead = append(q.dead, m)
	}
}

// redrive puts the dead messages back.
func (q *queue) redrive() {
	for _, m := range q.dead {
		q.put(m.body, 0)
	}
	q.dead = nil
}

// sender sends to a queue as a handler does; the scheduler decides what becomes
// of it.
type sender struct {
	world *world
	queue *queue
}

// Send implements the senders of intake and settle.
func (s sender) Send(ctx context.Context, body string, delay time.Duration) error {
	const late = 3 * time.Second
	verdict := s.world.intercept(ctx, fakedynamo.Call{Operation: "Send", Keys: []string{s.queue.name + " " + body}, Write: true})
	if err := ctx.Err(); err != nil {
		s.lost(ctx, body)
		return err
	}
	switch verdict {
	case fakedynamo.Proceed:
	case fakedynamo.FailAfter:
		s.put(body, delay)
		return fakedynamo.ErrLost
	case fakedynamo.FailLate:
		s.put(body, delay+late)
		return fakedynamo.ErrLost
	case fakedynamo.SendTwice:
		s.put(body, delay)
	default:
		s.lost(ctx, body)
		return fakedynamo.ErrLost
	}
	s.put(body, delay)
	return nil
}

// lost notes that a request to look could not be sent, by a handler that goes on.
func (s sender) lost(ctx context.Context, body string) {
	run, err := wire.ParseRun(body)
	if t, isTask := ctx.Value(taskKey{}).(*task); isTask && !t.crashed.Load() && s.queue == s.world.sweeps && err == nil {
		s.world.promise.unlooked[partitionOf(&run)] = true
	}
}

// put puts a message into the queue. Of what is sent to the archive a list is kept.
func (s sender) put(body string, delay time.Duration) {
	s.queue.put(body, delay)
	if s.queue == s.world.archive {
		s.world.entries.put(body, delay)
	}
}

// looks sends to the queue of draws that are to be looked at.
type looks struct{ sender }

// SendAll implements [reconcile.Looks]: each message may be lost.
func (l looks) SendAll(ctx context.Context, bodies []string) (err error) {
	for _, body := range bodies {
		err = errors.Join(err, l.Send(ctx, body, 0))
	}
	return err
}

func (l looks) Waiting(context.Context) (int, error) { return len(l.queue.visible()), nil }
