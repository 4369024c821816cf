package api

import (
	"context"
	"strconv"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/report"
	"tally/lib/store/record"
)

// getDrawTotals answers what a bookmaker's bets on a draw came to.
func getDrawTotals(ctx context.Context, r *request) (any, error) {
	if _, err := r.draw(ctx); err != nil {
		return nil, err
	}
	state, byCurrency, err := record.Totals(ctx, r.api.table, r.path["draw"], r.Bookmaker)
	if err != nil {
		return nil, err
	}
	totals := v1.DrawTotals{Draw: r.path["draw"], State: state, Totals: report.TotalsOf(byCurrency)}
	if r.query["format"] == formatCSV {
		return writeTotals(totals.Totals)
	}
	return totals, nil
}

// writeTotals writes totals as CSV.
func writeTotals(list []v1.Totals) (response, error) {
	return writeCSV([]string{"currency", "bets", "stake", "payout", "won", "lost", "refunded"}, list, func(t v1.Totals) []string {
		return []string{t.Currency, strconv.Itoa(t.Bets), t.Stake, t.Payout, strconv.Itoa(t.Won), strconv.Itoa(t.Lost), strconv.Itoa(t.Refunded)}
	})
}
