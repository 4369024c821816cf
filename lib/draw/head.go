// Package draw is what tally knows of one draw, as a pure function of the
// messages stored about it and the times of storing them. Messages may come
// twice, late or in any order: applying one is commutative in everything that
// money depends on, and applying one that changes nothing says so.
//
// A Head is the draw's present; a State is a fixed point of its history that
// bets are settled under. A state is made as soon as the draw is opened and has
// a revision, and again whenever what it holds has changed.
package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

const (
	// ClosedGrace is how long before it was sent a betting.closed may claim to
	// have taken effect: clocks differ and queues take time, but bets that were
	// answered must not be closed out at will.
	ClosedGrace = 5_000
	// SettleGrace is how long after everybody could learn that betting was over the first
	// settlement waits for bets still in flight of those who do not look.
	SettleGrace = 10_000
	// settlePace is how long it waits for those who look: heads are up to a tenth of a
	// second old. Money does not hang on it.
	settlePace = 250
	// acceptWithin is how long the writes of a bet may take before its look is due in any case.
	acceptWithin = 2_000
	// finalAfter, and the bound of a late message, is how long after a round's closing no
	// message moves it any more: one that says so claims no more than ClosedGrace before
	// it was sent, and is stored within less than SettleGrace.
	finalAfter = ClosedGrace + SettleGrace
	// retainClosing is how long before the records' end no revision is taken.
	retainClosing = 7 * 24 * 3600 * 1000
	// unopenedLonger is how much longer than a draw's records are kept what is stored
	// before its opening: so far ahead an opening may plan, or so late it may come,
	// and nothing of the draw expires before the rest.
	unopenedLonger = 30 * 24 * 3600 * 1000
)

// Head is a draw as it stands. It is stored as JSON; the zero value is a draw
// that nothing is known of.
type Head struct {
	Draw string `json:"draw"`
	// Game and Table are what the studio's first message said, empty before it. An
	// operator's order does not fix them: people mistype.
	Game  string `json:"game"`
	Table string `json:"table"`
	// Catalogue is the version of the game's rules that the draw has: the newest one
	// when the first message came. Heads of before it was kept have none: see Rules.
	Catalogue int   `json:"catalogue,omitempty"`
	Sequence  int64 `json:"sequence,omitempty"`
	// Opened says that draw.opened was stored; without it nothing is settled.
	Opened bool    `json:"opened,omitempty"`
	Shards int     `json:"shards,omitempty"` // of each bookmaker's bets, fixed when the draw opens
	Rounds []Round `json:"rounds,omitempty"` // by number
	// ResultAt is when the first revision was stored: every betting round is
	// closed from then on.
	ResultAt settlement.Instant `json:"result_at,omitempty"`
	// ResultSent is when that one was sent, where it is not when it was stored: from
	// then on what the table showed was known.
	ResultSent settlement.Instant `json:"result_sent,omitempty"`
	// LagBound is how long before it is stored, in milliseconds, a message may have been
	// sent and still take effect from then. It is fixed by the draw's first message.
	LagBound settlement.Instant `json:"lag_bound,omitempty"`
	Revision int                `json:"revision"` // the highest stored; -1 for none, 0 is tally's own cancellation
	Orders   []Order            `json:"orders,omitempty"`
	// StoredAt is when the newest message was stored.
	StoredAt    settlement.Instant `json:"stored_at,omitempty"`
	State       int                `json:"state"`              // the newest state's number; 0 for none
	StateAt     settlement.Instant `json:"state_at,omitempty"` // when it was made
	RetainUntil settlement.Instant `json:"retain_until,omitempty"`
}

// Round is a betting round of a draw.
type Round struct {
	Number   int                `json:"round"`
	OpensAt  settlement.Instant `json:"opens_at,omitempty"`
	ClosesAt settlement.Instant `json:"closes_at,omitempty"`
	// OpenedAt is when its betting.opened was stored; zero when it was not.
	OpenedAt   settlement.Instant `json:"opened_at,omitempty"`
	OpenedSent settlement.Instant `json:"opened_sent,omitempty"` // when that was sent, where it is not the same
	// Board is the type of the message that has its odds board, empty for none.
	Board wire.Type `json:"board,omitempty"`
	// Closed is the moment that its betting.closed has closed it at; zero for none.
	Closed       settlement.Instant `json:"closed,omitempty"`
	ClosedStored settlement.Instant `json:"closed_stored,omitempty"` // when that was stored
	// LookFrom is the moment from which whoever stores something of a bet looks at the
	// head once more afterwards; zero for nobody, as in draws of before there were looks.
	// It is fixed with the round's times.
	LookFrom settlement.Instant `json:"look_from,omitempty"`
	// Stops are what was closed within the round, by selection and time of storing.
	Stops []Stop `json:"stops,omitempty"`
}

