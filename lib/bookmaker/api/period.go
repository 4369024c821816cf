package api

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/report"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// The totals of a day are the sums over the reports of that day, which are a run of
// the feed. A day that is over is counted once and kept; a month is the sum of its
// days. A month that was never asked for may take more than one request: each
// goes on after the days that are counted.

const (
	// finalAfter is how long after its end a day can't get a report any more, in
	// milliseconds: clocks differ a little, and writing a report takes seconds.
	finalAfter = 3600 * 1000
	// keptAtLeast is how long every report is kept: a draw takes nothing any more in
	// the seven days before it expires. The day's own length is taken off.
	keptAtLeast = 6 * dayMillis
	// countWithin bounds the counting of one request.
	countWithin = 15 * time.Second
	// countBatch is how many reports are read at once.
	countBatch = 1000
)

// dayTotals are what the reports of a day came to, as they are kept.
type dayTotals struct {
	First int64     `json:"first"` // 0 for none
	Last  int64     `json:"last"`
	Sums  []*change `json:"sums"`

	gap bool // a report of the day, or a later one, is not to be seen yet
}

// change is what reports add to the totals of a currency. Of a correction counts
// the difference, so that a payout may be negative.
type change struct {
	Currency money.Currency `json:"currency"`
	Bets     int            `json:"bets"`
	Stake    *big.Int       `json:"stake"` // minor units
	Payout   *big.Int       `json:"payout"`
	Won      int            `json:"won"`
	Lost     int            `json:"lost"`
	Refunded int            `json:"refunded"`
}

// of returns the sums of a currency to add to.
func (d *dayTotals) of(c money.Currency) *change {
	at, found := slices.BinarySearchFunc(d.Sums, c, func(s *change, c money.Currency) int { return s.Currency.Compare(c) })
	if !found {
		d.Sums = slices.Insert(d.Sums, at, &change{Currency: c, Stake: new(big.Int), Payout: new(big.Int)})
	}
	return d.Sums[at]
}

// byCurrency adds the totals of a report, or takes them off again.
func (d *dayTotals) book(byCurrency settlement.Totals, sign int) error {
	for _, t := range byCurrency {
		stake, ok := new(big.Int).SetString(minor(t.Stake), 10)
		payout, ok2 := new(big.Int).SetString(minor(t.Payout), 10)
		if !ok || !ok2 {
			return fmt.Errorf("a report's totals in %s are no numbers", t.Currency.Code())
		}
		d.add(&change{Currency: t.Currency, Bets: t.Bets, Stake: stake, Payout: payout, Won: t.Won, Lost: t.Lost, Refunded: t.Refunded}, sign)
	}
	return nil
}

// minor writes a sum in minor units.
func minor(s money.Sum) string {
	text, err := s.MarshalText()
	if err != nil {
		return "" // not reached: a sum is a number
	}
	return string(text)
}

func (d *dayTotals) add(c *change, sign int) {
	mine, factor := d.of(c.Currency), big.NewInt(int64(sign))
	mine.Bets, mine.Won, mine.Lost, mine.Refunded = mine.Bets+sign*c.Bets, mine.Won+sign*c.Won, mine.Lost+sign*c.Lost, mine.Refunded+sign*c.Refunded
	mine.Stake.Add(mine.Stake, new(big.Int).Mul(c.Stake, factor))
	mine.Payout.Add(mine.Payout, new(big.Int).Mul(c.Payout, factor))
}

// merge adds another day.
func (d *dayTotals) merge(other *dayTotals) {
	for _, c := range other.Sums {
		d.add(c, 1)
	}
	if other.First != 0 && (d.First == 0 || other.First < d.First) {
		d.First = other.First
	}
	d.Last, d.gap = max(d.Last, other.Last), other.gap
}

// getTotals answers the totals of a day or a month.
func getTotals(ctx context.Context, r *request) (any, error) {
	period := r.query["period"]
	from, to, ok := spanOf(period)
	if !ok {
		var wrong problems
		wrong.add(problemValue, "query period", "there is no day "+period)
		return nil, wrong.problem()
	}
	within, cancel := context.WithTimeout(ctx, countWithin)
	defer cancel()
	sum := &dayTotals{}
	// All days are counted up to one end of the feed, or to the first report that is not to
	// be seen yet: what is told is a run of the feed.
	end := sync.OnceValues(func() (settle.Feed, error) { return settle.ReadFeed(within, r.api.table, r.Bookmaker) })
	for day := from; day < to && day <= r.api.now() && !sum.gap; day += dayMillis {
		counted, err := r.day(within, end, day)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			return nil, newProblem(codeTotalsPending, "the reports up to %s are counted", today(day))
		}
		if err != nil {
			return nil, err
		}
		sum.merge(counted)
	}
	totals := v1.PeriodTotals{Period: period, Final: isFinal(to, r.api.now()), First: sum.First, Last: sum.Last, Totals: []v1.Totals{}}
	for _, c := range sum.Sums {
		totals.Totals = append(totals.Totals, v1.Totals{Currency: c.Currency.Code(), Bets: c.Bets, Stake: decimal(c.Stake, c.Currency),
			Payout: decimal(c.Payout, c.Currency), Won: c.Won, Lost: c.Lost, Refunded: c.Refunded})
	}
	if r.query["format"] == formatCSV {
		return writeTotals(totals.Totals)
	}
	return totals, nil
}

