package statistics

import (
	"errors"
	"strconv"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/pokerhand"
	"tally/lib/strictjson"
)

// seen is one draw's facts and outcome, to read what it shows. What is missing or
// of the wrong form is reported in the documents; readers then return anything.
type seen struct {
	facts, outcome                 strictjson.Object
	factsDocument, outcomeDocument strictjson.Document
}

// see parses a draw's facts and outcome. Facts that the log shows as a hash alone
// are taken as empty: an aspect that is read from them then says what is missing.
func see(facts, outcome []byte) (*seen, error) {
	s := &seen{}
	s.facts = object(&s.factsDocument, "facts", facts)
	s.outcome = object(&s.outcomeDocument, "outcome", outcome)
	return s, s.problem()
}

func object(d *strictjson.Document, name string, text []byte) (o strictjson.Object) {
	if len(text) == 0 {
		text = []byte("{}")
	}
	if value, ok := d.Parse(name, text); ok {
		o, _ = value.Object()
	}
	return o
}

// problem returns the first problem found so far, nil for none.
func (s *seen) problem() error {
	for _, d := range []*strictjson.Document{&s.factsDocument, &s.outcomeDocument} {
		if problems := d.Problems(); len(problems) > 0 {
			return errors.New(string(problems[0].Code) + ": " + problems[0].Message())
		}
	}
	return nil
}

// text reads a text of the outcome, which is the value shown.
func text(name string) func(*seen) []string {
	return func(s *seen) []string { return []string{s.outcome.Text(name)} }
}

// whole reads a number of the outcome, which is the value shown.
func whole(name string) func(*seen) []string {
	return func(s *seen) []string { return []string{strconv.FormatInt(s.outcome.Whole(name), 10)} }
}

// flag reads a flag of the outcome.
func flag(name string) func(*seen) []string {
	return func(s *seen) []string { return yes(s.flag(name)) }
}

func yes(is bool) []string {
	if is {
		return []string{"yes"}
	}
	return []string{"no"}
}

// flag reads a flag of the outcome, which must be there.
func (s *seen) flag(name string) bool { return requiredFlag(s.outcome, name) }

func requiredFlag(o strictjson.Object, name string) (flag bool) {
	if value, present := o.Required(name); present {
		flag, _ = value.Flag()
	}
	return flag
}

// wholes reads a list of numbers.
func wholes(o strictjson.Object, name string) (names []string) {
	for _, n := range o.Wholes(name) {
		names = append(names, strconv.FormatInt(n, 10))
	}
	return names
}

// colours reads how many balls have each colour, and names each as often.
func (s *seen) colours(colours []group, drawn int) (names []string) {
	value, present := s.outcome.Required("colours")
	if !present {
		return nil
	}
	counts, isObject := value.Object()
	if !isObject {
		return nil
	}
	for _, colour := range colours {
		for range min(counts.Natural(colour.name), int64(drawn)+1) {
			names = append(names, colour.name)
		}
	}
	return names
}

// rank reads the rank of a card.
func (s *seen) rank(code string) []string {
	card, ok := cards.Parse(code)
	if !ok {
		s.factsDocument.Report(strictjson.WrongType, "facts", strconv.Quote(code)+" is no card")
		return nil
	}
	return []string{card.Rank().String()}
}

// board reads what kind of hand the five cards of the board are by themselves.
func (s *seen) board() []string {
	var board []cards.Card
	for _, code := range s.facts.Texts("board") {
		card, ok := cards.Parse(code)
		if !ok {
			break
		}
		board = append(board, card)
	}
	_, rank := pokerhand.BestFive(board)
	if len(board) != 5 || rank == 0 {
		s.factsDocument.Report(strictjson.WrongType, "facts.board", "must be five different cards")
		return nil
	}
	return []string{rank.Category().String()}
}

// dealerBlackjack reads whether the dealer has a blackjack.
func (s *seen) dealerBlackjack() []string {
	value, present := s.outcome.Required("dealer")
	if !present {
		return nil
	}
	dealer, isObject := value.Object()
	if !isObject {
		return nil
	}
	return yes(requiredFlag(dealer, "blackjack"))
}

// dealerOpen reads the rank of the dealer's open card, the first.
func (s *seen) dealerOpen() []string {
	dealer := s.facts.Texts("dealer")
	if len(dealer) == 0 {
		return s.rank("")
	}
	return s.rank(dealer[0])
}

// firstHand reads what kind of hand the first of six is.
func (s *seen) firstHand() []string {
	hands := s.outcome.NonEmptyObjects("hands")
	if len(hands) == 0 {
		return nil
	}
	return []string{hands[0].Text("category")}
}

// pairs reads which sides have a pair.
func (s *seen) pairs() []string {
	player, banker := s.flag("player_pair"), s.flag("banker_pair")
	switch {
	case player && banker:
		return []string{"both"}
	case player:
		return []string{"player"}
	case banker:
		return []string{"banker"}
	}
	return []string{"none"}
}

// wheelColour reads the colour of the sector; the cup has none.
func (s *seen) wheelColour() []string {
	if s.outcome.Text("sector") == "cup" {
		return []string{"none"}
	}
	return []string{s.outcome.Text("colour")}
}

// soleWinner reads which hand of poker won alone, nothing when several did.
func (s *seen) soleWinner() []string {
	winners := wholes(s.outcome, "winners")
	if len(winners) == 1 {
		return winners
	}
	if len(winners) == 0 {
		s.outcomeDocument.Report(strictjson.MissingField, "outcome.winners[0]", "the list must not be empty")
	}
	return nil
}

// firstBalls reads the balls that count: those after them are ignored.
func (s *seen) firstBalls(drawn int) []string {
	all := wholes(s.facts, "balls")
	return all[:min(drawn, len(all))]
}
