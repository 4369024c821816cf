package placing

import (
	"context"
	"errors"
	"sync"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/rules"
	"tally/lib/store"
	"tally/lib/store/record"
)

// headFor is how long a head may be answered from memory, in milliseconds. A
// round that closes early within it makes a bet late_bet, after an answer that
// said accepted.
const headFor = 1000

// The most draws, and bookmakers on draws, that are remembered.
const (
	maxDraws = 1024
	maxParts = 1 << 14
)

// drawCache remembers draws' heads for a moment, and their boards, which never
// change.
type drawCache struct {
	mutex sync.Mutex
	draws map[string]*cachedDraw
}

// cachedDraw is a draw as it was read at a time. A later reading is another
// cachedDraw that shares its rounds.
type cachedDraw struct {
	head   *draw.Head
	game   *rules.Game
	readAt instant
	rounds *roundCache
}

type roundCache struct {
	mutex  sync.Mutex
	rounds map[int]cachedRound
}

type cachedRound struct {
	board   wire.Board
	decided map[rules.Selection]rules.Mark
}

// get returns a draw that was read at most headFor ago; nil when it is unknown.
func (c *drawCache) get(ctx context.Context, table *store.Table, id string, now instant) (*cachedDraw, error) {
	c.mutex.Lock()
	known := c.draws[id]
	c.mutex.Unlock()
	if known != nil && now-known.readAt < headFor && now >= known.readAt {
		return known, nil
	}
	return c.read(ctx, table, id, now)
}

// read reads a draw, whatever is remembered of it; nil when it is unknown.
func (c *drawCache) read(ctx context.Context, table *store.Table, id string, now instant) (*cachedDraw, error) {
	head, version, err := record.LoadHead(ctx, table, id)
	if err != nil || version == 0 {
		return nil, err
	}
	game, err := head.Rules()
	if err != nil {
		return nil, err
	}
	read := &cachedDraw{head: head, game: game, readAt: now, rounds: &roundCache{rounds: map[int]cachedRound{}}}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if known := c.draws[id]; known != nil {
		read.rounds = known.rounds
	}
	if c.draws == nil || len(c.draws) >= maxDraws {
		c.draws = map[string]*cachedDraw{}
	}
	if head.Opened { // before, not even the shards are known
		c.draws[id] = read
	}
	return read, nil
}

// round returns a betting round's board and what is decided in it.
func (d *cachedDraw) round(ctx context.Context, table *store.Table, number int) (wire.Board, map[rules.Selection]rules.Mark, error) {
	round, known := d.head.Round(number)
	if !known || round.Board == "" && round.OpenedAt == 0 {
		return nil, nil, nil // a paytable and no cards yet
	}
	d.rounds.mutex.Lock()
	defer d.rounds.mutex.Unlock()
	if cached, ok := d.rounds.rounds[number]; ok {
		return cached.board, cached.decided, nil
	}
	read := cachedRound{decided: map[rules.Selection]rules.Mark{}}
	if round.OpenedAt != 0 {
		m, err := d.message(ctx, table, store.RoundKey(number))
		if err != nil {
			return nil, nil, err
		}
		read.board = m.Board
		for selection, mark := range m.Decided {
			read.decided[selection] = mark
		}
	}
	if round.Board == wire.DrawOpened {
		m, err := d.message(ctx, table, store.OpenedKey)
		if err != nil {
			return nil, nil, err
		}
		read.board = m.Board
	}
	if d.game.Paytable() || read.board != nil {
		d.rounds.rounds[number] = read // a round opened without its board may still get it
	}
	return read.board, read.decided, nil
}

// message reads a stored message back.
func (d *cachedDraw) message(ctx context.Context, table *store.Table, sk string) (*wire.Message, error) {
	id := d.head.Draw
	item, found, err := table.Sure(ctx, store.DrawKey(id), sk)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errors.New("draw " + id + " lacks " + sk + ", which its head names")
	}
	m, _, faults := wire.ParseUnder([]byte(item.Body), d.game)
	if len(faults) > 0 {
		return nil, errors.New("draw " + id + ": stored " + sk + " is no longer valid: " + faults[0].Message)
	}
	return m, nil
}

// partCache remembers which bookmakers are in which draws' registries.
type partCache struct {
	mutex sync.Mutex
	known map[string]bool
}

// register enters a bookmaker in a draw's registry, before its first bet.
func (c *partCache) register(ctx context.Context, table *store.Table, id, bookmaker string, expires instant) error {
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
