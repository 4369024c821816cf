package wire

import (
	"encoding/json"
	"fmt"

	"tally/lib/draw/ids"
)

// Run asks for the newest state of a draw to be settled. It names no state:
// the newest one is what matters when the message is handled.
type Run struct {
	Draw string `json:"draw"`
	// Look asks for more: that what is settled is looked through for late records, which
	// were stored when its settlement may have read all.
	Look *Look `json:"look,omitempty"`
	// Table asks for something else: that the bookmakers with bets on the draw are told how
	// its table stands.
	Table string `json:"table,omitempty"`
}

// Look is the partition to look through; all of the draw's without a bookmaker.
type Look struct {
	Bookmaker string `json:"bookmaker,omitempty"`
	Shard     int    `json:"shard,omitempty"`
}

// The records that the archive is asked to append.
const (
	AppendOpening    = "opening"
	AppendState      = "state" // with the closings that it makes final
	AppendSettlement = "settlement"
)

// Append asks the archive to append a new record of a draw to the log. The archive appends
// whatever it lacks of that draw up to the one named, so a lost request is made
// good by the next.
type Append struct {
	Draw  string `json:"draw"`
	What  string `json:"what"`
	State int    `json:"state,omitempty"`
}

// Push asks for what a bookmaker's webhooks lack to be sent. It names no report:
// each endpoint's position in the feed says which is next.
type Push struct {
	Bookmaker string `json:"bookmaker"`
}

// Due asks for a look at a draw, by the keys of the item that says when it is due. What is to be
// looked at is in the item, as it stands when the message is handled: one that is not there any
// more was looked at, and moved.
type Due struct {
	Minute string `json:"due"`  // the item's partition
	Draw   string `json:"draw"` // its sort key: the draw, and its stage
}

// maxShard is the highest shard that a draw can have.
const maxShard = 255

// Encode returns a message between tally's own functions as text.
func Encode[T Run | Append | Push | Due](message T) string {
	text, _ := json.Marshal(message) // never fails: they are texts and numbers
	return string(text)
}

// ParseRun reads a message to settle.
func ParseRun(body string) (s Run, err error) {
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		return Run{}, fmt.Errorf("reading a message to settle: %w", err)
	}
	if !ids.Valid(s.Draw) {
		return Run{}, fmt.Errorf("reading a message to settle: %q is no draw", s.Draw)
	}
	if s.Table != "" && (!ids.Valid(s.Table) || s.Look != nil) {
		return Run{}, fmt.Errorf("reading a message to settle: %q is no table, or there is more to look at", s.Table)
	}
	if l := s.Look; l != nil && (l.Bookmaker != "" && !ids.Valid(l.Bookmaker) || l.Shard < 0 || l.Shard > maxShard || l.Bookmaker == "" && l.Shard != 0) {
		return Run{}, fmt.Errorf("reading a message to settle: %q, %d is no partition", l.Bookmaker, l.Shard)
	}
	return s, nil
}

// ParseAppend reads a message to the archive.
func ParseAppend(body string) (e Append, err error) {
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		return Append{}, fmt.Errorf("reading a message to the archive: %w", err)
	}
	known := e.What == AppendOpening && e.State == 0 || (e.What == AppendState || e.What == AppendSettlement) && e.State > 0
	if !ids.Valid(e.Draw) || !known {
		return Append{}, fmt.Errorf("reading a message to the archive: %q, %q, %d is no record of a draw", e.Draw, e.What, e.State)
	}
	return e, nil
}

// ParsePush reads a message to webhook.
func ParsePush(body string) (p Push, err error) {
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		return Push{}, fmt.Errorf("reading a message to webhook: %w", err)
	}
	if !ids.Valid(p.Bookmaker) {
		return Push{}, fmt.Errorf("reading a message to webhook: %q is no bookmaker", p.Bookmaker)
	}
	return p, nil
}

// ParseDue reads a message to look.
func ParseDue(body string) (d Due, err error) {
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		return Due{}, fmt.Errorf("reading a message to look: %w", err)
	}
	if d.Minute == "" || d.Draw == "" {
		return Due{}, fmt.Errorf("reading a message to look: %q, %q are no keys of a draw that is due", d.Minute, d.Draw)
	}
	return d, nil
}
