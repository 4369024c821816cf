package placing

import (
	"cmp"
	"fmt"
	"strings"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// Request is a bet as a bookmaker sends it.
type Request = draw.PlaceRequest

// RefusedError is why a bet is not accepted. No bet is stored and none will be in the feed; the
// code is recorded in the bet's place where an earlier try may still be on its way.
type RefusedError struct {
	Code    string
	Message string
	Field   string     // of the request that is at fault; empty when it is none
	Current money.Odds // with CodeOddsChanged
	// Differs are the request's fields that differ from those of the bet that has
	// its reference, with CodeReferenceUsed.
	Differs []string
	// Others are what else is wrong with the request, by the order of the codes.
	Others []*RefusedError
}

func (r *RefusedError) Error() string { return r.Code + ": " + r.Message }

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
	CodeTableSuspended   = "table_suspended"
	CodeWrongRound       = "wrong_round"
	CodeDecided          = "selection_decided"
	CodeNotOffered       = "not_offered"
	CodeOddsChanged      = "odds_changed"
	CodeUnknownBet       = "unknown_bet"
	CodeOutcomeUnknown   = "outcome_unknown"
)

// MaxPayout is the largest possible payout of a bet, in minor units.
const MaxPayout money.Amount = 1_000_000_000_000_000

func refuse(code, format string, args ...any) *RefusedError {
	return &RefusedError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// try is a request whose fields are right for its draw's game, on its way into the table.
type try struct {
	Request
	bet  settlement.Bet
	draw *cachedDraw
	part wire.Look // the partition of the bookmaker's bets
	pk   string    // the same
	at   settlement.Instant
}

// key returns the sort key of the bet or side wager.
func (t *try) key() string {
	if t.Base != "" {
		return store.WagerKey(t.Base, t.Selection)
	}
	return store.BetKey(t.Reference)
}

// identifiers checks the names in a request: all that are valid, or those that
// something new may have.
func identifiers(r Request, valid func(string) bool) *RefusedError {
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
func (r *RefusedError) at(field string) *RefusedError {
	r.Field = field
	return r
}

// parse reads the fields that have a meaning in the game. The refusal is the
// first by the order of the codes and has the others with it.
func parse(r Request, d *cachedDraw, terms money.Terms, at settlement.Instant) (*try, *RefusedError) {
	reference := cmp.Or(r.Base, r.Reference)
	part := wire.Look{Bookmaker: r.Bookmaker, Shard: Shard(reference, d.Head.Shards)}
	t := &try{Request: r, draw: d, at: at, part: part, pk: store.BetsKey(r.Draw, part.Bookmaker, part.Shard),
		bet: settlement.Bet{Reference: reference, Bookmaker: r.Bookmaker, Shop: r.Shop, Rounding: terms.Rounding, AcceptedAt: at}}
	if r.Base != "" {
		t.bet.Wager = r.Selection
	}
	var wrong []*RefusedError
	for _, read := range [...]func() *RefusedError{t.readSelection, t.readStake, t.readOdds} {
		if refusal := read(); refusal != nil {
			wrong = append(wrong, refusal)
		}
	}
	if len(wrong) > 0 {
		wrong[0].Others = wrong[1:]
		return nil, wrong[0]
	}
	odds := max(t.bet.Odds, d.Game.Odds(t.bet.Selection))
	// By the mode that pays most: a bookmaker's settings may change between tries.
	if payout, err := money.Payout(t.bet.Stake, odds, money.HalfUp); err != nil || payout > MaxPayout {
		return nil, refuse(CodePayoutTooLarge, "the possible payout is above %s", t.amount(MaxPayout)).at("stake")
	}
	return t, nil
}

// amount writes an amount in the request's currency.
func (t *try) amount(a money.Amount) string {
	return string(money.AppendAmount(nil, a, t.bet.Currency)) + " " + t.Currency
}

func (t *try) readSelection() *RefusedError {
	var err error
	if t.bet.Selection, err = t.draw.Game.Parse(t.Selection); err != nil {
		wrong := err.(*rules.SelectionError)
		message := wrong.Error()
		if wrong.Unlisted {
			message += "; GET /v1/games/" + t.draw.Game.ID + " lists them"
		}
		return refuse(wrong.Code, "%s", message).at("selection")
	}
	return nil
}

// readStake reads the stake, which needs its currency.
func (t *try) readStake() *RefusedError {
	var known bool
	if t.bet.Currency, known = money.ParseActive(t.Currency); !known {
		if _, upper := money.ParseActive(strings.ToUpper(t.Currency)); upper {
			return refuse(CodeUnknownCurrency, "write the currency in capital letters: %s", strings.ToUpper(t.Currency)).at("currency")
		}
		return refuse(CodeUnknownCurrency, "%.10q is no active ISO 4217 currency with a minor unit", t.Currency).at("currency")
	}
	var err error
	if t.bet.Stake, err = money.ParseStake(t.Stake, t.bet.Currency); err != nil {
		return refuse(CodeBadAmount, "%.40q is no stake in %s: %s", t.Stake, t.Currency, money.StakeForm(t.bet.Currency)).at("stake")
	}
	return nil
}

func (t *try) readOdds() *RefusedError {
	var err error
	switch game := t.draw.Game; {
	case game.Paytable() && t.Odds != "":
		return refuse(CodeOddsNotAllowed, "%s has a paytable: its bets carry no odds", game.Title).at("odds")
	case game.Paytable():
	case t.Odds == "":
		return refuse(CodeOddsMissing, "give the odds of the current board").at("odds")
	default:
		if t.bet.Odds, err = money.ParseOdds(t.Odds); err != nil {
			return refuse(CodeOddsOutOfRange, "%.40q: %v", t.Odds, err).at("odds")
		}
	}
	return nil
}

// limit refuses a stake outside the bookmaker's limits, which may change between two
// tries of one bet. The least stake is one of bets: what a side bet costs follows from
// the bet that it is made on.
func (t *try) limit(terms money.Terms) *RefusedError {
	least, most := terms.Bounds(t.draw.Game.ID, t.Currency)
	switch {
	case most != 0 && t.bet.Stake > most:
		return refuse(CodeLimit, "the stake is above this bookmaker's limit of %s", t.amount(most))
	case t.Base == "" && t.bet.Stake < least:
		return refuse(CodeBelowLimit, "the stake is below this bookmaker's least one of %s", t.amount(least))
	}
	return nil
}

// stored returns the record of the bet.
func (t *try) stored() store.StoredBet {
	return store.StoredBet{SK: t.key(), Selection: t.Selection, Odds: int64(t.bet.Odds), Stake: int64(t.bet.Stake), Currency: t.Currency,
		Rounding: int64(t.bet.Rounding), AcceptedAt: t.at, Round: int64(t.bet.Round), Shop: t.Shop, ExpiresAt: t.draw.Head.RetainUntil}
}

// differences returns which of the request's fields differ from a stored bet's.
// The time of acceptance is tally's own and does not count.
func (t *try) differences(b *store.StoredBet) (fields []string) {
	check := func(field string, same bool) {
		if !same {
			fields = append(fields, field)
		}
	}
	check("selection", t.Selection == b.Selection)
	check("odds", int64(t.bet.Odds) == b.Odds)
	check("stake", int64(t.bet.Stake) == b.Stake)
	check("currency", t.Currency == b.Currency)
	check("shop", t.Shop == b.Shop)
	return fields
}
