// Package placing accepts bets, so that no answer ever contradicts a settlement.
//
// A bet is stored once and then always answered as stored, however often it is
// sent. An error means that nothing is stored and nothing will be: a refusal that
// depends on the draw's state is first put under the bet's key, so that an
// earlier try still in flight can't land there afterwards; whichever write wins
// decides the answer. A refusal stands for a while, so that whoever takes its place
// was sent after it had been answered.
package placing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/clock"
)

type instant = settlement.Instant

// acceptWithin is how long after its time of acceptance a bet may still be
// written. The first sweep waits longer than that.
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

// Placer accepts bets.
type Placer struct {
	Table *store.Table
	// Terms returns those of a bookmaker.
	Terms func(bookmaker string) money.Terms
	Now   func() instant
	// Clock tells whether Now can be trusted; nil for always.
	Clock  clock.Check
	Record Recorder

	draws drawCache
	parts partCache
}

// Recorder is told what happened, for metrics.
type Recorder interface {
	// Accepted counts a bet that was stored just now.
	Accepted(game string)
	// Refused counts a refusal.
	Refused(game, code string)
}

// Answer is what a bookmaker is told of a stored bet.
type Answer struct {
	Bet    store.StoredBet
	Replay bool // it was stored before
	// Status is accepted, or refunded when its betting round turned out to have
	// closed before it was accepted, or its cancellation counts.
	Status string
	Reason string
	// CancelledAt is when the bet was cancelled; zero in the answer to a bet.
	CancelledAt  instant
	Cancellation Cancellation // whether that counts
}

// Place accepts a bet or a side wager, within three seconds. The error is a
// *Refusal, or says that the outcome is not known and the same request has to be
// sent again.
func (p *Placer) Place(ctx context.Context, request Request) (*Answer, error) {
	if err := p.Clock.Passed(ctx); err != nil {
		return nil, err
	}
	at := p.Now()
	if refusal := request.identifiers(wire.ValidNewID); refusal != nil {
		return nil, refusal
	}
	within, cancel := p.until(ctx, at, acceptWithin)
	defer cancel()
	d, err := p.draws.get(within, p.Table, request.Draw, at)
	if err != nil {
		return nil, err
	}
	if d == nil || !d.Opened() {
		return nil, refuse(CodeUnknownDraw, "there is no draw %s", request.Draw)
	}
	terms := p.Terms(request.Bookmaker)
	bet, refusal := request.parse(d.Game, terms)
	if refusal != nil {
		p.Record.Refused(d.Game.ID, refusal.Code)
		return nil, refusal
	}
	pk := store.BetsKey(bet.Draw, bet.Bookmaker, shardOf(bet, d.Head.Shards))
	if refusal := bet.limit(terms); refusal != nil {
		return p.refused(ctx, pk, bet, d, at, refusal)
	}
	round, refusal, err := p.check(within, bet, d, pk, at)
	if err != nil {
		return nil, err
	}
	if refusal != nil {
		return p.refused(ctx, pk, bet, d, at, refusal)
	}
	if err := p.parts.register(within, p.Table, bet.Draw, bet.Bookmaker, d.Head.RetainUntil); err != nil {
		return nil, err
	}
	return p.store(ctx, within, pk, bet, bet.stored(round, at, d.Head), d)
}

