package api

import (
	"fmt"
	"net/http"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/keys"
	"tally/lib/pipeline/placing"
)

// ProblemKind is a row of the table of problems: what a code means and what to do
// about it.
type ProblemKind struct {
	Code   string
	Status int
	Title  string
	Action string
	// RetryAfter is how many seconds to wait before sending the same again; zero
	// where that does not help.
	RetryAfter int
}

// The codes that are not those of lib/bookmaker/keys and lib/pipeline/placing.
const (
	codeInvalid       = "invalid_request"
	codePath          = "unknown_path"
	codeMethod        = "method_not_allowed"
	codeTooLarge      = "too_large"
	codeMediaType     = "unsupported_media_type"
	codeTooMany       = "too_many_requests"
	codeInternal      = "internal"
	codeUnavailable   = "unavailable"
	codeUnknownGame   = "unknown_game"
	codeUnknownReport = "unknown_report"
	codeNotLogged     = "not_logged"
	codeUnknownDisput = "unknown_dispute"
	codeUnknownBets   = "unknown_bets"
	codeDisputeUsed   = "dispute_used"
	codePositionAhead = "position_ahead"
	codeClockWrong    = "clock_wrong"
	codeTotalsPending = "totals_pending"
	codeTotalsExpired = "totals_expired"
)

// problemKinds is the one table of all problems.
var problemKinds = []ProblemKind{
	{codeInvalid, http.StatusBadRequest, "The form of the request is wrong", "Mend everything that errors names.", 0},
	{keys.CodeMissing, http.StatusUnauthorized, "There is no key", "Send the header Authorization: Bearer tly_… with your key.", 0},
	{keys.CodeUnknown, http.StatusUnauthorized, "There is no such key", "Check that the whole key was copied; ask the operator for a new one if it was.", 0},
	{keys.CodeExpired, http.StatusUnauthorized, "The key has expired", "Use the key that it was rotated to, or ask the operator for a new one.", 0},
	{keys.CodeRevoked, http.StatusUnauthorized, "The key was revoked", "Ask the operator for a new key.", 0},
	{keys.CodeScope, http.StatusForbidden, "The key does not open this", "Use a key with the scope that detail names, or ask the operator for one.", 0},
	{codePath, http.StatusNotFound, "There is no such path", "Look it up at /docs.", 0},
	{placing.CodeUnknownDraw, http.StatusNotFound, "There is no such draw", "Look it up in the list of draws; one that was just announced may come in a moment.", 0},
	{placing.CodeUnknownBet, http.StatusNotFound, "You have no such bet", "Check the draw and the reference.", 0},
	{placing.CodeBaseNotFound, http.StatusNotFound, "You have no such bet to wager on", "Place the bet in the first betting round, then the side wager on it.", 0},
	{codeUnknownGame, http.StatusNotFound, "There is no such game", "Look it up in the list of games.", 0},
	{codeUnknownReport, http.StatusNotFound, "You have no such report", "Follow the links in the feed.", 0},
	{codeNotLogged, http.StatusNotFound, "The settlement is not in the public log yet", "Ask again in a minute.", 0},
	{codeUnknownDisput, http.StatusNotFound, "You have no such dispute", "Look it up in the list of disputes.", 0},
	{codeMethod, http.StatusMethodNotAllowed, "The path does not take this method", "Use one of the methods in the header Allow.", 0},
	{placing.CodeReferenceUsed, http.StatusConflict, "The reference has another bet", "Use a new reference for a new bet; differs names what is not the same.", 0},
	{placing.CodeBettingClosed, http.StatusConflict, "Betting is closed", "Nothing has changed. Bets are taken, and taken back, while their betting round is open; bet on a draw whose status is open.", 0},
	{placing.CodeTableSuspended, http.StatusConflict, "The table is suspended", "Wait until it is resumed: GET /v1/tables says so. Bets that were accepted stand.", 0},
	{placing.CodeWrongRound, http.StatusConflict, "Not in this betting round", "The catalogue names the betting round that takes the selection.", 0},
	{placing.CodeDecided, http.StatusConflict, "The selection is decided already", "Offer another selection.", 0},
	{placing.CodeNotOffered, http.StatusConflict, "The selection is not offered", "Offer what the current board has odds for, and on a hand what its cards allow.", 0},
	{placing.CodeOddsChanged, http.StatusConflict, "The odds have changed", "Show your customer the current odds and send them, under a new reference or after four seconds.", 0},
	{codeDisputeUsed, http.StatusConflict, "The id has another dispute", "Use a new id for a new dispute; differs names what is not the same.", 0},
	{codePositionAhead, http.StatusConflict, "The feed is not that long", "Check the number. If it was right before, the feed was set back by a restore: go on from newest.", 0},
	{codeTotalsExpired, http.StatusGone, "The reports have expired", "Ask for the totals of a period while its reports are kept: once counted they stay.", 0},
	{codeTooLarge, http.StatusRequestEntityTooLarge, "The body is too large", "Shorten it: a bet is less than a kilobyte, and 100 bets fit into one request.", 0},
	{codeMediaType, http.StatusUnsupportedMediaType, "The body is not declared as plain JSON", "Send the header Content-Type: application/json, and no Content-Encoding.", 0},
	{placing.CodeUnknownSelection, http.StatusUnprocessableEntity, "The game has no such selection", "Take selections from the game's catalogue.", 0},
	{placing.CodeIllegalShape, http.StatusUnprocessableEntity, "The selection is not written so", "The catalogue says how the family's selections are written.", 0},
	{placing.CodeUnknownCurrency, http.StatusUnprocessableEntity, "There is no such currency", "Use an active ISO 4217 code.", 0},
	{placing.CodeBadAmount, http.StatusUnprocessableEntity, "Not an amount in the currency", "Write a decimal with exactly the currency's decimals, such as 10.00 EUR or 10 JPY, within the limits that detail names.", 0},
	{placing.CodeOddsNotAllowed, http.StatusUnprocessableEntity, "The game has a paytable", "Leave the odds out.", 0},
	{placing.CodeOddsMissing, http.StatusUnprocessableEntity, "The odds are missing", "Send the odds of the current board.", 0},
	{placing.CodeOddsOutOfRange, http.StatusUnprocessableEntity, "Not odds", "Write decimal odds from 1 to 100000 with at most four decimals.", 0},
	{placing.CodePayoutTooLarge, http.StatusUnprocessableEntity, "The possible payout is too large", "Stake less.", 0},
	{placing.CodeLimit, http.StatusUnprocessableEntity, "Above your limit", "Stake less, or ask the operator to raise the limit; GET /v1/settings shows it.", 0},
	{placing.CodeBelowLimit, http.StatusUnprocessableEntity, "Below your least stake", "Stake more, or ask the operator to lower the limit; GET /v1/settings shows it.", 0},
	{placing.CodeBaseMismatch, http.StatusUnprocessableEntity, "The side wager does not fit its bet", "detail says what it has to be.", 0},
	{codeUnknownBets, http.StatusUnprocessableEntity, "The dispute names bets that you don't have", "Check the draw and the references that errors names.", 0},
	{codeTooMany, http.StatusTooManyRequests, "Too many requests", "Wait as long as Retry-After says; place up to 100 bets in one request.", 1},
	{codeInternal, http.StatusInternalServerError, "A fault of ours", "Send the same again; if it stays, tell us the request_id.", 0},
	{codeUnavailable, http.StatusServiceUnavailable, "It can't be answered now", "Whether it was carried out is not known: send the same again.", 1},
	{codeClockWrong, http.StatusServiceUnavailable, "The clock of this instance is wrong", "This request was not carried out. Send the same again: another instance, or this one in a moment, takes it.", 2},
	{placing.CodeOutcomeUnknown, http.StatusServiceUnavailable, "It could not be stored in time", "Nothing is stored. Send the same again.", 5},
	{codeTotalsPending, http.StatusServiceUnavailable, "The totals are still being counted", "Send the same again: it goes on from where it is.", 1},
}

