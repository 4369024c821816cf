package cost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tally/lib/draw"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// pipeline is tally from a studio's message to settled bets, as the functions
// wire it, with a clock of its own and queues that only count.
type pipeline struct {
	clock    clock
	queue    counter // messages sent
	lines    counter // reported to bookmakers
	faults   counter // messages quarantined and settlement runs stopped
	intake   *intake.Intake
	settler  *settle.Settler
	acceptor *placing.Acceptor
}

func newPipeline(client store.DynamoDB, table string) *pipeline {
	p := &pipeline{}
	records := store.New(client, table)
	log := slog.New(slog.DiscardHandler)
	p.intake = &intake.Intake{Table: records, Replies: &p.queue, Sweeps: &p.queue, Archive: &p.queue, Record: p,
		Settings: draw.Settings{Shards: 1}, Now: p.clock.now, Log: log}
	p.settler = &settle.Settler{Table: records, Archive: &p.queue, Record: p, Now: p.clock.now, Log: log, Parallel: parallel}
	p.acceptor = &placing.Acceptor{Table: records, Terms: func(string) money.Terms { return money.Terms{} },
		Now: p.clock.now, Record: p}
	return p
}

// clock is set by the workload, so that counts do not depend on how fast a
// machine is.
type clock struct{ at atomic.Int64 }

func (c *clock) now() settlement.Instant { return settlement.Instant(c.at.Load()) }

// pass sets the clock, which never goes back.
func (c *clock) pass(at settlement.Instant) {
	for {
		before := c.at.Load()
		if before >= int64(at) || c.at.CompareAndSwap(before, int64(at)) {
			return
		}
	}
}

// counter is a queue that takes everything and counts it.
type counter struct{ n atomic.Int64 }

// Send implements intake.Sender and settle.Sender.
func (c *counter) Send(context.Context, string, time.Duration) error {
	c.n.Add(1)
	return nil
}

// Quarantined implements intake.MessageRecorder.
func (p *pipeline) Quarantined(string)                 { p.faults.n.Add(1) }
func (*pipeline) Stored(string, time.Duration, string) {}

// Accepted implements placing.BetRecorder.
func (p *pipeline) Accepted(string) {}
func (p *pipeline) Unlooked(string) {}

// Refused implements placing.BetRecorder.
func (p *pipeline) Refused(string, string) {}

// Mismatch implements settle.Recorder.
func (p *pipeline) Mismatch(string) { p.faults.n.Add(1) }

// Settled implements settle.Recorder.
func (p *pipeline) Settled(_ string, lines, _ int, _ bool, _ time.Duration) {
	p.lines.n.Add(int64(lines))
}

var (
	_ intake.MessageRecorder = (*pipeline)(nil)
	_ settle.Recorder        = (*pipeline)(nil)
	_ placing.BetRecorder    = (*pipeline)(nil)
)

// handle handles a studio's message.
func (p *pipeline) handle(ctx context.Context, at settlement.Instant, body []byte) error {
	p.clock.pass(at)
	if err := p.intake.Handle(ctx, intake.Delivery{Body: body, SentAt: at, From: intake.Studio}); err != nil {
		return err
	}
	if p.faults.n.Load() > 0 {
		return fmt.Errorf("quarantined: %s", body)
	}
	return nil
}

// open opens the draw and its betting round.
func (p *pipeline) open(ctx context.Context) error {
	return errors.Join(p.handle(ctx, opensAt-4_000, drawOpened()), p.handle(ctx, opensAt-200, bettingOpened()))
}

// parallel is how many partitions are settled at once. It changes no count.
const parallel = 8

// betsPerAcceptor is how many bets of a draw call for one more goroutine that
// places them. The clock runs from the round's opening to its closing while they
// are placed; with more of them at once in a small draw it would pass the time
// within which a bet has to be stored.
const betsPerAcceptor = 1000

// place places bets evenly over the betting round.
func (p *pipeline) place(ctx context.Context, bets []placing.Request) error {
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range max(1, min(len(bets)/betsPerAcceptor, mostAcceptors)) {
		group.Go(func() error {
			for {
				i := next.Add(1) - 1
				if i >= int64(len(bets)) {
					return nil
				}
				p.clock.pass(opensAt + settlement.Instant(i*int64(closesAt-opensAt)/int64(len(bets))))
				if _, err := p.acceptor.Place(ctx, bets[i]); err != nil {
					return fmt.Errorf("placing bet %s: %w", bets[i].Reference, err)
				}
			}
		})
	}
	return group.Wait()
}

// mostAcceptors bounds how many bets are placed at once.
const mostAcceptors = 8

// revise handles a revision and settles under it, once the grace time is over.
func (p *pipeline) revise(ctx context.Context, r revision) error {
	if err := p.handle(ctx, r.at, r.message); err != nil {
		return err
	}
	p.clock.pass(r.at + draw.SettleGrace)
	return p.settler.Handle(ctx, drawID)
}
