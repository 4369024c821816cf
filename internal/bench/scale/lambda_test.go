package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/middleware"

	"tally/internal/testkit/capacity"
	"tally/lib/lambda/functions"
	"tally/lib/lambda/runtime"
	"tally/lib/local/samtemplate"
)

// wait lets time pass, or returns why it did not.
func wait(ctx context.Context, long time.Duration) error {
	if long <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// work is the processor of one instance: what is computed comes one after the other.
type work struct {
	of    *function
	mutex sync.Mutex
	share float64 // of a core
	free  time.Time
}

// compute takes processor time that would be so much on a whole core.
func (w *work) compute(onCore time.Duration) {
	w.of.computed.Add(int64(onCore))
	w.mutex.Lock()
	now := time.Now()
	if w.free.Before(now) {
		w.free = now
	}
	w.free = w.free.Add(time.Duration(float64(onCore) / w.share))
	until := w.free
	w.mutex.Unlock()
	time.Sleep(until.Sub(now))
}

// instance is a process of a function, with all that it remembers.
type instance struct {
	work    work
	cloud   *cloud
	handler any
}

// function is a Lambda: its instances, and what it has taken.
type function struct {
	spec  samtemplate.Function
	cloud *cloud

	mutex     sync.Mutex
	idle      []*instance
	busy, all int
	most      int // busy at once
	colds     int
	throttled int
	growth    bucket // instances that may be made now
	calls     int
	billed    time.Duration
	longest   time.Duration
	measured  time.Duration // billed in what is measured, once that is over
	meter     *capacity.Meter
	logs      lines
	sent      atomic.Int64 // requests of SQS, but for those of its pollers
	puts      atomic.Int64 // writes of S3, and lists
	gets      atomic.Int64
	signs     atomic.Int64
	computed  atomic.Int64 // processor time in ns, on a core
}

// account is the concurrency that all functions share.
type account struct {
	mutex      sync.Mutex
	busy, most int
	limit      int
}

func (a *account) take() bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.busy >= a.limit {
		return false
	}
	a.busy++
	a.most = max(a.most, a.busy)
	return true
}

func (a *account) give() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.busy--
}

func newFunction(spec samtemplate.Function, c *cloud) *function {
	rate := scaleUp.value / 10
	return &function{spec: spec, cloud: c, meter: capacity.New(partitionKey, sortKey), logs: lines{errors: map[string]int{}}, growth: bucket{rate: rate, units: scaleUp.value, at: time.Now()}}
}

// errThrottled says that no instance is free and none may be made.
var errThrottled = errors.New("too many invocations at once")

// take returns an instance that is free, or a new one after its cold start.
func (f *function) take() (*instance, error) {
	if !f.cloud.account.take() {
		f.refuse()
		return nil, errThrottled
	}
	f.mutex.Lock()
	if n := len(f.idle); n > 0 {
		free := f.idle[n-1]
		f.idle = f.idle[:n-1]
		f.begin()
		f.mutex.Unlock()
		return free, nil
	}
	now := time.Now()
	f.growth.units = min(scaleUp.value, f.growth.units+f.growth.rate*now.Sub(f.growth.at).Seconds())
	f.growth.at = now
	if f.growth.units < 1 {
		f.mutex.Unlock()
		f.cloud.account.give()
		f.refuse()
		return nil, errThrottled
	}
	f.growth.units--
	f.all++
	f.colds++
	f.begin()
	f.mutex.Unlock()
	time.Sleep(f.cloud.chance.about(coldMedian, coldP99))
	made, err := f.make()
	if err != nil {
		panic(fmt.Sprintf("putting %s together: %v", f.spec.Short, err)) // the model can't go on without
	}
	return made, nil
}

func (f *function) begin() {
	f.busy++
	f.most = max(f.most, f.busy)
	f.calls++
}

func (f *function) refuse() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.throttled++
}

// give gives an instance back after an invocation.
func (f *function) give(i *instance, began time.Time) {
	f.mutex.Lock()
	f.idle = append(f.idle, i)
	f.busy--
	f.billed += time.Since(began)
	f.longest = max(f.longest, time.Since(began))
	f.mutex.Unlock()
	f.cloud.account.give()
}

// make puts an instance together, as the template has it.
func (f *function) make() (*instance, error) {
	i := &instance{cloud: f.cloud}
	i.work.of = f
	i.work.share = float64(f.spec.MemoryMB) / coreMemory.value
	lookup := func(name string) (string, bool) {
		value, set := f.spec.Environment.Variables[name]
		return value, set
	}
	clients := aws.Config{Region: region, Credentials: credentials.NewStaticCredentialsProvider("model", "model", ""),
		APIOptions: []func(*middleware.Stack) error{i.attach}}
	log := slog.New(slog.NewJSONHandler(&f.logs, nil))
	var err error
	i.handler, err = functions.New(f.spec.Short, lookup, runtime.Runtime{AWS: clients, Log: log, Metrics: &f.logs, Now: time.Now, TrustClock: true})
	return i, err
}

// attach answers all requests of an instance before they are written down.
func (i *instance) attach(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Modelled",
		func(ctx context.Context, in middleware.InitializeInput, _ middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			if !starting(in.Parameters) && unscheduled[i.work.of.spec.Short] == "" {
				i.work.compute(requestWork.duration())
			}
			out, err := i.cloud.answer(ctx, &i.work, in.Parameters)
			return middleware.InitializeOutput{Result: out}, middleware.Metadata{}, err
		}), middleware.Before)
}

// lines counts what is written to the logs, and which of it are errors.
type lines struct {
	mutex   sync.Mutex
	bytes   int
	errors  map[string]int
	samples []string // of errors
}

// Write implements io.Writer.
func (l *lines) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.bytes += len(text)
	for _, level := range []string{"ERROR", "WARN"} {
		if bytes.Contains(text, []byte(`"level":"`+level+`"`)) {
			l.errors[level]++
			if len(l.samples) < 5 {
				l.samples = append(l.samples, string(text))
			}
		}
	}
	return len(text), nil
}
