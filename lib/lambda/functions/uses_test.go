package functions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	lambdaevents "github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/middleware"

	"tally/events"
	"tally/internal/testkit/permanent"
	"tally/internal/testkit/permissions"
	"tally/lib/lambda/functions"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/local"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/webhook"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// calls notes which actions are called, and on what.
type calls struct {
	mutex sync.Mutex
	made  map[string]bool // such as dynamodb:GetItem on <table>
}

func (c *calls) note(action string, on *string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.made[action+" on "+aws.ToString(on)] = true
}

// watch adds the noting to a client's configuration.
func (c *calls) watch(config aws.Config) aws.Config {
	config.APIOptions = append(slices.Clone(config.APIOptions), func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("calls", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			c.call(in.Parameters)
			return next.HandleInitialize(ctx, in)
		}), middleware.Before)
	})
	return config
}

// call notes a request as the actions that a policy has to allow for it.
func (c *calls) call(parameters any) {
	switch in := parameters.(type) {
	case *dynamodb.GetItemInput:
		c.note("dynamodb:GetItem", in.TableName)
	case *dynamodb.TransactGetItemsInput:
		for _, item := range in.TransactItems {
			c.note("dynamodb:GetItem", item.Get.TableName)
		}
	case *dynamodb.PutItemInput:
		c.note("dynamodb:PutItem", in.TableName)
	case *dynamodb.DeleteItemInput:
		c.note("dynamodb:DeleteItem", in.TableName)
	case *dynamodb.QueryInput:
		c.note("dynamodb:Query", in.TableName)
	case *s3.GetObjectInput:
		c.note("s3:GetObject", in.Bucket)
	case *s3.PutObjectInput:
		c.note("s3:PutObject", in.Bucket)
	case *dynamodb.TransactWriteItemsInput:
		for _, item := range in.TransactItems {
			c.write(item)
		}
	case *sqs.SendMessageInput:
		c.note("sqs:SendMessage", in.QueueUrl)
	case *sqs.SendMessageBatchInput:
		c.note("sqs:SendMessage", in.QueueUrl)
	case *sqs.ChangeMessageVisibilityInput:
		c.note("sqs:ChangeMessageVisibility", in.QueueUrl)
	case *sqs.GetQueueAttributesInput:
		c.note("sqs:GetQueueAttributes", in.QueueUrl)
	default:
		c.note(fmt.Sprintf("an operation that this test does not know (%T)", parameters), nil)
	}
}

func (c *calls) write(item types.TransactWriteItem) {
	switch {
	case item.Put != nil:
		c.note("dynamodb:PutItem", item.Put.TableName)
	case item.Delete != nil:
		c.note("dynamodb:DeleteItem", item.Delete.TableName)
	case item.Update != nil:
		c.note("dynamodb:UpdateItem", item.Update.TableName)
	case item.ConditionCheck != nil:
		c.note("dynamodb:ConditionCheckItem", item.ConditionCheck.TableName)
	}
}

// day is a stack whose functions are called one after the other, at times that
// the test sets.
type day struct {
	t         *testing.T
	stack     *local.Stack
	calls     map[string]*calls // by function
	intake    runtime.QueueHandler
	settle    runtime.QueueHandler
	reconcile runtime.ScheduledHandler
	look      runtime.QueueHandler
	archive   runtime.QueueHandler
	webhook   runtime.QueueHandler
	api       runtime.HTTPHandler
	clock     time.Time
}

func runtimeAt(t testing.TB, now func() time.Time) runtime.Runtime {
	return runtime.Runtime{Log: logger(t), Metrics: io.Discard, Now: now, TrustClock: true}
}

func newDay(t *testing.T) *day {
	d := &day{t: t, stack: emulate(t, map[string]string{"AutoCancelAfter": "10m", "ShardsByGame": "roulette=2", "WebhookLoopback": "true"}), calls: make(map[string]*calls)}
	for _, described := range permissions.OfFunctions() {
		noted := &calls{made: make(map[string]bool)}
		given := runtimeAt(t, func() time.Time { return d.clock })
		given.AWS = noted.watch(local.Config(d.stack.Endpoint))
		made, err := functions.New(described.Name, lookup(variables(t, d.stack, described.Name)), given)
		if err != nil {
			t.Fatal(err)
		}
		d.calls[described.Name] = noted
		switch described.Name {
		case "intake":
			d.intake = made.(runtime.QueueHandler)
		case "settle":
			d.settle = made.(runtime.QueueHandler)
		case "reconcile":
			d.reconcile = made.(runtime.ScheduledHandler)
		case "look":
			d.look = made.(runtime.QueueHandler)
		case "api":
			d.api = made.(runtime.HTTPHandler)
		case "archive":
			d.archive = made.(runtime.QueueHandler)
		case "webhook":
			d.webhook = made.(runtime.QueueHandler)
		}
	}
	return d
}

