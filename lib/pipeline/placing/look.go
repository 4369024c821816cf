package placing

import (
	"context"
	"errors"
	"slices"
	"time"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

const (
	// lookWithin is how long after its request's time a record is looked after.
	lookWithin = 5 * time.Second
	// lookDelay is how long settle is given to come to the draw by itself.
	lookDelay = time.Second
)

// stamp returns the time of a request that began at a time: never before what this
// process knows was stored, whatever its clock says.
func (d *cachedDraw) stamp(at settlement.Instant) settlement.Instant { return max(at, d.Head.StoredAt) }

// look reads the head once more, after something of bets is known to be stored. HEAD has
// a draw's result before anything of it is settled, so:
//
//   - There is no result: whoever settles the draw reads its partitions after this, and
//     finds the records there. Nothing more is to be done.
//   - There is one: a settlement may have read a partition before its record was there.
//     settle is asked to look it through again; the request outlives the record.
//
// A process that ends in between has answered nobody: the request comes again, finds its
// record and looks; and a second look at each draw, a little later, finds what nobody
// asks for. The answers are made of the head that was read, or, where it can't be, of one
// that was read consistently just before: any other may be behind what was answered.
func (p *Acceptor) look(ctx context.Context, d *cachedDraw, parts []wire.Look, at settlement.Instant) (*cachedDraw, error) {
	ctx, cancel := p.until(ctx, at, lookWithin)
	defer cancel()
	read, err := p.draws.look(ctx, p.Table, d.ID, p.Now())
	if err == nil && read != nil {
		if d = read; d.Head.ResultAt == 0 {
			return d, nil
		}
	}
	for _, part := range parts {
		if err := p.Looks.Send(ctx, wire.Encode(wire.Run{Draw: d.ID, Look: &part}), lookDelay); err != nil {
			p.Record.Unlooked(d.Game.ID)
		}
	}
	if !d.sure {
		return nil, errors.Join(errors.New("the draw could not be read again after a request of it was stored"), err)
	}
	return d, nil
}

// looks reports whether a record has to be looked after that was stored at a time, in so
// many milliseconds. One of long after the draw was settled is a replay of what was.
func (d *cachedDraw) looks(round int, stored, took, now settlement.Instant) bool {
	return d.Head.Looks(round, stored, took) && (d.Head.StateAt == 0 || now < d.Head.StateAt+overAfter)
}

// Stored is a bet or a side wager of a request that is stored, just now or before, and not
// answered yet.
type Stored struct {
	*try
	record store.StoredBet
	replay bool
	took   settlement.Instant
}

// stored returns what is to be answered by a record.
func (p *Acceptor) stored(t *try, there store.StoredBet, replay bool) *Stored {
	return &Stored{try: t, record: there, replay: replay, took: p.Now() - t.at}
}

// Answer looks at the draw of what is stored, once for all that is given, which is of one
// draw, and answers each from what it finds. On an error the outcome of all is not known, and
// the same requests have to be sent again.
func (p *Acceptor) Answer(ctx context.Context, stored []*Stored) ([]*record.Account, error) {
	var parts []wire.Look
	d, at, now := stored[0].draw, stored[0].at, p.Now()
	for _, s := range stored {
		if at = max(at, s.at); s.draw.Version > d.Version {
			d = s.draw
		}
		if s.draw.looks(int(s.record.Round), s.record.AcceptedAt, s.took, now) && !slices.Contains(parts, s.part) {
			parts = append(parts, s.part)
		}
	}
	if len(parts) > 0 || !d.sure {
		var err error
		if d, err = p.look(ctx, d, parts, at); err != nil {
			return nil, err
		}
	}
	accounts := make([]*record.Account, len(stored))
	for i, s := range stored {
		accounts[i] = &record.Account{Bet: s.record, Reference: s.bet.Reference, Wager: s.bet.Wager, Replay: s.replay,
			BetStatus: record.BetStatusOf(d.Head, d.Game, &s.record, 0, p.Now())}
	}
	return accounts, nil
}
