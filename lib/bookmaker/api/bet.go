package api

import (
	"context"
	"fmt"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
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

// detailsOf returns bets with their lines, and their side wagers under them. They say
// what the newest line says, or, before the first, what holds by the times. A side wager
// shares those of its bet.
func detailsOf(history *settle.History, records []store.StoredBet, d *record.Draw, now settlement.Instant) ([]v1.BetDetail, error) {
	details := []v1.BetDetail{}
	accounts, err := history.Accounts(records)
	if err != nil {
		return nil, err
	}
	var base *record.Account
	for i := range accounts {
		account := &accounts[i]
		if account.Wager == "" {
			base = account
		}
		account.BetStatus = record.BetStatusOf(d.Head, d.Game, &base.Bet, account.CancelledAt, now)
		if account != base && account.Reason == "" {
			own := record.BetStatusOf(d.Head, d.Game, &account.Bet, 0, now)
			account.Status, account.Reason = own.Status, own.Reason
		}
		if n := len(account.Lines); n > 0 {
			account.Status, account.Reason = account.Lines[n-1].Status, account.Lines[n-1].Reason
		}
		bet, err := betOf(d.ID, account)
		if err != nil {
			return nil, err
		}
		detail := v1.BetDetail{Bet: bet, Settlements: account.Lines}
		if account == base {
			details = append(details, detail)
			continue
		}
		under := &details[len(details)-1]
		under.Wagers = append(under.Wagers, detail)
	}
	return details, nil
}

// betOf writes a stored bet of a draw.
func betOf(id string, a *record.Account) (v1.Bet, error) {
	b := a.Bet
	currency, known := money.ParseCurrency(b.Currency)
	if !known {
		return v1.Bet{}, fmt.Errorf("bet %s on draw %s is in the currency %q", a.Reference, id, b.Currency)
	}
	bet := v1.Bet{Draw: id, Reference: a.Reference, Wager: a.Wager, Selection: b.Selection, Stake: amount(money.Amount(b.Stake), currency), Currency: b.Currency,
		Shop: b.Shop, Round: int(b.Round), Rounding: money.Rounding(b.Rounding).String(), AcceptedAt: instant.Format(b.AcceptedAt), Status: a.Status, Reason: a.Reason}
	if b.Odds != 0 {
		bet.Odds = money.Odds(b.Odds).String()
	}
	if a.CancelledAt != 0 {
		bet.CancelledAt, bet.Cancellation = instant.Format(a.CancelledAt), string(a.Cancellation)
	}
	return bet, nil
}

func amount(a money.Amount, c money.Currency) string { return string(money.AppendAmount(nil, a, c)) }
