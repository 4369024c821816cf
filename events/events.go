// Package events holds sample studio messages and operator orders for every game
// and every kind of message, with bets that match them. The
// tests check them, and they are the events that a function is invoked with by
// hand. README.md explains the files.
package events

import (
	"embed"
	"fmt"
	"path"

	"github.com/go-json-experiment/json"

	"tally/lib/draw/instant"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
)

//go:embed */*.json
var files embed.FS

// betsName is the one file of a game that holds no message.
const betsName = "bets.json"

// File is one message as it is sent.
type File struct {
	Name string // such as 06-draw.resulted.json
	Body []byte
}

// Messages returns a game's messages in the order they are sent.
func Messages(game *rules.Game) ([]File, error) {
	entries, err := files.ReadDir(game.ID)
	if err != nil {
		return nil, fmt.Errorf("listing the events of %s: %w", game.ID, err)
	}
	var messages []File
	for _, entry := range entries {
		if entry.Name() == betsName {
			continue
		}
		body, err := files.ReadFile(path.Join(game.ID, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading an event: %w", err)
		}
		messages = append(messages, File{Name: entry.Name(), Body: body})
	}
	return messages, nil
}

// AcceptedBet is an accepted bet on one of the draws.
type AcceptedBet struct {
	Draw     string
	Currency money.Currency
	settlement.Bet
}

// betFile is a bet as bets.json has it.
type betFile struct {
	Draw        string `json:"draw"`
	Bet         string `json:"bet"`
	Bookmaker   string `json:"bookmaker"`
	Shop        string `json:"shop"`
	Round       int    `json:"round"`
	AcceptedAt  string `json:"accepted_at"`
	CancelledAt string `json:"cancelled_at"`
	Selection   string `json:"selection"`
	Odds        string `json:"odds"`
	Stake       string `json:"stake"`
	Currency    string `json:"currency"`
	Rounding    string `json:"rounding"`
	Base        string `json:"base"`
}

// Bets returns the bets on a game's draws in the order of the file.
func Bets(game *rules.Game) ([]*AcceptedBet, error) {
	body, err := files.ReadFile(path.Join(game.ID, betsName))
	if err != nil {
		return nil, fmt.Errorf("reading the bets of %s: %w", game.ID, err)
	}
	var written []betFile
	if err := json.Unmarshal(body, &written, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("reading the bets of %s: %w", game.ID, err)
	}
	type key struct{ draw, bookmaker, reference string }
	placed := map[key]*AcceptedBet{}
	var bets []*AcceptedBet
	for _, w := range written {
		bet, err := w.read(game)
		if err != nil {
			return nil, fmt.Errorf("bet %s of draw %s: %w", w.Bet, w.Draw, err)
		}
		if w.Base != "" {
			base, ok := placed[key{draw: w.Draw, bookmaker: w.Bookmaker, reference: w.Base}]
			if !ok {
				return nil, fmt.Errorf("bet %s of draw %s: its base %s is not before it", w.Bet, w.Draw, w.Base)
			}
			bet.Base = &base.Bet
		}
		placed[key{draw: w.Draw, bookmaker: w.Bookmaker, reference: w.Bet}] = bet
		bets = append(bets, bet)
	}
	return bets, nil
}

// read turns a bet as written into one that can be settled.
func (w betFile) read(game *rules.Game) (*AcceptedBet, error) {
	bet := &AcceptedBet{Draw: w.Draw}
	bet.Reference, bet.Bookmaker, bet.Shop, bet.Round = w.Bet, w.Bookmaker, w.Shop, w.Round
	var err error
	if bet.Selection, err = game.Parse(w.Selection); err != nil {
		return nil, err
	}
	var ok bool
	if bet.Currency, ok = money.ParseActive(w.Currency); !ok {
		return nil, fmt.Errorf("no currency %q", w.Currency)
	}
	if bet.Stake, err = money.ParseStake(w.Stake, bet.Currency); err != nil {
		return nil, fmt.Errorf("stake %q: %w", w.Stake, err)
	}
	if (w.Odds == "") != game.Paytable() {
		return nil, fmt.Errorf("odds %q: a bet carries odds exactly where no paytable gives them", w.Odds)
	}
	if w.Odds != "" {
		if bet.Odds, err = money.ParseOdds(w.Odds); err != nil {
			return nil, fmt.Errorf("odds %q: %w", w.Odds, err)
		}
	}
	if w.Rounding != "" {
		if bet.Rounding, ok = money.ParseRounding(w.Rounding); !ok {
			return nil, fmt.Errorf("no rounding %q", w.Rounding)
		}
	}
	if bet.AcceptedAt, ok = instant.Parse(w.AcceptedAt); !ok {
		return nil, fmt.Errorf("accepted_at %q is no time", w.AcceptedAt)
	}
	if w.CancelledAt != "" {
		if bet.CancelledAt, ok = instant.Parse(w.CancelledAt); !ok {
			return nil, fmt.Errorf("cancelled_at %q is no time", w.CancelledAt)
		}
	}
	return bet, nil
}
