package local_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally"
	"tally/lib/lambda/config"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsbatch"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/local"
)

// hasty is the template with less patience: messages that failed come back after
// a second, or three, and are dead letters after three deliveries.
func hasty() []byte {
	return with(strict(), [2]string{"VisibilityTimeout: 180", "VisibilityTimeout: 3"}, [2]string{"VisibilityTimeout: 360", "VisibilityTimeout: 1"})
}

// strict is the template with dead letters after three deliveries.
func strict() []byte {
	return with(tally.Template, [2]string{"maxReceiveCount: 12", "maxReceiveCount: 3"}, [2]string{"maxReceiveCount: 20", "maxReceiveCount: 3"})
}

// with returns a template with some words replaced.
func with(template []byte, changes ...[2]string) []byte {
	text := string(template)
	for _, change := range changes {
		text = strings.ReplaceAll(text, change[0], change[1])
	}
	return []byte(text)
}

// deliveries notes what a function was given.
type deliveries struct {
	mutex  sync.Mutex
	counts map[string]int // by body
	most   int            // messages in a batch
	busy   int            // batches under way
	peak   int
}

func (d *deliveries) handle(event events.SQSEvent) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.counts == nil {
		d.counts = map[string]int{}
	}
	d.busy++
	d.peak = max(d.peak, d.busy)
	d.most = max(d.most, len(event.Records))
	for _, record := range event.Records {
		d.counts[record.Body]++
	}
}

func (d *deliveries) done() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.busy--
}

func (d *deliveries) of(body string) int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.counts[body]
}

// only builds stacks in which one function is ours and the others do nothing.
func only(name string, handle runtime.QueueHandler) local.Build {
	return func(function string, _ config.Lookup, _ aws.Config) (any, error) {
		switch function {
		case name:
			return handle, nil
		case "reconcile", "pages":
			return runtime.ScheduledHandler(func(context.Context) error { return nil }), nil
		case "api":
			return runtime.HTTPHandler{Serve: http.NotFoundHandler()}, nil
		}
		return runtime.QueueHandler(func(context.Context, events.SQSEvent) (events.SQSEventResponse, error) {
			return events.SQSEventResponse{}, nil
		}), nil
	}
}

func send(t *testing.T, client *sqs.Client, url string, bodies ...string) {
	t.Helper()
	for _, body := range bodies {
		if err := sqsqueue.New(client, url).Send(t.Context(), body, 0); err != nil {
			t.Fatal(err)
		}
	}
}

func holds(t *testing.T, client *sqs.Client, url string) int {
	t.Helper()
	counts, err := sqsqueue.Count(t.Context(), client, url)
	if err != nil {
		t.Fatal(err)
	}
	return counts.All()
}

// One message makes the function panic: the others are done with, it becomes a
// dead letter, and when what was wrong is fixed a redrive brings it back.
func TestDeadLetter(t *testing.T) {
	t.Parallel()
	var seen deliveries
	var mended sync.Map
	handler := sqsbatch.New(func(_ context.Context, m sqsbatch.Message) error {
		if _, ok := mended.Load(m.Body); m.Body == "poison" && !ok {
			panic("poison")
		}
		return nil
	}, sqsbatch.Options{Concurrency: 4, Log: slog.New(slog.DiscardHandler)})
	all := make(chan struct{}) // closed when all are sent, so that there are batches
	var client *sqs.Client
	var url string
	// What fails is given back at once, and nothing comes back by itself however slow
	// the machine is.
	giveBack := func(ctx context.Context, event events.SQSEvent) {
		for _, record := range event.Records {
			if _, ok := mended.Load(record.Body); record.Body != "poison" || ok {
				continue
			}
			if _, err := client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{QueueUrl: &url, ReceiptHandle: &record.ReceiptHandle}); err != nil {
				t.Errorf("giving the poison back: %v", err)
			}
		}
	}
	stack := start(t, local.Options{Template: strict(), Build: only("intake", func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		<-all
		seen.handle(event)
		defer seen.done()
		defer giveBack(ctx, event)
		return handler.Handle(ctx, event)
	})})
	client = sqs.NewFromConfig(local.Config(stack.Endpoint))
	url = queueOf(stack, "StudioMessagesQueue")
	letters := queueOf(stack, "StudioMessagesDeadLetters")
	bodies := []string{"poison"}
	for i := range 30 {
		bodies = append(bodies, fmt.Sprint("good ", i))
	}
	send(t, client, url, bodies...)
	close(all)
	eventually(t, "the poison is a dead letter", func() bool { return holds(t, client, letters) == 1 })
	eventually(t, "the queue is empty", func() bool { return holds(t, client, url) == 0 })
	for _, body := range bodies[1:] {
		if n := seen.of(body); n != 1 {
			t.Errorf("%q was delivered %d times", body, n)
		}
	}
	if n := seen.of("poison"); n != 3 {
		t.Errorf("the poison was delivered %d times", n)
	}
	if seen.most < 2 || seen.most > 10 {
		t.Errorf("the largest batch has %d messages", seen.most)
	}
	mended.Store("poison", true)
	if moved, err := (&sqsqueue.Redriver{Client: client}).Redrive(t.Context(), url, 0); err != nil || moved != 1 {
		t.Fatalf("%d messages redriven: %v", moved, err)
	}
	eventually(t, "it is done with", func() bool { return seen.of("poison") == 4 && holds(t, client, url) == 0 })
	if n := holds(t, client, letters); n != 0 {
		t.Errorf("%d dead letters are left", n)
	}
}

