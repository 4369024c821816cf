//go:build !auditor

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"golang.org/x/sync/errgroup"

	"tally/internal/studio"
	"tally/lib/draw/wire"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/local"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/money"
	"tally/lib/store"
)

// demoDay is a studio day being played: what was sent, and what was answered.
type demoDay struct {
	script *studio.Script
	show   *demoShow
	start  time.Time

	client  *sqs.Client
	studio  *sqsqueue.Queue
	orders  *sqsqueue.Queue
	replies string // URL
	urls    map[string]string
	table   *store.Table
	settler *settle.Settler
	books   *demoBooks
	settled map[*studio.Draw]chan struct{} // closed when the draw was settled first
	states  map[*studio.Draw]int           // under which each was settled last
	stack   *local.Stack
	log     string // folder of the public log
	kept    string // folder of what stays; empty where nothing does
	// answered is closed for each message of the studio, by id, when it is answered.
	answered map[string]chan struct{}

	mutex    sync.Mutex           // of all below
	sent     map[string]time.Time // when each message was sent first, by id
	accepted map[demoKey]*studio.ScriptBet
	taken    map[demoKey]bool        // back, by their bookmakers
	refused  map[string]*demoRefused // by code
	replayed int
	requests int            // of bookmakers that were answered
	answers  map[string]int // by status
}

// demoRefused are refusals of one code.
type demoRefused struct {
	count   int
	example string
}

// demoKey names a bet among all.
type demoKey struct{ draw, bookmaker, bet, wager string }

func (d *demoDay) key(b *studio.ScriptBet) demoKey {
	key := demoKey{draw: b.Draw.ID(d.start), bookmaker: b.Bookmaker, bet: b.Reference}
	if b.Base != "" {
		key.bet, key.wager = b.Base, b.Selection
	}
	return key
}

func newDemoDay(script *studio.Script, stack *local.Stack, show *demoShow) *demoDay {
	client := sqs.NewFromConfig(local.Config(stack.Endpoint))
	table := store.New(dynamodb.NewFromConfig(local.Config(stack.Endpoint)), stack.Table)
	d := &demoDay{script: script, show: show, client: client, table: table, urls: stack.QueueURLs(),
		studio: sqsqueue.New(client, stack.Resolved.Outputs["StudioMessagesUrl"]),
		orders: sqsqueue.New(client, stack.Resolved.Outputs["OperatorOrdersUrl"]), replies: stack.Resolved.Outputs["StudioRepliesUrl"],
		stack: stack, log: stack.LogFolder, settler: &settle.Settler{Table: table}, books: newDemoBooks(table), settled: map[*studio.Draw]chan struct{}{}, states: map[*studio.Draw]int{},
		answered: map[string]chan struct{}{}, sent: map[string]time.Time{},
		accepted: map[demoKey]*studio.ScriptBet{}, taken: map[demoKey]bool{}, refused: map[string]*demoRefused{}, answers: map[string]int{}}
	for id := range d.messages() {
		d.answered[id] = make(chan struct{})
	}
	for _, draw := range script.Draws {
		d.settled[draw] = make(chan struct{})
	}
	return d
}

// demoPatience is how long the day may take. It is less than a betting round lasts
// that nothing closes.
const demoPatience = 30 * time.Minute

// play plays the script, and returns when every message is answered and every
// draw settled.
func (d *demoDay) play(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	d.start = time.Now().Add(100 * time.Millisecond)
	d.show.line("studio", "%d draws begin on %d tables", len(d.script.Draws), len(d.script.Draws))
	d.show.doing(d.progress)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return d.tables(ctx) })
	group.Go(func() error { return d.watch(ctx) })
	return group.Wait()
}

