package settle

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store/record"
)

// LateRecords are the records of a bookmaker's bets, side wagers and cancellations
// that were written after a settlement run had read them all.
type LateRecords struct {
	Bookmaker string
	// Records are named as in wire.Late, at most wire.MaxLate of them. None of a
	// bookmaker whose first bets came after the run was planned: a settlement run that has it
	// in its plan takes all of them.
	Records []string
	// Stale says that there are no late records. The run was stopped since what it has
	// stored of the bookmaker's bets was made by other code, or of other data, than
	// there is now: it takes a newer state, which is all that is asked for.
	Stale bool
}

// maxOrders bounds how many orders one audit asks for: a draw takes no more than
// wire.MaxOrders. The next audit finds the rest.
const maxOrders = 50

// Position is how far an audit has come. The zero value is its beginning.
type Position struct {
	State int    `json:"state,omitempty"` // that is counted again
	After string `json:"after,omitempty"` // the partition that was counted last
	// Partial is how far the partition after that one was counted, nil for not at all.
	Within *Partial `json:"within,omitempty"`
}

// Partial is how far one partition was counted.
type Partial struct {
	// Comparing says that all bets were counted and came to something else than was
	// stored: from the first on they are compared with what was reported.
	Comparing bool     `json:"comparing,omitempty"`
	Progress  progress `json:"progress"`
	// Pages are the pages of the reports under way, by state.
	Pages  map[int]int `json:"pages,omitempty"`
	Missed []string    `json:"missed,omitempty"` // as compared so far
}

// maxMissed bounds how many records of one partition an audit names, so that they
// fit into an item. The next audit finds the rest.
const maxMissed = 2000

// partitionName orders the partitions of a draw.
func partitionName(bookmaker string, shard int) string {
	return fmt.Sprintf("%s#%03d", bookmaker, shard)
}

// Status is how far a draw's newest state has come.
type Status struct {
	Settled     bool             // the newest state is settled
	State       int              // the newest state; 0 for none
	Stopped     string           // why its run can't go on
	Quarantined bool             // a message of the draw sits in quarantine
	Waits       settlement.Moved // what the newest state moves while it waits for an operator; nil when it does not
	// Unknown is a games.ErrUnknown where this program does not have the draw's rules.
	Unknown error
}

// Status returns how far a draw has come.
func (s *Settler) Status(ctx context.Context, id string) (Status, error) {
	r, err := record.Load(ctx, s.Table, id)
	if err != nil {
		return Status{}, err
	}
	now, _, err := r.Run()
	if err != nil || r.Head == nil {
		return Status{}, err
	}
	status := Status{Unknown: r.Unknown, State: r.Head.State, Stopped: now.Stopped, Settled: now.State == 0 && now.Base == r.Head.State}
	if status.Quarantined, err = r.Quarantined(ctx); err != nil {
		return Status{}, err
	}
	if now.Held != nil && now.State == r.Head.State {
		isReleased, err := s.released(ctx, id, now.State)
		if err != nil {
			return Status{}, err
		}
		if !isReleased {
			status.Waits = now.Held.Moved
		}
	}
	return status, nil
}

// Audited is what an audit came to.
type Audited struct {
	// Missed was written after the run had read it all, and the newest state does not know
	// of it yet.
	Missed []LateRecords
	// At is how far it came. The next audit may go on from there.
	At Position
	// Current says that the newest state was settled when the audit began. Else a request
	// to look has to come again: what is counted under an older state says nothing of what a
	// newer one has read.
	Current bool
}

