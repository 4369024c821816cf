package record

import (
	"encoding/json"
	"errors"
	"fmt"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/rules"
	"tally/lib/store"
)

// decided is what the cards that lay open when a betting round opened had decided, as it
// is kept beside the message of a game that has to go through all that may still come.
type decided struct {
	Version int               `json:"version"` // of the game's rules
	Marks   map[string]string `json:"marks"`   // win or lose, by selection
	// Digest is the SHA-256 of all that and the message's hash: neither goes with another.
	Digest string `json:"digest"`
}

func (d decided) digest(hash string) (string, error) {
	marks, err := json.Marshal(d.Marks)
	return wire.HashOf(fmt.Sprintf("%s %d %s", hash, d.Version, marks)), err
}

// Decided is what is kept beside a message of that hash; empty where it is not dear.
func Decided(m *wire.Message, hash string) (string, error) {
	if !m.Game.Enumerates || m.Visible == nil {
		return "", nil
	}
	d := decided{Version: m.Game.Version, Marks: map[string]string{}}
	for selection, mark := range m.Decided {
		d.Marks[m.Game.Text(selection)] = mark.String()
	}
	var err error
	if d.Digest, err = d.digest(hash); err != nil {
		return "", fmt.Errorf("encoding what cards decide: %w", err)
	}
	text, err := json.Marshal(d)
	return string(text), err
}

// decidedOf reads what is kept beside a message; nil for nothing, as of earlier versions.
func decidedOf(item store.Item, game *rules.Game) (wire.DecidedMarks, error) {
	if item.Decided == "" {
		return nil, nil
	}
	var d decided
	if err := json.Unmarshal([]byte(item.Decided), &d); err != nil {
		return nil, err
	}
	if digest, err := d.digest(item.Hash); err != nil || digest != d.Digest || d.Version != game.Version {
		return nil, errors.Join(err, fmt.Errorf("it is not what was stored with the message under version %d of %s", game.Version, game.ID))
	}
	marks := wire.DecidedMarks{}
	for text, mark := range d.Marks {
		selection, err := game.Parse(text)
		if err != nil {
			return nil, err
		}
		if marks[selection] = rules.MarkWin; mark == rules.MarkLose.String() {
			marks[selection] = rules.MarkLose
		}
	}
	return marks, nil
}
