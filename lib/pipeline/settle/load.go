package settle

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// records is a draw's partition as [Read] reads it.
type records struct {
	draw  string
	items map[string]store.Item
	head  *draw.Head
	game  *rules.Game // nil with unknown
	// unknown says that this program does not have the draw's rules.
	unknown error
}

// Read reads everything about a draw but its bets and reports, by sort key. A query is
// no snapshot: others write while it goes from page to page, and of a transaction it
// may see a part. So SWEEP is read before all else, and what it says was written before
// it is found; and what states are made of is there if the head is.
func Read(ctx context.Context, table *store.Table, id string) (map[string]store.Item, error) {
	pk := store.DrawKey(id)
	sweep, swept, err := table.Get(ctx, pk, store.SweepKey)
	if err != nil {
		return nil, err
	}
	items, err := table.All(ctx, pk)
	if err != nil {
		return nil, err
	}
	delete(items, store.SweepKey)
	if swept {
		items[store.SweepKey] = sweep
	}
	return items, complete(ctx, table, pk, items)
}

// complete reads what the head of a draw and its states name and the query has not
// seen, though it was written together with one of them.
func complete(ctx context.Context, table *store.Table, pk string, items map[string]store.Item) error {
	var failed error
	named := func(sk string) (store.Item, bool) {
		item, seen := items[sk]
		if !seen && failed == nil {
			if item, seen, failed = table.Sure(ctx, pk, sk); seen {
				items[sk] = item
			}
		}
		return item, seen
	}
	item, known := items[store.HeadKey]
	if !known {
		return nil
	}
	head, err := store.Decode[draw.Head](item)
	if err != nil {
		return nil // whoever needs it says what is wrong with it
	}
	if head.Opened {
		named(store.OpenedKey)
	}
	for number := 1; number <= head.State; number++ {
		item, known := named(store.StateKey(number))
		state, err := store.Decode[draw.State](item)
		if !known || err != nil {
			continue // whoever needs it says what is wrong with it
		}
		named(store.RevisionKey(state.Revision))
		for _, id := range state.Orders {
			named(store.OrderKey(id))
		}
		for _, round := range state.Rounds {
			if round.Opened {
				named(store.RoundKey(round.Number))
			}
		}
	}
	return failed
}

// load reads everything about a draw but its bets and reports.
func load(ctx context.Context, table *store.Table, id string) (*records, error) {
	items, err := Read(ctx, table, id)
	if err != nil {
		return nil, err
	}
	r := &records{draw: id, items: items}
	item, found := items[store.HeadKey]
	if !found {
		return r, nil
	}
	if r.head, err = store.Decode[draw.Head](item); err != nil {
		return nil, err
	}
	if r.head.Game != "" { // else an operator's order has come before the studio's first message
		r.game, r.unknown = r.head.Rules()
	}
	return r, nil
}

// bookmakers returns the registry of bookmakers with bets on the draw, in the
// order of their names.
func (r *records) bookmakers() (list []string) {
	for sk := range r.items {
		if name, isPart := strings.CutPrefix(sk, store.PartPrefix); isPart {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// state returns a state of the draw to settle under: what it names, read back
// and resolved again. Stored facts that no longer resolve are an error, never a
// guess. found are the stragglers that it knows of, by bookmaker and record, see
// wire.BetsFound.
func (r *records) state(number int) (state *settlement.State, found map[string]bool, err error) {
	item, exists := r.items[store.StateKey(number)]
	if !exists {
		return nil, nil, fmt.Errorf("draw %s has no state %d", r.draw, number)
	}
	stored, err := store.Decode[draw.State](item)
	if err != nil {
		return nil, nil, err
	}
	if r.unknown != nil {
		return nil, nil, fmt.Errorf("draw %s: %w", r.draw, r.unknown)
	}
	if stored.Catalogue != r.game.Version {
		_, err := games.Version(r.game.ID, stored.Catalogue)
		return nil, nil, cmp.Or(err, fmt.Errorf("state %d of draw %s is of version %d of %s, and the draw of %d", number, r.draw, stored.Catalogue, r.game.ID, r.game.Version))
	}
	state = &settlement.State{Game: r.game, Number: number}
	if err := r.revise(state, stored.Revision); err != nil {
		return nil, nil, err
	}
	if err := r.close(state, stored.Rounds); err != nil {
		return nil, nil, err
	}
	found = map[string]bool{}
	for _, id := range stored.Orders {
		m, err := r.message(store.OrderKey(id))
		if err != nil {
			return nil, nil, err
		}
		if m.Type == wire.BetsFound {
			if len(m.Found.Records) == 0 {
				found[foundKey(m.Found.Bookmaker, "")] = true
			}
			for _, record := range m.Found.Records {
				found[foundKey(m.Found.Bookmaker, record)] = true
			}
			continue
		}
		state.Orders = append(state.Orders, settlement.Order{ID: id, Scope: m.Scope})
	}
	return state, found, nil
}

func foundKey(bookmaker, record string) string { return bookmaker + "#" + record }

// recordsOf returns a bookmaker's stragglers by record.
func recordsOf(found map[string]bool, bookmaker string) map[string]bool {
	records := map[string]bool{}
	for key := range found {
		if record, mine := strings.CutPrefix(key, foundKey(bookmaker, "")); mine {
			records[record] = true
		}
	}
	return records
}

// message reads a stored message back.
func (r *records) message(sk string) (*wire.Message, error) {
	item, found := r.items[sk]
	if !found {
		return nil, fmt.Errorf("draw %s lacks %s, which a state names", r.draw, sk)
	}
	m, _, faults := wire.ParseUnder([]byte(item.Body), r.game)
	if len(faults) > 0 {
		return nil, fmt.Errorf("draw %s: stored %s is no longer valid: %s: %s", r.draw, sk, faults[0].Code, faults[0].Message)
	}
	return m, nil
}

// NoResult is why tally itself cancels a draw that got no result in time.
const NoResult = "no_result"

// revise gives a state its outcome, its void or its cancellation.
func (r *records) revise(state *settlement.State, revision int) error {
	if revision == draw.AutomaticRevision {
		state.Cancelled = NoResult
		return nil
	}
	m, err := r.message(store.RevisionKey(revision))
	if err != nil {
		return err
	}
	state.Outcome, state.Void, state.Cancelled = m.Resolution.Outcome, m.Resolution.Void, m.Reason
	return nil
}

// close gives a state its betting rounds. A round that it does not name took no
// bets.
func (r *records) close(state *settlement.State, rounds []draw.FinalRound) error {
	state.Rounds = make([]settlement.Round, len(r.game.Rounds))
	for _, final := range rounds {
		stops, err := final.Stops(r.game)
		if err != nil {
			return fmt.Errorf("draw %s: %w", r.draw, err)
		}
		round := settlement.Round{OpensAt: final.OpensAt, Closing: final.Closing, Stops: stops}
		decided := map[rules.Selection]rules.Mark{}
		if final.Opened {
			m, err := r.message(store.RoundKey(final.Number))
			if err != nil {
				return err
			}
			for selection, mark := range m.Decided {
				decided[selection] = mark
			}
			m.Board.Marks(r.game, decided)
		}
		if final.Board == wire.DrawOpened {
			m, err := r.message(store.OpenedKey)
			if err != nil {
				return err
			}
			m.Board.Marks(r.game, decided)
		}
		round.Decided = decided
		state.Rounds[final.Number-1] = round
	}
	return nil
}
