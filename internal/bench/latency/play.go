package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/client"
	"tally/lib/rulebook/rules"
)

// result is what one draw came to.
type result struct {
	game, closing string
	times         times
	boards        []board
	err           error // why it did not go all the way
}

// played is a draw that is played.
type played struct {
	*stage
	*sample
	id       string
	number   int
	closing  string
	bets     int
	resultAt time.Time // at the earliest
	rounds   plan
	turns    *sync.Mutex // held from a result until all of it is noted: one draw at a time
	boards   []board
}

// board is how soon a round's board was seen, from when it was stored.
type board struct {
	blind time.Duration // until the last request was sent that did not see it; zero for none after it
	taken time.Duration // until a bet at its odds was answered
}

// measure plays draws of a game, those of each closing at tables of their own, one after the
// other at each table: a machine that is slow plays fewer at once.
func (o *options) measure(ctx context.Context, name string, game *rules.Game, progress io.Writer) (whole []result, err error) {
	sample, err := sampleOf(game)
	if err != nil {
		return nil, err
	}
	var turns sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	results := make([]result, o.draws*len(o.closings))
	for i, closing := range o.closings {
		stage, err := o.open(ctx, name+"-"+closing) // of its own: the emulator takes the longer, the more a table holds
		if err != nil {
			return nil, err
		}
		defer stage.close()
		var next atomic.Int64
		for range tablesOf[closing] {
			group.Go(func() error {
				for n := int(next.Add(1)); n <= o.draws && ctx.Err() == nil; n = int(next.Add(1)) {
					d := &played{stage: stage, sample: sample, id: fmt.Sprintf("lat.%s.%s.%d", game.ID, closing, n), number: n,
						closing: closing, bets: o.bets, rounds: plan{}, turns: &turns}
					err := d.play(ctx)
					noted, _ := stage.watch.of(d.id)
					results[i*o.draws+n-1] = result{game: game.ID, closing: closing, times: noted, boards: d.boards, err: err}
				}
				return ctx.Err()
			})
		}
	}
	err = group.Wait()
	for _, r := range results {
		if r.err == nil {
			whole = append(whole, r)
			continue
		}
		fmt.Fprintf(progress, "left out: a draw of %s, closed by %s: %v\n", game.ID, r.closing, r.err)
	}
	if len(whole) == 0 && err == nil {
		err = errors.New("no draw went all the way")
	}
	return whole, err
}

// tablesOf is how many tables play draws that are closed in a way: the longer a draw takes,
// the more of them.
var tablesOf = map[string]int{byPlan: 4, byMessage: 2, byResult: 1}

// play plays a draw, and waits until all is noted of it.
func (d *played) play(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i, m := range d.messages {
		last := m.Round == d.sample.rounds && m.Type == "betting.closed" && m.Selections == nil
		if last && d.closing != byMessage {
			continue // by plan, or by the result
		}
		if err := d.say(ctx, m, fmt.Sprintf("message-%d", i+1)); err != nil {
			return err
		}
		if last {
			d.resultAt = time.Now().Add(ahead)
		}
	}
	if err := sleep(ctx, time.Until(d.resultAt)); err != nil {
		return err
	}
	d.turns.Lock()
	defer d.turns.Unlock()
	if err := d.send(ctx, d.result, "result"); err != nil {
		return err
	}
	for {
		t, readers := d.watch.of(d.id)
		if readers == len(d.bookmakers) && !t[pushed].IsZero() && !t[logged].IsZero() {
			return nil
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return fmt.Errorf("%d of %d bookmakers have read their report; pushed: %t, logged: %t: %w",
				readers, len(d.bookmakers), !t[pushed].IsZero(), !t[logged].IsZero(), err)
		}
	}
}

// say sends a message, waits until it is stored, and has bets placed in the round that it opens.
func (d *played) say(ctx context.Context, m message, name string) error {
	if m.Type == "draw.opened" || m.Type == "betting.opened" {
		d.planRound(max(1, m.Round))
	}
	if m.Type != "betting.opened" {
		return d.send(ctx, m, name)
	}
	group, ctx := errgroup.WithContext(ctx)
	waits := !d.game.Paytable() && d.number%boardsOf == 1 // for the board, with a bet
	if waits {
		group.Go(func() error { return d.place(ctx, m.Round, 0, true) })
	}
	group.Go(func() error {
		if err := d.send(ctx, m, name); err != nil {
			return err
		}
		if err := sleep(ctx, seenAfter); err != nil {
			return err
		}
		for i := range d.bookmakers {
			if i > 0 || !waits {
				group.Go(func() error { return d.place(ctx, m.Round, i, false) })
			}
		}
		return nil
	})
	return group.Wait()
}

// boardsOf is of how many draws one has a bookmaker who waits for its boards, which makes
// many requests.
const boardsOf = 10

// seenAfter is how long after a board is stored the others bet: it is seen by then.
const seenAfter = 110 * time.Millisecond

// planRound says when a betting round takes bets: from now on, and long enough to be closed
// otherwise, unless its plan is to close it.
func (d *played) planRound(round int) {
	if _, known := d.rounds[round]; known {
		return
	}
	now := time.Now()
	closes := now.Add(time.Hour)
	if d.closing == byPlan && round == d.sample.rounds {
		closes = now.Add(roundLasts)
		d.resultAt = closes.Add(ahead)
	}
	d.rounds[round] = span{opens: now, closes: closes}
}

// send sends a message, and waits until intake is done with it.
func (d *played) send(ctx context.Context, m message, name string) error {
	id := d.id + "-" + name
	now := time.Now()
	text, err := m.text(d.id, id, d.number, now, d.rounds)
	if err != nil {
		return err
	}
	if "-"+name == resultID {
		d.watch.note(d.id, sent, now)
	}
	if err := d.studio.Send(ctx, text, 0); err != nil {
		return err
	}
	select {
	case <-d.watch.handled(id):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// place places a bookmaker's bets in a round, one after the other.
func (d *played) place(ctx context.Context, round, bookmaker int, waits bool) error {
	b := d.bookmakers[bookmaker]
	for i, bet := range d.betsOf(round, d.bets) {
		blind, err := d.untilTaken(ctx, b, fmt.Sprintf("%d-%d", round, i+1), round, bet)
		if err != nil {
			return err
		}
		if stored := d.watch.board(d.id, round); waits && i == 0 && !stored.IsZero() { // else it is not noted yet
			d.boards = append(d.boards, board{blind: max(0, blind.Sub(stored)), taken: max(0, time.Since(stored))})
		}
	}
	return nil
}

// againAfter is how long a bookmaker waits before it sends a bet that was refused again.
const againAfter = 5 * time.Millisecond

// untilTaken sends a bet until it is accepted, while its round takes bets; each time under
// another reference, for one that was refused rests for seconds. It returns when the last was
// sent that was refused.
func (d *played) untilTaken(ctx context.Context, b *bookmaker, reference string, round int, bet v1.BetRequest) (time.Time, error) {
	var refused time.Time
	for try := 1; ; try++ {
		at := time.Now()
		_, err := b.client.PlaceBet(ctx, d.id, fmt.Sprintf("%s-%d", reference, try), bet)
		switch {
		case err == nil:
			return refused, nil
		case client.Undecided(err): // under another reference it might be taken twice
			return refused, err
		case time.Now().After(d.rounds[round].closes):
			return refused, fmt.Errorf("%s's bet %s was not taken before its round closed: %w", b.id, reference, err)
		}
		refused = at
		if err := sleep(ctx, againAfter); err != nil {
			return refused, err
		}
	}
}
