package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally"
	"tally/lib/bookmaker/client"
	"tally/lib/bookmaker/keys"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/local"
	"tally/lib/pipeline/webhook"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// stage is a local stack with bookmakers who follow their feeds.
type stage struct {
	watch      *watch
	stack      *local.Stack
	studio     *sqsqueue.Queue
	bookmakers []*bookmaker
	receiver   *http.Server
	stop       context.CancelFunc
	running    sync.WaitGroup
}

// bookmaker is one that bets, and follows its feed.
type bookmaker struct {
	id     string
	client *client.Client
	due    chan string // draws whose report comes
	after  int64       // the newest entry that it has read
}

// open starts a stack of its own.
func (o *options) open(ctx context.Context, name string) (*stage, error) {
	s := &stage{watch: newWatch()}
	log, table := quiet(), fmt.Sprintf("%s-%d", name, time.Now().UnixMilli())
	var err error
	if o.dynamo != "" {
		if s.watch.dynamo, err = url.Parse(o.dynamo); err != nil {
			return nil, fmt.Errorf("-dynamodb: %w", err)
		}
	}
	s.watch.fed = s.expect
	s.stack, err = local.Start(ctx, local.Options{Template: tally.Template, Stack: name, Log: log,
		Parameters: map[string]string{"TableName": table, "WebhookLoopback": "true"},
		Build:      s.watch.build(runtime.Runtime{Log: log, Metrics: io.Discard, Now: time.Now})})
	if err != nil {
		return nil, err
	}
	if err := s.set(ctx, o); err != nil {
		s.stack.Close()
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	s.stop = stop
	s.running.Go(func() { s.stack.Run(running) })
	for _, b := range s.bookmakers {
		s.running.Go(func() { s.follow(running, b) })
	}
	return s, nil
}

// set makes the bookmakers, with a webhook for the first of them.
func (s *stage) set(ctx context.Context, o *options) error {
	clients := local.Config(s.stack.Endpoint)
	s.studio = sqsqueue.New(sqs.NewFromConfig(clients), s.stack.Resolved.Outputs["StudioMessagesUrl"])
	if o.dynamo != "" {
		there := clients.Copy()
		there.BaseEndpoint = aws.String(o.dynamo)
		if err := copyTable(ctx, dynamodb.NewFromConfig(clients), dynamodb.NewFromConfig(there), s.stack.Table); err != nil {
			return err
		}
		clients = there
	}
	table := store.New(dynamodb.NewFromConfig(clients), s.stack.Table)
	now := func() settlement.Instant { return settlement.Instant(time.Now().UnixMilli()) }
	owner := &keys.Registry{Table: table, Now: now}
	connections := &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	for i := range o.bookmakers {
		b := &bookmaker{id: fmt.Sprintf("bookmaker-%d", i+1), due: make(chan string, 1<<16)}
		s.bookmakers = append(s.bookmakers, b)
		if _, err := owner.Set(ctx, b.id, func(s *keys.Settings) { s.RequestsPerSecond = 100_000 }); err != nil {
			return err
		}
		token, _, err := owner.Create(ctx, keys.KeyParams{Bookmaker: b.id, Scopes: keys.Scopes()})
		if err != nil {
			return err
		}
		if b.client, err = client.New(s.stack.API, token); err != nil {
			return err
		}
		b.client.HTTP = connections
	}
	address, err := s.receive(ctx)
	if err != nil {
		return err
	}
	hooks := &webhook.Store{Table: table, Now: now, Loopback: true}
	_, _, err = hooks.Set(ctx, webhook.Params{Bookmaker: s.bookmakers[0].id, URL: address, After: -1})
	return err
}

// copyTable makes a table as there is one elsewhere.
func copyTable(ctx context.Context, from, to *dynamodb.Client, name string) error {
	there, err := from.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return fmt.Errorf("reading how the table is made: %w", err)
	}
	_, err = to.CreateTable(ctx, &dynamodb.CreateTableInput{TableName: &name, KeySchema: there.Table.KeySchema,
		AttributeDefinitions: there.Table.AttributeDefinitions, BillingMode: "PAY_PER_REQUEST"})
	if err != nil {
		return fmt.Errorf("making the table in the DynamoDB of -dynamodb: %w", err)
	}
	return nil
}

// receive takes what webhooks are sent, and returns at which address.
func (s *stage) receive(ctx context.Context) (address string, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listening for webhooks: %w", err)
	}
	s.receiver = &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // what breaks off comes again
		if draw := drawForm.Find(body); draw != nil {
			s.watch.note(string(draw), pushed, time.Now())
		}
		w.WriteHeader(http.StatusNoContent)
	})}
	s.running.Go(func() { _ = s.receiver.Serve(listener) }) // ends with close
	return "http://" + listener.Addr().String(), nil
}

// close ends the stack.
func (s *stage) close() {
	s.stop()
	_ = s.receiver.Close() // nothing can be done about a listener that does not close
	s.running.Wait()
	s.stack.Close()
}

// expect has a bookmaker ask for a report that is being fed.
func (s *stage) expect(draw, id string) {
	for _, b := range s.bookmakers {
		if b.id == id {
			b.due <- draw
		}
	}
}

// askEvery is how long a bookmaker waits between two requests for what is not there yet.
const askEvery = 2 * time.Millisecond

// follow reads a bookmaker's reports as they come, until ctx ends.
func (s *stage) follow(ctx context.Context, b *bookmaker) {
	for {
		select {
		case <-ctx.Done():
			return
		case draw := <-b.due:
			for ctx.Err() == nil && !s.watch.hasSeen(draw, b.id) {
				if err := s.readFeed(ctx, b); err != nil && ctx.Err() == nil {
					quiet().Error("reading a feed", "bookmaker", b.id, "error", err)
				}
			}
		}
	}
}

// readFeed reads what is new in a bookmaker's feed, and then the lines of it.
func (s *stage) readFeed(ctx context.Context, b *bookmaker) error {
	var reports []*client.Report
	for report, err := range b.client.Reports(ctx, b.after) {
		if err != nil {
			return err
		}
		reports = append(reports, report)
	}
	at := time.Now()
	for _, report := range reports {
		s.watch.note(report.Draw, readable, at)
		b.after = report.Sequence
	}
	for _, report := range reports {
		text, err := report.Text(ctx)
		if err == nil && len(text) == 0 {
			err = errors.New("it has no lines")
		}
		if err != nil {
			return fmt.Errorf("the report on %s: %w", report.Draw, err)
		}
		s.watch.note(report.Draw, read, time.Now())
		s.watch.saw(report.Draw, b.id)
	}
	if len(reports) == 0 {
		return sleep(ctx, askEvery)
	}
	return nil
}

// sleep waits, or returns why not.
func sleep(ctx context.Context, long time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(long):
		return nil
	}
}