// deliver calls a function with messages and tells how many it did not finish.
func (d *day) deliver(handle runtime.QueueHandler, event lambdaevents.SQSEvent) int {
	d.t.Helper()
	answer, err := handle(d.t.Context(), event)
	if err != nil {
		d.t.Fatal(err)
	}
	return len(answer.BatchItemFailures)
}

// handle delivers one of the sample messages at the time that it names.
func (d *day) handle(file events.File) {
	d.t.Helper()
	var message struct {
		Type, Draw string
		At         time.Time
	}
	if err := json.Unmarshal(file.Body, &message); err != nil {
		d.t.Fatal(err)
	}
	d.clock = message.At.Add(50 * time.Millisecond)
	from := "StudioMessagesQueue"
	if strings.HasPrefix(message.Type, "bets.") || strings.HasPrefix(message.Type, "order.") {
		from = "OperatorOrdersQueue"
	}
	if failed := d.deliver(d.intake, envelope(queue(d.t, d.stack, from), d.clock, string(file.Body))); failed > 0 {
		d.t.Errorf("intake failed on %s", file.Name)
	}
}

func (d *day) run(draw string) int {
	d.t.Helper()
	return d.deliver(d.settle, envelope(queue(d.t, d.stack, "SweepsQueue"), d.clock, `{"draw":"`+draw+`"}`))
}

func (d *day) files(game string) []events.File {
	d.t.Helper()
	found, _ := games.Find(game)
	files, err := events.Messages(found)
	if err != nil {
		d.t.Fatal(err)
	}
	return files
}

