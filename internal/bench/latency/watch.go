package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"

	"tally/lib/lambda/config"
	"tally/lib/lambda/runtime"
	"tally/lib/local"
)

// The steps from a result to its report, in their order. Those after read follow from fed.
const (
	sent = iota
	delivered
	stored
	queued
	taken
	begun
	planned
	settled
	fed
	readable
	read
	pushed
	logged
	steps
)

var stepNames = [steps]string{"sent", "delivered", "stored", "queued", "taken", "begun", "planned", "settled", "fed", "readable", "read",
	"pushed", "logged"}

// times are when a draw came to each step.
type times [steps]time.Time

// watch notes when draws come to each step.
type watch struct {
	dynamo *url.URL                     // where the table is, if not in the emulator
	fed    func(draw, bookmaker string) // is called when settle has written a feed's entry

	mutex sync.Mutex
	draws map[string]*times
	// done is closed for each message of the studio, by id, when intake is done with it.
	done map[string]chan struct{}
	// seen are the bookmakers that have read their report, by draw.
	seen map[string][]string
	// boards are when each message with odds was stored, by draw and round.
	boards map[string]time.Time
}

func newWatch() *watch {
	return &watch{draws: map[string]*times{}, done: map[string]chan struct{}{}, seen: map[string][]string{}, boards: map[string]time.Time{}}
}

// note notes a step; of those that several bookmakers come to, the last of them.
func (w *watch) note(draw string, step int, at time.Time) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	t := w.draws[draw]
	if t == nil {
		t = &times{}
		w.draws[draw] = t
	}
	last := step >= settled && step <= read || step == begun && t[planned].IsZero()
	if t[step].IsZero() || last && at.After(t[step]) {
		t[step] = at
	}
}

// of returns what was noted of a draw, and how many bookmakers have read their report.
func (w *watch) of(draw string) (times, int) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if t := w.draws[draw]; t != nil {
		return *t, len(w.seen[draw])
	}
	return times{}, 0
}

// saw notes that a bookmaker has read its report.
func (w *watch) saw(draw, bookmaker string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.seen[draw] = append(w.seen[draw], bookmaker)
}

// hasSeen tells whether a bookmaker has read its report.
func (w *watch) hasSeen(draw, bookmaker string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return slices.Contains(w.seen[draw], bookmaker)
}

// handled returns what is closed when intake is done with a message.
func (w *watch) handled(id string) chan struct{} {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.done[id] == nil {
		w.done[id] = make(chan struct{})
	}
	return w.done[id]
}

// board returns when a board was stored; zero before.
func (w *watch) board(draw string, round int) time.Time {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.boards[boardOf(draw, round)]
}

func boardOf(draw string, round int) string { return fmt.Sprintf("%s#%d", draw, round) }

// build puts functions together whose messages and requests are watched.
func (w *watch) build(given runtime.Runtime) local.Build {
	tally := local.Tally(given)
	return func(name string, variables config.Lookup, clients aws.Config) (any, error) {
		clients.HTTPClient = &observed{function: name, watch: w, inner: awshttp.NewBuildableClient()}
		made, err := tally(name, variables, clients)
		if handle, queued := made.(runtime.QueueHandler); queued {
			return w.invoked(name, handle), err
		}
		return made, err
	}
}

// drawForm finds the draw, the message and the bookmaker that a request is about.
var (
	drawForm      = regexp.MustCompile(`lat\.[a-z0-9_]+\.[a-z]+\.[0-9]+`)
	messageForm   = regexp.MustCompile(`lat\.[a-z0-9_]+\.[a-z]+\.[0-9]+-[a-z0-9-]+`)
	roundForm     = regexp.MustCompile(`"ROUND#([0-9]+)"`)
	bookmakerForm = regexp.MustCompile(`"FEED#([a-z0-9-]+)"`)
)

// resultID ends the id of the message with the result.
const resultID = "-result"

// invoked watches with which messages a function is invoked, and which it is done with.
func (w *watch) invoked(name string, handle runtime.QueueHandler) runtime.QueueHandler {
	return func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		at := time.Now()
		for _, m := range event.Records {
			switch draw := drawForm.FindString(m.Body); {
			case name == "intake" && strings.HasSuffix(messageForm.FindString(m.Body), resultID):
				w.note(draw, delivered, at)
			case name == "settle" && !strings.Contains(m.Body, `"look"`):
				w.note(draw, taken, at)
			}
		}
		response, err := handle(ctx, event)
		at = time.Now()
		for _, m := range event.Records {
			failed := func(f events.SQSBatchItemFailure) bool { return f.ItemIdentifier == m.MessageId }
			switch {
			case err != nil || slices.ContainsFunc(response.BatchItemFailures, failed):
			case name == "intake":
				w.finish(messageForm.FindString(m.Body))
			case name == "archive" && strings.Contains(m.Body, `"settlement"`):
				w.note(drawForm.FindString(m.Body), logged, at)
			}
		}
		return response, err
	}
}

// finish says that intake is done with a message.
func (w *watch) finish(id string) {
	done := w.handled(id)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	select {
	case <-done:
	default:
		close(done)
	}
}

// observed makes a function's requests, and watches them.
type observed struct {
	function string
	watch    *watch
	inner    aws.HTTPClient
}

// Do implements aws.HTTPClient.
func (o *observed) Do(r *http.Request) (*http.Response, error) {
	target := r.Header.Get("X-Amz-Target")
	if o.watch.dynamo != nil && strings.HasPrefix(target, "DynamoDB_") {
		r.URL.Scheme, r.URL.Host = o.watch.dynamo.Scheme, o.watch.dynamo.Host
	}
	if r.Body == nil || o.function != "intake" && o.function != "settle" {
		return o.inner.Do(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, operation, _ := strings.Cut(target, ".")
	if operation == "GetItem" && o.function == "settle" && bytes.Contains(body, []byte(`"SWEEP"`)) {
		o.watch.note(drawForm.FindString(string(body)), begun, time.Now())
	}
	response, err := o.inner.Do(r)
	if err == nil && response.StatusCode == http.StatusOK {
		o.answered(operation, body, time.Now())
	}
	return response, err
}

// answered watches a request that was carried out.
func (o *observed) answered(operation string, body []byte, at time.Time) {
	draw := string(drawForm.Find(body))
	if draw == "" {
		return
	}
	has := func(text string) bool { return bytes.Contains(body, []byte(text)) }
	writes := operation == "PutItem" || operation == "TransactWriteItems"
	switch {
	case o.function == "intake" && operation == "SendMessage" && has("-sweeps"):
		o.watch.note(draw, queued, at)
	case o.function == "intake" && writes && has(`"STATE#`):
		o.watch.note(draw, stored, at)
	case o.function == "intake" && writes && roundForm.Match(body):
		o.stored(draw, body, at)
	case o.function == "settle" && writes && has(`"FEED#`):
		o.watch.note(draw, fed, at)
		o.watch.fed(draw, string(bookmakerForm.FindSubmatch(body)[1]))
	case o.function == "settle" && writes && has(`"DONE#`):
		o.watch.note(draw, settled, at)
	case o.function == "settle" && writes && has(`"SWEEP"`):
		o.watch.note(draw, planned, at)
	}
}

// stored notes that a round's opening is stored, and with it its board.
func (o *observed) stored(draw string, body []byte, at time.Time) {
	round := string(bytes.TrimLeft(roundForm.FindSubmatch(body)[1], "0"))
	o.watch.mutex.Lock()
	defer o.watch.mutex.Unlock()
	o.watch.boards[draw+"#"+round] = at
}