// check returns why a bet can't be accepted at a time, or its betting round.
func (p *Placer) check(ctx context.Context, bet *parsed, d *cachedDraw, pk string, at instant) (round int, refusal *Refusal, err error) {
	round, open := d.Head.RoundAt(at)
	if !open {
		return 0, refuse(CodeBettingClosed, "no betting round of draw %s takes bets now", bet.Draw), nil
	}
	if at >= d.Head.ClosingOf(round, bet.game, bet.Selection) {
		return 0, refuse(CodeBettingClosed, "%s takes no bets any more in betting round %d", bet.Selection, round), nil
	}
	family := bet.game.Family(bet.selection)
	switch {
	case family.Round != 0 && family.Round != round:
		return 0, refuse(CodeWrongRound, "%s is taken in betting round %d, this is betting round %d", bet.Selection, family.Round, round), nil
	case (bet.Base != "") != (family.Round > 1):
		return 0, refuse(CodeWrongRound, "%s belongs under the bet that it is made on, and only such wagers do", bet.Selection), nil
	}
	if bet.Base != "" {
		if refusal, err := p.checkBase(ctx, bet, pk); refusal != nil || err != nil {
			return 0, refusal, err
		}
	}
	board, decided, err := d.round(ctx, round)
	if err != nil {
		return 0, nil, err
	}
	mark := decided[bet.selection]
	if mark == rules.MarkLose && bet.Base != "" {
		// Not lost: there is nothing to win, and no settlement of it would say lost.
		return 0, refuse(CodeNotOffered, "the cards of betting round %d offer no %s: there is no such wager", round, bet.Selection), nil
	}
	if mark != rules.Open {
		return 0, refuse(CodeDecided, "%s is decided: %v", bet.Selection, mark), nil
	}
	if bet.game.Paytable() {
		return round, nil, nil
	}
	switch entry, offered := board.Entry(bet.game, bet.selection); {
	case !offered:
		return 0, refuse(CodeNotOffered, "%s has no odds in betting round %d", bet.Selection, round), nil
	case entry.Mark != rules.Open:
		return 0, refuse(CodeDecided, "%s is decided: %v", bet.Selection, entry.Mark), nil
	case entry.Odds != bet.odds:
		return 0, &Refusal{Code: CodeOddsChanged, Current: entry.Odds, Message: fmt.Sprintf("the odds of %s are %v in betting round %d", bet.Selection, entry.Odds, round)}, nil
	}
	return round, nil, nil
}

// checkBase checks a side wager against the bet that it is made on.
func (p *Placer) checkBase(ctx context.Context, bet *parsed, pk string) (*Refusal, error) {
	base, err := p.Table.GetBet(ctx, pk, store.BetKey(bet.Base))
	if err != nil {
		return nil, err
	}
	if base == nil || base.Refused != "" {
		return refuse(CodeBaseNotFound, "there is no bet %s", bet.Base), nil
	}
	seat, err := bet.game.Parse(base.Selection)
	if err != nil {
		return nil, fmt.Errorf("reading the stored bet %s: %w", bet.Base, err)
	}
	stake, half := money.Amount(base.Stake), money.Amount(base.Stake)/2
	kind, _, _ := strings.Cut(bet.Selection, ":")
	switch {
	case bet.game.Family(seat).Name != "seat" || seat.At(0) != bet.selection.At(0):
		return refuse(CodeBaseMismatch, "bet %s is on %s, not on the seat of %s", bet.Base, base.Selection, bet.Selection), nil
	case base.Currency != bet.Currency:
		return refuse(CodeBaseMismatch, "bet %s is in %s", bet.Base, base.Currency), nil
	case kind == "double" && bet.stake > stake:
		return refuse(CodeBaseMismatch, "a double is at most the stake of its bet, %s %s", money.AppendAmount(nil, stake, bet.currency), bet.Currency), nil
	case kind == "split" && bet.stake != stake:
		return refuse(CodeBaseMismatch, "a split is the stake of its bet, %s %s", money.AppendAmount(nil, stake, bet.currency), bet.Currency), nil
	case kind == "insurance" && bet.stake != half:
		return refuse(CodeBaseMismatch, "insurance is half the stake of its bet, %s %s", money.AppendAmount(nil, half, bet.currency), bet.Currency), nil
	}
	return nil, nil
}

// store writes the bet, within its time. What is there already decides: the same
// bet, another one, or a refusal, whose place a later request takes.
func (p *Placer) store(ctx, within context.Context, pk string, bet *parsed, record store.StoredBet, d *cachedDraw) (*Answer, error) {
	existing, err := p.Table.CreateBet(within, pk, record)
	if err == nil && existing != nil && existing.Refused != "" && record.AcceptedAt > existing.AcceptedAt+refusalStands {
		existing, err = p.Table.ReplaceRefusal(within, pk, *existing, record)
	}
	if err != nil {
		// Whether it was written is not known. A refusal makes sure of one or the other.
		return p.refused(ctx, pk, bet, d, record.AcceptedAt,
			refuse(CodeOutcomeUnknown, "the bet could not be stored in time; it is not stored"))
	}
	if existing == nil {
		p.Record.Accepted(d.Game.ID)
		return p.answer(record, false, d.Game, d.Head), nil
	}
	if existing.Refused != "" {
		return p.refused(ctx, pk, bet, d, record.AcceptedAt, bet.early(existing.Refused))
	}
	return p.existing(bet, existing, d)
}