// Audit reads the bets of a settled draw again, of one partition, or of all without a
// bookmaker, and compares what they come to with what was reported. A difference that late
// records don't explain is a *MismatchError. While a settlement run is stopped it counts
// the state before; while one is under way, or about to be, nothing.
//
// An audit that its context ends, or another error, has come to a position. What
// was found up to there is returned, and the next audit may go on from there.
func (s *Settler) Audit(ctx context.Context, id string, part wire.Look, from Position) (found Audited, err error) {
	found.At = from
	r, err := record.Load(ctx, s.Table, id)
	if err != nil || r.Head == nil || r.Head.State == 0 {
		return found, err
	}
	now, _, err := r.Run()
	stopped := now.State != 0 && now.Stopped != ""
	settled := now.State == 0 && now.Base == r.Head.State
	if err != nil || !stopped && !settled {
		return found, err
	}
	// Of a draw whose first run was stopped nothing was reported.
	if found.Current = settled || now.Base == 0; now.Base == 0 {
		return found, nil
	}
	if from.State != now.Base {
		found.At = Position{State: now.Base}
	}
	found.Missed, err = s.audit(ctx, r, now, part, &found.At)
	return found, err
}

// audit counts the partitions of a draw after a position, which it moves: one of them,
// or all without a bookmaker.
func (s *Settler) audit(ctx context.Context, r *record.Draw, now record.RunState, part wire.Look, at *Position) (missed []LateRecords, err error) {
	state, _, err := r.Resolve(ctx, now.Base)
	if err != nil {
		return nil, err
	}
	_, found, err := r.Resolve(ctx, r.Head.State)
	if err != nil {
		return nil, err
	}
	named := lateBy(found)
	for _, bookmaker := range r.Bookmakers() {
		found, failed := s.auditBets(ctx, r, bookmaker, part, state, named, at)
		if missed = append(missed, found...); failed != nil {
			err = fmt.Errorf("auditing draw %s: %w", r.ID, failed)
			break
		}
	}
	stale := now.Stale != "" && r.Head.State == now.State
	if whole := part.Bookmaker == ""; stale && (!now.Unexplained || whole && err == nil && len(missed) == 0) {
		missed = slices.Insert(missed, 0, LateRecords{Bookmaker: now.Stale, Stale: true})
	}
	return missed[:min(len(missed), maxOrders)], err
}

// auditBets counts the partitions of a bookmaker that come after a position, which
// it moves, and returns what was missed of them, also with an error.
func (s *Settler) auditBets(ctx context.Context, r *record.Draw, bookmaker string, part wire.Look, state *settlement.Basis, named map[string]bool,
	at *Position) (missed []LateRecords, err error) {
	var records []string
	unplanned := false
	for shard := range r.Head.Shards {
		name := partitionName(bookmaker, shard)
		asked := part.Bookmaker == "" || part == wire.Look{Bookmaker: bookmaker, Shard: shard}
		if name <= at.After || !asked && name > partitionName(part.Bookmaker, part.Shard) {
			continue
		}
		if !asked { // the one that is asked for comes after it
			at.After = name
			continue
		}
		p := &partition{table: s.Table, records: r, bookmaker: bookmaker, shard: shard, next: state, late: recordsOf(named, bookmaker),
			selections: map[string]rules.Selection{}}
		var found []string
		planned := false
		if found, planned, at.Within, err = p.audit(ctx, at.Within); err != nil {
			break
		}
		records = append(records, found...)
		unplanned = unplanned || !planned && !named[lateKey(bookmaker, "")]
		at.After = name
	}
	if unplanned {
		missed = append(missed, LateRecords{Bookmaker: bookmaker})
	}
	for chunk := range slices.Chunk(records, wire.MaxLate) {
		missed = append(missed, LateRecords{Bookmaker: bookmaker, Records: chunk})
	}
	return missed, err
}

