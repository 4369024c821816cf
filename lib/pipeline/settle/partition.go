package settle

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"tally/lib/draw/report"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// pageBytes is the most compressed bytes of a page.
const pageBytes = 350 << 10

func (s *Settler) pageLines() int {
	if s.PageLines < maxGroup || s.PageLines > report.MaxPageLines {
		return report.MaxPageLines
	}
	return s.PageLines
}

// partition is the work on one shard of one bookmaker's bets.
type partition struct {
	table     *store.Table
	records   *record.Draw
	bookmaker string
	shard     int
	next      *settlement.Basis
	base      *settlement.Basis // nil for the first settlement
	// late are the records that only a newer state than the base, or than the one
	// that is counted again, knows of: late records that its run did not see.
	late       map[string]bool
	pageLines  int
	reading    chan struct{} // holds one for each partition whose bets are being read
	selections map[string]rules.Selection
	limited    bool // what is moved counts

	progress progress
	lines    []byte // reported lines of the page under way
	count    int
	absolute []byte
}

// MismatchError says that a state computed again came to something else than was
// stored: other code, or other data. Nothing is reported then.
type MismatchError struct{ Reason string }

func (e *MismatchError) Error() string { return e.Reason }

// settle settles the partition and writes its pages and DONE. With resume it goes on
// after the last page that an earlier try has stored.
func (p *partition) settle(ctx context.Context, resume bool) (*record.Done, error) {
	p.progress = progress{Digest: newDigest(), Base: newDigest()}
	for ; ; resume = true { // a try that we did not know of has stored a page: go on after its last
		if resume {
			if err := p.resume(ctx); err != nil {
				return nil, err
			}
		}
		err := p.pages(ctx)
		if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return p.finish(ctx)
	}
}

// resume handles the progress of the last stored page.
func (p *partition) resume(ctx context.Context) error {
	item, found, err := p.table.Last(ctx, p.reportKey())
	if err != nil || !found {
		return err
	}
	stored, err := store.Decode[progress](item)
	if err != nil {
		return err
	}
	if store.PageKey(stored.Pages) != item.SK {
		return fmt.Errorf("page %s / %s says that it is page %d", item.PK, item.SK, stored.Pages)
	}
	p.progress, p.lines, p.count = *stored, nil, 0
	return nil
}

func (p *partition) reportKey() string {
	return store.ReportKey(p.records.ID, p.next.Number, p.bookmaker, p.shard)
}

// pages settles the bets after the last one accounted for and writes what is to be
// reported of them. The last page is written while others read.
func (p *partition) pages(ctx context.Context) error {
	for g, err := range p.bets(ctx, p.progress.Last) {
		if err == nil && p.count+len(g.bets) > p.pageLines {
			err = p.writePage(ctx)
		}
		if err == nil {
			err = p.add(g)
		}
		if err != nil {
			return err
		}
	}
	if p.count > 0 {
		return p.writePage(ctx)
	}
	return nil
}

// maxReading bounds how many partitions' bets are read at once: a page of 1 MB
// takes some 30 MB of memory while the SDK decodes it.
const maxReading = 2

