// Package entry is what the public log says of a draw: its leaves. Four kinds
// tell a draw's whole story: it was opened, its betting rounds were closed, it
// came to a state (a result, a correction, a cancellation, an order), and the
// bets were settled under that state.
//
// An entry is JSON of one spelling: the members in a fixed order, the schema
// version first, no spaces, nothing that is empty. Parse reads an entry and
// refuses any other spelling, so that two programs that agree on what an entry
// says agree on its bytes, and so on its hash. docs/archive-entries.md shows each
// kind, entry.schema.json describes them for machines.
//
// Entries are public for ever. They hold no personal data and no free text: what
// people wrote is there as a hash, lists that could grow are there as a hash and
// a count, and what belongs to a bookmaker as a salted commitment.
package entry

import (
	"errors"
	"fmt"
	"strings"

	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// Schema is the version of the format.
const Schema = 1

// MaxBytes is the most that an entry has: tlog-tiles writes its length in 16
// bits.
const MaxBytes = 1<<16 - 1

// maxFacts is the most that an entry shows of facts, in bytes; larger ones are
// there as a hash. No game comes near it unless a wheel is spun a thousand times.
const maxFacts = 48 << 10

// Kind is what an entry is about.
type Kind string

// The kinds, in the order in which a draw gets them.
const (
	KindOpening    Kind = "opening"
	KindClosings   Kind = "closings"
	KindState      Kind = "state"
	KindSettlement Kind = "settlement"
)

// ID identifies an entry: a log has at most one of each.
type ID struct {
	Draw  string
	Kind  Kind
	State int // 0 for an opening
}

// Key returns the part of an ID after the draw, such as state#000002.
func (id ID) Key() string {
	if id.Kind == KindOpening {
		return string(KindOpening)
	}
	return fmt.Sprintf("%s#%06d", id.Kind, id.State)
}

// String names the entry for people.
func (id ID) String() string {
	if id.Kind == KindOpening {
		return "the opening of draw " + id.Draw
	}
	return fmt.Sprintf("the %s of draw %s, state %d", id.Kind, id.Draw, id.State)
}

// Entry is one of *Opening, *Closings, *State and *Settlement.
type Entry interface {
	ID() ID
	// Append appends the entry's one spelling.
	Append(dst []byte) []byte
}

var (
	_ Entry = (*Opening)(nil)
	_ Entry = (*Closings)(nil)
	_ Entry = (*State)(nil)
	_ Entry = (*Settlement)(nil)
)

// ErrTooLarge says that an entry has more bytes than a leaf may have.
var ErrTooLarge = errors.New("an entry has at most 65,535 bytes")

// Encode returns an entry's bytes, after reading them back: what can't be read is
// never logged.
func Encode(e Entry) ([]byte, error) {
	data := e.Append(nil)
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("writing %s: %w, this one %d", e.ID(), ErrTooLarge, len(data))
	}
	if _, err := Parse(data); err != nil {
		return nil, fmt.Errorf("writing %s: %w", e.ID(), err)
	}
	if s, is := e.(*Settlement); is && s.Impossible() != "" {
		return nil, fmt.Errorf("writing %s: it %s", e.ID(), s.Impossible())
	}
	return data, nil
}

// List stands for a list that is not shown: how many elements it has, and the
// SHA-256 of them all. What is hashed is said where a List is used.
type List struct {
	Count  int
	SHA256 string // 64 hexadecimal digits
}

// head starts an entry with the members of all.
func head(dst []byte, kind Kind, draw, game string) strictjson.Out {
	return strictjson.Out(dst).Open().IntMember("schema", Schema).TextMember("entry", string(kind)).
		TextMember("draw", draw).TextMember("game", game)
}

func optionalText(out strictjson.Out, name, value string) strictjson.Out {
	if value == "" {
		return out
	}
	return out.TextMember(name, value)
}

func optionalList(out strictjson.Out, name string, list *List) strictjson.Out {
	if list == nil {
		return out
	}
	return out.Name(name).Open().IntMember("count", list.Count).TextMember("sha256", list.SHA256).Close()
}

func timeMember(out strictjson.Out, name string, at settlement.Instant) strictjson.Out {
	return out.TextMember(name, formatTime(at))
}

// Note is a text that people wrote. A code of Codes is shown, any other text is
// there as its SHA-256: whoever has the text can show that it is the one.
type Note struct {
	Code   string
	SHA256 string
}

// Codes are the reasons of corrections that are shown as they are. A studio may
// write any other text.
var Codes = []string{"video_review", "scanner_error", "data_entry_error", "equipment_error", "presenter_error", "dealer_error", "rules_review"}

// NoteOf returns the note of a text.
func NoteOf(text string) Note {
	for _, code := range Codes {
		if text == code {
			return Note{Code: code}
		}
	}
	return Note{SHA256: HashOf(text)}
}

func (n Note) append(out strictjson.Out, name string) strictjson.Out {
	return optionalText(optionalText(out, name, n.Code), name+"_sha256", n.SHA256)
}

// isHash reports whether a text is a SHA-256 in lower-case hexadecimal digits.
func isHash(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}
