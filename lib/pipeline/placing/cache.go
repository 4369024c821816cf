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
	mutex sync.Mutex
	draws map[string]*cachedDraw
	looks map[string]*look // the newest of each draw, begun or not
}

// look is a reading of a draw that several requests wait for.
type look struct {
	before *look // it begins when that has ended
	begun  bool
	done   chan struct{}
	draw   *cachedDraw
	err    error
}

// look reads a draw, beginning no sooner than it is called. Requests that ask while
// another reading is under way share the next one: those of a batch read once or twice.
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
	l.draw, l.err = c.read(ctx, table, id, now)
	c.mutex.Lock()
	if c.looks[id] == l {
		delete(c.looks, id)
	}
	c.mutex.Unlock()
	close(l.done)
	return l.draw, l.err
}

// cachedDraw is a draw as it was read at a time. A later reading is another one that
// has its messages.
type cachedDraw struct {
	*record.Draw
	readAt settlement.Instant
}

// get returns a draw that was read at most headFor ago; nil when it is unknown.
func (c *drawCache) get(ctx context.Context, table *store.Table, id string, now settlement.Instant) (*cachedDraw, error) {
	c.mutex.Lock()
	known := c.draws[id]
	c.mutex.Unlock()
	if known != nil && now-known.readAt < headFor && now >= known.readAt {
		return known, nil
	}
	return c.read(ctx, table, id, now)
}

// read reads a draw, whatever is remembered of it; nil when it is unknown.
func (c *drawCache) read(ctx context.Context, table *store.Table, id string, now settlement.Instant) (*cachedDraw, error) {
	d, err := record.Open(ctx, table, id)
	if err != nil || d.Head == nil {
		return nil, err
	}
	if d.Unknown != nil {
		return nil, d.Unknown
	}
	read := &cachedDraw{Draw: d, readAt: now}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if known := c.draws[id]; known != nil {
		d.Keep(known.Draw)
	}
	if c.draws == nil || len(c.draws) >= maxDraws {
		c.draws = map[string]*cachedDraw{}
	}
	if d.Opened() { // before, not even the shards are known
		c.draws[id] = read
	}
	return read, nil
}

// round returns a betting round's board and what is decided in it.
func (d *cachedDraw) round(ctx context.Context, number int) (board wire.Board, decided wire.DecidedMarks, err error) {
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
	mutex sync.Mutex
	known map[string]bool
}

// register enters a bookmaker in a draw's registry, before its first bet.
func (c *partCache) register(ctx context.Context, table *store.Table, id, bookmaker string, expires settlement.Instant) error {
	key := id + "#" + bookmaker
	c.mutex.Lock()
	known := c.known[key]
	c.mutex.Unlock()
	if known {
		return nil
	}
	err := table.Create(ctx, store.Item{PK: store.DrawKey(id), SK: store.PartKey(bookmaker), ExpiresAt: expires})
	if exists := (*store.ExistsError)(nil); err != nil && !errors.As(err, &exists) {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.known == nil || len(c.known) >= maxParts {
		c.known = map[string]bool{}
	}
	c.known[key] = true
	return nil
}
