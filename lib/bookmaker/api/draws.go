package api

import (
	"context"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

const (
	dayMillis = 24 * 3600 * 1000
	// maxDays is the longest time that a list of draws spans, and the most days
	// that one request looks at.
	maxDays = 31
	// maxFound is how many draws one request looks through for those that it asks
	// for.
	maxFound = 1000
)

// found is a draw as the index of its day has it.
type found struct{ sk, game, table, draw string }

// listDraws lists draws by the time at which they open. The index finds them; what
// is said of each is its head's.
func listDraws(ctx context.Context, r *request) (any, error) {
	from, to, err := r.span()
	if err != nil {
		return nil, err
	}
	cursor, err := r.readCursor(1)
	if err != nil {
		return nil, err
	}
	next := store.FoundFrom(from)
	if cursor != nil {
		if _, ok := openingOf(cursor[0]); !ok || cursor[0] > store.FoundFrom(to) {
			return nil, r.badCursor()
		}
		// Without from the list begins a day ago, which has moved on since.
		next = max(cursor[0], store.FoundFrom(from))
	}
	page := drawsPage{list: []v1.Draw{}, limit: r.limit()}
	for looked := 0; next != "" && looked < maxFound && !page.full(); {
		batch, after, err := r.find(ctx, next, to)
		if err != nil {
			return nil, err
		}
		looked += len(batch) + 1
		taken, err := r.handle(ctx, &page, batch)
		if err != nil {
			return nil, err
		}
		switch {
		case taken == len(batch):
			next = after
		case taken > 0:
			next = store.Next(batch[taken-1].sk)
		}
	}
	list := v1.Draws{Draws: page.list}
	if next != "" {
		list.Next = writeCursor(next)
	}
	return list, nil
}

// drawsPage is a page of draws as it fills.
type drawsPage struct {
	list  []v1.Draw
	limit int
	bytes int
	large bool // the next draw would have made it too large
}

func (p *drawsPage) full() bool { return len(p.list) >= p.limit || p.large }

// add adds a draw, unless the page would be too large with it.
func (p *drawsPage) add(d v1.Draw) bool {
	size := 1000
	if d.Board != nil {
		size += len(d.Board.Visible)
		for _, texts := range []map[string]string{d.Board.Odds, d.Board.Decided} {
			for name, text := range texts {
				size += len(name) + len(text) + 6
			}
		}
	}
	if p.large = p.bytes+size > feedBytes && len(p.list) > 0; p.large {
		return false
	}
	p.bytes, p.list = p.bytes+size, append(p.list, d)
	return true
}

// span returns the time that is asked for.
func (r *request) span() (from, to settlement.Instant, err error) {
	now := r.api.now()
	from, to = now-dayMillis, now+dayMillis
	start, hasStart := instant.Parse(r.query["from"])
	end, hasEnd := instant.Parse(r.query["to"])
	var wrong problems
	if text, given := r.query["from"]; given && !hasStart {
		wrong.add(problemValue, "query from", text+" is no time")
	}
	if text, given := r.query["to"]; given && !hasEnd {
		wrong.add(problemValue, "query to", text+" is no time")
	}
	switch {
	case hasStart && hasEnd:
		from, to = start, end
	case hasStart:
		from, to = start, start+2*dayMillis
	case hasEnd:
		from, to = end-2*dayMillis, end
	}
	if to <= from || to-from > maxDays*dayMillis {
		wrong.add(problemValue, "query to", "it has to come after from, by at most 31 days")
	}
	return from, to, wrong.problem()
}

// findBatch is how many draws are found at once.
const findBatch = 100

// find returns draws of one day from a key on, and the key from which the rest is
// to be read; empty at the end.
func (r *request) find(ctx context.Context, from string, to settlement.Instant) (batch []found, next string, err error) {
	at, ok := openingOf(from)
	if !ok {
		return nil, "", r.badCursor()
	}
	items, err := r.api.table.Span(ctx, store.DrawsKey(at), store.Span{From: from, To: store.FoundFrom(to), Limit: findBatch})
	if err != nil {
		return nil, "", err
	}
	for _, item := range items {
		parts := strings.Split(item.SK, "#")
		if len(parts) == 4 {
			batch = append(batch, found{sk: item.SK, game: parts[1], table: parts[2], draw: parts[3]})
		}
	}
	if len(items) == findBatch {
		return batch, store.Next(items[len(items)-1].SK), nil
	}
	if tomorrow := at - at%dayMillis + dayMillis; tomorrow < to {
		return batch, store.FoundFrom(tomorrow), nil
	}
	return batch, "", nil
}

// openingOf returns the time in a key of the index; ok is false for what is none.
func openingOf(key string) (at settlement.Instant, ok bool) {
	text, _, ok := strings.Cut(key, "#")
	millis, err := strconv.ParseInt(text, 10, 64)
	return settlement.Instant(millis), ok && err == nil && strings.HasPrefix(key, store.FoundFrom(settlement.Instant(millis)))
}

// handle reads the heads of the draws that are asked for and adds those of the right
// status, until the page is full. It returns how many it has seen to.
func (r *request) handle(ctx context.Context, page *drawsPage, batch []found) (taken int, err error) {
	for taken < len(batch) && !page.full() {
		wanted := batch[taken:min(len(batch), taken+page.limit-len(page.list))]
		draws := make([]*v1.Draw, len(wanted))
		group, within := errgroup.WithContext(ctx)
		group.SetLimit(16)
		for i, f := range wanted {
			if r.filtered(f) {
				continue
			}
			group.Go(func() (err error) {
				draws[i], err = r.wanted(within, f.draw)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return 0, err
		}
		for i, d := range draws {
			if d != nil && !page.add(*d) {
				return taken + i, nil
			}
		}
		taken += len(wanted)
	}
	return taken, nil
}

// wanted returns a draw, with its current board where that is asked for; nil where
// it is of another status than is asked for.
func (r *request) wanted(ctx context.Context, id string) (*v1.Draw, error) {
	stored, err := record.Open(ctx, r.api.table, id)
	if err != nil || !stored.Opened() {
		return nil, err
	}
	head, now := stored.Head, r.api.now()
	d := drawOf(head, now)
	if status := r.query["status"]; status != "" && status != d.Status {
		return nil, nil
	}
	current, open := head.RoundAt(now)
	if r.query["board"] == "" || !open {
		return &d, nil
	}
	round, known := head.Round(current)
	if !known {
		return &d, nil // not reached: it is the head's own
	}
	if d.Board, err = boardOf(ctx, stored, *round); err != nil {
		return nil, err
	}
	d.Board.Current = true
	if r.query["status"] == statusOpen && d.Board.Odds == nil && !paytable(head.Game) {
		return nil, nil // it takes no bets before its odds are there
	}
	return &d, nil
}

// paytable reports whether a game has a paytable instead of odds boards.
func paytable(id string) bool {
	game, known := games.Find(id)
	return known && game.Paytable()
}

// filtered reports whether a draw is of another game or table than is asked for.
func (r *request) filtered(f found) bool {
	game, table := r.query["game"], r.query["table"]
	return game != "" && game != f.game || table != "" && table != f.table
}

// The statuses of draws and betting rounds.
const (
	statusUpcoming = "upcoming"
	statusOpen     = "open"
	statusClosed   = "closed"
	statusResulted = "resulted"
)

// drawOf says what a head says at a time.
func drawOf(head *draw.Head, now settlement.Instant) v1.Draw {
	d := v1.Draw{Draw: head.Draw, Game: head.Game, Table: head.Table, Sequence: head.Sequence, Status: statusUpcoming, Rounds: []v1.Round{}, State: head.State}
	current, open := head.RoundAt(now)
	for _, known := range head.Rounds {
		if known.OpensAt == 0 {
			continue // closed before it was opened: nothing is known of it
		}
		closing := head.Closing(known.Number)
		round := v1.Round{Round: known.Number, OpensAt: instant.Format(known.OpensAt), ClosesAt: instant.Format(known.ClosesAt),
			Closing: instant.Format(closing), Status: statusUpcoming}
		for _, stop := range head.Stopped(known.Number) {
			round.Closed = append(round.Closed, v1.ClosedSelection{Selection: stop.Selection, Closing: instant.Format(stop.Closing)})
		}
		switch {
		case open && known.Number == current:
			round.Status = statusOpen
		case now >= closing:
			round.Status = statusClosed
		}
		if round.Status == statusClosed {
			d.Status = statusClosed
		}
		d.Rounds = append(d.Rounds, round)
	}
	if game, err := head.Rules(); err == nil && head.Unclosed(game) {
		d.Notes = []string{draw.ConcernUnclosed}
	}
	switch {
	case head.ResultAt != 0:
		d.Status = statusResulted
	case open:
		d.Status = statusOpen
	}
	return d
}

// today returns the day of a time, as totals name it.
func today(at settlement.Instant) string {
	return time.UnixMilli(int64(at)).UTC().Format(time.DateOnly)
}
