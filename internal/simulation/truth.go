package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/replay"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// truth is what a draw's stored messages say, worked out without what is under
// test: no head, no state, no settlement run.
type truth struct {
	id         string
	game       *rules.Game
	opened     bool
	revisedAt  settlement.Instant // when the first revision was stored
	resultFrom settlement.Instant // from when it counts
	shards     int
	revision   int             // -1 for none
	held       json.RawMessage // the body of the revision that holds
	rounds     map[int]*roundTruth
	orders     []order
	stored     map[string]string // content of each stored message, by its key
}

type roundTruth struct {
	opens, closes, closing settlement.Instant
	openedAt               settlement.Instant // from when its betting.opened counts
	openedStored           settlement.Instant
	stops                  map[string]settlement.Instant // by selection or family with :*
	closedAt               settlement.Instant            // as its betting.closed counts
	decided                map[string]bool
}

// order is an order to void bets that no order revokes.
type order struct {
	Bookmaker, Shop string
	Round           int
	From            string `json:"accepted_from"`
	To              string `json:"accepted_to"`
	Bets            []string
}

// readTruth reads a draw's messages. Nil when there is none.
func readTruth(table *store.Table, id string) (*truth, error) {
	t := &truth{id: id, revision: -1, rounds: map[int]*roundTruth{}, stored: map[string]string{}}
	revoked := map[string]bool{}
	orders := map[string]order{}
	var revisedAt settlement.Instant
	var revisions []revisedTruth
	var closed []closedTruth
	for item, err := range table.Query(context.Background(), store.DrawKey(id), "") {
		if err != nil {
			return nil, err
		}
		kind, _, _ := strings.Cut(item.SK, "#")
		if !slices.Contains([]string{"OPENED", "ROUND", "CLOSED", "REV", "ORDER"}, kind) {
			continue
		}
		if item.SK == store.RevisionKey(0) { // tally's own cancellation
			revisedAt, t.resultFrom, t.revision, t.held = item.StoredAt, item.StoredAt, 0, json.RawMessage(`{"reason":"no_result"}`)
			continue
		}
		m, _, faults := wire.Parse([]byte(item.Body))
		if len(faults) > 0 {
			return nil, fmt.Errorf("stored %s / %s is not valid: %v", item.PK, item.SK, faults)
		}
		t.stored[item.SK] = m.Content
		t.game, _ = games.Find(m.Game.ID)
		switch m.Type {
		case wire.DrawOpened:
			t.opened = true
			for _, times := range m.Rounds {
				t.open(times, m.Board, nil)
			}
		case wire.BettingOpened:
			r := t.open(m.Times, m.Board, m.Decided)
			r.openedAt, r.openedStored = countsFrom(item), item.StoredAt
		case wire.BettingClosed:
			closed = append(closed, closedTruth{
				round: m.Round, selections: m.Selections, at: max(m.ClosedAt, countsFrom(item)-5000), stored: item.StoredAt,
			})
		case wire.DrawResulted, wire.DrawCancelled:
			if revisedAt == 0 || item.StoredAt < revisedAt {
				revisedAt, t.resultFrom = item.StoredAt, countsFrom(item)
			}
			revisions = append(revisions, revisedTruth{number: m.Revision, at: item.StoredAt})
			if m.Revision > t.revision {
				t.revision, t.held = m.Revision, json.RawMessage(item.Body)
			}
		case wire.OrderRevoked:
			revoked[m.Revokes] = true
		case wire.BetsVoided:
			var body struct{ Scope order }
			if err := json.Unmarshal([]byte(item.Body), &body); err != nil {
				return nil, err
			}
			orders[m.Order] = body.Scope
		}
	}
	for id, o := range orders {
		if !revoked[id] {
			t.orders = append(t.orders, o)
		}
	}
	if err := ahead(revisions); err != nil {
		return nil, err
	}
	t.revisedAt = revisedAt
	t.close(closed)
	return t, nil
}

// revisedTruth is a revision of the studio's and when it was stored.
type revisedTruth struct {
	number int
	at     settlement.Instant
}

// ahead finds a revision that was stored more than five above all before it.
func ahead(revisions []revisedTruth) error {
	slices.SortFunc(revisions, func(a, b revisedTruth) int { return int(a.at - b.at) })
	highest := 0
	for _, r := range revisions {
		if r.number > highest+5 {
			return fmt.Errorf("revision %d was stored when the highest was %d", r.number, highest)
		}
		highest = max(highest, r.number)
	}
	return nil
}

func (t *truth) open(times wire.RoundTimes, board wire.OddsBoard, marks wire.DecidedMarks) *roundTruth {
	r := t.rounds[times.Round]
	if r == nil {
		r = &roundTruth{decided: map[string]bool{}, stops: map[string]settlement.Instant{}}
		t.rounds[times.Round] = r
	}
	r.opens, r.closes = times.OpensAt, times.ClosesAt
	for selection := range marks {
		r.decided[t.game.Text(selection)] = true
	}
	for name, entry := range board {
		if entry.Mark != rules.Open {
			r.decided[name] = true
		}
	}
	return r
}

