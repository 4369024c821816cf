package sweep

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tally/lib/rules"
	"tally/lib/settlement"
	"tally/lib/store"
	"tally/lib/wire"
)

// Stragglers are the records of a bookmaker's bets, side wagers and cancellations
// that were written after a sweep had read them all.
type Stragglers struct {
	Bookmaker string
	// Records are named as in wire.Found, at most wire.MaxFound of them. None of a
	// bookmaker whose first bets came after the sweep was planned: a sweep that has it
	// in its plan takes all of them.
	Records []string
	// Stale says that there are no stragglers. The sweep was stopped since what it has
	// stored of the bookmaker's bets was made by other code, or of other data, than
	// there is now: it takes a newer state, which is all that is asked for.
	Stale bool
}

// maxOrders bounds how many orders one recount asks for: a draw takes no more than
// wire.MaxOrders. The next recount finds the rest.
const maxOrders = 50

// Position is how far a recount has come. The zero value is its beginning.
type Position struct {
	State int    `json:"state,omitempty"` // that is counted again
	After string `json:"after,omitempty"` // the partition that was counted last
}

// partitionName orders the partitions of a draw.
func partitionName(bookmaker string, shard int) string {
	return fmt.Sprintf("%s#%03d", bookmaker, shard)
}

// Standing is how far a draw's newest state has come.
type Standing struct {
	Swept   bool   // the newest state is swept
	State   int    // the newest state; 0 for none
	Stopped string // why its sweep can't go on
	Held    bool   // a message of the draw sits in quarantine
}

// Standing returns how far a draw has come.
func (s *Sweeper) Standing(ctx context.Context, id string) (Standing, error) {
	r, err := load(ctx, s.Table, id)
	if err != nil {
		return Standing{}, err
	}
	now, _, err := r.status()
	if err != nil || r.head == nil {
		return Standing{}, err
	}
	standing := Standing{State: r.head.State, Stopped: now.Stopped, Swept: now.State == 0 && now.Base == r.head.State}
	for sk := range r.items {
		standing.Held = standing.Held || strings.HasPrefix(sk, store.HeldPrefix)
	}
	return standing, nil
}

// Recount reads all bets of a swept draw again and compares what they come to
// with what was reported. What was written after the sweep had read them all is
// returned, unless the newest state knows of it already; any other difference is an
// *UnequalError. While a sweep is stopped it counts the state before again.
//
// A recount that its context ends, or another error, has come to a position. What
// was found up to there is returned, and the next recount may go on from there.
func (s *Sweeper) Recount(ctx context.Context, id string, from Position) (missed []Stragglers, at Position, err error) {
	r, err := load(ctx, s.Table, id)
	if err != nil {
		return nil, from, err
	}
	now, _, err := r.status()
	if err != nil || r.head == nil || now.State != 0 && now.Stopped == "" || now.Base == 0 {
		return nil, from, err
	}
	state, _, err := r.state(now.Base)
	if err != nil {
		return nil, from, err
	}
	_, named, err := r.state(r.head.State)
	if err != nil {
		return nil, from, err
	}
	if from.State != now.Base {
		from = Position{State: now.Base}
	}
	at = from
	if now.Stale != "" && r.head.State == now.State {
		missed = append(missed, Stragglers{Bookmaker: now.Stale, Stale: true})
	}
	for _, bookmaker := range r.bookmakers() {
		found, failed := s.recountBets(ctx, r, bookmaker, state, named, &at)
		if missed = append(missed, found...); failed != nil {
			err = fmt.Errorf("recounting draw %s: %w", id, failed)
			break
		}
	}
	return missed[:min(len(missed), maxOrders)], at, err
}

// recountBets counts the partitions of a bookmaker that come after a position, which
// it moves, and returns what was missed of them, also with an error.
func (s *Sweeper) recountBets(ctx context.Context, r *records, bookmaker string, state *settlement.State, named map[string]bool, at *Position) (missed []Stragglers, err error) {
	var records []string
	unplanned := false
	for shard := range r.head.Shards {
		name := partitionName(bookmaker, shard)
		if name <= at.After {
			continue
		}
		p := &partition{table: s.Table, records: r, bookmaker: bookmaker, shard: shard, next: state, selections: map[string]rules.Selection{}}
		var found []string
		planned := false
		if found, planned, err = p.recount(ctx); err != nil {
			break
		}
		records = append(records, found...)
		unplanned = unplanned || !planned && !named[foundKey(bookmaker, "")]
		at.After = name
	}
	records = slices.DeleteFunc(records, func(record string) bool { return named[foundKey(bookmaker, record)] })
	if unplanned {
		missed = append(missed, Stragglers{Bookmaker: bookmaker})
	}
	for chunk := range slices.Chunk(records, wire.MaxFound) {
		missed = append(missed, Stragglers{Bookmaker: bookmaker, Records: chunk})
	}
	return missed, err
}