// bet places a bet for a bookmaker, by a client that notes nothing.
func (d *day) bet(draw, bookmaker, reference string) {
	d.t.Helper()
	acceptor := &placing.Acceptor{
		Table:  store.New(dynamodb.NewFromConfig(local.Config(d.stack.Endpoint)), d.stack.Table),
		Terms:  func(string) money.Terms { return money.Terms{Rounding: money.HalfUp} },
		Now:    func() settlement.Instant { return settlement.Instant(d.clock.UnixMilli()) },
		Record: ignored{},
	}
	_, err := acceptor.Place(d.t.Context(), placing.Request{
		Bookmaker: bookmaker, Draw: draw, Reference: reference, Selection: "straight:17", Stake: "1.00", Currency: "EUR",
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

type ignored struct{}

func (ignored) Accepted(string)        {}
func (ignored) Unlooked(string)        {}
func (ignored) Refused(string, string) {}

// On a day on which everything happens, each function calls exactly the actions
// that it declares. What it declares is what template.yaml allows: another test
// sees to that.
func TestUses(t *testing.T) {
	d := newDay(t)
	const draw = "rou-1.20261130.1001"
	var notified <-chan string
	roulette := d.files("roulette")
	for i, file := range roulette[:7] {
		d.handle(file)
		switch i {
		case 1: // betting has opened
			d.clock = d.clock.Add(10 * time.Second)
			notified = d.hook("acme", -1)
			d.bet(draw, "acme", "b1")
			d.bet(draw, "borealis", "b2")
		case 3: // resulted
			d.clock = d.clock.Add(-15 * time.Second)
			if d.run(draw) != 1 {
				t.Error("a settlement before its time was not given back")
			}
			d.clock = d.clock.Add(30 * time.Second)
			if d.run(draw) != 0 {
				t.Error("a settlement in its time failed")
			}
		case 4: // corrected
			d.clock = d.clock.Add(15 * time.Second)
			d.run(draw)
		}
	}
	// A draw without a result, whose message of the studio is impossible to read.
	for _, file := range d.files("wheel")[:3] {
		d.handle(file)
	}
	d.handle(d.files("dice")[0]) // and one of which nothing else is known: it is cancelled
	for _, id := range []string{"StudioMessagesQueue", "OperatorOrdersQueue"} {
		t.Run(id, func(t *testing.T) {
			if d.deliver(d.intake, envelope(queue(t, d.stack, id), d.clock, "{")) != 0 {
				t.Error("a malformed message was not taken")
			}
			unreadable := envelope(queue(t, d.stack, id), d.clock, "{}")
			delete(unreadable.Records[0].Attributes, "SentTimestamp")
			if d.deliver(d.intake, unreadable) != 1 {
				t.Error("a record without a time was taken")
			}
		})
	}
	// The receiver fails at first, so that the message is retried later.
	if d.push("acme") != 1 {
		t.Error("a message was not given back")
	}
	d.clock = d.clock.Add(time.Minute)
	if d.push("acme") != 0 {
		t.Error("webhook failed")
	}
	d.hook("borealis", 0) // reconcile finds it
	from := queue(t, d.stack, "ArchiveEntriesQueue")
	if d.deliver(d.archive, envelope(from, d.clock, `{"draw":"`+draw+`","what":"settlement","state":2}`)) != 0 || d.deliver(d.archive, envelope(from, d.clock, "{")) != 1 {
		t.Error("archive failed")
	}
	d.ask()
	if len(notified) == 0 {
		t.Error("the webhook was not notified")
	}
	if d.deliver(d.look, envelope(queue(t, d.stack, "DueDrawsQueue"), d.clock, "{")) != 1 {
		t.Error("a malformed message was looked at")
	}
	lost := false
	for range 40 {
		d.clock = d.clock.Add(time.Minute)
		if err := d.reconcile(t.Context()); err != nil {
			t.Errorf("reconcile at %s: %v", d.clock, err)
		}
		due := d.due()
		if len(due) > 0 && !lost { // the first messages are lost, and sent again
			lost = true
			continue
		}
		d.looks(due)
	}
	for _, described := range permissions.OfFunctions() {
		d.compare(described)
	}
	d.expires()
}

// due takes what waits on the queue due-draws.
func (d *day) due() (bodies []string) {
	d.t.Helper()
	client := sqs.NewFromConfig(local.Config(d.stack.Endpoint))
	url := variables(d.t, d.stack, "look")["TALLY_DUE_URL"]
	for {
		if counts, err := sqsqueue.Count(d.t.Context(), client, url); err != nil {
			d.t.Fatal(err)
		} else if counts.Waiting == 0 { // an empty receive would wait for as long as the queue says
			return bodies
		}
		out, err := client.ReceiveMessage(d.t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, MaxNumberOfMessages: 10})
		if err != nil {
			d.t.Fatal(err)
		}
		for _, m := range out.Messages {
			bodies = append(bodies, *m.Body)
			if _, err := client.DeleteMessage(d.t.Context(), &sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: m.ReceiptHandle}); err != nil {
				d.t.Fatal(err)
			}
		}
	}
}

// looks delivers messages to look.
func (d *day) looks(bodies []string) {
	d.t.Helper()
	if len(bodies) == 0 {
		return
	}
	if failed := d.deliver(d.look, envelope(queue(d.t, d.stack, "DueDrawsQueue"), d.clock, bodies...)); failed > 0 {
		d.t.Errorf("%d of %d looks failed", failed, len(bodies))
	}
}

// expires goes through all that was stored: whatever has no expiry is on the list of
// what never expires.
func (d *day) expires() {
	d.t.Helper()
	client := dynamodb.NewFromConfig(local.Config(d.stack.Endpoint))
	stored, err := client.Scan(d.t.Context(), &dynamodb.ScanInput{TableName: &d.stack.Table})
	if err != nil || len(stored.Items) < 50 || stored.LastEvaluatedKey != nil {
		d.t.Fatalf("%d items are stored, %v", len(stored.Items), err)
	}
	for _, item := range stored.Items {
		pk, sk := item["pk"].(*types.AttributeValueMemberS).Value, item["sk"].(*types.AttributeValueMemberS).Value
		_, expires := item["expires_at"]
		if why, never := permanent.Item(pk, sk); never == expires {
			d.t.Errorf("%s / %s expires: %v; it is to be kept for ever: %v %s", pk, sk, expires, never, why)
		}
	}
}

// hook sets an endpoint of a bookmaker, which fails at first, and returns what it
// is told.
func (d *day) hook(bookmaker string, after int64) (notified <-chan string) {
	d.t.Helper()
	taken := make(chan string, 100)
	tries := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries == 1 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		taken <- r.Header.Get("webhook-id")
	}))
	d.t.Cleanup(server.Close)
	hooks := &webhook.Store{Table: store.New(dynamodb.NewFromConfig(local.Config(d.stack.Endpoint)), d.stack.Table), Loopback: true,
		Now: func() settlement.Instant { return settlement.Instant(d.clock.UnixMilli()) }}
	if _, _, err := hooks.Set(d.t.Context(), webhook.Params{Bookmaker: bookmaker, URL: server.URL, After: after}); err != nil {
		d.t.Fatal(err)
	}
	return taken
}

// push delivers a message for a bookmaker to webhook.
func (d *day) push(bookmaker string) (failed int) {
	d.t.Helper()
	return d.deliver(d.webhook, envelope(queue(d.t, d.stack, "WebhooksQueue"), d.clock, `{"bookmaker":"`+bookmaker+`"}`))
}

// compare holds what a function called against what it declares.
func (d *day) compare(described permissions.Description) {
	d.t.Helper()
	declared := make(map[string]bool)
	for _, use := range described.Uses {
		on := variables(d.t, d.stack, described.Name)[use.Variable]
		if strings.HasPrefix(on, "file:") {
			continue // here it is on this machine; TestArchiveToBucket sees to it
		}
		for _, action := range use.Actions {
			declared[action+" on "+on] = true
		}
	}
	called := d.calls[described.Name].made
	for _, what := range slices.Sorted(maps.Keys(called)) {
		if !declared[what] {
			d.t.Errorf("%s calls what it does not declare: %s", described.Name, what)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(declared)) {
		if !called[what] {
			d.t.Errorf("%s declares what it did not call: %s", described.Name, what)
		}
	}
}
