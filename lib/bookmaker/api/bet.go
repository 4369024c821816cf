package api

import (
	"context"
	"fmt"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/money"
	"tally/lib/store"
	"tally/lib/store/record"
)

// getBet answers a bet with its side wagers and what the reports have said of it.
func getBet(ctx context.Context, r *request) (any, error) {
	d, err := r.draw(ctx)
	if err != nil {
		return nil, err
	}
	reference := r.path["reference"]
	key := store.BetKey(reference)
	pk := store.BetsKey(d.ID, r.Bookmaker, placing.Shard(reference, d.Head.Shards))
	records, err := r.api.table.BetsSpan(ctx, pk, store.Span{From: key, To: key + "#~", Limit: maxRecords})
	if err != nil {
		return nil, err
	}
	history, err := settle.LoadHistory(ctx, d, r.Bookmaker)
	if err != nil {
		return nil, err
	}
	details, err := detailsOf(history, records, d, r.api.now())
	if err != nil {
		return nil, err
	}
	if len(details) == 0 {
		return nil, newProblem(placing.CodeUnknownBet, "there is no bet %s on draw %s", reference, d.ID)
	}
	return details[0], nil
}

// maxRecords is more records than a bet has with its cancellation, its side wagers
// and what was refused of them.
const maxRecords = 4096

// detailsOf returns bets with their lines, and their side wagers under them.
func detailsOf(history *settle.History, records []store.StoredBet, d *record.Draw, now instant) ([]v1.BetDetail, error) {
	details := []v1.BetDetail{}
	accounts, err := history.Accounts(records)
	if err != nil {
		return nil, err
	}
	var base *settle.Account
	for i := range accounts {
		account := &accounts[i]
		if account.Wager == "" {
			base = account
		}
		detail, err := detailOf(account, base, d, now)
		if err != nil {
			return nil, err
		}
		if account.Wager == "" {
			details = append(details, detail)
			continue
		}
		under := &details[len(details)-1]
		under.Wagers = append(under.Wagers, detail)
	}
	return details, nil
}

// detailOf says what an account says: the newest line's status, or, before the
// first, what holds by the times. A side wager shares those of its base.
func detailOf(account, base *settle.Account, d *record.Draw, now instant) (v1.BetDetail, error) {
	bet, err := betOf(account.Record, d.ID, account.Reference, account.Wager)
	if err != nil {
		return v1.BetDetail{}, err
	}
	standing := placing.StandingOf(d.Head, d.Game, &base.Record, account.CancelledAt, now)
	if account.CancelledAt != 0 {
		bet.CancelledAt, bet.Cancellation = wire.FormatTime(account.CancelledAt), string(standing.Cancellation)
	}
	if account != base && standing.Reason == "" {
		standing = placing.StandingOf(d.Head, d.Game, &account.Record, 0, now)
	}
	bet.Status, bet.Reason = standing.Status, standing.Reason
	if n := len(account.Lines); n > 0 {
		bet.Status, bet.Reason = account.Lines[n-1].Status, account.Lines[n-1].Reason
	}
	return v1.BetDetail{Bet: bet, Settlements: account.Lines}, nil
}

// betOf writes a stored bet, accepted.
func betOf(b store.StoredBet, id, reference, wager string) (v1.Bet, error) {
	currency, known := money.ParseCurrency(b.Currency)
	if !known {
		return v1.Bet{}, fmt.Errorf("bet %s on draw %s is in the currency %q", reference, id, b.Currency)
	}
	bet := v1.Bet{Draw: id, Reference: reference, Wager: wager, Selection: b.Selection, Stake: amount(money.Amount(b.Stake), currency), Currency: b.Currency,
		Shop: b.Shop, Round: int(b.Round), Rounding: money.Rounding(b.Rounding).String(), AcceptedAt: wire.FormatTime(b.AcceptedAt), Status: "accepted"}
	if b.Odds != 0 {
		bet.Odds = money.Odds(b.Odds).String()
	}
	return bet, nil
}

func amount(a money.Amount, c money.Currency) string { return string(money.AppendAmount(nil, a, c)) }