// close works out when each round closed: at the earliest of the plan, its
// betting.closed, a later round's opening and the first revision. What was stored after
// that moves nothing.
func (t *truth) close(closed []closedTruth) {
	for _, c := range closed {
		r := t.rounds[c.round]
		if r == nil || t.revisedAt != 0 && c.stored > t.revisedAt {
			continue
		}
		if c.selections == nil {
			r.closedAt = c.at
		}
		for _, text := range c.selections {
			if before, known := r.stops[text]; !known || c.at < before {
				r.stops[text] = c.at
			}
		}
	}
	for n, r := range t.rounds {
		r.closing = r.closes
		bounds := []settlement.Instant{r.closedAt, t.resultFrom}
		for later, other := range t.rounds {
			if later > n && (t.revisedAt == 0 || other.openedStored < t.revisedAt) {
				bounds = append(bounds, other.openedAt)
			}
		}
		for _, at := range bounds {
			if at != 0 {
				r.closing = min(r.closing, at)
			}
		}
		r.closing = max(r.closing, r.opens)
	}
}

// closedTruth is a betting.closed, of a round or of selections in it.
type closedTruth struct {
	round      int
	selections []string
	at, stored settlement.Instant
}

// lagBound is how long before it was stored a message may have been sent and count.
const lagBound = 60_000

// countsFrom is when a message was sent, as far back as that counts.
func countsFrom(item store.Item) settlement.Instant {
	if item.SentAt == 0 || item.SentAt > item.StoredAt {
		return item.StoredAt
	}
	return max(item.SentAt, item.StoredAt-lagBound)
}

// closingOf is from when on a selection takes no bets in the round.
func (r *roundTruth) closingOf(selection string) settlement.Instant {
	closing := r.closing
	for text, at := range r.stops {
		family, all := strings.CutSuffix(text, "*")
		if text == selection || all && strings.HasPrefix(selection, family) {
			closing = min(closing, max(at, r.opens))
		}
	}
	return closing
}

// outcome is what becomes of a bet.
type outcome struct{ status, payout, reason string }

// record is a stored bet or side wager with what decides about it.
type record struct {
	store.StoredBet
	draw, bookmaker, reference, wager string
	cancelledAt                       settlement.Instant // of its bet
	base                              *record
}

func (r *record) name() string { return r.bookmaker + " " + r.reference + " " + r.wager }

// early returns the refund that a bet gets whatever the table showed, if any.
func (t *truth) early(b *record) (reason string) {
	if b.base != nil {
		if reason := t.early(b.base); reason == "late_bet" || reason == "cancelled_by_bookmaker" {
			return reason
		}
	}
	round := t.rounds[int(b.Round)]
	covers := func(at settlement.Instant) bool {
		return round != nil && round.opens <= at && at < round.closingOf(b.Selection)
	}
	switch {
	case !covers(b.AcceptedAt):
		return "late_bet"
	case b.wager == "" && b.cancelledAt != 0 && covers(b.cancelledAt):
		return "cancelled_by_bookmaker"
	case round.decided[b.Selection]:
		return "decided_selection"
	case slices.ContainsFunc(t.orders, func(o order) bool { return o.covers(b) || b.base != nil && o.covers(b.base) }):
		return "voided"
	}
	return ""
}

func (o order) covers(b *record) bool {
	from, _ := instant.Parse(o.From)
	to, _ := instant.Parse(o.To)
	return (o.Bookmaker == "" || o.Bookmaker == b.bookmaker) && (o.Shop == "" || o.Shop == b.Shop) && (o.Round == 0 || o.Round == int(b.Round)) &&
		(from == 0 || b.AcceptedAt >= from) && (to == 0 || b.AcceptedAt < to) && (len(o.Bets) == 0 || slices.Contains(o.Bets, b.reference))
}

// settle works out what becomes of bets with the offline settler.
func (t *truth) settle(bets []*record) (map[*record]outcome, error) {
	var held struct {
		Facts  json.RawMessage `json:"facts,omitempty"`
		Reason string          `json:"reason"`
	}
	if err := json.Unmarshal(t.held, &held); err != nil {
		return nil, err
	}
	outcomes := map[*record]outcome{}
	var settler replay.Settler
	for mode := money.HalfUp; mode <= money.Down; mode++ {
		line := map[string]any{"game": t.game.ID, "rounding": mode.String()}
		if held.Facts != nil {
			line["facts"] = held.Facts
		} else {
			line["cancelled"] = held.Reason
		}
		var asked []*record
		written := []any{}
		for _, b := range bets {
			if money.Rounding(b.Rounding) == mode {
				asked, written = append(asked, b), append(written, offline(b))
			}
		}
		line["bets"] = written
		text, err := json.Marshal(line)
		if err != nil {
			return nil, err
		}
		var answer struct {
			Status      string
			Settlements []struct{ Status, Payout, Reason string }
		}
		if err := json.Unmarshal(settler.Respond(nil, text), &answer); err != nil {
			return nil, err
		}
		if len(answer.Settlements) != len(asked) {
			return nil, fmt.Errorf("the offline settler answers %s", answer.Status)
		}
		for i, s := range answer.Settlements {
			outcomes[asked[i]] = outcome{status: s.Status, payout: s.Payout, reason: s.Reason}
		}
	}
	for _, b := range bets {
		if reason := t.early(b); reason != "" {
			outcomes[b] = outcome{status: "refunded", payout: stakeOf(b), reason: reason}
		}
	}
	return outcomes, nil
}

func stakeOf(b *record) string {
	currency, _ := money.ParseCurrency(b.Currency)
	return string(money.AppendAmount(nil, money.Amount(b.Stake), currency))
}

// offline writes a bet as `tally settle` reads it.
func offline(b *record) map[string]any {
	written := map[string]any{"bet": b.SK + b.bookmaker, "selection": b.Selection, "stake": stakeOf(b), "currency": b.Currency}
	if b.Odds != 0 {
		written["odds"] = money.Odds(b.Odds).String()
	}
	return written
}
