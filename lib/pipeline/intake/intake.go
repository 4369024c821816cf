// Package intake handles the studio's messages and the operator's orders:
// parse, resolve, store, answer, send what follows.
//
// A message is stored in one transaction with the draw's head and, when it
// calls for one, a new state. A crash before the transaction leaves nothing; a
// crash after it leaves everything but the follow-up messages, and those are
// sent again by the redelivery, which finds the message stored: the
// acknowledgement comes last.
package intake

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"tally/lib/draw"
	"tally/lib/draw/ids"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/clock"
	"tally/lib/store/record"
)

// Sender sends a message to one queue. When it returns nil the message is
// durable; the caller does not retry, its own redelivery does.
type Sender interface {
	Send(ctx context.Context, body string, delay time.Duration) error
}

// MessageRecorder is notified of what happened, for metrics.
type MessageRecorder interface {
	// Quarantined counts a message that was put into quarantine just now, by its
	// game; empty when the message was not right enough to tell.
	Quarantined(game string)
	// Stored counts a message of the studio's that was stored just now, and how long
	// after it was sent. concern is what an operator should know of it, empty for nothing.
	Stored(game string, age time.Duration, concern string)
}

// Intake handles messages.
type Intake struct {
	Table   *store.Table
	Replies Sender
	Sweeps  Sender
	Archive Sender
	Record  MessageRecorder
	// OutOfSequence gets, for metrics, what is wrong with a table's running numbers; nil
	// for nobody.
	OutOfSequence func(concern string)
	// CancelledInARow gets, for metrics, each draw of a game that is cancelled after
	// as many of its table as may be in a row; nil for nobody.
	CancelledInARow func(game string)
	// MaySpeak tells whether the sender of a studio's message may speak for a table; nil for
	// always. With an error the message comes again.
	MaySpeak func(ctx context.Context, sender, table string) (bool, error)
	Settings draw.Settings
	// Odds looks at the board of a message for the reply, and compares it with that of the
	// same betting round of the draw before, where there is one; nil for no look. In a first
	// betting round it costs up to three reads.
	Odds func(m, last *wire.Message) *wire.OddsCheck
	// Demanding are the tables whose studio has to close side wagers within their round.
	Demanding map[string]bool
	// Now is the time. Effective closings are made of it.
	Now func() settlement.Instant
	// Clock tells whether Now can be trusted; nil for always.
	Clock clock.Check
	Log   *slog.Logger
}

// Delivery is a message as a queue delivers it.
type Delivery struct {
	Body   []byte
	SentAt settlement.Instant // when the queue got it first; what closes betting does so from then
	From   Source
	Sender string // SQS's SenderId of who sent it; empty where the queue does not say
}

// Source is where a message came from: it decides what it may say.
type Source uint8

// The sources.
const (
	Studio   Source = iota // the queue studio-messages
	Operator               // the queue operator-orders
	Own                    // tally itself
)

// allows reports whether a source may send a type of message.
func (s Source) allows(t wire.Type) bool {
	switch s {
	case Operator:
		return t.IsOrder()
	case Own:
		return true
	}
	return !t.IsOrder() && !t.IsOwn()
}

// OwnOrder begins the ids of tally's own orders, so that an operator's can't take
// one of them.
const OwnOrder = "found-"

// maxTries bounds how often a message is decided again because of other writers.
const maxTries = 12

// StoreWithin is how long after its time a message may still be stored: closings
// are made of that time, and until it is stored bets are answered without it.
const StoreWithin = 2 * time.Second

