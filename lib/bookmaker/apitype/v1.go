// Package apitype is the bookmakers' API as Go types: what docs/openapi.yaml calls
// schemas. The server and the client both use them; a test holds their fields
// against the document's.
//
// Amounts are decimal texts with exactly their currency's decimals, odds are
// decimal texts, times are RFC 3339 in UTC with milliseconds.
package apitype

import (
	"encoding/json"

	"tally/lib/draw"
	"tally/lib/draw/report"
)

// What reports, the feed and webhooks tell.
type (
	Line            = report.Line
	Totals          = report.Sums
	FeedEntry       = report.FeedEntry
	TableNews       = report.TableNews
	Page            = report.Page
	ReportCreated   = report.Created
	WebhookTest     = report.WebhookTest
	WebhookTestData = report.WebhookTestData
)

// Health says that the API answers.
type Health struct {
	Status string `json:"status"` // ok
	Time   string `json:"time"`
}

// GameSummary is a game in the list of all.
type GameSummary struct {
	Game    string `json:"game"`
	Title   string `json:"title"`
	Version int    `json:"version"` // of the catalogue
	Odds    string `json:"odds"`    // paytable or board
	Rounds  int    `json:"rounds"`
}

// Games are all games.
type Games struct {
	Games []GameSummary `json:"games"`
}

// Tables are the studio's tables of which it has said anything.
type Tables struct {
	Tables []Table `json:"tables"`
}

// Table is a table of the studio's as it stands.
type Table struct {
	Table   string `json:"table"`
	Status  string `json:"status"` // open, suspended or silent
	Reason  string `json:"reason,omitempty"`
	Since   string `json:"since,omitempty"` // when it was suspended or resumed, by the studio's clock
	HeardAt string `json:"heard_at"`
}

// Round is a betting round of a draw.
type Round struct {
	Round    int    `json:"round"`
	OpensAt  string `json:"opens_at"`
	ClosesAt string `json:"closes_at"` // by the studio's plan
	// Closing is when it closes as far as is known: bets count before it. It may
	// still move earlier as long as the draw has no state.
	Closing string `json:"closing"`
	Status  string `json:"status"` // upcoming, open or closed
	// Closed is what takes no bets any more, or soon, though the round does.
	Closed []ClosedSelection `json:"closed,omitempty"`
}

// ClosedSelection is a selection, or a family with :*, that the studio has closed
// within a betting round.
type ClosedSelection struct {
	Selection string `json:"selection"`
	Closing   string `json:"closing"`
}

// Draw is a draw in a list.
type Draw struct {
	Draw     string  `json:"draw"`
	Game     string  `json:"game"`
	Table    string  `json:"table"`
	Sequence int64   `json:"sequence"` // runs on for each table
	Status   string  `json:"status"`   // upcoming, open, closed or resulted
	Rounds   []Round `json:"rounds"`
	// Notes are what holds of the draw as a whole: selections_unclosed says that no side
	// wager was closed within its betting round; correction_waits, of one draw, that a
	// correction is not reported before an operator has released it.
	Notes []string `json:"notes,omitempty"`
	State int      `json:"state,omitempty"` // the newest state; not there before the first result
	// Board is that of the betting round that takes bets now, where a list is asked
	// for it.
	Board *Board `json:"board,omitempty"`
}

// Draws are a page of a list of draws.
type Draws struct {
	Draws []Draw `json:"draws"`
	Next  string `json:"next,omitempty"` // the cursor of the next page; absent on the last
}

// DrawDetail is all that is known of a draw.
type DrawDetail struct {
	Draw
	Boards    []Board    `json:"boards"`
	Revisions []Revision `json:"revisions"`
	States    []State    `json:"states"`
	KeptUntil string     `json:"kept_until"` // records are deleted after it
}

