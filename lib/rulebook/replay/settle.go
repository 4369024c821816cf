package replay

import (
	"fmt"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// Settler responds to lines of facts, or of a cancellation, with bets. It is not
// safe for concurrent use: each worker has its own.
type Settler struct {
	line     line
	bets     strictjson.Document
	seen     map[string]struct{} // references of the line
	parsed   map[string]parsedSelection
	book     settlement.Totals
	state    settlement.Basis
	rounding money.Rounding
}

// parsedSelection is a selection's text parsed before, by whatever line: its
// text is kept with the game's id before it.
type parsedSelection struct {
	selection rules.Selection
	err       *rules.SelectionError
}

// How many texts are remembered, and of what length; what is not is parsed
// again.
const (
	maxParsed     = 1 << 16
	maxRemembered = 96
)

// Respond appends the response to one line, with its line feed.
func (s *Settler) Respond(dst, text []byte) []byte {
	l := &s.line
	if !l.begin(text) {
		return l.malformed(dst)
	}
	l.findGame()
	s.rounding = l.readRounding()
	facts, hasFacts := l.object.Optional("facts")
	cancelled, isCancelled := l.object.Optional("cancelled")
	reason := ""
	switch {
	case isCancelled && hasFacts:
		l.top.Report(strictjson.UnknownField, "cancelled", "a draw has facts or is cancelled, not both")
	case isCancelled:
		text, _ := cancelled.String()
		reason = string(text)
	case !hasFacts:
		l.top.Report(strictjson.MissingField, "facts", "")
	}
	if hasFacts && l.game == nil {
		facts.Object() // its fields can't be checked, but that it has some can
	}
	bets, hasBets := l.object.Required("bets")
	l.problems = append(l.problems, l.top.Problems()...)

	faults := s.resolve(facts, hasFacts, reason, isCancelled)
	ready := l.game != nil && len(l.problems) == 0 && len(faults) == 0
	response := dst
	if ready {
		response = resolved(l.copied(dst, ownNames), l.game, s.state.Outcome, s.void()).Name("settlements").OpenList()
	}
	if hasBets {
		response = s.settle(response, bets, ready)
	}
	switch {
	case len(l.problems) > 0:
		return l.malformed(dst)
	case len(faults) > 0:
		return l.invalid(dst, ownNames, faults)
	}
	out := s.totals(strictjson.Out(response).CloseList().Name("totals"))
	return append(out.Close(), '\n')
}

func (l *line) readRounding() money.Rounding {
	v, present := l.object.Optional("rounding")
	if !present {
		return money.HalfUp
	}
	name, isText := v.String()
	if !isText {
		return money.HalfUp
	}
	mode, known := money.ParseRounding(string(name))
	if !known {
		l.top.Report(strictjson.UnknownRounding, "rounding", quote(name)+" is none of half_up, half_even, down")
	}
	return mode
}

// resolve makes the state that the bets are settled under, or returns what is
// wrong with the facts or the reason.
func (s *Settler) resolve(v strictjson.Value, hasFacts bool, reason string, cancelled bool) []rules.Fault {
	l := &s.line
	s.state = settlement.Basis{Game: l.game, Number: 1}
	switch {
	case hasFacts:
		facts, ok := l.readFacts(v)
		if !ok || len(l.problems) > 0 {
			return nil
		}
		result := l.game.Resolve(facts)
		s.state.Outcome, s.state.Void = result.Outcome, result.Void
		return result.Faults
	case cancelled && l.game != nil:
		if _, known := l.game.CancelReason(reason); !known {
			return []rules.Fault{{Code: "unknown_reason", Rule: l.game.CancelRule,
				Message: fmt.Sprintf("%q is no reason to cancel a draw of %s; `tally games %s` lists them", reason, l.game.Title, l.game.ID)}}
		}
		s.state.Cancelled = reason
	}
	return nil
}

// void is the draw's reason to be void, by its facts or by the studio.
func (s *Settler) void() rules.Void {
	if s.state.Cancelled != "" {
		return rules.Void{Reason: s.state.Cancelled, Rule: s.state.Game.CancelRule}
	}
	return s.state.Void
}

// settle reads every bet and, when the line is ready for it, appends its
// settlement.
func (s *Settler) settle(dst []byte, bets strictjson.Value, ready bool) []byte {
	clear(s.seen)
	s.book = s.book[:0]
	out := strictjson.Out(dst)
	for _, v := range s.bets.Each("bets", bets.Raw()) {
		b, ok := readBet(v)
		if ok && ready && len(s.bets.Problems()) == 0 {
			out = s.one(out, b)
		}
	}
	s.line.problems = append(s.line.problems, s.bets.Problems()...)
	return out
}

// bet is a bet as written.
type bet struct {
	reference                        strictjson.Value
	selection, odds, stake, currency []byte
	hasOdds                          bool
}

func readBet(v strictjson.Value) (b bet, ok bool) {
	o, ok := v.Object()
	if !ok {
		return bet{}, false
	}
	if b.reference, ok = o.Required("bet"); ok {
		_, ok = b.reference.String()
	}
	text := func(name string) []byte {
		member, present := o.Required(name)
		if !present {
			ok = false
			return nil
		}
		text, isText := member.String()
		ok = ok && isText
		return text
	}
	b.selection, b.stake, b.currency = text("selection"), text("stake"), text("currency")
	if odds, present := o.Optional("odds"); present {
		var isText bool
		b.odds, isText = odds.String()
		b.hasOdds, ok = true, ok && isText
	}
	o.Close()
	return b, ok
}

// one appends the settlement of one bet, or its rejection.
func (s *Settler) one(out strictjson.Out, b bet) strictjson.Out {
	out = out.Open().Name("bet").Raw(b.reference.Raw())
	placed, currency, code, message := s.accept(b)
	if code != "" {
		return reject(out, code, message)
	}
	settled, err := settlement.Settle(&placed, &s.state)
	if err != nil {
		return reject(out, "bad_amount", err.Error())
	}
	s.book.In(currency).Add(placed.Stake, settled)
	out = out.TextMember("status", settled.Result.String())
	out = append(money.AppendAmount(append(out.Name("payout"), '"'), settled.Payout, currency), '"')
	if settled.Reason != "" {
		out = out.TextMember("reason", settled.Reason)
	}
	if settled.Rule != "" {
		out = out.TextMember("rule", settled.Rule)
	}
	return out.Close()
}

func reject(out strictjson.Out, code, message string) strictjson.Out {
	return out.TextMember("status", "rejected").TextMember("code", code).Name("message").Quoted(message).Close()
}

// accept reads a bet that could have been placed, or returns why it could not:
// the first code in the contract's order of precedence.
func (s *Settler) accept(b bet) (placed settlement.Bet, currency money.Currency, code, message string) {
	reference, _ := b.reference.String()
	if _, again := s.seen[string(reference)]; again {
		return placed, currency, "duplicate_bet", "an earlier bet of this draw has the reference " + quote(reference)
	}
	if s.seen == nil {
		s.seen = map[string]struct{}{}
	}
	s.seen[string(reference)] = struct{}{}

	selection, err := s.parse(b.selection)
	if err != nil {
		message := err.Error()
		if err.Unlisted {
			message += fmt.Sprintf("; `tally games %s` lists them", s.line.game.ID)
		}
		return placed, currency, err.Code, message
	}
	currency, known := money.ParseActive(b.currency)
	if !known {
		return placed, currency, "unknown_currency", quote(b.currency) + " is no active ISO 4217 currency with a minor unit"
	}
	stake, stakeErr := money.ParseStake(b.stake, currency)
	if stakeErr != nil {
		return placed, currency, "bad_amount", fmt.Sprintf("%s is no stake in %s: %s", quote(b.stake), currency.Code(), money.StakeForm(currency))
	}
	odds, code, message := s.odds(b)
	if code != "" {
		return placed, currency, code, message
	}
	return settlement.Bet{Selection: selection, Odds: odds, Stake: stake, Rounding: s.rounding}, currency, "", ""
}

// odds reads the bet's odds, which games with a paytable don't take.
func (s *Settler) odds(b bet) (odds money.Odds, code, message string) {
	if s.line.game.Paytable() {
		if b.hasOdds {
			return 0, "odds_not_allowed", s.line.game.Title + " has a paytable: its bets carry no odds"
		}
		return 0, "", ""
	}
	if !b.hasOdds {
		return 0, "odds_missing", s.line.game.Title + " has no paytable: give the odds that the bet was accepted at"
	}
	odds, err := money.ParseOdds(b.odds)
	if err != nil {
		return 0, "odds_out_of_range", quote(b.odds) + ": " + err.Error()
	}
	return odds, "", ""
}

// parse reads a selection, remembering what was parsed before.
func (s *Settler) parse(text []byte) (rules.Selection, *rules.SelectionError) {
	game := s.line.game
	key := append(append(append(make([]byte, 0, maxRemembered), game.ID...), ':'), text...)
	if known, ok := s.parsed[string(key)]; ok {
		return known.selection, known.err
	}
	if s.parsed == nil || len(s.parsed) >= maxParsed {
		s.parsed = map[string]parsedSelection{}
	}
	selection, err := game.Parse(string(text))
	known := parsedSelection{selection: selection}
	if err != nil {
		known.err = err.(*rules.SelectionError)
	}
	if len(key) <= maxRemembered {
		s.parsed[string(key)] = known
	}
	return known.selection, known.err
}

// totals appends the totals by currency.
func (s *Settler) totals(out strictjson.Out) strictjson.Out {
	out = out.Open()
	for i := range s.book {
		t := &s.book[i]
		out = out.Name(t.Currency.Code()).Open().IntMember("bets", t.Bets)
		out = append(t.Stake.AppendTo(append(out.Name("stake"), '"'), t.Currency), '"')
		out = append(t.Payout.AppendTo(append(out.Name("payout"), '"'), t.Currency), '"')
		out = out.IntMember("won", t.Won).IntMember("lost", t.Lost).IntMember("refunded", t.Refunded).Close()
	}
	return out.Close()
}
