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

	"tally/lib/local"
	"tally/lib/placing"
	"tally/lib/settlement"
	"tally/lib/sqsqueue"
	"tally/lib/store"
	"tally/lib/studio"
	"tally/lib/sweep"
	"tally/lib/wire"
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
	sweeper *sweep.Sweeper
	books   *demoBooks
	settled map[*studio.Draw]chan struct{} // closed when the draw was settled first
	stack   *local.Stack
	log     string // folder of the public log
	kept    string // folder of what stays; empty where nothing does

	mutex    sync.Mutex // of all below
	placers  map[demoRound]*placing.Placer
	accepted []demoBet
	taken    map[demoKey]bool // back, by their bookmakers
	refused  map[string]int   // by code
	replayed int
	answers  map[string]int // by status
}

// demoBet is a bet that was answered as stored.
type demoBet struct {
	*studio.Bet
	late bool // answered as refunded for coming too late
}

// demoKey names a bet among all.
type demoKey struct{ draw, bookmaker, bet, wager string }

func (d *demoDay) key(b *studio.Bet) demoKey {
	key := demoKey{draw: b.Draw.ID(d.start), bookmaker: b.Bookmaker, bet: b.Reference}
	if b.Base != "" {
		key.bet, key.wager = b.Base, b.Selection
	}
	return key
}

// demoRound is a betting round of a draw.
type demoRound struct {
	draw  *studio.Draw
	round int
}

func newDemoDay(script *studio.Script, stack *local.Stack, show *demoShow) *demoDay {
	client := sqs.NewFromConfig(local.Config(stack.Endpoint))
	table := store.New(dynamodb.NewFromConfig(local.Config(stack.Endpoint)), stack.Table)
	d := &demoDay{script: script, show: show, client: client, table: table, urls: stack.QueueURLs(),
		studio: sqsqueue.New(client, stack.Resolved.Outputs["StudioMessagesUrl"]),
		orders: sqsqueue.New(client, stack.Resolved.Outputs["OperatorOrdersUrl"]), replies: stack.Resolved.Outputs["StudioRepliesUrl"],
		stack: stack, log: stack.LogFolder, sweeper: &sweep.Sweeper{Table: table}, books: newDemoBooks(table), settled: map[*studio.Draw]chan struct{}{},
		placers: map[demoRound]*placing.Placer{}, taken: map[demoKey]bool{}, refused: map[string]int{}, answers: map[string]int{}}
	for _, draw := range script.Draws {
		d.settled[draw] = make(chan struct{})
	}
	return d
}

// demoPatience is how long the day may take.
const demoPatience = 5 * time.Minute

// play plays the script, and returns when every message is answered and every
// draw settled.
func (d *demoDay) play(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	d.start = time.Now().Add(100 * time.Millisecond)
	d.show.line("studio", "%d draws begin on %d tables", len(d.script.Draws), len(d.script.Draws))
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return d.steps(ctx) })
	group.Go(func() error { return d.watch(ctx) })
	return group.Wait()
}

// demoBusy is how many requests of bookmakers are under way at once.
const demoBusy = 16

