package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"tally/events"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// sample is a draw of a game as events has it, up to its first result, with bets.
type sample struct {
	game     *rules.Game
	messages []message
	result   message
	rounds   int // betting rounds
	bets     map[int][]v1.BetRequest
}

// message is a message of the sample.
type message struct {
	Type       string   `json:"type"`
	Draw       string   `json:"draw"`
	Round      int      `json:"round"`
	Selections []string `json:"selections"`
	fields     map[string]any
}

// sampleOf reads the sample of a game.
func sampleOf(game *rules.Game) (*sample, error) {
	files, err := events.Messages(game)
	if err != nil {
		return nil, err
	}
	s := &sample{game: game, bets: map[int][]v1.BetRequest{}}
	draw := ""
	for _, file := range files {
		m := message{fields: map[string]any{}}
		if err := json.Unmarshal(file.Body, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
		if err := json.Unmarshal(file.Body, &m.fields); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name, err)
		}
		if draw == "" {
			draw = m.Draw
		}
		switch {
		case m.Draw != draw || strings.Contains(file.Name, ".impossible."):
			continue
		case m.Type == "draw.resulted":
			s.result = m
			return s, s.readBets(draw)
		}
		s.messages, s.rounds = append(s.messages, m), max(s.rounds, m.Round)
	}
	return nil, fmt.Errorf("the sample of %s has no result", game.ID)
}

// readBets reads the bets on the sample's draw, side wagers and what is taken back apart.
func (s *sample) readBets(draw string) error {
	bets, err := events.Bets(s.game)
	if err != nil {
		return err
	}
	for _, bet := range bets {
		if bet.Draw != draw || bet.Base != nil || bet.CancelledAt != 0 || s.decided(bet.Round, bet.Selection) {
			continue
		}
		request := v1.BetRequest{Selection: s.game.Text(bet.Selection), Stake: "10.00", Currency: "EUR"}
		if bet.Odds != 0 {
			request.Odds = bet.Odds.String()
		}
		s.bets[bet.Round] = append(s.bets[bet.Round], request)
	}
	return nil
}

// decided tells whether the cards that lie open in a round decide a selection: no bet on it is taken.
func (s *sample) decided(round int, selection rules.Selection) bool {
	for _, m := range s.messages {
		visible, open := m.fields["visible"]
		if !open || m.Round != round {
			continue
		}
		text, err := json.Marshal(visible)
		if err != nil {
			return true
		}
		var document strictjson.Document
		value, _ := document.Parse("visible", text)
		object, _ := value.Object()
		facts, _ := s.game.ReadVisible(object)
		marks, _ := s.game.Decide(round, facts)
		return marks[selection] != rules.Open
	}
	return false
}

// betsOf returns a bookmaker's bets in a round: those of the sample again and again, so that
// there are so many in all rounds.
func (s *sample) betsOf(round, all int) (list []v1.BetRequest) {
	for n, before := 0, 0; before < all && len(s.bets) > 0; n++ { // one of each round after the other
		for r := 1; r <= s.rounds && before < all; r++ {
			if bets := s.bets[r]; len(bets) > 0 {
				if before++; r == round {
					list = append(list, bets[n%len(bets)])
				}
			}
		}
	}
	return list
}

// span is when a betting round takes bets.
type span struct{ opens, closes time.Time }

// plan is when the betting rounds of a draw take bets, by number.
type plan map[int]span

// text is a message as it is sent for a draw.
func (m message) text(draw, id string, sequence int, now time.Time, rounds plan) (string, error) {
	fields := map[string]any{}
	for name, value := range m.fields {
		fields[name] = value
	}
	fields["id"], fields["draw"], fields["table"], fields["at"] = id, draw, "latency", clock(now)
	if _, has := fields["sequence"]; has {
		fields["sequence"] = sequence
	}
	if _, has := fields["closed_at"]; has {
		fields["closed_at"] = clock(now)
	}
	if _, has := fields["opens_at"]; has {
		fields["opens_at"], fields["closes_at"] = clock(rounds[m.Round].opens), clock(rounds[m.Round].closes)
	}
	if _, has := fields["rounds"]; has { // later ones are announced when they open
		fields["rounds"] = []any{map[string]any{"round": 1, "opens_at": clock(rounds[1].opens), "closes_at": clock(rounds[1].closes)}}
	}
	text, err := json.Marshal(fields)
	return string(text), err
}

func clock(at time.Time) string { return instant.Format(settlement.Instant(at.UnixMilli())) }