// Stop is a selection, or a family with :*, that takes no bets any more in its round.
type Stop struct {
	Selection string             `json:"selection"`
	At        settlement.Instant `json:"at"`
	Stored    settlement.Instant `json:"stored"`
}

// maxStops bounds the stops of a draw, so that an entry of the log has room for them.
const maxStops = 300

// Order is an order to void or a revocation, by id.
type Order struct {
	ID      string `json:"order"`
	Revokes string `json:"revokes,omitempty"`
	// Game and Table are those of an order that came before the studio's first
	// message.
	Game  string `json:"game,omitempty"`
	Table string `json:"table,omitempty"`
}

// Rules returns the version of the game that the draw is settled by, and a
// games.ErrUnknown where this program does not have it. Before a draw's version was
// kept there was only the first of each game.
func (h *Head) Rules() (*rules.Game, error) { return games.Version(h.Game, max(1, h.Catalogue)) }

// MismatchedOrders returns the orders that came before anything was known of the draw and
// name another game or table. They never hold.
func (h *Head) MismatchedOrders() (mismatched []Order) {
	for _, order := range h.Orders {
		if h.Game != "" && h.mismatched(order) {
			mismatched = append(mismatched, order)
		}
	}
	return mismatched
}

func (h *Head) mismatched(o Order) bool {
	return o.Game != "" && (o.Game != h.Game || o.Table != h.Table)
}

// New returns the head of a draw that nothing is known of.
func New(draw string) *Head { return &Head{Draw: draw, Revision: NoRevision} }

// The revisions that are not the studio's.
const (
	NoRevision        = -1
	AutomaticRevision = 0
)

// AutomaticReason is why tally itself cancels a draw: it got no result in time.
const AutomaticReason = "no_result"

// Round returns the round of that number, if it is known.
func (h *Head) Round(number int) (*Round, bool) {
	at, found := slices.BinarySearchFunc(h.Rounds, number, func(r Round, n int) int { return r.Number - n })
	if !found {
		return nil, false
	}
	return &h.Rounds[at], true
}

// ensure returns the round of that number, adding it when it is not known.
func (h *Head) ensure(number int) *Round {
	at, found := slices.BinarySearchFunc(h.Rounds, number, func(r Round, n int) int { return r.Number - n })
	if !found {
		h.Rounds = slices.Insert(h.Rounds, at, Round{Number: number})
	}
	return &h.Rounds[at]
}

// Closing returns the effective closing of a round: the earliest of the
// studio's plan, its betting.closed, the moment a later round's opening was
// sent and the moment the first revision was sent. It is never before the round
// opens.
func (h *Head) Closing(number int) settlement.Instant {
	round, known := h.Round(number)
	if !known {
		return 0
	}
	closing := round.ClosesAt
	earlier := func(at settlement.Instant) {
		if at != 0 && at < closing {
			closing = at
		}
	}
	// A betting.closed that is stored after the first revision comes too late to move
	// anything: that revision has closed the round, and a state may hold that.
	if h.counts(round.ClosedStored) {
		earlier(round.Closed)
	}
	earlier(cmp.Or(h.ResultSent, h.ResultAt))
	for _, later := range h.Rounds {
		if later.Number > number && h.counts(later.OpenedAt) {
			earlier(cmp.Or(later.OpenedSent, later.OpenedAt))
		}
	}
	return max(closing, round.OpensAt)
}

// counts reports whether what was stored at a time may move closings: the first
// revision makes them final, whenever something else was sent.
func (h *Head) counts(stored settlement.Instant) bool { return h.ResultAt == 0 || stored < h.ResultAt }

// What a closing follows from.
const (
	ByPlan       = "plan"         // the studio's plan
	ByClosing    = "closed_at"    // its betting.closed, as it says
	ByClosingLag = "closed_late"  // its betting.closed, which came too late for what it says
	ByNextRound  = "next_round"   // the opening of a later betting round
	ByResult     = "result"       // the first result or cancellation
	ByOpening    = "opens_at"     // a round never closes before it opens
	ByRound      = "round_closed" // of a selection: its round closed before
)

// Because returns what the effective closing of a round follows from. said is what
// its betting.closed says, zero when that is not known.
func (h *Head) Because(number int, said settlement.Instant) string {
	round, known := h.Round(number)
	if !known {
		return ""
	}
	switch closing := h.Closing(number); {
	case closing == round.Closed && closing != said && said != 0 && h.counts(round.ClosedStored):
		return ByClosingLag
	case closing == round.Closed && h.counts(round.ClosedStored):
		return ByClosing
	case closing == round.ClosesAt:
		return ByPlan
	case closing == cmp.Or(h.ResultSent, h.ResultAt):
		return ByResult
	case closing == round.OpensAt:
		return ByOpening
	}
	return ByNextRound
}

