package files

import (
	"encoding/json"
	"fmt"

	"tally/lib/archive/entry"
	"tally/lib/site/history"
	"tally/lib/site/pages"
)

// Schema is the version of the files' formats.
const Schema = 1

// Place says where a draw is to be found. It never changes.
type Place struct {
	Schema  int    `json:"schema"`
	Draw    string `json:"draw"`
	Game    string `json:"game"`
	Day     string `json:"day"`
	Opening int64  `json:"opening"` // the index of its first entry
}

// PlaceOf returns the place of a draw.
func PlaceOf(d *history.Draw) Place {
	return Place{Schema: Schema, Draw: d.Opening.Draw, Game: d.Opening.Game, Day: d.Day(), Opening: d.Leaves[0].Index}
}

// History is all that the log says of a draw.
type History struct {
	Schema  int         `json:"schema"`
	Row     history.Row `json:"row"`
	Entries []Entry     `json:"entries"`
	States  []StateLink `json:"states"`
}

// Entry is an entry with its place in the log.
type Entry struct {
	Index int64           `json:"index"`
	Entry json.RawMessage `json:"entry"`
}

// StateLink names the files of a state, beside the history.
type StateLink struct {
	State int    `json:"state"`
	Entry string `json:"entry"`
	Proof string `json:"proof"`
}

// Draw returns the history of a draw as a file.
func Draw(d *history.Draw) (pages.File, error) {
	o := d.Opening
	h := History{Schema: Schema, Row: d.Row(), States: []StateLink{}}
	for _, leaf := range d.Leaves {
		h.Entries = append(h.Entries, Entry{Index: leaf.Index, Entry: leaf.Data})
		if s, is := leaf.Entry.(*entry.State); is {
			name := fmt.Sprintf("%s.%d", o.Draw, s.State)
			h.States = append(h.States, StateLink{State: s.State, Entry: name + ".json", Proof: name + proofEnd})
		}
	}
	return encode(DrawPath(o.Game, d.Day(), o.Draw), h)
}

// PlaceFile returns the place of a draw as a file.
func PlaceFile(d *history.Draw) (pages.File, error) {
	f, err := encode(PlacePath(d.Opening.Draw), PlaceOf(d))
	f.Immutable = true
	return f, err
}

// State returns the entry of a state as a file: its own bytes, so that their hash
// is the one in the tree.
func State(d *history.Draw, leaf history.Leaf) pages.File {
	o := d.Opening
	path := StatePath(o.Game, d.Day(), o.Draw, leaf.Entry.ID().State)
	return pages.File{Path: path, Data: leaf.Data, ContentType: ContentType(path), Immutable: true}
}

// Proof returns the proof of a state's entry as a file. There are many right
// proofs of one entry, one under each later checkpoint.
func Proof(d *history.Draw, leaf history.Leaf, proof []byte) pages.File {
	o := d.Opening
	path := ProofPath(o.Game, d.Day(), o.Draw, leaf.Entry.ID().State)
	return pages.File{Path: path, Data: proof, ContentType: ContentType(path)}
}

// encode returns a value as a JSON file of one line.
func encode(path string, value any) (pages.File, error) {
	text, err := compact(value)
	if err != nil {
		return pages.File{}, fmt.Errorf("writing %s: %w", path, err)
	}
	return pages.File{Path: path, Data: text, ContentType: ContentType(path)}, nil
}