// Board is the odds board of a betting round and what is decided in it.
type Board struct {
	Round   int  `json:"round"`
	Current bool `json:"current"` // the round takes bets now
	// Odds are by selection or by a group of equally likely ones; win or lose
	// where the board itself says so. Nil in a game with a paytable.
	Odds    map[string]string `json:"odds,omitempty"`
	Visible json.RawMessage   `json:"visible,omitempty"` // the cards that lay open when the round opened
	Decided map[string]string `json:"decided,omitempty"` // win or lose, by selection
}

// Revision is a result or a cancellation of a draw, as the studio gave it.
type Revision struct {
	Revision int             `json:"revision"`
	Type     string          `json:"type"` // draw.resulted or draw.cancelled
	StoredAt string          `json:"stored_at"`
	Facts    json.RawMessage `json:"facts,omitempty"`
	Outcome  json.RawMessage `json:"outcome,omitempty"`
	Void     string          `json:"void,omitempty"`   // why the facts void the draw
	Reason   string          `json:"reason,omitempty"` // of a cancellation or a correction
	Video    *Video          `json:"video,omitempty"`
}

// Video is where the studio says that a recording is.
type Video struct {
	URL       string `json:"url"`
	SHA256    string `json:"sha256"` // of its bytes
	FromMs    int64  `json:"from_ms,omitempty"`
	ToMs      int64  `json:"to_ms,omitempty"`
	KeptUntil string `json:"kept_until,omitempty"`
}

// State is what bets on a draw were settled under at one point.
type State struct {
	State    int    `json:"state"`
	Revision int    `json:"revision"` // 0 is tally's own cancellation
	MadeAt   string `json:"made_at"`
}

// BetRequest is a bet to place.
type BetRequest struct {
	Selection string `json:"selection"`
	Odds      string `json:"odds,omitempty"` // not in a game with a paytable
	Stake     string `json:"stake"`
	Currency  string `json:"currency"`
	Shop      string `json:"shop,omitempty"`
}

// WagerRequest is a double, split or insurance to place on a bet.
type WagerRequest struct {
	Stake    string `json:"stake"`
	Currency string `json:"currency"`
	Shop     string `json:"shop,omitempty"`
}

// BatchBet is a bet of a batch: with a reference, or, for a side wager, with the
// reference of its base bet.
type BatchBet = draw.PlaceRequest

// BatchRequest is up to 100 bets to place.
type BatchRequest struct {
	Bets []BatchBet `json:"bets"`
}

// BatchResult is the answer to one bet of a batch: what the bet alone would have
// been answered.
type BatchResult struct {
	Status  int      `json:"status"` // 200, 201 or the problem's
	Bet     *Bet     `json:"bet,omitempty"`
	Problem *Problem `json:"problem,omitempty"`
}

// BatchResponse has an answer for each bet, in their order.
type BatchResponse struct {
	Results []BatchResult `json:"results"`
}

// Bet is a stored bet, or a side wager of one.
type Bet struct {
	Draw       string `json:"draw"`
	Reference  string `json:"reference"`       // of a side wager: its base bet's
	Wager      string `json:"wager,omitempty"` // the selection of a side wager
	Selection  string `json:"selection"`
	Odds       string `json:"odds,omitempty"`
	Stake      string `json:"stake"`
	Currency   string `json:"currency"`
	Shop       string `json:"shop,omitempty"`
	Round      int    `json:"round"` // the betting round that took it
	Rounding   string `json:"rounding"`
	AcceptedAt string `json:"accepted_at"`
	// CancelledAt is when the bookmaker cancelled it.
	CancelledAt string `json:"cancelled_at,omitempty"`
	// Cancellation says whether that counts: counts_if_before_closing until the
	// closing of its betting round is final, then counts or too_late.
	Cancellation string `json:"cancellation,omitempty"`
	// Status is accepted; won, lost or refunded.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"` // of a refund
}

// BetDetail is a bet with what the reports have said of it.
type BetDetail struct {
	Bet
	Settlements []Line      `json:"settlements"` // the lines of the reports, the newest last
	Wagers      []BetDetail `json:"wagers,omitempty"`
}

// Bets are a page of the bets of a draw.
type Bets struct {
	Bets []BetDetail `json:"bets"`
	Next string      `json:"next,omitempty"`
}