// A batch that fails as a whole comes back as a whole; an answer that names an
// unknown message fails it, too.
func TestWholeBatchFails(t *testing.T) {
	t.Parallel()
	var seen deliveries
	ways := []func() (events.SQSEventResponse, error){
		func() (events.SQSEventResponse, error) { return events.SQSEventResponse{}, errors.New("broken") },
		func() (events.SQSEventResponse, error) { panic("broken") },
		func() (events.SQSEventResponse, error) {
			return events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{{ItemIdentifier: "nobody"}}}, nil
		},
	}
	stack := start(t, local.Options{Template: hasty(), Build: only("settle", func(_ context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		seen.handle(event)
		defer seen.done()
		return ways[(seen.of("one")-1)%len(ways)]()
	})})
	client := sqs.NewFromConfig(local.Config(stack.Endpoint))
	send(t, client, queueOf(stack, "SweepsQueue"), "one")
	eventually(t, "it is a dead letter", func() bool { return holds(t, client, queueOf(stack, "SweepsDeadLetters")) == 1 })
	if n := seen.of("one"); n != 3 {
		t.Errorf("it was delivered %d times", n)
	}
}

// No more batches are worked on at once than the template allows, and a
// function's context ends with its timeout.
func TestConcurrencyAndTimeout(t *testing.T) {
	t.Parallel()
	var seen deliveries
	deadlines := make(chan time.Duration, 100)
	stack := start(t, local.Options{Build: only("intake", func(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
		seen.handle(event)
		defer seen.done()
		deadline, _ := ctx.Deadline()
		deadlines <- time.Until(deadline)
		time.Sleep(100 * time.Millisecond)
		return events.SQSEventResponse{}, nil
	})})
	client := sqs.NewFromConfig(local.Config(stack.Endpoint))
	url := queueOf(stack, "OperatorOrdersQueue") // at most two at once
	var bodies []string
	for i := range 40 {
		bodies = append(bodies, fmt.Sprint(i))
	}
	send(t, client, url, bodies...)
	eventually(t, "all are done with", func() bool { return holds(t, client, url) == 0 })
	if seen.peak > 2 {
		t.Errorf("%d batches at once", seen.peak)
	}
	if left := <-deadlines; left > 30*time.Second || left < 25*time.Second {
		t.Errorf("%s to go instead of 30 s", left)
	}
}

// Functions get the variables of the template with this stack's resources.
func TestVariables(t *testing.T) {
	variables := map[string]map[string]string{}
	stack := start(t, local.Options{Build: func(name string, lookup config.Lookup, clients aws.Config) (any, error) {
		variables[name] = map[string]string{}
		for _, variable := range []string{"TALLY_TABLE", "TALLY_SWEEPS_URL", "TALLY_NONE"} {
			if value, set := lookup(variable); set {
				variables[name][variable] = value
			}
		}
		if aws.ToString(clients.BaseEndpoint) == "" {
			t.Error("the clients have no endpoint")
		}
		return only("", nil)(name, lookup, clients)
	}})
	want := map[string]string{"TALLY_TABLE": stack.Table, "TALLY_SWEEPS_URL": queueOf(stack, "SweepsQueue")}
	for _, name := range []string{"intake", "settle", "look"} {
		t.Run(name, func(t *testing.T) {
			if !maps.Equal(variables[name], want) {
				t.Errorf("%s has %v", name, variables[name])
			}
		})
	}
	if names := stack.QueueNames(); len(names) != 14 || !strings.HasSuffix(names[7], "-dead") || strings.HasSuffix(names[6], "-dead") {
		t.Errorf("the queues are %v", names)
	}
}

func TestStartFails(t *testing.T) {
	build := only("", nil)
	for name, options := range map[string]local.Options{
		"no template":             {Template: []byte("Resources: 1"), Build: build},
		"an unknown parameter":    {Template: tally.Template, Build: build, Parameters: map[string]string{"NoSuch": "1"}},
		"an address that is none": {Template: tally.Template, Build: build, Address: "nowhere"},
		"a schedule that is none": {Template: []byte(strings.Replace(string(tally.Template), "Schedule: rate(1 minute)", "Schedule: cron(0 0 * * ? *)", 1)), Build: build,
			Stack: "schedule"},
		"a function that is broken": {Template: tally.Template, Stack: "broken",
			Build: func(string, config.Lookup, aws.Config) (any, error) {
				return nil, errors.New("broken")
			}},
		"a function that can't be called": {Template: tally.Template, Stack: "none",
			Build: func(string, config.Lookup, aws.Config) (any, error) { return nil, nil }},
	} {
		t.Run(name, func(t *testing.T) {
			stack, err := local.Start(t.Context(), options)
			if err == nil {
				stack.Close()
				t.Errorf("%s: the stack starts", name)
			}
		})
	}
}

// The emulator answers where it was told to, and no more when closed.
func TestAddress(t *testing.T) {
	stack := start(t, local.Options{Build: only("", nil), Address: "127.0.0.1:0"})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, stack.Endpoint+"/health", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("%d %v, want no error and response.StatusCode = http.StatusOK", response.StatusCode, err)
	}
	if _, err := local.Start(t.Context(), local.Options{Template: tally.Template, Build: only("", nil), Address: strings.TrimPrefix(stack.Endpoint, "http://")}); err == nil {
		t.Error("two stacks listen at one address")
	}
	if slices.Contains(stack.QueueNames(), "") {
		t.Error("a queue has no name")
	}
}