// Stopped returns what was closed within a round before the round itself, each
// selection once with the moment from which it takes no bets, by selection.
func (h *Head) Stopped(number int) (list []Stopped) {
	round, known := h.Round(number)
	if !known || round.OpensAt == 0 {
		return nil
	}
	closing := h.Closing(number)
	for _, stop := range round.Stops {
		at := max(stop.At, round.OpensAt)
		switch n := len(list); {
		case !h.counts(stop.Stored) || at >= closing:
		case n > 0 && list[n-1].Selection == stop.Selection:
			list[n-1].Closing = min(list[n-1].Closing, at)
		default:
			list = append(list, Stopped{Selection: stop.Selection, Closing: at})
		}
	}
	return list
}

// What an operator should know of a message that was stored.
const (
	ConcernMoved    = "closing_moved"       // it closes betting later than it says
	ConcernUnclosed = "selections_unclosed" // a result, though side wagers were not closed: see Unclosed
)

// Unclosed reports whether a draw's result is there, and nothing was ever closed within
// the betting rounds of side wagers: the rounds' own closings govern them.
func (h *Head) Unclosed(game *rules.Game) bool {
	unclosed := false
	for _, round := range h.Rounds {
		if len(h.Stopped(round.Number)) > 0 {
			return false
		}
		side := slices.ContainsFunc(game.Families, func(f rules.FamilyInfo) bool { return f.Round > 1 && f.Round == round.Number })
		unclosed = unclosed || side && round.OpensAt != 0
	}
	return unclosed && h.ResultAt != 0
}

// ClosingOf returns the effective closing of a round for one selection.
func (h *Head) ClosingOf(number int, game *rules.Game, selection string) settlement.Instant {
	closing := h.Closing(number)
	for _, stop := range h.Stopped(number) {
		pattern, err := game.ParsePattern(stop.Selection)
		s, wrong := game.Parse(selection)
		if err == nil && wrong == nil && pattern.Covers(s) {
			closing = min(closing, stop.Closing)
		}
	}
	return closing
}

// Final reports whether a round's closing can't move any more, as far as a head says
// that was read a second ago or less: a revision is stored, or it is long enough ago
// that whatever could have moved it is stored.
func (h *Head) Final(number int, at settlement.Instant) bool {
	return h.ResultAt != 0 || at >= h.Closing(number)+finalAfter+h.LagBound
}

// RoundAt returns the betting round that takes bets at a time; ok is false when
// none does.
func (h *Head) RoundAt(at settlement.Instant) (number int, ok bool) {
	if !h.Opened {
		return 0, false
	}
	for _, round := range slices.Backward(h.Rounds) {
		if round.OpensAt != 0 && round.OpensAt <= at && at < h.Closing(round.Number) {
			return round.Number, true
		}
	}
	return 0, false
}

// LastClosing returns the latest effective closing of the rounds that take bets
// at all. A round that was to open after the draw had ended does not: nobody has
// to wait for it.
func (h *Head) LastClosing() (last settlement.Instant) {
	for _, round := range h.Rounds {
		if closing := h.Closing(round.Number); closing > round.OpensAt {
			last = max(last, closing)
		}
	}
	return last
}

// Clock returns the time to store a message at: now, but always after the message
// stored last. The clocks of two functions differ a little; closings that a state
// has made final must not move for that, and whoever reads the messages later has
// to see their order.
func (h *Head) Clock(now settlement.Instant) settlement.Instant { return max(now, h.StoredAt+1) }

// SettleFrom returns the time from which the newest state may be settled first: when
// every process that takes bets has long learnt that its betting is over, or, where they
// look, a moment after the first could learn it. What is stored later than that moment is
// found by its look, and costs another state; the moment keeps such bets few.
func (h *Head) SettleFrom() (from settlement.Instant) {
	from = h.ResultAt
	for _, round := range h.Rounds {
		known := h.known(round)
		if round.OpensAt == 0 || round.OpensAt >= known+SettleGrace { // nobody took a bet in it
			continue
		}
		from = max(from, known+settlePace)
		switch {
		case round.LookFrom == 0:
			from = max(from, known+SettleGrace)
		case round.LookFrom > round.OpensAt: // those before it don't look
			from = max(from, min(known, round.LookFrom)+SettleGrace)
		}
	}
	return from
}

