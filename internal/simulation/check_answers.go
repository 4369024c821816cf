package simulation

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"tally/internal/simulation/plans"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	storedrecord "tally/lib/store/record"
)

// messages verifies what became of each message: stored, or in quarantine with a
// reason, and answered so.
func (c *checker) messages() {
	held := map[string]bool{}
	for _, pk := range c.world.db.Partitions() {
		if !strings.HasPrefix(pk, "QUARANTINE#") {
			continue
		}
		for item, err := range c.table.Query(context.Background(), pk, "") {
			if err != nil {
				c.problem("reading %s: %v", pk, err)
				return
			}
			var said storedrecord.Quarantined
			c.decode(item, &said)
			if said.Type == storedrecord.HeldSettlement {
				continue
			}
			if len(said.Faults) == 0 {
				c.problem("quarantine: %s has no reason", plans.Describe(string(item.Binary)))
			}
			held[string(item.Binary)] = true
		}
	}
	replies := c.replies()
	seen := map[string]bool{}
	for _, h := range c.world.handled {
		if !seen[h.body] {
			seen[h.body] = true
			c.message(h, held[h.body], replies)
		}
		delete(held, h.body)
	}
	for body := range held {
		c.problem("quarantine holds %s, which nobody sent", plans.Describe(body))
	}
}

// reply says how often a message was answered with each status.
type reply struct{ stored, replay, quarantined int }

func (c *checker) replies() map[string]reply {
	counts := map[string]reply{}
	for _, m := range c.world.replies.messages {
		var r wire.Reply
		if err := json.Unmarshal([]byte(m.body), &r); err != nil {
			c.problem("reply %s: %v", m.body, err)
		}
		n := counts[r.ID]
		switch r.Status {
		case wire.Stored:
			n.stored++
		case wire.Replay:
			n.replay++
		case wire.Quarantined:
			n.quarantined++
		}
		if (r.Status == wire.Quarantined) != (len(r.Errors) > 0) {
			c.problem("reply %s: the errors don't go with the status", m.body)
		}
		counts[r.ID] = n
	}
	return counts
}

// message verifies one message that was acknowledged.
func (c *checker) message(h handled, held bool, replies map[string]reply) {
	m, partial, faults := wire.Parse([]byte(h.body))
	stored := false
	if len(faults) == 0 {
		if t := c.truths[m.Draw]; t != nil {
			stored = t.stored[intake.Key(m)] == m.Content
		}
		if (h.from == intake.Operator) != m.Type.IsOrder() {
			stored = false
		}
	}
	n := replies[partial.ID]
	if m != nil && m.Type.IsTable() { // of it only what holds is kept
		stored = !held && n.stored+n.replay > 0
	}
	if stored && held && m.Revision > 5 { // it came before those below it, and again after them
		held, n.quarantined = false, 0
	}
	switch {
	case stored == held:
		c.problem("%s: stored %v, in quarantine %v", plans.Describe(h.body), stored, held)
	case c.world.plan.Good[h.body] && !stored:
		c.problem("%s is right and is not stored", plans.Describe(h.body))
	case c.world.plan.Bad[h.body] && stored:
		c.problem("%s is wrong and is stored", plans.Describe(h.body))
	case stored && (n.stored+n.replay == 0 || n.quarantined > 0), held && (n.quarantined == 0 || n.stored+n.replay > 0):
		c.problem("%s: stored %v, replies %+v", plans.Describe(h.body), stored, n)
	}
}

// cacheFor is how long an API process may answer from memory, with room for the
// clocks.
const cacheFor = time.Second + 100*time.Millisecond

// answers verifies that no answer given to a bookmaker is contradicted by what is
// stored and reported.
func (c *checker) answers() {
	byKey := map[string][]*attempt{}
	for _, a := range c.world.attempts {
		if a.bet != nil {
			key := a.bet.Bookmaker + " " + a.bet.Draw + " " + keyOf(a.bet)
			byKey[key] = append(byKey[key], a)
		} else {
			c.cancelled(a)
		}
	}
	for _, id := range c.world.plan.Draws {
		for _, b := range c.bets[id] {
			key := b.bookmaker + " " + id + " " + b.SK
			c.accepted(id, b, byKey[key])
			delete(byKey, key)
		}
	}
	for key, attempts := range byKey { // of which nothing is stored
		for _, a := range attempts {
			if a.answer != nil {
				c.problem("%s: answered %s, but nothing is stored", key, a.result())
			}
		}
	}
}

func keyOf(r *placing.Request) string {
	if r.Base != "" {
		return store.WagerKey(r.Base, r.Selection)
	}
	return store.BetKey(r.Reference)
}