// Handle handles one message. An error means that it has to be delivered again.
func (in *Intake) Handle(ctx context.Context, d Delivery) error {
	if err := in.Clock.Passed(ctx); err != nil {
		return fmt.Errorf("taking up a message: %w", err) // its time would be wrong for good
	}
	m, partial, faults, err := in.parse(ctx, d.Body)
	if err != nil {
		return err
	}
	if len(faults) == 0 && d.From != Own && (strings.HasPrefix(m.Order, OwnOrder) || strings.HasPrefix(m.Revokes, OwnOrder)) {
		faults = []wire.Fault{{Code: wire.CodeNotAllowed, Message: "order: ids that begin with " + OwnOrder + " are tally's own"}}
	}
	if len(faults) == 0 && !d.From.allows(m.Type) {
		faults = []wire.Fault{{Code: wire.CodeNotAllowed, Message: fmt.Sprintf("messages of type %s don't belong on this queue", m.Type)}}
	}
	if len(faults) > 0 {
		return in.quarantine(ctx, d, partial, nil, result{faults: faults})
	}
	if m.Type.IsTable() {
		return in.takeTable(ctx, m, d, partial)
	}
	for try := range maxTries {
		r, err := in.try(ctx, m, d)
		if other := (*ruledError)(nil); errors.As(err, &other) {
			if m, partial, faults = wire.ParseUnder(d.Body, other.game); len(faults) > 0 {
				return in.quarantine(ctx, d, partial, nil, result{faults: faults})
			}
			continue
		}
		if !errors.Is(err, store.ErrChanged) {
			if err != nil {
				return fmt.Errorf("taking up %s of draw %s: %w", m.Type, m.Draw, err)
			}
			return in.follow(ctx, m, d, partial, r)
		}
		if err := store.Pause(ctx, try); err != nil {
			return err
		}
	}
	return fmt.Errorf("taking up %s of draw %s: other writers came first %d times", m.Type, m.Draw, maxTries)
}

// parse reads a message by the newest rules; and, where these find faults, by those of
// its draw, which may be of an earlier version. What the newest take is read again when
// the draw turns out to have others, see ruledError.
func (in *Intake) parse(ctx context.Context, body []byte) (*wire.Message, wire.Partial, []wire.Fault, error) {
	m, partial, faults := wire.Parse(body)
	if m != nil || !ids.Valid(partial.Draw) {
		return m, partial, faults, nil
	}
	head, _, err := record.LoadHead(ctx, in.Table, partial.Draw)
	if err != nil || head.Game == "" {
		return m, partial, faults, err
	}
	game, err := head.Rules()
	if err != nil {
		return nil, partial, nil, fmt.Errorf("taking up a message of draw %s: %w", partial.Draw, err)
	}
	m, partial, faults = wire.ParseUnder(body, game)
	if len(faults) > 0 && (partial.Game != "" && partial.Game != head.Game || partial.Table != "" && partial.Table != head.Table) {
		faults = append([]wire.Fault{{Code: wire.CodeConflict, Message: head.Another(partial.Game, partial.Table).Error()}}, faults...)
	}
	return m, partial, faults, nil
}

// ruledError says that a draw has other rules than its message was read by.
type ruledError struct{ game *rules.Game }

func (e *ruledError) Error() string {
	return fmt.Sprintf("the draw has version %d of %s, not the one that its message was read by", e.game.Version, e.game.ID)
}

// result is what one try came to.
type result struct {
	status string // wire.Stored, wire.Replay or wire.Quarantined
	head   *draw.Head
	faults []wire.Fault
	holds  *wire.Holds // instead of a message that was refused
}

// Key returns where a message is stored: its identity.
func Key(m *wire.Message) string {
	switch m.Type {
	case wire.DrawOpened:
		return store.OpenedKey
	case wire.BettingOpened:
		return store.RoundKey(m.Round)
	case wire.BettingClosed:
		if m.Selections != nil {
			return store.StopKey(m.Round, wire.HashOf(strings.Join(m.Selections, " "))[:32])
		}
		return store.ClosedKey(m.Round)
	case wire.DrawResulted, wire.DrawCancelled:
		return store.RevisionKey(m.Revision)
	}
	return store.OrderKey(m.Order)
}

