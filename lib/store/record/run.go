package record

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tally/lib/draw/report"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// RunState is a draw's SWEEP item: idle, or settling one state.
type RunState struct {
	Base       int      `json:"base"`                 // the state settled last; 0 for none
	State      int      `json:"state,omitempty"`      // the one being settled; 0 when idle
	Bookmakers []string `json:"bookmakers,omitempty"` // the plan of State
	// Plan is the plan of Base: what it settled. Nil on items of earlier versions.
	Plan      []string           `json:"plan,omitzero"`
	StartedAt settlement.Instant `json:"started_at,omitempty"`
	Stopped   string             `json:"stopped,omitempty"` // why it can't go on
	Stale     string             `json:"stale,omitempty"`   // with Stopped: the bookmaker whose pages are stale
	// Unexplained says with Stale that the pages are stale if an audit finds nothing
	// else.
	Unexplained bool `json:"unexplained,omitempty"`
	// HoldAbove is what State may move before it is held. It is of the plan, so that all
	// tries of it decide alike, whatever is set meanwhile.
	HoldAbove settlement.Limits `json:"hold_above,omitempty"`
	// Held is what State moves, while it waits for an operator. Nobody is notified of it.
	Held *Waiting `json:"held,omitempty"`
	// Released says that an operator has released State: it is reported, and not replaced.
	Released bool `json:"released,omitempty"`

	Skipped []int `json:"skipped,omitempty"` // states that were never settled, the latest last
	Settled []int `json:"swept,omitempty"`   // states that were settled, the latest, Base, last
}

// MaxSettled bounds how many settled states SWEEP names. Of the first of so many it does
// not say which one it replaced.
const MaxSettled = 100

// Waiting is what a settlement moves that waits for an operator.
type Waiting struct {
	Moved settlement.Moved   `json:"moved"`
	At    settlement.Instant `json:"at"`
}

// Run reads SWEEP and its version, 0 where there is none.
func (d *Draw) Run() (RunState, int64, error) {
	item, found := d.items[store.SweepKey]
	if !found {
		return RunState{}, 0, nil
	}
	run, err := store.Decode[RunState](item)
	if err != nil {
		return RunState{}, 0, err
	}
	return *run, item.Version, nil
}

// LoadRun reads a draw's SWEEP alone.
func LoadRun(ctx context.Context, table *store.Table, id string) (RunState, error) {
	run, _, err := store.Read[RunState](ctx, table, store.DrawKey(id), store.SweepKey)
	return run, err
}

// HeldState returns the state that waits for an operator, 0 for none.
func (s RunState) HeldState() int {
	if s.Held == nil {
		return 0
	}
	return s.State
}

// Done is what a partition came to. It is written once.
type Done struct {
	Bets   int               `json:"bets"`
	Lines  int               `json:"lines"`
	Pages  int               `json:"pages"`
	Totals settlement.Totals `json:"totals"`           // of all bets
	Before settlement.Totals `json:"before,omitempty"` // the same under the base
	Moved  settlement.Moved  `json:"moved,omitempty"`  // where a limit is set for it
	Digest string            `json:"digest"`           // SHA-256 over all absolute lines
	// Abandoned says instead of all that, that this state is never reported to anybody.
	Abandoned bool `json:"abandoned,omitempty"`
}

// Done returns what a partition came to under a state, nil when it is not done.
func (d *Draw) Done(state int, bookmaker string, shard int) (*Done, error) {
	item, found := d.items[store.DoneKey(state, bookmaker, shard)]
	if !found {
		return nil, nil
	}
	return store.Decode[Done](item)
}

// Abandoned reports whether a state was given up.
func (d *Draw) Abandoned(state int) (bool, error) {
	prefix := store.DonePrefix(state)
	for _, rest := range d.after(prefix) {
		if done, err := store.Decode[Done](d.items[prefix+rest]); err != nil || done.Abandoned {
			return true, err
		}
	}
	return false, nil
}

