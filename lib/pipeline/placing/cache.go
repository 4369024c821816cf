package placing

import (
	"context"
	"errors"
	"sync"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// headFor is how long a head may be answered from memory, in milliseconds: so long may a
// new board, or an early closing, go unnoticed. A closing makes the bet late_bet, after an
// answer that said accepted.
const headFor = 100

// The most draws, and bookmakers on draws, that are remembered.
const (
	maxDraws = 1024
	maxParts = 1 << 14
)

// drawCache remembers draws' heads for a moment, and their messages, which never
// change.
type drawCache struct {
	mutex  sync.Mutex
	draws  map[string]*cachedDraw
	firsts map[string]*first
	looks  map[string]*look // the newest of each draw, begun or not
}

// cachedDraw is a draw as it was read at a time. A later reading is another one that
// has its messages.
type cachedDraw struct {
	*record.Draw
	readAt settlement.Instant
	// sure says that it was read consistently: it is what was stored at that time, or
	// newer. Any other may be older. By such a one a bet may be taken that is looked after;
	// nothing is refused by it, and nothing answered.
	sure bool
}

// first is a reading of a draw before anything is decided.
type first struct {
	begun settlement.Instant
	done  chan struct{}
	draw  *cachedDraw
	err   error
}

// look is a reading of a draw that several requests wait for.
type look struct {
	before *look // it begins when that has ended
	begun  bool
	done   chan struct{}
	draw   *cachedDraw
	err    error
}

// look reads a draw consistently, beginning no sooner than it is called. Requests that ask
// while another reading is under way share the next one; nil when the draw is unknown.
func (c *drawCache) look(ctx context.Context, table *store.Table, id string, now settlement.Instant) (*cachedDraw, error) {
	c.mutex.Lock()
	l := c.looks[id]
	if l != nil && !l.begun {
		c.mutex.Unlock()
		select {
		case <-l.done:
			return l.draw, l.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	l = &look{before: l, done: make(chan struct{})}
	if c.looks == nil {
		c.looks = map[string]*look{}
	}
	c.looks[id] = l
	c.mutex.Unlock()
	if l.before != nil {
		<-l.before.done // whose request ends in its time
	}
	c.mutex.Lock()
	l.before, l.begun = nil, true
	c.mutex.Unlock()
	l.draw, l.err = c.read(ctx, table, id, now, true)
	c.mutex.Lock()
	if c.looks[id] == l {
		delete(c.looks, id)
	}
	c.mutex.Unlock()
	close(l.done)
	return l.draw, l.err
}

// get returns a draw that was read at most headFor ago; nil when nothing is found of it.
// Where it has to be read, bets being looked after, it is not sure.
func (c *drawCache) get(ctx context.Context, table *store.Table, id string, now settlement.Instant) (*cachedDraw, error) {
	recent := func(at settlement.Instant) bool { return now-at < headFor && now >= at }
	c.mutex.Lock()
	known, f := c.draws[id], c.firsts[id]
	if known != nil && recent(known.readAt) {
		c.mutex.Unlock()
		return known, nil
	}
	if f != nil && recent(f.begun) {
		c.mutex.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if f.err == nil {
			return f.draw, nil
		}
		return c.read(ctx, table, id, now, true) // the request that began it may have ended
	}
	f = &first{begun: now, done: make(chan struct{})}
	if c.firsts == nil {
		c.firsts = map[string]*first{}
	}
	c.firsts[id] = f
	c.mutex.Unlock()
	f.draw, f.err = c.read(ctx, table, id, now, known != nil && !known.looksAt(now))
	c.mutex.Lock()
	if c.firsts[id] == f {
		delete(c.firsts, id)
	}
	c.mutex.Unlock()
	close(f.done)
	return f.draw, f.err
}

// looksAt reports whether a bet of a time is looked after, as far as is known.
func (d *cachedDraw) looksAt(at settlement.Instant) bool {
	round, open := d.Head.RoundAt(at)
	return open && d.Head.Looks(round, at, 0)
}

// read reads a draw, whatever is remembered of it; nil when it is unknown.
func (c *drawCache) read(ctx context.Context, table *store.Table, id string, now settlement.Instant, sure bool) (*cachedDraw, error) {
	open := record.OpenEventually
	if sure {
		open = record.Open
	}
	d, err := open(ctx, table, id)
	if err != nil || d.Head == nil && sure {
		return nil, err
	}
	if d.Unknown != nil {
		return nil, d.Unknown
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	known := c.draws[id]
	switch {
	case known != nil && d.Version < known.Version: // the answer of a replica that is behind, or of a reading that others have overtaken
		d = known.Draw
	case d.Head == nil:
		return nil, nil
	case known != nil:
		d.Keep(known.Draw)
	}
	read := &cachedDraw{Draw: d, readAt: now, sure: sure}
	if known != nil && known.sure && !sure && known.readAt >= now {
		return known, nil
	}
	if c.draws == nil || known == nil && len(c.draws) >= maxDraws {
		c.draws = map[string]*cachedDraw{}
	}
	if d.Opened() { // before, not even the shards are known
		c.draws[id] = read
	}
	return read, nil
}

// round returns a betting round's board and what is decided in it.
func (d *cachedDraw) round(ctx context.Context, number int) (board wire.OddsBoard, decided wire.DecidedMarks, err error) {
	round, known := d.Head.Round(number)
	if !known {
		return nil, nil, nil
	}
	opening, priced, err := d.Round(ctx, number, round.OpenedAt != 0, round.Board)
	if opening != nil {
		decided = opening.Decided
	}
	if priced != nil {
		board = priced.Board
	}
	return board, decided, err
}

// partCache remembers which bookmakers are in which draws' registries.
type partCache struct {
	mutex   sync.Mutex
	known   map[string]bool
	entries map[string]*entering // under way
}

// entering is an entry in a registry that is being written, which the bets of a batch share.
type entering struct {
	done chan struct{}
	err  error
}

// register enters a bookmaker in a draw's registry, before its first bet.
func (c *partCache) register(ctx context.Context, table *store.Table, id, bookmaker string, expires settlement.Instant) error {
	key := id + "#" + bookmaker
	c.mutex.Lock()
	known, begun := c.known[key], c.entries[key]
	if known {
		c.mutex.Unlock()
		return nil
	}
	if begun != nil {
		c.mutex.Unlock()
		select {
		case <-begun.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if begun.err == nil {
			return nil
		}
		return c.enter(ctx, table, id, bookmaker, expires) // the request that began it may have ended
	}
	begun = &entering{done: make(chan struct{})}
	if c.entries == nil {
		c.entries = map[string]*entering{}
	}
	c.entries[key] = begun
	c.mutex.Unlock()
	begun.err = c.enter(ctx, table, id, bookmaker, expires)
	c.mutex.Lock()
	delete(c.entries, key)
	c.mutex.Unlock()
	close(begun.done)
	return begun.err
}

// enter writes the entry, and remembers it.
func (c *partCache) enter(ctx context.Context, table *store.Table, id, bookmaker string, expires settlement.Instant) error {
	err := table.Create(ctx, store.Item{PK: store.DrawKey(id), SK: store.PartKey(bookmaker), ExpiresAt: expires})
	if exists := (*store.ExistsError)(nil); err != nil && !errors.As(err, &exists) {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.known == nil || len(c.known) >= maxParts {
		c.known = map[string]bool{}
	}
	c.known[id+"#"+bookmaker] = true
	return nil
}