// audit returns the partition's late records, of which the newest state does not know.
// planned is false when the state's run did not have it in its plan and there are
// bets. With an error it returns how far it has come: no less far than from where it
// began.
func (p *partition) audit(ctx context.Context, from *Partial) (missed []string, planned bool, at *Partial, err error) {
	done, err := p.records.Done(p.next.Number, p.bookmaker, p.shard)
	if err != nil {
		return nil, false, from, err
	}
	if from == nil || !from.Comparing {
		if from != nil {
			p.progress = from.Progress
		} else {
			p.progress = progress{Digest: newDigest(), Base: newDigest()}
		}
		switch planned, err := p.countAgain(ctx, done); {
		case err != nil && p.progress.Last != "":
			return nil, false, &Partial{Progress: p.progress}, err
		case err != nil:
			return nil, false, nil, err
		case !planned:
			return nil, false, nil, nil
		case done == nil || p.progress.Digest.String() == done.Digest:
			return nil, true, nil, nil
		}
		from = &Partial{Comparing: true, Progress: progress{Digest: newDigest(), Base: newDigest()}}
	}
	missed, at, err = p.lateRecords(ctx, done, from)
	return missed, true, at, err
}

// countAgain settles the bets again that come after those that were counted. planned is
// false when there are bets and the partition was never done.
func (p *partition) countAgain(ctx context.Context, done *record.Done) (planned bool, err error) {
	for g, err := range p.bets(ctx, p.progress.Last) {
		if err != nil {
			return false, err
		}
		if done == nil && len(g.bets) > 0 {
			return false, nil
		}
		if err := p.add(g); err != nil {
			p.progress = progress{} // with a part of a bet nobody can go on
			return false, err
		}
		p.lines = p.lines[:0] // nothing is reported here
	}
	return true, nil
}

// lateRecords returns the partition's records that the run of a state did not see,
// and the newer state does not know of: those that no report names, and cancellations
// without which the reported line comes out. Without all that the run did not see
// the state must come to what was stored of it; else the error is an *MismatchError.
// With another error it returns how far it has come.
func (p *partition) lateRecords(ctx context.Context, done *record.Done, from *Partial) (missed []string, at *Partial, err error) {
	reports, err := p.reports(ctx, from.Pages)
	if err != nil {
		return nil, from, err
	}
	known, last := from.Progress.Digest, from.Progress.Last
	missed = slices.Clone(from.Missed)
	cut := func(err error) ([]string, *Partial, error) {
		return nil, &Partial{Comparing: true, Progress: progress{Digest: known, Base: newDigest(), Last: last}, Pages: reports.pages(), Missed: missed}, err
	}
	for g, err := range p.bets(ctx, last) {
		if err != nil {
			return cut(err)
		}
		reported, err := reports.of(ctx, g.reference)
		if err != nil {
			return cut(err)
		}
		found, err := p.compare(g, reported, known)
		if err != nil {
			return nil, nil, err // with a part of a bet nobody can go on
		}
		found = slices.DeleteFunc(found, func(record string) bool { return p.late[record] })
		missed = append(missed, found[:min(len(found), maxMissed-len(missed))]...)
		last = g.last
	}
	if again := known.String(); again != done.Digest {
		return nil, nil, &MismatchError{
			Reason: fmt.Sprintf("%s shard %d: state %d computed again has digest %.12s…, stored is %.12s…", p.bookmaker, p.shard, p.next.Number, again, done.Digest),
		}
	}
	return missed, nil, nil
}

// compare adds the lines of a group as the run knew it, and returns its records
// that the run did not see.
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
		line, err := p.lineOf(bet)
		if err != nil {
			return nil, err
		}
		if i == 0 && sha256.Sum256(line) != hash && bet.CancelledAt != 0 {
			without, err := p.lineOf(g.uncancelled(i))
			if err != nil {
				return nil, err
			}
			if uncancelled = sha256.Sum256(without) == hash; uncancelled {
				missed = append(missed, g.cancellation())
			}
		}
		if uncancelled {
			if line, err = p.lineOf(g.uncancelled(i)); err != nil {
				return nil, err
			}
		}
		known.write(line)
	}
	return missed, nil
}

// lineOf returns the absolute line of a bet under the state.
func (p *partition) lineOf(b *settlement.Bet) ([]byte, error) {
	settled, err := settlement.Settle(b, p.next)
	if err != nil {
		return nil, err
	}
	return appendLine(nil, b, settled), nil
}
