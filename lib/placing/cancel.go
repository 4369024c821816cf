package placing

import (
	"context"

	"tally/lib/settlement"
	"tally/lib/store"
)

// Cancel takes a bet back for its bookmaker, before its betting round closes.
// Like a bet, a cancellation is stored once, and a refusal makes sure that an
// earlier try can't land afterwards.
func (p *Placer) Cancel(ctx context.Context, bookmaker, id, reference string) (*Answer, error) {
	at := p.Now()
	request := Request{Bookmaker: bookmaker, Draw: id, Reference: reference}
	if refusal := request.identifiers(); refusal != nil {
		return nil, refusal
	}
	d, err := p.draws.get(ctx, p.Table, id, at)
	if err != nil {
		return nil, err
	}
	if d == nil || !d.head.Opened {
		return nil, refuse(CodeUnknownDraw, "there is no draw %s", id)
	}
	pk := store.BetsKey(id, bookmaker, Shard(reference, d.head.Shards))
	bet, err := p.Table.GetBet(ctx, pk, store.BetKey(reference))
	if err != nil {
		return nil, err
	}
	if bet == nil || bet.Refused != "" {
		return nil, refuse(CodeUnknownBet, "there is no bet %s on draw %s", reference, id)
	}
	record := store.StoredBet{SK: store.CancelKey(reference), AcceptedAt: at, ExpiresAt: d.head.RetainUntil}
	closing := d.head.Closing(int(bet.Round))
	if at >= closing {
		record.Refused = CodeBettingClosed
	}
	within, cancel := p.until(ctx, at, acceptWithin)
	defer cancel()
	existing, err := p.claimCancel(within, pk, record, d)
	if err != nil {
		return nil, err
	}
	replay := existing != nil
	if replay {
		record = *existing
	}
	if record.Refused != "" || record.AcceptedAt >= closing {
		return nil, refuse(CodeBettingClosed, "betting round %d is closed: the bet stands", bet.Round)
	}
	return &Answer{Bet: *bet, Replay: replay, Status: "refunded", Reason: settlement.CancelledByBookmaker, CancelledAt: record.AcceptedAt}, nil
}

// claimCancel puts a cancellation, or the refusal of one; once the grace time is
// over a refusal is only looked for.
func (p *Placer) claimCancel(ctx context.Context, pk string, record store.StoredBet, d *cachedDraw) (existing *store.StoredBet, err error) {
	if record.Refused != "" {
		return p.claim(ctx, pk, record, d)
	}
	return p.Table.CreateBet(ctx, pk, record)
}