// try decides about a message by what is stored now, and stores it.
func (in *Intake) try(ctx context.Context, m *wire.Message, d Delivery) (result, error) {
	// Together: a head that has the message already, without it, would make a conflict
	// of it; the message without its head a replay from which nothing follows.
	stored, err := in.Table.Together(ctx, store.DrawKey(m.Draw), store.HeadKey, Key(m))
	if err != nil {
		return result{}, err
	}
	head, version, err := record.HeadOf(m.Draw, stored[0])
	if err != nil {
		return result{}, err
	}
	if head.Game == m.Game.ID {
		switch game, err := head.Rules(); {
		case err != nil:
			return result{}, err
		case game != m.Game:
			return result{}, &ruledError{game: game}
		}
	}
	existing, hash := stored[1], m.Hash()
	switch {
	case existing.PK != "" && existing.Hash == hash:
		return result{status: wire.Replay, head: head}, nil
	case existing.PK != "":
		r := refused(wire.CodeConflict, conflictOf(m, d.Body, existing.Body))
		_, partial, _ := wire.Parse([]byte(existing.Body))
		r.holds = &wire.Holds{ID: partial.ID, Type: partial.Type, Revision: m.Revision}
		return r, nil
	}
	// Only of what is new: one that is stored is followed up whoever may send by now.
	if r, err := in.admit(ctx, m, d, hash); err != nil || r.status != "" {
		return r, err
	}
	now, known := head.Clock(in.Now()), head.Game != ""
	if faults := m.Admit(now); len(faults) > 0 {
		return result{status: wire.Quarantined, faults: faults}, nil
	}
	holds, first, before := m.Revision > 0 && in.Settings.Holds(head, m.Revision, now), head.ResultAt, head.Revision
	within, cancel := context.WithTimeout(ctx, StoreWithin)
	defer cancel()
	if faults := apply(head, m, d.SentAt, now, in.Settings); len(faults) > 0 {
		r := result{status: wire.Quarantined, faults: faults}
		if head.Revision > 0 && m.Revision > 0 {
			r.holds = &wire.Holds{Revision: head.Revision}
		}
		return r, nil
	}
	if holds {
		switch released, err := record.Released(within, in.Table, m.Draw, hash); {
		case err != nil:
			return result{}, err
		case !released:
			return quarantined(first, before), nil
		}
	}
	state, err := NextState(within, in.Table, head, m.Game, now)
	if err != nil {
		return result{}, err
	}
	writes := []store.Write{store.Creating(store.Item{PK: store.DrawKey(m.Draw), SK: Key(m), Body: string(d.Body),
		StoredAt: now, SentAt: sentAt(m, d, now), Hash: hash, Decided: record.Decided(m), ExpiresAt: head.RetainUntil})}
	if m.Type == wire.DrawOpened || state != nil || !known && head.Game != "" {
		writes = append(writes, store.Putting(DueItem(head, now)))
	}
	if m.Type == wire.DrawOpened {
		writes = append(writes, store.Putting(foundItem(m, head)))
	}
	// Before this transaction nothing of the message is stored; after it, all.
	if err := in.Table.Transact(within, append(writes, HeadWrites(head, version, state)...)...); err != nil {
		return result{}, err
	}
	if d.From == Studio {
		concern := in.concern(m, head)
		in.Record.Stored(m.Game.ID, time.Duration(max(0, now-d.SentAt))*time.Millisecond, concern)
		if concern != "" {
			in.Log.LogAttrs(ctx, slog.LevelWarn, "message raises a concern", slog.String("concern", concern), slog.String("draw", m.Draw),
				slog.String("type", string(m.Type)), slog.Int("round", m.Round), slog.String("message_id", m.ID))
		}
	}
	return result{status: wire.Stored, head: head}, nil
}

// sentAt returns what is stored of when a message was sent: of those that close
// betting from then on, where it is another time than that of storing.
func sentAt(m *wire.Message, d Delivery, now settlement.Instant) settlement.Instant {
	switch m.Type {
	case wire.BettingOpened, wire.BettingClosed, wire.DrawResulted, wire.DrawCancelled:
		if d.SentAt != now {
			return d.SentAt
		}
	}
	return 0
}

func refused(code, message string) result {
	return result{status: wire.Quarantined, faults: []wire.Fault{{Code: code, Message: message}}}
}

