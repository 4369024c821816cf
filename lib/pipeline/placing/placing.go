// Package placing accepts bets, so that no response ever contradicts a settlement.
//
// A bet is stored once and then always answered as stored, however often it is
// sent. An error means that nothing is stored and nothing will be: a refusal that
// depends on the draw's state is first put under the bet's key, so that an
// earlier try still in flight can't land there afterwards; whichever write wins
// decides the response. A refusal stands for a while, so that whoever takes its place
// was sent after it had been answered.
package placing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tally/lib/draw/ids"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/clock"
	"tally/lib/store/record"
)

// acceptWithin is how long after its time of acceptance a bet may still be
// written. The first run waits longer than that.
const acceptWithin = 2 * time.Second

const (
	// refuseWithin is how long after a request's time its refusal may be written: a
	// little longer, for bets that could not be stored in theirs.
	refuseWithin = 3 * time.Second
	// refusalStands is how long after a refusal, in milliseconds, its key takes no
	// bet. What comes later was sent when the refusal had been answered, even if the
	// clocks of two functions are most of a second apart.
	refusalStands = 4_000
)

// Acceptor accepts bets.
type Acceptor struct {
	Table *store.Table
	// Terms returns those of a bookmaker.
	Terms func(bookmaker string) money.Terms
	Now   func() settlement.Instant
	// Clock tells whether Now can be trusted; nil for always.
	Clock  clock.Check
	Record BetRecorder
	// Looks takes what asks settle to look through a partition again.
	Looks Sender

	// Tables tells which tables are suspended; nil where none ever is.
	Tables *Tables

	draws drawCache
	parts partCache
}

// Sender sends a message to one queue. When it returns nil the message is durable.
type Sender interface {
	Send(ctx context.Context, body string, delay time.Duration) error
}

// BetRecorder is notified of what happened, for metrics.
type BetRecorder interface {
	// Unlooked counts a stored record that came after the result, or may have, when
	// settle could not be asked to look for it: reconcile finds it later.
	Unlooked(game string)
	// Accepted counts a bet that was stored just now.
	Accepted(game string)
	// Refused counts a refusal.
	Refused(game, code string)
}

// ErrBusy says that nothing of a request is stored, and nothing will be: DynamoDB has taken
// none of its writes, for too many others. An earlier try of the same may still be under way;
// the same again is right, at once.
var ErrBusy = errors.New("too much is stored at once")