// accepted verifies a stored bet against all answers to requests for it.
func (c *checker) accepted(id string, b *record, attempts []*attempt) {
	same := func(a *attempt) bool {
		odds, _ := money.ParseOdds(a.bet.Odds) // zero for none
		return a.bet.Selection == b.Selection && int64(odds) == b.Odds && a.bet.Stake == stakeOf(b) && a.bet.Currency == b.Currency && a.bet.Shop == b.Shop
	}
	source := -1 // the last step at which a request that can have written it had not started
	for _, a := range attempts {
		// No sooner than its process's clock said when it came, and later where it read
		// of what was stored meanwhile.
		if same(a) && b.AcceptedAt >= a.at && b.AcceptedAt <= settlement.Instant(a.over.Add(c.world.plan.Skew).UnixMilli())+10 {
			source = max(source, a.started)
		}
	}
	if source < 0 {
		c.problem("draw %s: bet %s is stored and nobody placed it", id, b.name())
	}
	told := false
	for _, a := range attempts {
		if a.answer != nil {
			c.late(a, b)
		}
		switch {
		case a.answer != nil && (!same(a) || a.answer.Bet.AcceptedAt != b.AcceptedAt):
			c.problem("draw %s: bet %s, accepted at %s, was answered: %s", id, b.name(), instant.Format(b.AcceptedAt), a.result())
		case a.answer != nil && a.answer.Status == "accepted":
			told = true
		case a.refusal != nil && same(a) && a.ended > source && a.refusal.Code != placing.CodeUnknownDraw && !c.world.plan.LateRecords:
			c.problem("draw %s: bet %s is stored, but was answered: %s", id, b.name(), a.result())
		case a.refusal != nil && a.refusal.Code == placing.CodeReferenceUsed && same(a):
			c.problem("draw %s: bet %s was taken for another one", id, b.name())
		}
	}
	round := c.truths[id].rounds[int(b.Round)]
	if told && b.AcceptedAt >= round.closingOf(b.Selection) && !c.couldNotKnow(id, b.AcceptedAt, b) {
		c.problem("draw %s: bet %s was accepted at %s, long after its betting round had closed", id, b.name(), instant.Format(b.AcceptedAt))
	}
}

// couldNotKnow reports whether the round was still open a moment before a time, as
// far as was stored then.
func (c *checker) couldNotKnow(id string, at settlement.Instant, b *record) bool {
	round, game := int(b.Round), c.truths[id].game
	moment := time.UnixMilli(int64(at)).Add(-cacheFor)
	open := true
	for _, h := range c.world.heads[id] {
		if h.from.After(moment) {
			break
		}
		open = h.head.ClosingOf(round, game, b.Selection) > at-settlement.Instant(c.world.plan.Skew.Milliseconds()) || h.head.Closing(round) == 0
	}
	return open
}

// cancelled verifies the answer to a cancellation.
func (c *checker) cancelled(a *attempt) {
	bets := c.bets[a.cancel.Draw]
	at := slices.IndexFunc(bets, func(b *record) bool {
		return b.bookmaker == a.cancel.Bookmaker && b.reference == a.cancel.Reference && b.wager == ""
	})
	if at < 0 {
		if a.answer != nil {
			c.problem("draw %s: %s was answered: %s, but there is no such bet", a.cancel.Draw, a.cancel.Reference, a.result())
		}
		return
	}
	b := bets[at]
	t := c.truths[a.cancel.Draw]
	closing := t.rounds[int(b.Round)].closingOf(b.Selection)
	holds := b.cancelledAt != 0 && b.cancelledAt < closing
	if a.refusal != nil && a.refusal.Code == placing.CodeBettingClosed && holds && !c.world.plan.LateRecords {
		c.problem("draw %s: the cancellation of %s counts, but was answered: %s", a.cancel.Draw, b.name(), a.result())
	}
	if a.answer == nil {
		return
	}
	c.late(a, b)
	said := a.answer.Cancellation
	refunded := a.answer.Reason == settlement.CancelledByBookmaker
	final := closing + 15_000 + lagBound // a message claims at most 5 s before it was sent, and is stored within 10
	if seen := c.resultSeen(a.cancel.Draw); seen != 0 {
		final = min(final, seen)
	}
	switch {
	case b.cancelledAt == 0 || a.answer.CancelledAt != b.cancelledAt:
		c.problem("draw %s: the cancellation of %s at %s was answered: %s", a.cancel.Draw, b.name(), instant.Format(b.cancelledAt), a.result())
	case said == storedrecord.CancellationCounts && !holds, said == storedrecord.CancellationTooLate && holds, refunded && !holds, refunded && said != storedrecord.CancellationCounts:
		c.problem("draw %s: the cancellation of %s counts: %v, but was answered: %s", a.cancel.Draw, b.name(), holds, a.result())
	case said == storedrecord.CancellationPending && a.taken.UnixMilli() > int64(final)+(cacheFor+c.world.plan.Skew).Milliseconds():
		c.problem("draw %s: the cancellation of %s stands since %s, but was answered: %s", a.cancel.Draw, b.name(), instant.Format(final), a.result())
	}
}

// resultSeen is from when on a draw's head has a result; zero for never.
func (c *checker) resultSeen(id string) settlement.Instant {
	for _, h := range c.world.heads[id] {
		if h.head.ResultAt != 0 {
			return settlement.Instant(h.from.UnixMilli())
		}
	}
	return 0
}

// late verifies an answer that said that a bet was late: it can't turn out not to be.
func (c *checker) late(a *attempt, b *record) {
	if late := b.AcceptedAt >= c.truths[b.draw].rounds[int(b.Round)].closingOf(b.Selection); a.answer.Reason == settlement.LateBet && !late {
		c.problem("draw %s: bet %s was in time, but was answered: %s", b.draw, b.name(), a.result())
	}
}
