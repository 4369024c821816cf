// Package audit compares what was reported to bookmakers of settlements with what the
// public log says: for auditors who have access to it.
//
// A bookmaker has its own reports and disclosures, by its API key or as files that
// it has kept. Each settlement in the log must commit to exactly those lines, and to
// the totals that they add up to. Who has access to tally's table has the reports of
// all bookmakers: then there must be as many as the settlement says, and all of them
// together must come to its totals.
package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"tally/lib/archive/commitment"
	"tally/lib/archive/entry"
	"tally/lib/archive/verify"
	"tally/lib/draw/report"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// ReportSource is where reports are read. It may be used by several goroutines.
type ReportSource interface {
	// Reports returns the reports of a settlement that there are, of each bookmaker one.
	Reports(ctx context.Context, draw string, state int) ([]Reported, error)
	// Whole says that a settlement of which there is any report has all of them.
	Whole() bool
	// Reported lists the settlements that were reported so long ago that the log must
	// have them.
	Reported() []StateID
}

// StateID is a settlement.
type StateID struct {
	Draw  string
	State int
}

// Reported is what one bookmaker got of one settlement.
type Reported struct {
	Bookmaker  string
	Lines      [][]byte               // without their line feeds
	Disclosure *commitment.Disclosure // nil where tally gives none
}

// Comparison is the result of comparing reports with the log.
type Comparison struct {
	Settlements int `json:"settlements"` // in the log
	Compared    int `json:"compared"`    // of which there are reports
	Reports     int `json:"reports"`
	Lines       int `json:"lines"`
	Totals      int `json:"totals"` // reports whose totals were added up and compared
	// Whole are settlements whose totals are those of all bookmakers' reports.
	Whole    int              `json:"whole"`
	Findings []verify.Finding `json:"-"`
}

// parallel is how many draws are compared at once.
const parallel = 8