// kinds are the rows of the table by code.
var kinds = func() map[string]ProblemKind {
	m := make(map[string]ProblemKind, len(problemKinds))
	for _, kind := range problemKinds {
		m[kind.Code] = kind
	}
	return m
}()

// problem is an error whose text the bookmaker gets as it is: nothing internal may be in it.
type problem struct{ v1.Problem }

func (p *problem) Error() string { return p.Code + ": " + p.Detail }

// newProblem returns a problem of the table.
func newProblem(code, format string, args ...any) *problem {
	kind, known := kinds[code]
	if !known {
		kind = kinds[codeInternal]
	}
	return &problem{Problem: v1.Problem{Type: "/docs#" + kind.Code, Title: kind.Title, Status: kind.Status, Code: kind.Code,
		Detail: fmt.Sprintf(format, args...), Action: kind.Action}}
}

// ofRefusal is the problem that a refusal of lib/pipeline/placing becomes. That an
// identifier is none, the document has said before.
func ofRefusal(r *placing.RefusedError) *problem {
	p := newProblem(r.Code, "%s", r.Message)
	p.Differs = r.Differs
	if r.Current != 0 {
		p.CurrentOdds = r.Current.String()
	}
	if r.Field != "" {
		for _, each := range append([]*placing.RefusedError{r}, r.Others...) {
			p.Errors = append(p.Errors, v1.FieldProblem{Code: each.Code, At: "/" + each.Field, Detail: each.Message})
		}
	}
	return p
}