// spanOf returns the time of a day or a month.
func spanOf(period string) (from, to settlement.Instant, ok bool) {
	if day, err := time.Parse(time.DateOnly, period); err == nil {
		return settlement.Instant(day.UnixMilli()), settlement.Instant(day.UnixMilli()) + dayMillis, true
	}
	month, err := time.Parse("2006-01", period)
	return settlement.Instant(month.UnixMilli()), settlement.Instant(month.AddDate(0, 1, 0).UnixMilli()), err == nil
}

func isFinal(end, now settlement.Instant) bool { return now >= end+finalAfter }

// decimal writes a number of minor units, which may be negative.
func decimal(n *big.Int, c money.Currency) string {
	digits := new(big.Int).Abs(n).String()
	if short := c.Digits() + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	if at := len(digits) - c.Digits(); c.Digits() > 0 {
		digits = digits[:at] + "." + digits[at:]
	}
	if n.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// day returns the totals of the day that begins at a time: those that are kept, or
// counted now.
func (r *request) day(ctx context.Context, end func() (settle.Feed, error), day settlement.Instant) (*dayTotals, error) {
	kept, found, err := r.kept(ctx, day)
	if err != nil || found {
		return kept, err
	}
	feed, err := end()
	if err != nil {
		return nil, err
	}
	counted, err := r.count(ctx, feed, day)
	if err != nil || !isFinal(day+dayMillis, r.api.now()) {
		return counted, err
	}
	// Counting again comes to the same: which try is kept does not matter.
	err = r.api.table.Put(ctx, store.Item{PK: store.TotalsKey(r.Bookmaker), SK: today(day), Body: store.Encode(counted)})
	return counted, err
}

// kept returns the totals of a day that are kept.
func (r *request) kept(ctx context.Context, day settlement.Instant) (*dayTotals, bool, error) {
	totals, item, err := store.Read[dayTotals](ctx, r.api.table, store.TotalsKey(r.Bookmaker), today(day))
	return &totals, item.PK != "", err
}

// count counts the reports of a day, up to the first that is not to be seen yet: that
// can't be one of a day that is final.
func (r *request) count(ctx context.Context, feed settle.Feed, day settlement.Instant) (*dayTotals, error) {
	first, err := r.firstSince(ctx, feed, day)
	if err != nil {
		return nil, err
	}
	last, err := r.firstSince(ctx, feed, day+dayMillis)
	if err != nil {
		return nil, err
	}
	totals, counted := &dayTotals{}, int64(0)
	for after := first - 1; after < last-1 && !totals.gap; {
		var entries []report.Entry
		limit := int(min(countBatch, last-1-after))
		if entries, after, totals.gap, err = feed.Entries(ctx, r.api.table, after, limit, r.api.now()); err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.Sequence >= last {
				break
			}
			if err := totals.handle(entry); err != nil {
				return nil, err
			}
			counted++
		}
	}
	if r.api.now()-day < keptAtLeast {
		return totals, nil
	}
	whole, err := r.unexpired(ctx, feed, last)
	if err != nil {
		return nil, err
	}
	if counted < last-first || !whole {
		return nil, newProblem(codeTotalsExpired, "reports of %s have expired before they were counted", today(day))
	}
	return totals, nil
}

// unexpired reports whether a day ends where it seems to: the report after it is
// there, or will be, or none has been made. Where that one has expired, it may have
// been the day's own. How the day begins needs no look: the report before it was found.
func (r *request) unexpired(ctx context.Context, feed settle.Feed, next int64) (bool, error) {
	after, through, gap, err := feed.Entries(ctx, r.api.table, next-1, 1, r.api.now())
	return gap || through < next || len(after) > 0 && after[0].Sequence == next, err
}

// handle adds a report.
func (d *dayTotals) handle(entry report.Entry) error {
	if d.First == 0 {
		d.First = entry.Sequence
	}
	d.Last = entry.Sequence
	if err := d.book(entry.Totals, 1); err != nil {
		return err
	}
	return d.book(entry.Before, -1)
}

// firstSince returns the number of the first report made at a time or later;
// newest+1 when there is none. The times of reports rise with their numbers. One that
// is not to be seen yet is as late as any.
func (r *request) firstSince(ctx context.Context, feed settle.Feed, at settlement.Instant) (int64, error) {
	low, high := int64(1), feed.Newest+1
	for low < high {
		middle := low + (high-low)/2
		entries, _, _, err := feed.Entries(ctx, r.api.table, middle-1, 1, r.api.now())
		if err != nil {
			return 0, err
		}
		if len(entries) == 0 || entries[0].At >= at {
			high = middle
		} else {
			low = entries[0].Sequence + 1
		}
	}
	return low, nil
}
