package api

import (
	"context"
	"net/http"
	"strconv"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/report"
	"tally/lib/site/spreadsheet"
	"tally/lib/store"
	"tally/lib/store/record"
)

// formatLines is a page as it is stored, a line of JSON for each bet: the bytes that
// the public log commits to.
const formatLines = "jsonl"

// readPage answers a page of a report. Only what the feed has reported is returned:
// the pages of a settlement run under way may still be without their report.
func readPage(ctx context.Context, r *request) (any, error) {
	state, shard, page := r.pathWhole("state"), r.pathWhole("shard"), r.pathWhole("page")
	id := r.path["draw"]
	_, fed, err := r.api.table.Sure(ctx, store.DrawKey(id), store.FedKey(state, r.Bookmaker))
	if err != nil {
		return nil, err
	}
	unknown := newProblem(codeUnknownReport, "there is no page %d of shard %d of a report on draw %s under state %d", page, shard, id, state)
	if !fed {
		return nil, unknown
	}
	text, err := record.Page(ctx, r.api.table, store.ReportKey(id, state, r.Bookmaker, shard), page)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return nil, unknown
	}
	if r.query["format"] == formatLines {
		return response{status: http.StatusOK, media: "application/x-ndjson", text: text}, nil
	}
	lines, err := report.ParseLines(text)
	if err != nil {
		return nil, err
	}
	if r.query["format"] == formatCSV {
		return writeCSV([]string{"bet", "wager", "status", "stake", "payout", "currency", "reason", "rule", "state", "replaces"}, lines, csvLine)
	}
	return v1.ReportPage{Draw: id, State: state, Shard: shard, Page: page, Lines: lines}, nil
}

func csvLine(l v1.Line) []string {
	replaces := ""
	if l.Replaces > 0 {
		replaces = strconv.Itoa(l.Replaces)
	}
	return []string{spreadsheet.Harmless(l.Bet), l.Wager, l.Status, l.Stake, l.Payout, l.Currency, l.Reason, l.Rule, strconv.Itoa(l.State), replaces}
}

// pathWhole returns a whole number of the path; the document has checked its form.
func (r *request) pathWhole(name string) int {
	number, err := strconv.Atoi(r.path[name])
	if err != nil {
		return 0 // not reached
	}
	return number
}