// early refuses what would be accepted if an earlier refusal did not stand yet. It
// says what holds now, since the earlier answer may have been about something else.
func (p *parsed) early(code string) *Refusal {
	refusal := refuse(code, "the draw takes this now, but its reference was refused a moment ago (%s): send it again after %d seconds, or under another reference",
		code, refusalStands/1000)
	if p.Base != "" { // which has no other reference
		refusal = refuse(code, "the draw takes this now, but this wager was refused a moment ago (%s): send it again after %d seconds", code, refusalStands/1000)
	}
	if code == CodeOddsChanged {
		refusal.Current = p.odds // check has just compared them
	}
	return refusal
}

// until returns a context that ends so long after a time.
func (p *Placer) until(ctx context.Context, at instant, within time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, time.Duration(at-p.Now())*time.Millisecond+within)
}

// refused makes sure that nothing of the bet is stored or will be, unless it is
// stored already. Nothing is written where no earlier try can be in flight: once
// the grace time is over, and when the wager does not fit its bet, which never
// changes, so that no try of it was ever accepted.
func (p *Placer) refused(ctx context.Context, pk string, bet *parsed, d *cachedDraw, at instant, refusal *Refusal) (*Answer, error) {
	ctx, cancel := p.until(ctx, at, refuseWithin)
	defer cancel()
	claim := store.StoredBet{SK: bet.key(), Refused: refusal.Code, Generation: 1, AcceptedAt: at, ExpiresAt: d.Head.RetainUntil}
	mayLand := refusal.Code != CodeBaseMismatch && !over(d, at)
	existing, err := p.claim(ctx, pk, claim, mayLand)
	for try := 0; err == nil && existing != nil && existing.Refused != "" && mayLand; try++ {
		// An earlier try may be about to take the place of that refusal: it must not
		// find it as it was.
		if try == maxRenewals {
			err = store.ErrChanged
			break
		}
		claim.Generation = existing.Generation + 1
		existing, err = p.Table.ReplaceRefusal(ctx, pk, *existing, claim)
	}
	if err != nil {
		return nil, fmt.Errorf("making sure that a refused bet is not stored: %w", err)
	}
	if existing == nil || existing.Refused != "" {
		p.Record.Refused(d.Game.ID, refusal.Code)
		return nil, refusal
	}
	return p.existing(bet, existing, d)
}

// maxRenewals bounds how often a refusal is put over others that came first.
const maxRenewals = 8

// over reports whether the grace time is over, so that no bet is in flight.
func over(d *cachedDraw, at instant) bool { return d.Head.State > 0 && at >= d.Head.SettleFrom() }

// claim puts a refusal under its key, or, where no earlier try can land there
// any more, only reads what is there.
func (p *Placer) claim(ctx context.Context, pk string, refusal store.StoredBet, mayLand bool) (existing *store.StoredBet, err error) {
	if !mayLand {
		return p.Table.GetBet(ctx, pk, refusal.SK)
	}
	return p.Table.CreateBet(ctx, pk, refusal)
}

// existing answers a bet that was stored before.
func (p *Placer) existing(bet *parsed, there *store.StoredBet, d *cachedDraw) (*Answer, error) {
	if fields := bet.differences(there); len(fields) > 0 {
		refusal := refuse(CodeReferenceUsed, "another bet has this reference; it differs in %s", strings.Join(fields, ", "))
		refusal.Differs = fields
		return nil, refusal
	}
	return p.answer(*there, true, d.Game, d.Head), nil
}

// answer computes a stored bet's status from stored values.
func (p *Placer) answer(record store.StoredBet, replay bool, game *rules.Game, head *draw.Head) *Answer {
	standing := StandingOf(head, game, &record, 0, p.Now())
	return &Answer{Bet: record, Replay: replay, Status: standing.Status, Reason: standing.Reason}
}

// shardOf spreads a bookmaker's references over the draw's shards; a side wager
// goes with its bet.
func shardOf(bet *parsed, shards int) int {
	if bet.Base != "" {
		return Shard(bet.Base, shards)
	}
	return Shard(bet.Reference, shards)
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