// Compare compares settlements, in the order of the log, with the reports that
// there are. The error says that reports could not be read; what is wrong is in the
// result. A draw limits the settlements that must be in the log to its own.
func Compare(ctx context.Context, source ReportSource, settlements []*entry.Settlement, draw string) (*Comparison, error) {
	draws := map[string][]*entry.Settlement{}
	logged := map[StateID]bool{}
	var order []string
	for _, e := range settlements {
		if draws[e.Draw] == nil {
			order = append(order, e.Draw)
		}
		draws[e.Draw] = append(draws[e.Draw], e)
		logged[StateID{Draw: e.Draw, State: e.State}] = true
	}
	result := &Comparison{Settlements: len(settlements)}
	var mutex sync.Mutex
	found := map[string][]verify.Finding{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, id := range order {
		group.Go(func() error {
			one, err := compareDraw(ctx, source, draws[id])
			mutex.Lock()
			defer mutex.Unlock()
			result.add(one)
			found[id] = one.Findings
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("reading reports: %w", err)
	}
	for _, id := range order {
		result.Findings = append(result.Findings, found[id]...)
	}
	for _, reported := range source.Reported() {
		if !logged[reported] && (draw == "" || draw == reported.Draw) {
			result.find(verify.UnloggedReport, reported.Draw, reported.State, "was reported, but the log does not have it")
		}
	}
	return result, nil
}

func (r *Comparison) add(other *Comparison) {
	r.Compared += other.Compared
	r.Reports += other.Reports
	r.Lines += other.Lines
	r.Totals += other.Totals
	r.Whole += other.Whole
}

func (r *Comparison) find(code verify.Code, draw string, state int, format string, args ...any) {
	of := entry.ID{Draw: draw, Kind: entry.KindSettlement, State: state}
	r.Findings = append(r.Findings, verify.Finding{Code: code, Message: of.String() + ": " + fmt.Sprintf(format, args...)})
}

// account is what a bookmaker's reports on a draw have come to so far: the newest
// line of each bet.
type account struct {
	lines map[[2]string]report.Line
	// unknown says that something was wrong with a report: what the lines come to
	// from then on says nothing more.
	unknown bool
}

// compareDraw compares the settlements of one draw, in their order.
func compareDraw(ctx context.Context, source ReportSource, settlements []*entry.Settlement) (*Comparison, error) {
	result := &Comparison{}
	accounts := map[string]*account{}
	for _, e := range settlements {
		list, err := source.Reports(ctx, e.Draw, e.State)
		if err != nil {
			return result, err
		}
		if len(list) == 0 {
			continue
		}
		result.Compared++
		slices.SortFunc(list, func(a, b Reported) int { return cmp.Compare(a.Bookmaker, b.Bookmaker) })
		all, added := settlement.Totals{}, true
		for _, report := range list {
			totals, is := result.compare(e, report, accounts, source.Whole())
			all.Merge(totals)
			added = added && is
		}
		if source.Whole() && added {
			result.compareAll(e, len(list), all)
		}
	}
	return result, nil
}

// compare compares one report with the settlement, and returns what the
// bookmaker's bets on the draw come to by it, if its reports tell.
func (r *Comparison) compare(e *entry.Settlement, one Reported, accounts map[string]*account, whole bool) (settlement.Totals, bool) {
	r.Reports++
	r.Lines += len(one.Lines)
	known := accounts[one.Bookmaker]
	if known == nil {
		// Without the reports before, the bets whose lines did not change are not
		// known. Who has all reports knows that there are none.
		known = &account{lines: map[[2]string]report.Line{}, unknown: e.Replaces > 0 && !whole}
		accounts[one.Bookmaker] = known
	}
	if one.Disclosure == nil {
		known.unknown = true
		r.find(verify.MismatchReport, e.Draw, e.State, "it commits to no report to %s, which has one", one.Bookmaker)
		return nil, false
	}
	if err := one.Disclosure.Check(e, one.Lines); err != nil {
		known.unknown = true
		r.find(verify.MismatchReport, e.Draw, e.State, "%s: %v", one.Bookmaker, err)
		return nil, false
	}
	if known.unknown {
		return nil, false
	}
	totals, why := known.take(one)
	if why != "" {
		known.unknown = true
		r.find(verify.MismatchReport, e.Draw, e.State, "%s: %s", one.Bookmaker, why)
		return nil, false
	}
	r.Totals++
	if err := one.Disclosure.CheckTotals(totals); err != nil {
		r.find(verify.MismatchTotals, e.Draw, e.State, "%s: %v: the lines come to %s", one.Bookmaker, err, spell(totals))
		return nil, false
	}
	return totals, true
}

// compareAll compares the reports of all bookmakers with the settlement.
func (r *Comparison) compareAll(e *entry.Settlement, bookmakers int, totals settlement.Totals) {
	switch {
	case bookmakers != e.Bookmakers.Count:
		r.find(verify.MismatchReport, e.Draw, e.State, "it is of %d bookmakers, there are reports to %d", e.Bookmakers.Count, bookmakers)
	case e.ShowTotals && spell(totals) != spell(e.Totals):
		r.find(verify.MismatchTotals, e.Draw, e.State, "it has %s, the reports come to %s", spell(e.Totals), spell(totals))
	default:
		r.Whole++
	}
}

func spell(byCurrency settlement.Totals) string {
	return string(entry.AppendTotals(strictjson.Out(nil), byCurrency))
}

// take puts a report's lines in the place of those before, and adds all up.
func (a *account) take(one Reported) (totals settlement.Totals, why string) {
	for _, text := range one.Lines {
		var line report.Line
		if err := json.Unmarshal(text, &line); err != nil {
			return nil, fmt.Sprintf("%.100q is no line of a report", text)
		}
		bet := [2]string{line.Bet, line.Wager}
		if _, known := a.lines[bet]; known != (line.Replaces > 0) || line.State != one.Disclosure.State {
			return nil, fmt.Sprintf("the line of bet %s is of state %d and replaces that of state %d, which is not what there is of the bet", line.Bet, line.State, line.Replaces)
		}
		a.lines[bet] = line
	}
	for _, line := range a.lines {
		currency, known := money.ParseCurrency(line.Currency)
		if !known {
			return nil, fmt.Sprintf("the line of bet %s has the currency %.10q", line.Bet, line.Currency)
		}
		stake, err := money.ParseAmount(line.Stake, currency)
		if err != nil {
			return nil, fmt.Sprintf("the line of bet %s has the stake %.40q", line.Bet, line.Stake)
		}
		payout, err := money.ParseAmount(line.Payout, currency)
		if err != nil {
			return nil, fmt.Sprintf("the line of bet %s has the payout %.40q", line.Bet, line.Payout)
		}
		result, known := results[line.Status]
		if !known {
			return nil, fmt.Sprintf("the line of bet %s has the status %.40q", line.Bet, line.Status)
		}
		totals.In(currency).Add(stake, settlement.BetResult{Result: result, Payout: payout})
	}
	return totals, ""
}

var results = map[string]rules.Result{rules.Won.String(): rules.Won, rules.Lost.String(): rules.Lost, rules.Refunded.String(): rules.Refunded}
