package placing

import (
	"context"
	"errors"

	"tally/lib/draw/ids"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// Cancel takes a bet back for its bookmaker, before its betting round closes,
// within two seconds.
// Like a bet, a cancellation is stored once and then always answered, with what is
// known of whether it counts; and a refusal makes sure that an earlier try can't
// land afterwards.
func (p *Acceptor) Cancel(ctx context.Context, bookmaker, id, reference string) (*record.Account, error) {
	if err := p.Clock.Passed(ctx); err != nil {
		return nil, err
	}
	at := p.Now()
	if refusal := identifiers(Request{Bookmaker: bookmaker, Draw: id, Reference: reference}, ids.Valid); refusal != nil {
		return nil, refusal
	}
	within, cancel := p.until(ctx, at, acceptWithin)
	defer cancel()
	d, err := p.draws.get(within, p.Table, id, at)
	if err == nil && (d == nil || !d.Opened() && !d.sure) {
		d, err = p.draws.look(within, p.Table, id, p.Now())
	}
	if err != nil {
		return nil, err
	}
	if d == nil || !d.Opened() {
		return nil, refuse(CodeUnknownDraw, "there is no draw %s", id)
	}
	part := wire.Look{Bookmaker: bookmaker, Shard: Shard(reference, d.Head.Shards)}
	pk := store.BetsKey(id, part.Bookmaker, part.Shard)
	bet, err := p.Table.GetBet(within, pk, store.BetKey(reference))
	if err != nil {
		return nil, err
	}
	if bet == nil || bet.Refused != "" {
		return nil, refuse(CodeUnknownBet, "there is no bet %s on draw %s", reference, id)
	}
	if d, err = p.cancelling(within, d, bet, at); err != nil {
		return nil, err
	}
	at = d.stamp(at)
	cancelled := store.StoredBet{SK: store.CancelKey(reference), AcceptedAt: at, ExpiresAt: d.Head.RetainUntil}
	if at >= d.Head.ClosingOf(int(bet.Round), d.Game, bet.Selection) {
		cancelled.Refused = CodeBettingClosed
	}
	// Once the grace time is over a refusal is only looked for.
	existing, err := p.claim(within, pk, cancelled, cancelled.Refused == "" || !over(d, at))
	if err != nil {
		return nil, busy(err)
	}
	if existing != nil {
		cancelled = *existing
	}
	if cancelled.Refused != "" {
		return nil, refuse(CodeBettingClosed, "betting round %d is closed: the bet stands", bet.Round)
	}
	var parts []wire.Look
	if d.looks(int(bet.Round), cancelled.AcceptedAt, p.Now()-at, p.Now()) {
		parts = []wire.Look{part}
	}
	if len(parts) > 0 || !d.sure {
		if d, err = p.look(ctx, d, parts, at); err != nil {
			return nil, err
		}
	}
	return &record.Account{Bet: *bet, Reference: reference, Replay: existing != nil, CancelledAt: cancelled.AcceptedAt,
		BetStatus: record.BetStatusOf(d.Head, d.Game, bet, cancelled.AcceptedAt, at)}, nil
}

// cancelling returns the head by which a bet may be cancelled: the one that is given, or,
// where it is from before the bet's round was known, or may be behind and its cancellation
// would be refused by it or not be looked after, as it is now.
func (p *Acceptor) cancelling(ctx context.Context, d *cachedDraw, bet *store.StoredBet, at settlement.Instant) (*cachedDraw, error) {
	round, at := int(bet.Round), d.stamp(at)
	taken := at < d.Head.ClosingOf(round, d.Game, bet.Selection) && d.Head.Looks(round, at, 0)
	if d.Head.Closing(round) != 0 && (d.sure || taken) {
		return d, nil
	}
	read, err := p.draws.look(ctx, p.Table, d.ID, p.Now())
	if err != nil || read == nil {
		return nil, errors.Join(err, errors.New("the bet's draw could not be read again"))
	}
	return read, nil
}
