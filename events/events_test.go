package events

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

// A file's name: its place, the type, and what is special about it.
var fileName = regexp.MustCompile(`^(\d\d)-([a-z]+\.[a-z]+)(?:\.(round-(\d)(?:\.selections)?|impossible|void|correction))?\.json$`)

// history is one game's messages, read.
type story struct {
	game     *rules.Game
	messages []*wire.Message // without the impossible ones
	details  []string        // of each message's name
	refused  [][]wire.Fault  // of the impossible ones
}

func read(t *testing.T, game *rules.Game) story {
	t.Helper()
	files, err := Messages(game)
	if err != nil {
		t.Fatal(err)
	}
	s := story{game: game}
	for i, file := range files {
		name := fileName.FindStringSubmatch(file.Name)
		if name == nil || name[1] != fmt.Sprintf("%02d", i+1) {
			t.Fatalf("%s: not the name of message %d", file.Name, i+1)
		}
		message, partial, faults := wire.Parse(file.Body)
		if string(partial.Type) != name[2] {
			t.Errorf("%s: the type is %s", file.Name, partial.Type)
		}
		if impossible := name[3] == "impossible"; impossible != (len(faults) > 0) {
			t.Fatalf("%s: faults %v", file.Name, faults)
		}
		if len(faults) > 0 {
			s.refused = append(s.refused, faults)
			continue
		}
		if message.Game != game {
			t.Errorf("%s: the game is %s", file.Name, message.Game.ID)
		}
		if strings.HasSuffix(name[3], ".selections") != (len(message.Selections) > 0) {
			t.Errorf("%s: it closes the selections %q", file.Name, message.Selections)
		}
		if round := name[4]; round != "" && round != fmt.Sprint(message.Round) {
			t.Errorf("%s: the betting round is %d", file.Name, message.Round)
		}
		s.messages, s.details = append(s.messages, message), append(s.details, name[3])
	}
	return s
}

func each(t *testing.T, check func(*testing.T, story)) {
	for _, game := range games.All() {
		t.Run(game.ID, func(t *testing.T) { check(t, read(t, game)) })
	}
}

func TestEveryKindOfMessage(t *testing.T) {
	each(t, func(t *testing.T, s story) {
		seen := map[string]bool{}
		for _, m := range s.messages {
			seen[string(m.Type)] = true
			switch {
			case len(m.Selections) > 0:
				seen["closed selections"] = true
			case m.Type == wire.BettingOpened, m.Type == wire.BettingClosed:
				seen[fmt.Sprintf("%s of round %d", m.Type, m.Round)] = true
			case m.Type == wire.DrawResulted && m.Revision > 1:
				seen["correction"] = true
			}
		}
		want := []string{"draw.opened", "draw.resulted", "correction", "draw.cancelled", "bets.voided", "order.revoked"}
		for _, round := range s.game.Rounds {
			want = append(want, fmt.Sprintf("betting.opened of round %d", round.Number), fmt.Sprintf("betting.closed of round %d", round.Number))
		}
		if s.game.ID == "blackjack" {
			want = append(want, "closed selections") // side wagers end before their round does
		}
		for _, kind := range want {
			t.Run(kind, func(t *testing.T) {
				if !seen[kind] {
					t.Errorf("no %s", kind)
				}
			})
		}
	})
}

func TestImpossibleMessages(t *testing.T) {
	refused := 0
	for _, game := range games.All() {
		refused += len(read(t, game).refused)
	}
	if refused == 0 {
		t.Error("no message is impossible")
	}
}

func TestMessagesInOrder(t *testing.T) {
	ids := map[string]bool{}
	each(t, func(t *testing.T, s story) {
		sequence := map[string]int64{}
		identities := map[string]bool{}
		for i, m := range s.messages {
			if ids[m.ID] {
				t.Errorf("%s has the id of another message", m.ID)
			}
			ids[m.ID] = true
			if i > 0 && m.At < s.messages[i-1].At {
				t.Errorf("%s %s is sent before the message in front of it", m.Draw, m.Type)
			}
			identity := fmt.Sprint(m.Draw, m.Type, m.Revision, m.Round, m.Selections, m.Order)
			if identities[identity] {
				t.Errorf("%s %s is there twice", m.Draw, m.Type)
			}
			identities[identity] = true
			if m.Type != wire.DrawOpened {
				continue
			}
			if last := sequence[m.Table]; last != 0 && m.Sequence != last+1 {
				t.Errorf("table %s: draw %d follows draw %d", m.Table, m.Sequence, last)
			}
			sequence[m.Table] = m.Sequence
		}
	})
}

