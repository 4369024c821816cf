package placing

import (
	"fmt"
	"strings"

	"tally/lib/draw"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// Request is a bet as a bookmaker sends it.
type Request struct {
	Bookmaker string // from the key, never from the request
	Draw      string
	Reference string
	Selection string
	Odds      string // empty in a game with a paytable
	Stake     string
	Currency  string
	Shop      string // optional
	// Base is the reference of the bet that a double, split or insurance belongs
	// to; such a wager has no reference of its own.
	Base string
}

// Refusal says why a bet is not accepted. Nothing is stored of it, and nothing
// will be in the feed.
type Refusal struct {
	Code    string
	Message string
	Field   string     // of the request that is at fault; empty when it is none
	Current money.Odds // with CodeOddsChanged
	// Differs are the request's fields that differ from those of the bet that has
	// its reference, with CodeReferenceUsed.
	Differs []string
	// Others are what else is wrong with the request, by the order of the codes.
	Others []*Refusal
}

// Error names the code and the reason.
func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// The codes of refusals in their order of precedence: first what is wrong with
// the request whatever the draw's state, then what depends on it.
const (
	CodeBadIdentifier    = "bad_identifier"
	CodeUnknownDraw      = "unknown_draw"
	CodeUnknownSelection = rules.UnknownSelection
	CodeIllegalShape     = rules.IllegalShape
	CodeUnknownCurrency  = "unknown_currency"
	CodeBadAmount        = "bad_amount"
	CodeOddsNotAllowed   = "odds_not_allowed"
	CodeOddsMissing      = "odds_missing"
	CodeOddsOutOfRange   = "odds_out_of_range"
	CodePayoutTooLarge   = "payout_too_large"
	CodeLimit            = "limit_exceeded"
	CodeBelowLimit       = "stake_too_small"
	CodeReferenceUsed    = "reference_used"
	CodeBaseNotFound     = "base_not_found"
	CodeBaseMismatch     = "base_mismatch"
	CodeBettingClosed    = "betting_closed"
	CodeWrongRound       = "wrong_round"
	CodeDecided          = "selection_decided"
	CodeNotOffered       = "not_offered"
	CodeOddsChanged      = "odds_changed"
	CodeUnknownBet       = "unknown_bet"
	CodeOutcomeUnknown   = "outcome_unknown"
)

// MaxPayout is the largest possible payout of a bet, in minor units.
const MaxPayout money.Amount = 1_000_000_000_000_000

func refuse(code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}

// parsed is a request whose fields are right for its draw's game.
type parsed struct {
	Request
	game      *rules.Game
	selection rules.Selection
	stake     money.Amount
	currency  money.Currency
	odds      money.Odds // the request's, or zero
	rounding  money.Rounding
}

// key returns the sort key of the bet or side wager.
func (p *parsed) key() string {
	if p.Base != "" {
		return store.WagerKey(p.Base, p.Selection)
	}
	return store.BetKey(p.Reference)
}

// identifiers checks the names in a request: all that are valid, or those that
// something new may have.
func (r *Request) identifiers(valid func(string) bool) *Refusal {
	names := []struct {
		field, name string
		needed      bool
	}{
		{"bookmaker", r.Bookmaker, true},
		{"draw", r.Draw, true},
		{"reference", r.Reference, r.Base == ""},
		{"base", r.Base, r.Base != ""},
		{"shop", r.Shop, r.Shop != ""},
	}
	for _, n := range names {
		if n.needed && !valid(n.name) {
			return refuse(CodeBadIdentifier, "%s: %.80q is no identifier: write 1 to 64 of A-Z a-z 0-9 . _ -, and not . or .. alone", n.field, n.name).at(n.field)
		}
	}
	return nil
}

// at names the field that a refusal is about.
func (r *Refusal) at(field string) *Refusal {
	r.Field = field
	return r
}

// parse reads the fields that have a meaning in the game. The refusal is the
// first by the order of the codes and has the others with it.
func (r Request) parse(game *rules.Game, terms money.Terms) (*parsed, *Refusal) {
	p := &parsed{Request: r, game: game, rounding: terms.Rounding}
	var wrong []*Refusal
	for _, read := range [...]func() *Refusal{p.readSelection, p.readStake, p.readOdds} {
		if refusal := read(); refusal != nil {
			wrong = append(wrong, refusal)
		}
	}
	if len(wrong) > 0 {
		wrong[0].Others = wrong[1:]
		return nil, wrong[0]
	}
	odds := max(p.odds, game.Odds(p.selection))
	// By the mode that pays most: a bookmaker's settings may change between tries.
	if payout, err := money.Payout(p.stake, odds, money.HalfUp); err != nil || payout > MaxPayout {
		return nil, refuse(CodePayoutTooLarge, "the possible payout is above %s %s", money.AppendAmount(nil, MaxPayout, p.currency), r.Currency).at("stake")
	}
	return p, nil
}

func (p *parsed) readSelection() *Refusal {
	var err error
	if p.selection, err = p.game.Parse(p.Selection); err != nil {
		wrong := err.(*rules.SelectionError)
		message := wrong.Error()
		if wrong.Unlisted {
			message += "; GET /v1/games/" + p.game.ID + " lists them"
		}
		return refuse(wrong.Code, "%s", message).at("selection")
	}
	return nil
}

// readStake reads the stake, which needs its currency.
func (p *parsed) readStake() *Refusal {
	var known bool
	if p.currency, known = money.ParseActive(p.Currency); !known {
		if _, upper := money.ParseActive(strings.ToUpper(p.Currency)); upper {
			return refuse(CodeUnknownCurrency, "write the currency in capital letters: %s", strings.ToUpper(p.Currency)).at("currency")
		}
		return refuse(CodeUnknownCurrency, "%.10q is no active ISO 4217 currency with a minor unit", p.Currency).at("currency")
	}
	var err error
	if p.stake, err = money.ParseStake(p.Stake, p.currency); err != nil {
		return refuse(CodeBadAmount, "%.40q is no stake in %s: %s", p.Stake, p.Currency, money.StakeForm(p.currency)).at("stake")
	}
	return nil
}

func (p *parsed) readOdds() *Refusal {
	var err error
	switch {
	case p.game.Paytable() && p.Odds != "":
		return refuse(CodeOddsNotAllowed, "%s has a paytable: its bets carry no odds", p.game.Title).at("odds")
	case p.game.Paytable():
	case p.Odds == "":
		return refuse(CodeOddsMissing, "give the odds of the current board").at("odds")
	default:
		if p.odds, err = money.ParseOdds(p.Odds); err != nil {
			return refuse(CodeOddsOutOfRange, "%.40q: %v", p.Odds, err).at("odds")
		}
	}
	return nil
}

// limit refuses a stake outside the bookmaker's limits, which may change between two
// tries of one bet. The least stake is one of bets: what a side bet costs follows from
// the bet that it is made on.
func (p *parsed) limit(terms money.Terms) *Refusal {
	least, most := terms.Bounds(p.game.ID, p.Currency)
	switch {
	case most != 0 && p.stake > most:
		return refuse(CodeLimit, "the stake is above this bookmaker's limit of %s %s", money.AppendAmount(nil, most, p.currency), p.Currency)
	case p.Base == "" && p.stake < least:
		return refuse(CodeBelowLimit, "the stake is below this bookmaker's least one of %s %s", money.AppendAmount(nil, least, p.currency), p.Currency)
	}
	return nil
}

// stored returns the record of the bet.
func (p *parsed) stored(round int, at settlement.Instant, head *draw.Head) store.StoredBet {
	return store.StoredBet{SK: p.key(), Selection: p.Selection, Odds: int64(p.odds), Stake: int64(p.stake), Currency: p.Currency,
		Rounding: int64(p.rounding), AcceptedAt: at, Round: int64(round), Shop: p.Shop, ExpiresAt: head.RetainUntil}
}

// differences returns which of the request's fields differ from a stored bet's.
// The time of acceptance is tally's own and does not count.
func (p *parsed) differences(b *store.StoredBet) (fields []string) {
	check := func(field string, same bool) {
		if !same {
			fields = append(fields, field)
		}
	}
	check("selection", p.Selection == b.Selection)
	check("odds", int64(p.odds) == b.Odds)
	check("stake", int64(p.stake) == b.Stake)
	check("currency", p.Currency == b.Currency)
	check("shop", p.Shop == b.Shop)
	return fields
}