// steps takes every step at its time. Steps that follow a settlement are taken
// when it is there.
func (d *demoDay) steps(ctx context.Context) error {
	bookmakers, work := errgroup.WithContext(ctx)
	bookmakers.SetLimit(demoBusy)
	for i := range d.script.Steps {
		step := d.script.Steps[i]
		if step.After != nil {
			select {
			case <-ctx.Done():
				return errors.Join(ctx.Err(), bookmakers.Wait())
			case <-d.settled[step.After]:
			}
		} else if err := sleepUntil(ctx, d.start.Add(step.At)); err != nil {
			return errors.Join(err, bookmakers.Wait())
		}
		switch {
		case step.Message != nil:
			if err := d.send(ctx, step.Message); err != nil {
				return errors.Join(err, bookmakers.Wait())
			}
		case step.Bet != nil:
			bookmakers.Go(func() error { return d.place(work, step.Bet) })
		case step.Cancel != nil:
			bookmakers.Go(func() error { return d.takeBack(work, step.Cancel) })
		}
	}
	return bookmakers.Wait()
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

// send sends a message to its queue.
func (d *demoDay) send(ctx context.Context, m *studio.Message) error {
	d.show.message(m)
	queue := d.studio
	if m.Type.IsOrder() {
		queue = d.orders
	}
	return queue.Send(ctx, m.Body(d.start), 0)
}

// placer is what takes the bets of one betting round. Each round has a new one,
// as if another instance took them: an instance may answer by what it read of the
// draw within the last second, which is long in rounds as short as these.
func (d *demoDay) placer(draw *studio.Draw, round int) *placing.Placer {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	key := demoRound{draw, round}
	if d.placers[key] == nil {
		d.placers[key] = &placing.Placer{Table: d.table, Record: unrecorded{},
			Settings: func(id string) placing.Settings {
				bookmaker, _ := studio.BookmakerOf(id)
				return placing.Settings{Rounding: bookmaker.Rounding}
			},
			Now: func() settlement.Instant { return settlement.Instant(time.Now().UnixMilli()) }}
	}
	return d.placers[key]
}

// unrecorded is told of bets and forgets them.
type unrecorded struct{}

func (unrecorded) Accepted(string)        {}
func (unrecorded) Refused(string, string) {}

// place places a bet and notes the answer.
func (d *demoDay) place(ctx context.Context, b *studio.Bet) error {
	request := placing.Request{Bookmaker: b.Bookmaker, Draw: b.Draw.ID(d.start), Reference: b.Reference, Selection: b.Selection,
		Odds: b.Odds, Stake: b.Stake, Currency: b.Currency, Shop: b.Shop, Base: b.Base}
	if b.Base != "" {
		request.Reference = ""
	}
	answer, err := d.placer(b.Draw, b.Round).Place(ctx, request)
	var refusal *placing.Refusal
	d.mutex.Lock()
	defer d.mutex.Unlock()
	switch {
	case errors.As(err, &refusal):
		d.refused[refusal.Code]++
	case err != nil:
		return fmt.Errorf("placing bet %s on %s: %w", b.Reference, b.Draw.Table, err)
	case answer.Replay:
		d.replayed++
	default:
		d.accepted = append(d.accepted, demoBet{b, answer.Reason == settlement.LateBet})
	}
	return nil
}

// takeBack takes a bet back for its bookmaker.
func (d *demoDay) takeBack(ctx context.Context, b *studio.Bet) error {
	_, err := d.placer(b.Draw, b.Round).Cancel(ctx, b.Bookmaker, b.Draw.ID(d.start), b.Reference)
	var refusal *placing.Refusal
	if errors.As(err, &refusal) {
		return nil // it was closed before, or the bet was refused
	}
	if err != nil {
		return fmt.Errorf("taking back bet %s on %s: %w", b.Reference, b.Draw.Table, err)
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.taken[d.key(b)] = true
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
		states := map[*studio.Draw]int{}
		for {
			var last bool // nothing can change after this look
			select {
			case <-answered:
				last = true
			default:
			}
			all, err := d.look(ctx, states)
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
			if unanswered[reply.ID]--; unanswered[reply.ID] <= 0 {
				delete(unanswered, reply.ID)
			}
		}
	}
	return nil
}

// look looks at every draw and shows what was settled since the last time;
// settled tells whether all are under their newest state.
func (d *demoDay) look(ctx context.Context, states map[*studio.Draw]int) (settled bool, err error) {
	settled = true
	for _, draw := range d.script.Draws {
		standing, err := d.sweeper.Standing(ctx, draw.ID(d.start))
		if err != nil {
			return false, err
		}
		if standing.State == 0 || !standing.Swept {
			settled = false
			continue
		}
		if standing.State == states[draw] {
			continue
		}
		if err := d.books.read(ctx); err != nil {
			return false, err
		}
		d.show.settled(draw, d.books.reported(draw.ID(d.start), states[draw]))
		if states[draw] == 0 {
			close(d.settled[draw])
		}
		states[draw] = standing.State
	}
	return settled, nil
}