func TestResults(t *testing.T) {
	each(t, func(t *testing.T, s story) {
		before := map[string]string{}
		for i, m := range s.messages {
			if m.Type != wire.DrawResulted {
				continue
			}
			if isVoid := m.Resolution.Void.Reason != ""; isVoid != (s.details[i] == "void") {
				t.Errorf("%s revision %d: void is %v, named %q", m.Draw, m.Revision, isVoid, s.details[i])
			}
			if corrects := m.Revision > 1; corrects != (s.details[i] == "correction") {
				t.Errorf("%s revision %d is named %q", m.Draw, m.Revision, s.details[i])
			}
			if s.details[i] == "void" {
				continue
			}
			outcome := string(m.Resolution.Outcome.AppendJSON(nil))
			if before[m.Draw] == outcome {
				t.Errorf("%s revision %d corrects nothing", m.Draw, m.Revision)
			}
			before[m.Draw] = outcome
		}
	})
}

// boards returns the odds boards by draw and betting round.
func (s story) boards() map[string]wire.OddsBoard {
	boards := map[string]wire.OddsBoard{}
	for _, m := range s.messages {
		switch {
		case m.Board == nil:
		case m.Type == wire.DrawOpened:
			boards[m.Draw+"/1"] = m.Board
		default:
			boards[fmt.Sprintf("%s/%d", m.Draw, m.Round)] = m.Board
		}
	}
	return boards
}

// A board that wire has read names existing selections and groups only, with
// well-formed odds; here: it says win and lose where the visible cards do.
func TestBoards(t *testing.T) {
	each(t, func(t *testing.T, s story) {
		boards := s.boards()
		for _, m := range s.messages {
			if m.Type != wire.BettingOpened {
				continue
			}
			board, there := boards[fmt.Sprintf("%s/%d", m.Draw, m.Round)]
			if there == s.game.Paytable() {
				t.Errorf("%s round %d: there is a board: %v", m.Draw, m.Round, there)
			}
			for name, entry := range board {
				selection, err := s.game.Parse(name)
				if err != nil { // a group
					if entry.Mark != rules.Open {
						t.Errorf("%s round %d: %s is decided as a group", m.Draw, m.Round, name)
					}
					continue
				}
				if entry.Mark != m.Decided[selection] {
					t.Errorf("%s round %d: %s is %v on the board, %v by the cards", m.Draw, m.Round, name, entry.Mark, m.Decided[selection])
				}
			}
		}
	})
}

func TestBets(t *testing.T) {
	each(t, func(t *testing.T, s story) {
		bets, err := Bets(s.game)
		if err != nil {
			t.Fatal(err)
		}
		boards, decided, withBets := s.boards(), map[string]wire.DecidedMarks{}, map[string]bool{}
		for _, m := range s.messages {
			if m.Type == wire.BettingOpened {
				decided[fmt.Sprintf("%s/%d", m.Draw, m.Round)] = m.Decided
			}
		}
		for _, bet := range bets {
			withBets[bet.Draw] = true
			round := fmt.Sprintf("%s/%d", bet.Draw, bet.Round)
			marks, ok := decided[round]
			if !ok {
				t.Errorf("%s: bet %s is in no betting round", bet.Draw, bet.Reference)
			}
			if only := s.game.Family(bet.Selection).Round; only != 0 && only != bet.Round {
				t.Errorf("%s: bet %s is not taken in round %d", bet.Draw, bet.Reference, bet.Round)
			}
			if s.game.Paytable() || marks[bet.Selection] != rules.Open {
				continue
			}
			if entry, ok := boards[round].Entry(s.game, bet.Selection); !ok || entry.Odds != bet.Odds {
				t.Errorf("%s: bet %s has odds %v, the board %v", bet.Draw, bet.Reference, bet.Odds, entry.Odds)
			}
		}
		for _, m := range s.messages {
			if !withBets[m.Draw] {
				t.Errorf("draw %s has no bets", m.Draw)
			}
		}
	})
}

// Everything in a file is one JSON object that people can read: fields on lines
// of their own, ended by a line feed.
func TestLayout(t *testing.T) {
	for _, game := range games.All() {
		files, err := Messages(game)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			var fields map[string]any
			if err := json.Unmarshal(file.Body, &fields); err != nil {
				t.Errorf("%s/%s: %v", game.ID, file.Name, err)
			}
			if text := string(file.Body); !strings.HasPrefix(text, "{\n  \"schema\": 1,\n") || !strings.HasSuffix(text, "\n}\n") {
				t.Errorf("%s/%s: not laid out as the others", game.ID, file.Name)
			}
		}
	}
}