// known is when the processes that take bets could learn that a round was over: its plan,
// which they have from its opening on, or else when what closed it was stored. A closing
// may lie ahead; until then they take bets.
func (h *Head) known(round Round) settlement.Instant {
	known := round.ClosesAt
	learn := func(at settlement.Instant) {
		if at != 0 {
			known = min(known, at)
		}
	}
	if round.ClosedStored != 0 {
		learn(max(round.Closed, round.ClosedStored))
	}
	learn(h.ResultAt)
	for _, later := range h.Rounds {
		if later.Number > round.Number {
			learn(later.OpenedAt)
		}
	}
	return known
}

// Looks reports whether who stores something of a bet at a time, which took so many
// milliseconds, has to look at the head once more.
func (h *Head) Looks(number int, at, took settlement.Instant) bool {
	round, known := h.Round(number)
	return known && round.LookFrom != 0 && (at >= round.LookFrom || took > acceptWithin)
}

// Conflict refuses a message that contradicts what is stored already. Sending it again
// doesn't help, so it is quarantined with the reason.
type Conflict struct{ Reason string }

func (c *Conflict) Error() string { return c.Reason }

func conflict(format string, args ...any) error {
	return &Conflict{Reason: fmt.Sprintf(format, args...)}
}

// TooLate refuses a revision or an order that came when the draw's records are about to
// expire: what it changes could not be settled and reported any more.
type TooLate struct{ Until settlement.Instant }

func (e *TooLate) Error() string {
	return "the draw's records are kept until " + instant.Format(e.Until) + " and take no revision in the seven days before"
}

// AheadError says that a revision is further above the highest stored one than a
// revision may be. Taken, a slip of the studio's would leave too few revisions, or
// none, to correct it with.
type AheadError struct{ Revision, Highest int }

func (e *AheadError) Error() string {
	stored := fmt.Sprintf("the highest stored is %d", e.Highest)
	if e.Highest == 0 {
		stored = "the studio has none stored yet"
	}
	return fmt.Sprintf("revision: %d is more than %d above the highest stored: %s, so that 1 to %d are taken now. Send what is right as revision %d; if those before are only on their way, send this again after them, or have it released from quarantine",
		e.Revision, wire.MaxAhead, stored, min(e.Highest+wire.MaxAhead, wire.MaxRevision), min(e.Highest+1, wire.MaxRevision))
}

// Settings are what an operator sets for draws that open from now on.
type Settings struct {
	// Shards are the partitions of each bookmaker's bets of a draw, 1 to 256; each
	// takes about 1,000 bets a second.
	Shards       int
	ShardsByGame map[string]int // of games that need more than Shards
	// LagMillis is how long before it is stored a message may have been sent and still
	// take effect from then: zero for 15 minutes, less than zero for not at all.
	LagMillis    int64
	RetainMillis int64 // how long a draw's records are kept; zero for 400 days
	// Looks has who takes bets look at the head after each, so that a result is settled at
	// once: every process that takes bets has to be of a version that looks.
	Looks bool
	// LookMillisByGame has bets of some games looked after only that long before their
	// round's planned closing, which saves reads; a round that closes otherwise, and
	// sooner, then waits for the rest.
	LookMillisByGame map[string]int64
	// HoldMillis is how long after a draw's first result corrections are taken without an
	// operator's release; zero for as long as its records are kept.
	HoldMillis int64
}

// Holds reports whether a correction of the head comes so late that an operator has to
// release it first.
func (s Settings) Holds(h *Head, revision int, now settlement.Instant) bool {
	return s.HoldMillis > 0 && h.ResultAt != 0 && revision > h.Revision && now > h.ResultAt+settlement.Instant(s.HoldMillis)
}

// defaultRetain is how long records are kept where nothing is set.
const defaultRetain = 400 * 24 * 3600 * 1000

// defaultLag is the bound of late messages where nothing is set.
const defaultLag = 15 * 60 * 1000

// lookWithin returns how long before a round's planned closing its bets are looked after;
// zero for never.
func (s Settings) lookWithin(game string) settlement.Instant {
	if !s.Looks {
		return 0
	}
	if within, set := s.LookMillisByGame[game]; set {
		return settlement.Instant(within)
	}
	return math.MaxInt64 / 2 // always
}

// lag returns the bound of late messages.
func (s Settings) lag() settlement.Instant {
	if s.LagMillis == 0 {
		return defaultLag
	}
	return settlement.Instant(max(0, s.LagMillis))
}

// Retain returns how long records are kept.
func (s Settings) Retain() settlement.Instant {
	if s.RetainMillis <= 0 {
		return defaultRetain
	}
	return settlement.Instant(s.RetainMillis)
}

// shardsOf returns the shards of a game's draws.
func (s Settings) shardsOf(game string) int {
	if shards, set := s.ShardsByGame[game]; set {
		return shards
	}
	return max(1, s.Shards)
}
