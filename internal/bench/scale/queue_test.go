package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"tally/lib/lambda/runtime"
	"tally/lib/local/samtemplate"
)

// message is one of a queue.
type message struct {
	id, body string
	sent     time.Time // by the queue's clock
	due      time.Time // when its delay was over
	receives int
}

// queue is a standard queue of SQS, and the pollers that feed a function from it.
type queue struct {
	spec  samtemplate.Queue
	cloud *cloud

	mutex    sync.Mutex
	ready    []*message
	inFlight map[string]*message // by id
	back     map[string]time.Duration
	delayed  int
	arrived  chan struct{} // holds one while a message may be ready
	next     int
	dead     int
	most     int // in flight at once
	requests int
	sends    int
	longest  int // ready at once
	done     func(m *message)
}

func newQueue(spec samtemplate.Queue, c *cloud) *queue {
	return &queue{spec: spec, cloud: c, inFlight: map[string]*message{}, back: map[string]time.Duration{}, arrived: make(chan struct{}, 1)}
}

// send takes a message, which is delivered after a delay.
func (q *queue) send(body string, delay time.Duration) {
	q.mutex.Lock()
	q.next++
	q.sends++
	now := time.Now()
	m := &message{id: q.spec.Name + "-" + strconv.Itoa(q.next), body: body, sent: now, due: now.Add(delay)}
	q.mutex.Unlock()
	q.put(m, delay)
}

// put makes a message ready after a delay.
func (q *queue) put(m *message, delay time.Duration) {
	if delay > 0 {
		q.mutex.Lock()
		q.delayed++
		q.mutex.Unlock()
		time.AfterFunc(delay, func() {
			q.mutex.Lock()
			q.delayed--
			q.mutex.Unlock()
			q.put(m, 0)
		})
		return
	}
	q.mutex.Lock()
	q.ready = append(q.ready, m)
	q.longest = max(q.longest, len(q.ready))
	q.mutex.Unlock()
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.arrived <- struct{}{}:
	default:
	}
}

// holds is how many messages are in the queue, whatever their state.
func (q *queue) holds() int {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return len(q.ready) + len(q.inFlight) + q.delayed
}

// waiting is how many can be received.
func (q *queue) waiting() int {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return len(q.ready)
}

// receive takes up to so many messages.
func (q *queue) receive(most int) (list []*message) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	bytes := 0
	for len(list) < most && len(q.ready) > 0 && len(q.inFlight) < int(queueInFlight.value) {
		m := q.ready[0]
		if bytes += len(m.body); bytes > int(payload.value*(1<<20)) {
			break
		}
		q.ready = q.ready[1:]
		m.receives++
		q.inFlight[m.id] = m
		list = append(list, m)
	}
	q.most = max(q.most, len(q.inFlight))
	q.requests += (len(list) + 9) / 10 // ten is the most of one request
	return list
}

// settle sees to messages whose invocation has ended: those that failed come back.
func (q *queue) settle(list []*message, failed map[string]bool) {
	q.mutex.Lock()
	q.requests += (len(list) + 9) / 10 // deletions
	q.mutex.Unlock()
	for _, m := range list {
		q.mutex.Lock()
		delete(q.inFlight, m.id)
		after, changed := q.back[m.id]
		delete(q.back, m.id)
		if !changed {
			after = time.Duration(q.spec.Visibility) * time.Second
		}
		isDead := failed[m.id] && q.spec.Redrive != nil && m.receives >= q.spec.Redrive.MaxReceives
		if isDead {
			q.dead++
		}
		if !failed[m.id] {
		}
		q.mutex.Unlock()
		switch {
		case !failed[m.id]:
			if q.done != nil {
				q.done(m)
			}
		case !isDead:
			q.put(m, after)
		}
	}
}

// source feeds a function from a queue.
type source struct {
	queue  *queue
	to     *function
	batch  int
	window time.Duration
	limit  int // batches at once

	mutex   sync.Mutex
	busy    int
	most    int
	allowed float64 // batches at once that pollers have grown to
	grown   time.Time
}

// newSource wires a queue to a function, as the template says.
func newSource(q *queue, f *function, event samtemplate.Event) *source {
	from := event.Properties
	limit := from.Scaling["MaximumConcurrency"]
	if limit == 0 {
		limit = int(pollersMost.value)
	}
	return &source{queue: q, to: f, batch: max(1, from.BatchSize), window: time.Duration(from.Window) * time.Second,
		limit: limit, allowed: pollersFirst.value, grown: time.Now()}
}

// run feeds the function until ctx ends.
func (s *source) run(ctx context.Context, running *sync.WaitGroup) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.queue.arrived:
		}
		for s.queue.waiting() > 0 && s.begin() {
			running.Go(func() { s.poll(ctx) })
		}
	}
}

// begin takes a poller, if one is free.
func (s *source) begin() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := time.Now()
	if s.busy >= int(s.allowed) { // messages wait: there are more pollers from now on
		s.allowed = min(pollersMost.value, s.allowed+pollersMore.value/60*min(1, now.Sub(s.grown).Seconds()))
		s.grown = now
	}
	if s.busy >= min(s.limit, int(s.allowed)) {
		time.AfterFunc(100*time.Millisecond, s.queue.wake)
		return false
	}
	s.busy++
	s.most = max(s.most, s.busy)
	return true
}

func (s *source) end() {
	s.mutex.Lock()
	s.busy--
	s.mutex.Unlock()
	s.queue.wake()
}

// poll receives a batch and invokes the function with it.
func (s *source) poll(ctx context.Context) {
	defer s.end()
	if wait(ctx, s.queue.cloud.chance.about(queueMedian, queueP99)/2) != nil {
		return
	}
	list := s.queue.receive(s.batch)
	for until := time.Now().Add(s.window); len(list) > 0 && len(list) < s.batch && time.Now().Before(until); {
		if wait(ctx, min(50*time.Millisecond, time.Until(until))) != nil {
			return
		}
		if s.queue.waiting() > 0 {
			list = append(list, s.queue.receive(s.batch-len(list))...)
		}
	}
	if len(list) == 0 {
		return
	}
	s.queue.settle(list, s.invoke(ctx, list))
}

// invoke calls the function and returns which messages it did not do.
func (s *source) invoke(ctx context.Context, list []*message) (failed map[string]bool) {
	made, err := s.to.take()
	for err != nil { // the poller tries again
		if wait(ctx, time.Second) != nil {
			return nil
		}
		made, err = s.to.take()
	}
	began := time.Now()
	defer func() { s.to.give(made, began) }()
	within, cancel := context.WithTimeout(ctx, s.to.spec.Timeout())
	defer cancel()
	handle, is := made.handler.(runtime.QueueHandler)
	if !is {
		panic(fmt.Sprintf("%s is a %T, which no queue can feed", s.to.spec.Short, made.handler))
	}
	event := events.SQSEvent{}
	for _, m := range list {
		event.Records = append(event.Records, events.SQSMessage{MessageId: m.id, ReceiptHandle: m.id, Body: m.body, EventSource: "aws:sqs", EventSourceARN: s.queue.spec.ARN, AWSRegion: region,
			Attributes: map[string]string{"SentTimestamp": strconv.FormatInt(m.sent.UnixMilli(), 10), "ApproximateReceiveCount": strconv.Itoa(m.receives)}})
	}
	answer, err := handle(within, event)
	failed = map[string]bool{}
	if err != nil {
		for _, m := range list {
			failed[m.id] = true
		}
	}
	for _, one := range answer.BatchItemFailures {
		failed[one.ItemIdentifier] = true
	}
	return failed
}