// recount returns the partition's stragglers. planned is false when the state's
// sweep did not have it in its plan and there are bets.
func (p *partition) recount(ctx context.Context) (missed []string, planned bool, err error) {
	done, err := p.records.done(p.next.Number, p.bookmaker, p.shard)
	if err != nil {
		return nil, false, err
	}
	p.progress = progress{Digest: newDigest(), Base: newDigest()}
	for g, err := range p.groups(p.table.Bets(ctx, store.BetsKey(p.records.draw, p.bookmaker, p.shard), "")) {
		if err != nil {
			return nil, false, err
		}
		if done == nil && len(g.bets) > 0 {
			return nil, false, nil
		}
		if err := p.settleGroup(g); err != nil {
			return nil, false, err
		}
		p.lines, p.count = p.lines[:0], 0 // nothing is reported here
	}
	if done == nil || p.progress.Digest.String() == done.Digest {
		return nil, true, nil
	}
	missed, err = p.stragglers(ctx, done)
	return missed, true, err
}

// stragglers returns the partition's records that the sweep of a state did not see:
// those that no report names, and cancellations without which the reported line
// comes out. Without them the state must come to what was stored of it; else the
// error is an *UnequalError.
func (p *partition) stragglers(ctx context.Context, done *Done) (missed []string, err error) {
	reported, err := p.reported(ctx)
	if err != nil {
		return nil, err
	}
	release, err := p.mayRead(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	known := newDigest()
	for g, err := range p.groups(p.table.Bets(ctx, store.BetsKey(p.records.draw, p.bookmaker, p.shard), "")) {
		if err != nil {
			return nil, err
		}
		found, err := p.compare(g, reported, known)
		if err != nil {
			return nil, err
		}
		missed = append(missed, found...)
	}
	if again := known.String(); again != done.Digest {
		return nil, &UnequalError{fmt.Sprintf("%s shard %d: state %d computed again has digest %.12s…, stored is %.12s…", p.bookmaker, p.shard, p.next.Number, again, done.Digest)}
	}
	return missed, nil
}

// compare adds the lines of a group as the sweep knew it, and returns its records
// that the sweep did not see.
func (p *partition) compare(g *group, reported map[string]lineHash, known digest) (missed []string, err error) {
	uncancelled := false
	for i := range g.bets {
		bet := &g.bets[i]
		hash, was := reported[g.record(i)]
		if !was {
			missed = append(missed, g.record(i))
			if i == 0 {
				return missed, nil // nothing can hang on a bet that was not there
			}
			continue
		}
		line, err := p.lineOf(bet, &bet.Bet)
		if err != nil {
			return nil, err
		}
		if i == 0 && sha256.Sum256(line) != hash && bet.CancelledAt != 0 {
			without, err := p.lineOf(bet, g.uncancelled(i))
			if err != nil {
				return nil, err
			}
			if uncancelled = sha256.Sum256(without) == hash; uncancelled {
				missed = append(missed, g.cancellation())
			}
		}
		if uncancelled {
			if line, err = p.lineOf(bet, g.uncancelled(i)); err != nil {
				return nil, err
			}
		}
		known.write(line)
	}
	return missed, nil
}

// lineOf returns the absolute line of a bet under the state.
func (p *partition) lineOf(b *placed, as *settlement.Bet) ([]byte, error) {
	settled, err := settlement.Settle(as, p.next)
	if err != nil {
		return nil, err
	}
	return appendLine(nil, b, settled), nil
}

// lineHash stands for an absolute line: a partition may have millions.
type lineHash = [sha256.Size]byte

// reported returns what was last reported of each record, up to the state.
func (p *partition) reported(ctx context.Context) (map[string]lineHash, error) {
	reported := map[string]lineHash{}
	for _, state := range p.records.fedStates(p.bookmaker) {
		done, err := p.records.done(state, p.bookmaker, p.shard)
		if err != nil {
			return nil, err
		}
		if state > p.next.Number || done == nil {
			continue
		}
		for page := range done.Pages {
			if err := p.reportedOn(ctx, state, page+1, reported); err != nil {
				return nil, err
			}
		}
	}
	return reported, nil
}

// reportedOn reads one page of a report.
func (p *partition) reportedOn(ctx context.Context, state, page int, reported map[string]lineHash) error {
	item, found, err := p.table.Get(ctx, store.ReportKey(p.records.draw, state, p.bookmaker, p.shard), store.PageKey(page))
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("page %d of state %d of %s shard %d is missing", page, state, p.bookmaker, p.shard)
	}
	text, err := Inflate(item.Binary)
	if err != nil {
		return err
	}
	for raw := range bytes.Lines(text) {
		line := Line{}
		if err := json.Unmarshal(raw, &line); err != nil {
			return fmt.Errorf("reading page %s / %s: %w", item.PK, item.SK, err)
		}
		reported[recordOf(line.Bet, line.Wager)] = sha256.Sum256(absoluteOf(raw))
	}
	return nil
}