// Partitions returns what the partitions of each bookmaker came to under a state, by shard;
// nil for one that is not done.
func (d *Draw) Partitions(state int) (map[string][]*Done, error) {
	done, prefix := map[string][]*Done{}, store.DonePrefix(state)
	for _, rest := range d.after(prefix) {
		bookmaker, number, _ := strings.Cut(rest, "#")
		shard, err := strconv.Atoi(number)
		if err != nil || d.Head == nil || shard < 0 || shard >= d.Head.Shards {
			return nil, fmt.Errorf("reading %s%s of draw %s: there is no such shard", prefix, rest, d.ID)
		}
		if done[bookmaker] == nil {
			done[bookmaker] = make([]*Done, d.Head.Shards)
		}
		if done[bookmaker][shard], err = store.Decode[Done](d.items[prefix+rest]); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// Settlement returns the partitions under a state that is settled. They must be those of
// its plan: a settlement that leaves out bookmakers would be in the log for ever. The plan
// of the state settled last is kept in SWEEP. Of earlier states, and on items of earlier
// versions, it is who was notified: before a settlement was closed, everyone in its plan was.
func (d *Draw) Settlement(state int) (map[string][]*Done, error) {
	done, err := d.Partitions(state)
	if err != nil {
		return nil, err
	}
	run, _, err := d.Run()
	if err != nil {
		return nil, err
	}
	plan := run.Plan
	if plan == nil || state != run.Base {
		plan = d.after(store.FedPrefix(state))
	}
	for _, bookmaker := range plan {
		if shards := done[bookmaker]; shards == nil || slices.Contains(shards, nil) {
			return nil, fmt.Errorf("draw %s, state %d: a partition of %s is not done, though the settlement is closed", d.ID, state, bookmaker)
		}
	}
	if len(done) != len(plan) {
		return nil, fmt.Errorf("draw %s, state %d: %d bookmakers are done, %d were in the plan", d.ID, state, len(done), len(plan))
	}
	return done, nil
}

// Fed reports whether a draw that was loaded says that a bookmaker was notified of a state.
func (d *Draw) Fed(state int, bookmaker string) bool {
	_, fed := d.items[store.FedKey(state, bookmaker)]
	return fed
}

// Reported returns the states that a bookmaker was notified of, in their order. Of a draw of which
// only the history was loaded it looks for the first: whoever is in one plan is in all later
// ones.
func (d *Draw) Reported(ctx context.Context, bookmaker string) (states []int, err error) {
	run, _, err := d.Run()
	if err == nil && !d.whole && len(run.Settled) == MaxSettled { // there were more before them
		d, err = Load(ctx, d.table, d.ID)
	}
	if err != nil {
		return nil, err
	}
	if d.whole {
		for state := 1; state <= d.Head.State; state++ {
			if d.Fed(state, bookmaker) {
				states = append(states, state)
			}
		}
		return states, nil
	}
	reported := func(state int) (found bool) {
		if err == nil {
			_, found, err = d.table.Get(ctx, store.DrawKey(d.ID), store.FedKey(state, bookmaker))
		}
		return found
	}
	first := sort.Search(len(run.Settled), func(i int) bool { return reported(run.Settled[i]) })
	states = slices.Clone(run.Settled[first:])
	if run.State != 0 && reported(run.State) {
		states = append(states, run.State)
	}
	return states, err
}

// Totals returns what a bookmaker's bets on a draw came to under the newest state that all
// bookmakers were notified of; state 0 as long as there is none.
func Totals(ctx context.Context, table *store.Table, id, bookmaker string) (state int, byCurrency settlement.Totals, err error) {
	run, err := LoadRun(ctx, table, id)
	if err != nil || run.Base == 0 {
		return 0, nil, err
	}
	for item, err := range table.Query(ctx, store.DrawKey(id), store.DonePrefix(run.Base)+bookmaker+"#") {
		if err != nil {
			return 0, nil, err
		}
		done, err := store.Decode[Done](item)
		if err != nil {
			return 0, nil, err
		}
		byCurrency.Merge(done.Totals)
	}
	return run.Base, byCurrency, nil
}

// Report reads the pages of one shard's report, as the lines of each. A try that came
// second may have left a page after those that were reported.
func Report(ctx context.Context, table *store.Table, pk string, pages int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for page, err := range table.Query(ctx, pk, "") {
			if err == nil && page.SK > store.PageKey(pages) {
				return
			}
			var lines []byte
			if err == nil {
				lines, err = linesOf(page)
			}
			if !yield(lines, err) || err != nil {
				return
			}
		}
	}
}

// Page reads the lines of a page of a report; nil when there is none.
func Page(ctx context.Context, table *store.Table, pk string, page int) ([]byte, error) {
	item, found, err := table.Get(ctx, pk, store.PageKey(page))
	if err != nil || !found {
		return nil, err
	}
	return linesOf(item)
}

func linesOf(page store.Item) ([]byte, error) {
	lines, err := report.Inflate(page.Binary)
	if err != nil {
		return nil, fmt.Errorf("page %s / %s: %w", page.PK, page.SK, err)
	}
	return lines, nil
}
