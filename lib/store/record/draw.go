package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// Draw is what is stored of a draw, read back. Messages and states never change: what
// was not read with the rest is read when it is asked for.
type Draw struct {
	ID      string
	Head    *draw.Head  // nil when nothing is known of the draw
	Game    *rules.Game // nil with Unknown, and before the studio's first message
	Unknown error       // a games.ErrUnknown: this program does not have the draw's rules
	Version int64       // of the head that was read

	table    *store.Table
	items    map[string]store.Item // what was loaded
	whole    bool                  // all was
	messages *messages
}

// messages are a draw's messages that were read so far.
type messages struct {
	turn chan struct{} // holds one while somebody reads; who waits gives up when its context ends
	read map[string]*wire.Message
}

// ErrUnread says that what is stored could not be read: it says nothing of what it is.
var ErrUnread = errors.New("what is stored could not be read")

// Load reads everything about a draw but its bets and reports.
func Load(ctx context.Context, table *store.Table, id string) (*Draw, error) {
	d, err := Begin(ctx, table, id)
	if err != nil {
		return nil, err
	}
	return d, d.LoadRest(ctx)
}

// Begin reads SWEEP and then HEAD; LoadRest reads the rest. A query is no snapshot: others
// write while it goes from page to page, and of a transaction it may see a part. So these
// two are read before it, and what they say was written before it is found: whoever
// stored something of a bet, and then read a HEAD without the result that this one has, is
// found in the registry, and its record in its partition. Messages and states that are
// named and were not seen are read for sure.
func Begin(ctx context.Context, table *store.Table, id string) (*Draw, error) {
	sweep, swept, err := table.Get(ctx, store.DrawKey(id), store.SweepKey)
	if err != nil {
		return nil, err
	}
	d, err := Open(ctx, table, id)
	if err == nil && swept {
		d.items = map[string]store.Item{store.SweepKey: sweep}
	}
	return d, err
}

// LoadRest reads what Begin has left.
func (d *Draw) LoadRest(ctx context.Context) error {
	items, err := d.table.All(ctx, store.DrawKey(d.ID))
	if err != nil {
		return err
	}
	delete(items, store.SweepKey)
	if sweep, swept := d.items[store.SweepKey]; swept {
		items[store.SweepKey] = sweep
	}
	d.items, d.whole = items, true
	return nil
}

// Open reads a draw's head alone.
func Open(ctx context.Context, table *store.Table, id string) (*Draw, error) {
	item, _, err := table.Get(ctx, store.DrawKey(id), store.HeadKey)
	if err != nil {
		return nil, err
	}
	return open(table, id, item)
}

// OpenEventually is Open by a read of half the price, which may find the head as it was
// before: see [store.Table.GetEventually].
func OpenEventually(ctx context.Context, table *store.Table, id string) (*Draw, error) {
	item, _, err := table.GetEventually(ctx, store.DrawKey(id), store.HeadKey)
	if err != nil {
		return nil, err
	}
	return open(table, id, item)
}

func open(table *store.Table, id string, item store.Item) (*Draw, error) {
	if item.PK == "" {
		return &Draw{ID: id, table: table}, nil
	}
	head, version, err := HeadOf(id, item)
	if err != nil {
		return nil, err
	}
	d := New(table, head)
	d.Version = version
	return d, nil
}

// New is the draw of a head that was read.
func New(table *store.Table, head *draw.Head) *Draw {
	d := &Draw{ID: head.Draw, Head: head, table: table, messages: &messages{turn: make(chan struct{}, 1), read: map[string]*wire.Message{}}}
	if head.Game != "" { // else an operator's order has come before the studio's first message
		d.Game, d.Unknown = head.Rules()
	}
	return d
}

// LoadHistory reads what bets were settled under: the messages and states of the draw,
// and SWEEP, which comes last. It reads nothing of bookmakers, however many there are.
func (d *Draw) LoadHistory(ctx context.Context) error {
	d.items = map[string]store.Item{}
	for item, err := range d.table.After(ctx, store.DrawKey(d.ID), store.RevisionPrefix) {
		if err != nil {
			return err
		}
		d.items[item.SK] = item
	}
	return nil
}