// progress is how far the day is.
func (d *demoDay) progress() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	messages, settled := 0, 0
	for _, n := range d.answers {
		messages += n
	}
	for _, draw := range d.script.Draws {
		if isClosed(d.settled[draw]) {
			settled++
		}
	}
	return fmt.Sprintf("answered so far: %d messages of the studio, %d requests of bookmakers; %d of %d draws are settled",
		messages, d.requests, settled, len(d.script.Draws))
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// tables plays all tables, each by itself.
func (d *demoDay) tables(ctx context.Context) error {
	steps := map[*studio.Draw][]studio.Step{}
	for _, step := range d.script.Steps {
		steps[step.Draw()] = append(steps[step.Draw()], step)
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, draw := range d.script.Draws {
		group.Go(func() error { return d.playTable(ctx, steps[draw]) })
	}
	return group.Wait()
}

// playTable takes the steps of one draw in their order, each no sooner than its
// time and than the step before was answered: a round is closed when its bets are
// answered, and bets come when the message that opens their round is. So a slow
// machine takes longer, and comes to the same. Steps that follow a settlement are
// taken when it is there; a storm waits for nothing.
func (d *demoDay) playTable(ctx context.Context, steps []studio.Step) error {
	acceptor := d.acceptor()
	for _, step := range steps {
		if err := d.await(ctx, step); err != nil {
			return err
		}
		var err error
		switch {
		case step.Message != nil:
			err = d.send(ctx, step.Message)
			acceptor = d.acceptor()
		case step.Bet != nil:
			err = d.place(ctx, acceptor, step.Bet)
		case step.Cancel != nil:
			err = d.takeBack(ctx, acceptor, step.Cancel)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// await waits until a step may be taken.
func (d *demoDay) await(ctx context.Context, step studio.Step) error {
	if step.After == nil {
		return sleepUntil(ctx, d.start.Add(step.At))
	}
	return waitFor(ctx, d.settled[step.After])
}

func waitFor(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-done:
		return nil
	}
}

// messages is how often the script has each message, by id.
func (d *demoDay) messages() map[string]int {
	count := map[string]int{}
	for _, step := range d.script.Steps {
		if step.Message != nil {
			count[step.Message.ID()]++
		}
	}
	return count
}

func sleepUntil(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// send sends a message to its queue and, unless it is a repeated one, waits until it
// is answered.
func (d *demoDay) send(ctx context.Context, m *studio.ScriptMessage) error {
	d.show.message(m)
	// Times are whole milliseconds, and a bet of the millisecond in which its round
	// closes is late: the message is of a later one than the bets that were answered.
	if err := sleepUntil(ctx, time.Now().Add(time.Millisecond)); err != nil {
		return err
	}
	queue := d.studio
	if m.Type.IsOrder() {
		queue = d.orders
	}
	d.mutex.Lock()
	if !m.Repeat {
		d.sent[m.ID()] = time.Now()
	}
	body := m.Body(d.start, d.sent[m.ID()])
	d.mutex.Unlock()
	if err := queue.Send(ctx, body, 0); err != nil || m.Repeat {
		return err
	}
	return waitFor(ctx, d.answered[m.ID()])
}

// acceptor is what takes bets up to the next message on their draw. Then a new one
// does, as if another instance took them: an instance may answer by what it read of
// the draw within the last tenth of a second, which is long in rounds as short as these.
func (d *demoDay) acceptor() *placing.Acceptor {
	return &placing.Acceptor{Table: d.table, Record: unrecorded{}, Looks: sqsqueue.New(d.client, d.urls["sweeps"]),
		Terms: func(id string) money.Terms {
			bookmaker, _ := studio.BookmakerOf(id)
			return money.Terms{Rounding: bookmaker.Rounding}
		},
		Now: now}
}

// unrecorded is notified of bets and forgets them.
type unrecorded struct{}

func (unrecorded) Accepted(string)        {}
func (unrecorded) Unlooked(string)        {}
func (unrecorded) Refused(string, string) {}

// place places a bet and notes the answer.
func (d *demoDay) place(ctx context.Context, acceptor *placing.Acceptor, b *studio.ScriptBet) error {
	request := placing.Request{Bookmaker: b.Bookmaker, Draw: b.Draw.ID(d.start), Reference: b.Reference, Selection: b.Selection,
		Odds: b.Odds, Stake: b.Stake, Currency: b.Currency, Shop: b.Shop, Base: b.Base}
	if b.Base != "" {
		request.Reference = ""
	}
	refusal, err := untilKnown(ctx, func() error {
		_, err := acceptor.Place(ctx, request)
		return err
	})
	if err != nil {
		return fmt.Errorf("placing bet %s on %s: %w", b.Reference, b.Draw.Table, err)
	}
	if b == d.script.Followed && refusal == nil {
		d.show.line(b.Reference, "%s bets %s %s on %s at %s: accepted. What becomes of this bet?", b.Bookmaker, b.Stake, b.Currency, b.Selection, b.Draw.Table)
	}
	key := d.key(b)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.requests++
	switch {
	case refusal != nil && d.refused[refusal.Code] == nil:
		d.refused[refusal.Code] = &demoRefused{count: 1, example: refusal.Message}
	case refusal != nil:
		d.refused[refusal.Code].count++
	case d.accepted[key] != nil:
		d.replayed++
	default:
		d.accepted[key] = b
	}
	return nil
}

// demoAgain is how long a bookmaker waits before it sends a request again whose
// outcome that was not reported.
const demoAgain = time.Second

// untilKnown sends a request of a bookmaker until it is known what came of it: nil,
// or a refusal. A machine may be too slow to store a bet in the time that it has.
func untilKnown(ctx context.Context, request func() error) (*placing.RefusedError, error) {
	for {
		err := request()
		var refusal *placing.RefusedError
		switch {
		case err == nil:
			return nil, nil
		case errors.As(err, &refusal) && refusal.Code != placing.CodeOutcomeUnknown:
			return refusal, nil
		}
		if waited := sleepUntil(ctx, time.Now().Add(demoAgain)); waited != nil {
			return nil, errors.Join(waited, err)
		}
	}
}

// takeBack takes a bet back for its bookmaker.
func (d *demoDay) takeBack(ctx context.Context, acceptor *placing.Acceptor, b *studio.ScriptBet) error {
	refusal, err := untilKnown(ctx, func() error {
		_, err := acceptor.Cancel(ctx, b.Bookmaker, b.Draw.ID(d.start), b.Reference)
		return err
	})
	if err != nil {
		return fmt.Errorf("taking back bet %s on %s: %w", b.Reference, b.Draw.Table, err)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.requests++
	if refusal == nil { // else the bet itself was refused
		d.taken[d.key(b)] = true
	}
	return nil
}

// demoLook is how often the draws and the feeds are looked at.
const demoLook = 250 * time.Millisecond

// watch reads the studio's replies and the bookmakers' feeds until every message
// is answered and every draw settled under its newest state.
func (d *demoDay) watch(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	answered := make(chan struct{})
	group.Go(func() error {
		defer close(answered)
		return d.readReplies(ctx)
	})
	group.Go(func() error {
		for {
			var last bool // nothing can change after this look
			select {
			case <-answered:
				last = true
			default:
			}
			all, err := d.look(ctx)
			if err != nil || all && last {
				return err
			}
			if err := sleepUntil(ctx, time.Now().Add(demoLook)); err != nil {
				return err
			}
		}
	})
	return group.Wait()
}

// readReplies reads the studio's replies until every message is answered, as
// often as it is sent.
func (d *demoDay) readReplies(ctx context.Context) error {
	unanswered := d.messages()
	for len(unanswered) > 0 {
		out, err := d.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &d.replies, MaxNumberOfMessages: 10, WaitTimeSeconds: 1})
		if err != nil {
			return fmt.Errorf("reading the replies: %w", err)
		}
		for _, m := range out.Messages {
			var reply wire.Reply
			if err := json.Unmarshal([]byte(aws.ToString(m.Body)), &reply); err != nil {
				return fmt.Errorf("reading a reply: %w", err)
			}
			if _, err := d.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &d.replies, ReceiptHandle: m.ReceiptHandle}); err != nil {
				return fmt.Errorf("deleting a reply: %w", err)
			}
			d.show.reply(reply)
			d.mutex.Lock()
			d.answers[reply.Status]++
			d.mutex.Unlock()
			if answered := d.answered[reply.ID]; answered != nil && !isClosed(answered) {
				close(answered)
			}
			if unanswered[reply.ID]--; unanswered[reply.ID] <= 0 {
				delete(unanswered, reply.ID)
			}
		}
	}
	return nil
}

// look looks at every draw and shows what was settled since the last time;
// settled tells whether all are under their newest state.
func (d *demoDay) look(ctx context.Context) (settled bool, err error) {
	settled = true
	for _, draw := range d.script.Draws {
		status, err := d.settler.Status(ctx, draw.ID(d.start))
		if err != nil {
			return false, err
		}
		if status.State == 0 || !status.Settled {
			settled = false
			continue
		}
		if status.State == d.states[draw] {
			continue
		}
		if err := d.books.read(ctx); err != nil {
			return false, err
		}
		if err := d.showSettled(draw, d.states[draw]); err != nil {
			return false, err
		}
		if d.states[draw] == 0 {
			close(d.settled[draw])
		}
		d.states[draw] = status.State
	}
	return settled, nil
}