// quarantined is what a late correction comes to that nobody has released.
func quarantined(first settlement.Instant, revision int) result {
	r := refused(wire.CodeHeld, fmt.Sprintf("the draw had its first result at %s: so late a correction waits until an operator releases it. Until then what was settled holds; a newer revision takes its place",
		instant.Format(first)))
	if revision > 0 {
		r.holds = &wire.Holds{Revision: revision}
	}
	return r
}

// apply changes the head by a message, or returns why it can't be taken.
func apply(head *draw.Head, m *wire.Message, sent, now settlement.Instant, settings draw.Settings) []wire.Fault {
	err := head.Apply(m, sent, now, settings)
	var conflict *draw.Conflict
	var late *draw.TooLate
	var ahead *draw.AheadError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &conflict):
		return []wire.Fault{{Code: wire.CodeConflict, Message: err.Error()}}
	case errors.As(err, &late):
		return []wire.Fault{{Code: wire.CodeTooLate, Message: err.Error()}}
	case errors.As(err, &ahead):
		return []wire.Fault{{Code: wire.CodeBadNumber, Message: err.Error()}}
	default:
		return []wire.Fault{{Code: wire.CodeTooMany, Message: err.Error()}}
	}
}

// follow sends what follows from a message, whether it was stored just now or
// is a replay, and answers the studio last.
func (in *Intake) follow(ctx context.Context, m *wire.Message, d Delivery, partial wire.Partial, r result) error {
	if r.status == wire.Quarantined {
		return in.quarantine(ctx, d, partial, m, r)
	}
	if err := in.Announce(ctx, r.head); err != nil {
		return err
	}
	if m.Revision > 0 && m.Revision == r.head.Revision {
		in.Ended(ctx, r.head, m.Type == wire.DrawCancelled) // of a replay too: the one before may have ended in between
	}
	repeats := ""
	if m.Type == wire.DrawOpened {
		if err := in.entry(ctx, wire.Append{Draw: m.Draw, What: wire.AppendOpening}); err != nil {
			return err
		}
		if err := in.mismatched(ctx, r.head); err != nil {
			return err
		}
		// A replay too: the one before may have ended in between.
		repeats = in.number(ctx, m, r.head, r.status == wire.Replay)
	}
	in.Log.LogAttrs(ctx, slog.LevelInfo, "message "+r.status, slog.String("draw", m.Draw), slog.String("type", string(m.Type)),
		slog.Int("revision", m.Revision), slog.Int("state", r.head.State), slog.String("message_id", m.ID))
	if d.From == Own {
		return nil
	}
	reply := replyTo(m, r)
	if in.Odds != nil && len(m.Board) > 0 {
		reply.Odds = in.Odds(m, in.boardBefore(ctx, m, r.head))
	}
	if repeats != "" {
		reply.Note = fmt.Sprintf("repeated_sequence: draw %s of the table has the running number %d too; the draw counts all the same", repeats, m.Sequence)
	}
	return in.reply(ctx, reply)
}

// mismatched puts into quarantine the orders that came before the draw was known and
// turn out to be about another game or table. They are stored, and never hold.
func (in *Intake) mismatched(ctx context.Context, head *draw.Head) error {
	for _, order := range head.MismatchedOrders() {
		item, found, err := in.Table.Sure(ctx, store.DrawKey(head.Draw), store.OrderKey(order.ID))
		if err != nil || !found {
			return errors.Join(err, fmt.Errorf("reading order %s of draw %s", order.ID, head.Draw))
		}
		_, partial, _ := wire.Parse([]byte(item.Body))
		fault := wire.Fault{Code: wire.CodeConflict, Message: fmt.Sprintf("the order came before the draw was known, and names %s on table %s; the draw is one of %s on table %s. It does not hold: send it right, under another order id",
			order.Game, order.Table, head.Game, head.Table)}
		delivery := Delivery{Body: []byte(item.Body), SentAt: item.StoredAt, From: Operator}
		if err := in.quarantine(ctx, delivery, partial, nil, result{faults: []wire.Fault{fault}, head: head}); err != nil {
			return err
		}
	}
	return nil
}

