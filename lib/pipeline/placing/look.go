package placing

import (
	"context"
	"time"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
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

// look reads the head once more, after something of a bet is known to be stored. HEAD has
// a draw's result before anything of it is settled, so:
//
//   - There is no result: whoever settles the draw reads its partitions after this, and
//     finds the record there. Nothing more is to be done.
//   - There is one: a settlement may have read the partition before the record was there.
//     settle is asked to look it through again; the request outlives the record.
//
// A process that ends in between has answered nobody: the request comes again, finds its
// record and looks; and a second look at each draw, a little later, finds what nobody
// asks for. A record of long after the draw was settled is such a replay. The answer is
// made of the head that was read.
func (p *Acceptor) look(ctx context.Context, d *cachedDraw, part wire.Look, round int, stored, at settlement.Instant) *cachedDraw {
	now := p.Now()
	if !d.Head.Looks(round, stored, now-at) || d.Head.StateAt != 0 && now >= d.Head.StateAt+overAfter {
		return d
	}
	ctx, cancel := p.until(ctx, at, lookWithin)
	defer cancel()
	read, err := p.draws.look(ctx, p.Table, d.ID, now)
	if err == nil && read != nil {
		if d = read; d.Head.ResultAt == 0 {
			return d
		}
	}
	if err := p.Looks.Send(ctx, wire.Encode(wire.Run{Draw: d.ID, Look: &part}), lookDelay); err != nil {
		p.Record.Unlooked(d.Game.ID)
	}
	return d
}