// Opened reports whether the draw's opening is stored.
func (d *Draw) Opened() bool { return d.Head != nil && d.Head.Opened }

// Keep takes over the messages that were read of the draw before.
func (d *Draw) Keep(before *Draw) { d.messages = before.messages }

// named reads an item that others name.
func (d *Draw) named(ctx context.Context, sk string) (store.Item, error) {
	item, found := d.items[sk]
	if found {
		return item, nil
	}
	item, found, err := d.table.Sure(ctx, store.DrawKey(d.ID), sk)
	if err != nil {
		return store.Item{}, fmt.Errorf("%w: %w", ErrUnread, err)
	}
	if !found {
		return store.Item{}, fmt.Errorf("draw %s lacks %s, which its records name", d.ID, sk)
	}
	return item, nil
}

// Item returns an item that was loaded.
func (d *Draw) Item(sk string) (store.Item, bool) {
	item, found := d.items[sk]
	return item, found
}

// after returns the rest of the keys that begin with a prefix, in their order.
func (d *Draw) after(prefix string) (list []string) {
	for sk := range d.items {
		if rest, is := strings.CutPrefix(sk, prefix); is {
			list = append(list, rest)
		}
	}
	slices.Sort(list)
	return list
}

// Bookmakers returns the registry of bookmakers with bets on the draw, in the order of
// their names.
func (d *Draw) Bookmakers() []string { return d.after(store.PartPrefix) }