// Announce tells the settling function of a draw's newest state, if it has one, and
// then the archive: whatever keeps the archive's queue from it, bets are settled.
func (in *Intake) Announce(ctx context.Context, head *draw.Head) error {
	if head.State == 0 {
		return nil
	}
	if err := SendRun(ctx, in.Sweeps, head, in.Now()); err != nil {
		return err
	}
	return in.entry(ctx, wire.Append{Draw: head.Draw, What: wire.AppendState, State: head.State})
}

func (in *Intake) entry(ctx context.Context, e wire.Append) error {
	return in.Archive.Send(ctx, wire.Encode(e), 0)
}

// maxDelay is the longest that SQS holds a message back.
const maxDelay = 15 * time.Minute

// SendRun asks for a draw to be settled, no sooner than it may be.
func SendRun(ctx context.Context, sweeps Sender, head *draw.Head, now settlement.Instant) error {
	delay := time.Duration(head.SettleFrom()-now) * time.Millisecond
	delay = delay.Truncate(time.Second) // SQS counts whole seconds; settle waits for the rest
	return sweeps.Send(ctx, wire.Encode(wire.Run{Draw: head.Draw}), max(0, min(delay, maxDelay)))
}

func (in *Intake) reply(ctx context.Context, reply wire.Reply) error {
	if in.Replies == nil {
		return nil
	}
	body, err := reply.JSON()
	if err != nil {
		return err
	}
	return in.Replies.Send(ctx, body, 0)
}

// NextState returns the state that the head calls for, nil for none.
func NextState(ctx context.Context, table *store.Table, head *draw.Head, game *rules.Game, now settlement.Instant) (*draw.StateRecord, error) {
	if head.State == 0 {
		return head.Next(nil, game, now), nil
	}
	newest, err := record.New(table, head).State(ctx, head.State)
	if err != nil {
		return nil, err
	}
	return head.Next(newest, game, now), nil
}

// HeadWrites returns the writes of a head over the version that was read, and
// of the new state, if there is one.
func HeadWrites(head *draw.Head, version int64, state *draw.StateRecord) []store.Write {
	writes := []store.Write{store.Replacing(store.Item{PK: store.DrawKey(head.Draw), SK: store.HeadKey, Body: store.Encode(head),
		Version: version + 1, ExpiresAt: head.RetainUntil})}
	if state == nil {
		return writes
	}
	return append(writes, store.Creating(store.Item{PK: store.DrawKey(head.Draw), SK: store.StateKey(state.Number),
		Body: store.Encode(state), StoredAt: state.MadeAt, ExpiresAt: head.RetainUntil}))
}

// firstLook is how long after a draw's newest state could first be settled
// reconcile looks whether it was.
const firstLook = 60_000

// DueItem asks reconcile to look at a draw when its newest state should have
// been settled, or its result or its opening should be there.
func DueItem(head *draw.Head, now settlement.Instant) store.Item {
	return Due(head, max(now, head.SettleFrom())+firstLook)
}

// foundItem makes a draw be found by the day on which it opens.
func foundItem(m *wire.Message, head *draw.Head) store.Item {
	opensAt := m.Rounds[0].OpensAt
	return store.Item{PK: store.DrawsKey(opensAt), SK: store.FoundKey(opensAt, m.Game.ID, m.Table, m.Draw), ExpiresAt: head.RetainUntil}
}

// Due asks reconcile to look at a draw at a time, as long as it is at the same stage.
func Due(head *draw.Head, at settlement.Instant) store.Item {
	return store.Item{PK: store.DueKey(at, store.DuePart(head.Draw)), SK: store.DueDrawKey(head.Draw, Stage(head)), StoredAt: at, ExpiresAt: head.RetainUntil}
}

// unopened is the stage of a draw of which the studio has sent messages, but not its opening.
const unopened = -1

// Stage is how far a draw has come, for DUE: each stage has an item of its own. It is
// the number of its newest state, 0 for none.
func Stage(head *draw.Head) int {
	if !head.Opened {
		return unopened
	}
	return head.State
}
