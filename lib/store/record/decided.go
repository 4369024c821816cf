package record

import (
	"encoding/json"
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

func (d decided) digest(hash string) string {
	return wire.HashOf(fmt.Sprintf("%s %d %s", hash, d.Version, store.Encode(d.Marks)))
}

// Decided is what is kept beside a message; empty where it is not dear.
func Decided(m *wire.Message) string {
	if !m.Game.Enumerates || m.Visible == nil {
		return ""
	}
	d := decided{Version: m.Game.Version, Marks: map[string]string{}}
	for selection, mark := range m.Decided {
		d.Marks[m.Game.Text(selection)] = mark.String()
	}
	d.Digest = d.digest(m.Hash())
	return store.Encode(d)
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
	if d.digest(item.Hash) != d.Digest || d.Version != game.Version {
		return nil, fmt.Errorf("it is not what was stored with the message under version %d of %s", game.Version, game.ID)
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