// Quarantined reports whether a message of the draw sits in quarantine. Its mark alone does
// not say so: that stays when an operator, who can't write in the draw's partition, takes the
// message out.
func (d *Draw) Quarantined(ctx context.Context) (bool, error) {
	for _, rest := range d.after(store.HeldPrefix) {
		pk, sk := store.HeldOf(rest)
		if _, found, err := d.table.Get(ctx, pk, sk); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// Released reports whether an operator has released what a key names of the draw: a state
// that was held, or a message by the hash of its content.
func Released(ctx context.Context, table *store.Table, draw, of string) (bool, error) {
	_, found, err := table.Get(ctx, store.ReleasedIn(draw), store.ReleasedKey(of))
	if err != nil || found {
		return found, err
	}
	// Where earlier versions have put it.
	_, found, err = table.Get(ctx, store.DrawKey(draw), store.ReleasedKey(of))
	return found, err
}

// Message reads a stored message back. What intake has stored and can't be read any more,
// or is not what was stored, is an error, never a guess.
func (d *Draw) Message(ctx context.Context, sk string) (*wire.Message, error) {
	select {
	case d.messages.turn <- struct{}{}:
		defer func() { <-d.messages.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("reading %s of draw %s: %w", sk, d.ID, ctx.Err())
	}
	if m, read := d.messages.read[sk]; read {
		return m, nil
	}
	item, err := d.named(ctx, sk)
	if err != nil {
		return nil, err
	}
	m, err := d.read(item)
	if err == nil {
		d.messages.read[sk] = m
	}
	return m, err
}

func (d *Draw) read(item store.Item) (*wire.Message, error) {
	if d.Game == nil {
		return nil, fmt.Errorf("draw %s: %w", d.ID, cmp.Or(d.Unknown, errors.New("its game is not known")))
	}
	decided, err := decidedOf(item, d.Game)
	if err != nil {
		return nil, fmt.Errorf("draw %s: reading what %s had decided: %w", d.ID, item.SK, err)
	}
	m, _, faults := wire.ParseAgain([]byte(item.Body), d.Game, decided)
	switch {
	case len(faults) > 0:
		return nil, fmt.Errorf("draw %s: stored %s is no longer valid: %s: %s", d.ID, item.SK, faults[0].Code, faults[0].Message)
	case m.Hash() != item.Hash:
		return nil, fmt.Errorf("draw %s: stored %s has not the hash that it was stored with", d.ID, item.SK)
	}
	m.StoredAt = item.StoredAt
	return m, nil
}

// Round reads the message that opened a betting round, and the one that has its odds
// board; nil for none.
func (d *Draw) Round(ctx context.Context, number int, opened bool, board wire.Type) (opening, priced *wire.Message, err error) {
	if opened {
		if opening, err = d.Message(ctx, store.RoundKey(number)); err != nil {
			return nil, nil, err
		}
	}
	switch board {
	case wire.DrawOpened:
		priced, err = d.Message(ctx, store.OpenedKey)
	case wire.BettingOpened:
		priced, err = d.Message(ctx, store.RoundKey(number))
	}
	return opening, priced, err
}

// State reads a state as intake has stored it.
func (d *Draw) State(ctx context.Context, number int) (*draw.StateRecord, error) {
	item, err := d.named(ctx, store.StateKey(number))
	if err != nil {
		return nil, err
	}
	return store.Decode[draw.StateRecord](item)
}

// Resolve returns a state of the draw to settle under: what it names, read back and
// resolved again. Stored facts that no longer resolve are an error, never a guess. found
// are the late records that it knows of.
func (d *Draw) Resolve(ctx context.Context, number int) (state *settlement.Basis, found []wire.Late, err error) {
	stored, err := d.State(ctx, number)
	if err != nil {
		return nil, nil, err
	}
	if d.Unknown != nil {
		return nil, nil, fmt.Errorf("draw %s: %w", d.ID, d.Unknown)
	}
	if stored.Catalogue != d.Game.Version {
		_, err := games.Version(d.Game.ID, stored.Catalogue)
		return nil, nil, cmp.Or(err, fmt.Errorf("state %d of draw %s is of version %d of %s, and the draw of %d", number, d.ID, stored.Catalogue, d.Game.ID, d.Game.Version))
	}
	state = &settlement.Basis{Game: d.Game, Number: number, Rounds: make([]settlement.Round, len(d.Game.Rounds)), Cancelled: draw.AutomaticReason}
	if stored.Revision != draw.AutomaticRevision {
		m, err := d.Message(ctx, store.RevisionKey(stored.Revision))
		if err != nil {
			return nil, nil, err
		}
		state.Outcome, state.Void, state.Cancelled = m.Resolution.Outcome, m.Resolution.Void, m.Reason
	}
	for _, final := range stored.Rounds { // one that it does not name took no bets
		if state.Rounds[final.Number-1], err = d.final(ctx, final); err != nil {
			return nil, nil, err
		}
	}
	for _, id := range stored.Orders {
		m, err := d.Message(ctx, store.OrderKey(id))
		switch {
		case err != nil:
			return nil, nil, err
		case m.Type == wire.BetsFound:
			found = append(found, m.Late)
		default:
			state.Orders = append(state.Orders, settlement.Order{ID: id, Scope: m.Scope})
		}
	}
	return state, found, nil
}

// final returns a betting round of a state as bets are settled by it.
func (d *Draw) final(ctx context.Context, final draw.FinalRound) (round settlement.Round, err error) {
	round = settlement.Round{OpensAt: final.OpensAt, Closing: final.Closing, Decided: map[rules.Selection]rules.Mark{}}
	if round.Stops, err = final.Stops(d.Game); err != nil {
		return round, fmt.Errorf("draw %s: %w", d.ID, err)
	}
	opening, priced, err := d.Round(ctx, final.Number, final.Opened, final.Board)
	if err != nil {
		return round, err
	}
	if opening != nil {
		maps.Copy(round.Decided, opening.Decided)
		opening.Board.Marks(d.Game, round.Decided)
	}
	if priced != nil {
		priced.Board.Marks(d.Game, round.Decided)
	}
	return round, nil
}

// Revisions reads the studio's results and cancellations, by number.
func (d *Draw) Revisions(ctx context.Context) (list []*wire.Message, err error) {
	for _, number := range d.after(store.RevisionPrefix) {
		sk := store.RevisionPrefix + number
		if sk == store.RevisionKey(draw.AutomaticRevision) {
			continue // tally's own says nothing
		}
		m, err := d.Message(ctx, sk)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}