// mayRead waits until the partition's bets may be read.
func (p *partition) mayRead(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err // not by chance, where there is room as well
	}
	if p.reading == nil {
		return func() {}, nil // the only one at work
	}
	select {
	case p.reading <- struct{}{}:
		return func() { <-p.reading }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// bets reads the bets after a record, each with its side wagers.
func (p *partition) bets(ctx context.Context, after string) iter.Seq2[*group, error] {
	return func(yield func(*group, error) bool) {
		release, err := p.mayRead(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		defer release()
		p.groups(p.table.Bets(ctx, store.BetsKey(p.records.ID, p.bookmaker, p.shard), after))(yield)
	}
}

// maxGroup is the most lines that a bet can have with its side wagers: a bet, a
// double, a split and insurance.
const maxGroup = 4

// add settles a bet and its side wagers under both states.
func (p *partition) add(g *group) error {
	for i := range g.bets {
		bet := &g.bets[i]
		now, err := settlement.Settle(bet, p.next)
		if err != nil {
			return err
		}
		p.absolute = append(p.absolute[:0], appendLine(nil, bet, now)...)
		p.progress.Bets++
		p.progress.Digest.write(p.absolute)
		p.progress.Totals.In(bet.Currency).Add(bet.Stake, now)
		known := p.knew(g, i)
		if known == nil {
			p.report(0, now)
			continue
		}
		before, err := settlement.Settle(known, p.base)
		if err != nil {
			return err
		}
		p.progress.Before.In(bet.Currency).Add(bet.Stake, before)
		if before == now {
			p.progress.Base.write(p.absolute)
			continue
		}
		p.progress.Base.write(appendLine(nil, bet, before))
		if p.limited {
			p.progress.Moved.Add(bet.Currency, max(now.Payout, before.Payout)-min(now.Payout, before.Payout))
		}
		p.report(p.base.Number, now)
	}
	p.progress.Last = g.last
	return nil
}

// knew returns a group's bet as the base's settlement run knew it: nil when it did not, and
// without a cancellation that came later.
func (p *partition) knew(g *group, i int) *settlement.Bet {
	switch {
	case p.base == nil || len(p.late) > 0 && (p.late[g.reference] || p.late[g.record(i)]):
		return nil
	case len(p.late) > 0 && p.late[g.cancellation()]:
		return g.uncancelled(i)
	}
	return &g.bets[i]
}

// report adds the absolute line to the page.
func (p *partition) report(replaces int, s settlement.BetResult) {
	p.lines = appendReported(p.lines, p.absolute, p.next.Number, replaces)
	p.count++
	p.progress.Lines++
	if s.Result == rules.Refunded {
		p.progress.Refunds++
	}
}

// writePage stores the page under way. A crash before it leaves the pages before
// it, from which the next try goes on; after it, the next try goes on from here.
func (p *partition) writePage(ctx context.Context) error {
	p.progress.Pages++
	deflated, err := report.Deflate(p.lines)
	if err != nil {
		return err
	}
	if len(deflated) > pageBytes || p.count > p.pageLines {
		return fmt.Errorf("page %d of %s has %d lines and %d bytes", p.progress.Pages, p.reportKey(), p.count, len(deflated))
	}
	err = p.table.Create(ctx, store.Item{PK: p.reportKey(), SK: store.PageKey(p.progress.Pages), Body: store.Encode(p.progress), Binary: deflated,
		ExpiresAt: p.records.Head.RetainUntil})
	if err != nil {
		return err
	}
	p.lines, p.count = p.lines[:0], 0
	return nil
}

// finish checks the totals and the base, and writes DONE.
func (p *partition) finish(ctx context.Context) (*record.Done, error) {
	done := &record.Done{Bets: p.progress.Bets, Lines: p.progress.Lines, Pages: p.progress.Pages,
		Totals: p.progress.Totals, Before: p.progress.Before, Moved: p.progress.Moved, Digest: p.progress.Digest.String()}
	for _, t := range done.Totals {
		if t.Won+t.Lost+t.Refunded != t.Bets {
			return nil, &MismatchError{
				Reason: fmt.Sprintf("%s shard %d: %d bets in %s, but %d settled", p.bookmaker, p.shard, t.Bets, t.Currency.Code(), t.Won+t.Lost+t.Refunded),
			}
		}
	}
	if err := p.checkBase(ctx); err != nil {
		return nil, err
	}
	item := store.Item{PK: store.DrawKey(p.records.ID), SK: store.DoneKey(p.next.Number, p.bookmaker, p.shard),
		Body: store.Encode(done), ExpiresAt: p.records.Head.RetainUntil}
	err := p.table.Create(ctx, item)
	if exists := (*store.ExistsError)(nil); errors.As(err, &exists) {
		return storedDone(exists.Item)
	}
	return done, err
}

// checkBase compares what the base comes to now with what was stored of it. Where
// bets, side wagers and cancellations that were written later explain all of the
// difference, the error is a *lateError; so it is where nothing does, since
// now the base comes to the same again: the pages that this settlement run has stored so far
// were made by other code, or of other data.
func (p *partition) checkBase(ctx context.Context) error {
	if p.base == nil {
		return nil
	}
	stored, err := p.records.Done(p.base.Number, p.bookmaker, p.shard)
	if err != nil || stored == nil || p.progress.Base.String() == stored.Digest {
		return err
	}
	before := &partition{table: p.table, records: p.records, bookmaker: p.bookmaker, shard: p.shard, next: p.base, late: p.late, reading: p.reading, selections: p.selections}
	within, stop := context.WithTimeout(ctx, explainWithin)
	defer stop()
	missed, _, err := before.lateRecords(within, stored, &Partial{Progress: progress{Digest: newDigest()}})
	met := &lateError{part: wire.Look{Bookmaker: p.bookmaker, Shard: p.shard}, doneKey: store.DoneKey(p.next.Number, p.bookmaker, p.shard),
		reason: fmt.Sprintf("%s shard %d: %d records were written after state %d was settled", p.bookmaker, p.shard, len(missed), p.base.Number)}
	switch {
	case err != nil && within.Err() != nil && ctx.Err() == nil:
		met.stale, met.unexplained = p.bookmaker, true
		met.reason = fmt.Sprintf("%s shard %d: state %d did not come to the same again, and there are too many bets to say why at once", p.bookmaker, p.shard, p.base.Number)
	case err != nil:
		return err
	case len(missed) == 0:
		met.stale = p.bookmaker
		met.reason = fmt.Sprintf("%s shard %d: pages of state %d were stored when state %d did not come to the same again", p.bookmaker, p.shard, p.next.Number, p.base.Number)
	}
	return met
}

// explainWithin is how long a settlement run looks for what explains a difference: less than
// it has in one try. Of more bets than that an audit tells, which goes on where its
// last look was cut.
const explainWithin = 20 * time.Second

// lateError says that a settlement run met records which its base's settlement run had not
// seen, and which the state that it settles does not know of; or its own stale pages.
// It takes a newer state.
type lateError struct {
	part    wire.Look
	doneKey string
	stale   string // the bookmaker whose pages are stale
	// unexplained says that there was no time to tell: stale names the bookmaker whose
	// pages are stale if an audit finds nothing else.
	unexplained bool
	reason      string
}

func (e *lateError) Error() string { return e.reason }

// storedDone returns what another try has stored of a partition. It was first, so it
// holds: a later try may have seen a late record, which the next audit finds, or
// may be of other code, which the next audit finds as well.
func storedDone(item store.Item) (*record.Done, error) {
	stored, err := store.Decode[record.Done](item)
	if err == nil && stored.Abandoned {
		return nil, store.ErrChanged
	}
	return stored, err
}