// DrawTotals are what a draw's bets came to under its newest settlement.
type DrawTotals struct {
	Draw   string   `json:"draw"`
	State  int      `json:"state,omitempty"` // not there as long as nothing is settled
	Totals []Totals `json:"totals"`
}

// PeriodTotals are what the reports of a day or a month came to: of a
// correction, what it changed.
type PeriodTotals struct {
	Period string   `json:"period"` // 2026-11-30 or 2026-11
	Final  bool     `json:"final"`  // no report can be added any more
	First  int64    `json:"first"`  // the first report's sequence number; 0 for none
	Last   int64    `json:"last"`
	Totals []Totals `json:"totals"`
}

// Feed is a part of the feed.
type Feed struct {
	Entries []FeedEntry `json:"entries"`
	Next    int64       `json:"next"`   // pass it as after to go on
	Newest  int64       `json:"newest"` // the newest entry there is
}

// Position is how far a bookmaker has acknowledged its feed.
type Position struct {
	Sequence int64 `json:"sequence"` // 0 for nothing yet
}

// ReportPage is a page of a report.
type ReportPage struct {
	Draw  string `json:"draw"`
	State int    `json:"state"`
	Shard int    `json:"shard"`
	Page  int    `json:"page"`
	Lines []Line `json:"lines"`
}

// DisputeRequest asks for bets to be voided.
type DisputeRequest = draw.DisputeRequest

// Dispute is a stored request to void.
type Dispute struct {
	Dispute string `json:"dispute"`
	DisputeRequest
	CreatedAt string `json:"created_at"`
	Order     string `json:"order"`  // the id of the order by which it is upheld
	Status    string `json:"status"` // open, upheld or rejected
	// When an operator decided, and why, in the operator's words.
	DecidedAt      string `json:"decided_at,omitempty"`
	DecisionReason string `json:"decision_reason,omitempty"`
}

// Disputes are a page of a bookmaker's disputes.
type Disputes struct {
	Disputes []Dispute `json:"disputes"`
	Next     string    `json:"next,omitempty"`
}

// Settings are a bookmaker's settings and limits, and what its key opens.
type Settings struct {
	Bookmaker         string            `json:"bookmaker"`
	Key               string            `json:"key"` // its public id
	Scopes            []string          `json:"scopes"`
	Rounding          string            `json:"rounding"`
	MinStake          map[string]string `json:"min_stake"` // of one bet, by currency; no entry, no limit
	MaxStake          map[string]string `json:"max_stake"` // likewise
	Games             map[string]Limits `json:"games"`     // by game; what one of them says goes before
	RequestsPerSecond int               `json:"requests_per_second"`
	BetsPerRequest    int               `json:"bets_per_request"`
}

// Limits are the least and the greatest stakes of bets on one game, by currency.
type Limits struct {
	MinStake map[string]string `json:"min_stake,omitempty"`
	MaxStake map[string]string `json:"max_stake,omitempty"`
}

// Problem is an RFC 9457 problem document.
type Problem struct {
	Type      string         `json:"type"`
	Title     string         `json:"title"`
	Status    int            `json:"status"`
	Code      string         `json:"code"` // stable
	Detail    string         `json:"detail"`
	Action    string         `json:"action"` // what to do
	RequestID string         `json:"request_id"`
	Errors    []FieldProblem `json:"errors,omitempty"` // everything that is wrong with the request
	// Differs are the fields in which the request differs from what is stored
	// under its identity.
	Differs     []string `json:"differs,omitempty"`
	CurrentOdds string   `json:"current_odds,omitempty"` // with odds_changed
	Newest      *int64   `json:"newest,omitempty"`       // with position_ahead: the newest report there is
}

// FieldProblem is one thing wrong with a request, with its place: a Fault in the document of
// the API, where the name is public.
type FieldProblem struct {
	Code   string `json:"code"`
	At     string `json:"at"` // a JSON pointer into the body, or path, query or header and a name
	Detail string `json:"detail"`
}