// busy marks the error of a request none of whose writes was made.
func busy(err error) error {
	if errors.Is(err, store.ErrThrottled) {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

// Place accepts a bet or a side wager, within three seconds, and answers it. The error is a
// *RefusedError, or says that the outcome is not known and the same request has to be
// sent again.
func (p *Acceptor) Place(ctx context.Context, request Request) (*record.Account, error) {
	stored, err := p.Store(ctx, request)
	if err != nil {
		return nil, err
	}
	accounts, err := p.Answer(ctx, []*Stored{stored})
	if err != nil {
		return nil, err
	}
	return accounts[0], nil
}

// Store is the part of Place before the look, for those that are stored side by side and
// answered together.
func (p *Acceptor) Store(ctx context.Context, request Request) (*Stored, error) {
	if err := p.Clock.Passed(ctx); err != nil {
		return nil, err
	}
	at := p.Now()
	if refusal := identifiers(request, ids.ValidNew); refusal != nil {
		return nil, refusal
	}
	within, cancel := p.until(ctx, at, acceptWithin)
	defer cancel()
	t, refusal, err := p.decide(within, request, at)
	switch {
	case err != nil:
		return nil, err
	case refusal != nil && t != nil:
		return p.refused(ctx, t, refusal)
	case refusal != nil:
		return nil, refusal
	}
	if err := p.parts.register(within, p.Table, t.Draw, t.Bookmaker, t.draw.Head.RetainUntil); err != nil {
		return nil, busy(err)
	}
	return p.store(ctx, within, t)
}

// decide decides about a request of a time. A head that may be behind is enough to take a
// bet that is looked after; for anything else it is read again.
func (p *Acceptor) decide(ctx context.Context, request Request, at settlement.Instant) (t *try, refusal *RefusedError, err error) {
	d, err := p.draws.get(ctx, p.Table, request.Draw, at)
	for sure := d != nil && d.sure; err == nil; sure = true {
		t, refusal, err = p.decideBy(ctx, d, request, at)
		if err != nil || sure || refusal == nil && d.Head.Looks(int(t.bet.Round), t.at, 0) {
			break
		}
		d, err = p.draws.look(ctx, p.Table, request.Draw, p.Now())
	}
	if err != nil {
		return nil, nil, err
	}
	if refusal != nil && t == nil && d != nil && d.Opened() {
		p.Record.Refused(d.Game.ID, refusal.Code)
	}
	return t, refusal, nil
}

// decideBy decides by a head. What is refused whatever the draw's state is no try.
func (p *Acceptor) decideBy(ctx context.Context, d *cachedDraw, request Request, at settlement.Instant) (*try, *RefusedError, error) {
	if d == nil || !d.Opened() {
		return nil, refuse(CodeUnknownDraw, "there is no draw %s", request.Draw), nil
	}
	terms := p.Terms(request.Bookmaker)
	t, refusal := parse(request, d, terms, d.stamp(at))
	if refusal != nil {
		return nil, refusal, nil
	}
	if refusal := t.limit(terms); refusal != nil {
		return t, refusal, nil
	}
	refusal, err := p.check(ctx, t)
	return t, refusal, err
}

// check finds the bet's betting round, or returns why it can't be accepted.
func (p *Acceptor) check(ctx context.Context, t *try) (*RefusedError, error) {
	game, head, selection := t.draw.Game, t.draw.Head, t.bet.Selection
	round, open := head.RoundAt(t.at)
	if !open {
		return refuse(CodeBettingClosed, "no betting round of draw %s takes bets now", t.Draw), nil
	}
	if t.at >= head.ClosingOf(round, game, t.Selection) {
		return refuse(CodeBettingClosed, "%s takes no bets any more in betting round %d", t.Selection, round), nil
	}
	t.bet.Round = round
	switch table, err := p.Tables.get(ctx, p.Table, head.Table, t.at); {
	case err != nil:
		return nil, err
	case table.Suspended:
		return refuse(CodeTableSuspended, "%s: wait until it is resumed; bets that were accepted stand", table.InWords()), nil
	}
	family := game.Family(selection)
	switch {
	case family.Round != 0 && family.Round != round:
		return refuse(CodeWrongRound, "%s is taken in betting round %d, this is betting round %d", t.Selection, family.Round, round), nil
	case (t.Base != "") != (family.Round > 1):
		return refuse(CodeWrongRound, "%s belongs under the bet that it is made on, and only such wagers do", t.Selection), nil
	}
	if t.Base != "" {
		if refusal, err := p.checkBase(ctx, t); refusal != nil || err != nil {
			return refusal, err
		}
	}
	board, decided, err := t.draw.round(ctx, round)
	if err != nil {
		return nil, err
	}
	mark := decided[selection]
	if mark == rules.MarkLose && t.Base != "" {
		// Not lost: there is nothing to win, and no settlement of it would say lost.
		return refuse(CodeNotOffered, "the cards of betting round %d offer no %s: there is no such wager", round, t.Selection), nil
	}
	if mark != rules.Open {
		return refuse(CodeDecided, "%s is decided: %v", t.Selection, mark), nil
	}
	if game.Paytable() {
		return nil, nil
	}
	switch entry, offered := board.Entry(game, selection); {
	case !offered:
		return refuse(CodeNotOffered, "%s has no odds in betting round %d", t.Selection, round), nil
	case entry.Mark != rules.Open:
		return refuse(CodeDecided, "%s is decided: %v", t.Selection, entry.Mark), nil
	case entry.Odds != t.bet.Odds:
		return &RefusedError{Code: CodeOddsChanged, Current: entry.Odds, Message: fmt.Sprintf("the odds of %s are %v in betting round %d", t.Selection, entry.Odds, round)}, nil
	}
	return nil, nil
}

// checkBase checks a side wager against the bet that it is made on.
func (p *Acceptor) checkBase(ctx context.Context, t *try) (*RefusedError, error) {
	base, err := p.Table.GetBet(ctx, t.pk, store.BetKey(t.Base))
	if err != nil {
		return nil, err
	}
	if base == nil || base.Refused != "" {
		return refuse(CodeBaseNotFound, "there is no bet %s", t.Base), nil
	}
	seat, err := t.draw.Game.Parse(base.Selection)
	if err != nil {
		return nil, fmt.Errorf("reading the stored bet %s: %w", t.Base, err)
	}
	stake, half := money.Amount(base.Stake), money.Amount(base.Stake)/2
	kind, _, _ := strings.Cut(t.Selection, ":")
	switch {
	case t.draw.Game.Family(seat).Name != "seat" || seat.At(0) != t.bet.Selection.At(0):
		return refuse(CodeBaseMismatch, "bet %s is on %s, not on the seat of %s", t.Base, base.Selection, t.Selection), nil
	case base.Currency != t.Currency:
		return refuse(CodeBaseMismatch, "bet %s is in %s", t.Base, base.Currency), nil
	case kind == "double" && t.bet.Stake > stake:
		return refuse(CodeBaseMismatch, "a double is at most the stake of its bet, %s", t.amount(stake)), nil
	case kind == "split" && t.bet.Stake != stake:
		return refuse(CodeBaseMismatch, "a split is the stake of its bet, %s", t.amount(stake)), nil
	case kind == "insurance" && t.bet.Stake != half:
		return refuse(CodeBaseMismatch, "insurance is half the stake of its bet, %s", t.amount(half)), nil
	}
	return nil, nil
}

// store writes the bet, within its time. What is there already decides: the same
// bet, another one, or a refusal, whose place a later request takes.
func (p *Acceptor) store(ctx, within context.Context, t *try) (*Stored, error) {
	bet := t.stored()
	existing, err := p.Table.CreateBet(within, t.pk, bet)
	if err == nil && existing != nil && existing.Refused != "" && t.at > existing.AcceptedAt+refusalStands {
		existing, err = p.Table.ReplaceRefusal(within, t.pk, *existing, bet)
	}
	switch {
	case errors.Is(err, store.ErrThrottled): // nothing is under way that a refusal would have to meet, at a key that takes no more
		return nil, busy(err)
	case err != nil: // whether it was written is not known: a refusal makes sure of one or the other
		return p.refused(ctx, t, refuse(CodeOutcomeUnknown, "the bet could not be stored in time; it is not stored"))
	case existing == nil:
		p.Record.Accepted(t.draw.Game.ID)
		return p.stored(t, bet, false), nil
	case existing.Refused != "":
		return p.refused(ctx, t, t.early(existing.Refused))
	}
	return p.existing(t, existing)
}

// early refuses what would be accepted if an earlier refusal did not stand yet. It
// says what holds now, since the earlier response may have been about something else.
func (t *try) early(code string) *RefusedError {
	refusal := refuse(code, "the draw takes this now, but its reference was refused a moment ago (%s): send it again after %d seconds, or under another reference",
		code, refusalStands/1000)
	if t.Base != "" { // which has no other reference
		refusal = refuse(code, "the draw takes this now, but this wager was refused a moment ago (%s): send it again after %d seconds", code, refusalStands/1000)
	}
	if code == CodeOddsChanged {
		refusal.Current = t.bet.Odds // check has just compared them
	}
	return refusal
}

// until returns a context that ends so long after a time.
func (p *Acceptor) until(ctx context.Context, at settlement.Instant, within time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, time.Duration(at-p.Now())*time.Millisecond+within)
}

// refused makes sure that nothing of the bet is stored or will be, unless it is
// stored already. Nothing is written where no earlier try can be in flight: once
// the grace time is over, and when the wager does not fit its bet, which never
// changes, so that no try of it was ever accepted.
func (p *Acceptor) refused(ctx context.Context, t *try, refusal *RefusedError) (*Stored, error) {
	ctx, cancel := p.until(ctx, t.at, refuseWithin)
	defer cancel()
	claim := store.StoredBet{SK: t.key(), Refused: refusal.Code, Generation: 1, AcceptedAt: t.at, ExpiresAt: t.draw.Head.RetainUntil}
	mayLand := refusal.Code != CodeBaseMismatch && !over(t.draw, t.at)
	existing, err := p.claim(ctx, t.pk, claim, mayLand)
	for renewal := 0; err == nil && existing != nil && existing.Refused != "" && mayLand; renewal++ {
		// An earlier try may be about to take the place of that refusal: it must not
		// find it as it was.
		if renewal == maxRenewals {
			err = store.ErrChanged
			break
		}
		claim.Generation = existing.Generation + 1
		existing, err = p.Table.ReplaceRefusal(ctx, t.pk, *existing, claim)
	}
	if err != nil {
		if err = fmt.Errorf("making sure that a refused bet is not stored: %w", err); refusal.Code != CodeOutcomeUnknown {
			err = busy(err)
		}
		return nil, err
	}
	if existing == nil || existing.Refused != "" {
		p.Record.Refused(t.draw.Game.ID, refusal.Code)
		return nil, refusal
	}
	return p.existing(t, existing)
}

// maxRenewals bounds how often a refusal is put over others that came first.
const maxRenewals = 8

// overAfter is how long after a draw's result, in milliseconds, no earlier try of anything can be
// in flight any more.
const overAfter = 10 * 60 * 1000

// over reports whether no earlier try can land any more, so that a refusal need not be
// written.
func over(d *cachedDraw, at settlement.Instant) bool {
	return d.Head.ResultAt != 0 && at >= d.Head.ResultAt+overAfter
}

// claim puts a refusal under its key, or, where no earlier try can land there
// any more, only reads what is there.
func (p *Acceptor) claim(ctx context.Context, pk string, refusal store.StoredBet, mayLand bool) (existing *store.StoredBet, err error) {
	if !mayLand {
		return p.Table.GetBet(ctx, pk, refusal.SK)
	}
	return p.Table.CreateBet(ctx, pk, refusal)
}

// existing takes a bet that was stored before.
func (p *Acceptor) existing(t *try, there *store.StoredBet) (*Stored, error) {
	if fields := t.differences(there); len(fields) > 0 {
		refusal := refuse(CodeReferenceUsed, "another bet has this reference; it differs in %s", strings.Join(fields, ", "))
		refusal.Differs = fields
		return nil, refusal
	}
	return p.stored(t, *there, true), nil
}

// Shard returns the shard of a reference.
func Shard(reference string, shards int) int {
	if shards <= 1 {
		return 0
	}
	hash := uint32(2166136261) // FNV-1a
	for i := range len(reference) {
		hash = (hash ^ uint32(reference[i])) * 16777619
	}
	return int(hash % uint32(shards))
}
