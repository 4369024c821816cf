package placing

import (
	"context"
	"errors"

	"tally/lib/draw/ids"
	"tally/lib/draw/wire"
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
	if err != nil {
		return nil, err
	}
	if d == nil || !d.Opened() {
		return nil, refuse(CodeUnknownDraw, "there is no draw %s", id)
	}
	at = d.stamp(at)
	part := wire.Look{Bookmaker: bookmaker, Shard: Shard(reference, d.Head.Shards)}
	pk := store.BetsKey(id, part.Bookmaker, part.Shard)
	bet, err := p.Table.GetBet(within, pk, store.BetKey(reference))
	if err != nil {
		return nil, err
	}
	if bet == nil || bet.Refused != "" {
		return nil, refuse(CodeUnknownBet, "there is no bet %s on draw %s", reference, id)
	}
	if d.Head.Closing(int(bet.Round)) == 0 { // what is remembered is from before that round was known
		if d, err = p.draws.read(within, p.Table, id, at); err != nil || d == nil {
			return nil, errors.Join(err, errors.New("the bet's draw could not be read again"))
		}
	}
	cancelled := store.StoredBet{SK: store.CancelKey(reference), AcceptedAt: at, ExpiresAt: d.Head.RetainUntil}
	if at >= d.Head.ClosingOf(int(bet.Round), d.Game, bet.Selection) {
		cancelled.Refused = CodeBettingClosed
	}
	// Once the grace time is over a refusal is only looked for.
	existing, err := p.claim(within, pk, cancelled, cancelled.Refused == "" || !over(d, at))
	if err != nil {
		return nil, err
	}
	if existing != nil {
		cancelled = *existing
	}
	if cancelled.Refused != "" {
		return nil, refuse(CodeBettingClosed, "betting round %d is closed: the bet stands", bet.Round)
	}
	d = p.look(ctx, d, part, int(bet.Round), cancelled.AcceptedAt, at)
	return &record.Account{Bet: *bet, Reference: reference, Replay: existing != nil, CancelledAt: cancelled.AcceptedAt,
		BetStatus: record.BetStatusOf(d.Head, d.Game, bet, cancelled.AcceptedAt, at)}, nil
}
