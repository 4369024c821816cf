package wire

import (
	"encoding/json"
	"fmt"

	"tally/lib/strictjson"
)

// The statuses of a reply.
const (
	Stored      = "stored"
	Replay      = "replay"
	Quarantined = "quarantined"
)

// Reply is the studio's answer to one message: what became of it, and what holds of
// its draw now.
type Reply struct {
	ID       string    `json:"id"`
	Draw     string    `json:"draw"`
	Status   string    `json:"status"`
	Errors   []Fault   `json:"errors,omitempty"`
	Type     Type      `json:"type,omitempty"`
	Table    string    `json:"table,omitempty"`
	Round    int       `json:"round,omitempty"`
	Revision int       `json:"revision,omitempty"`
	Order    string    `json:"order,omitempty"`
	Outcome  *Outcome  `json:"outcome,omitempty"`  // of a result or a cancellation
	Closings []Closing `json:"closings,omitempty"` // those that took effect
	Message  string    `json:"message,omitempty"`  // what it comes to and what holds instead, for people
	Note     string    `json:"note,omitempty"`     // what the draw lacks, or has twice
	// Odds is what a look at the message's odds board came to.
	Odds  *OddsCheck `json:"odds,omitempty"`
	Holds *Holds     `json:"holds,omitempty"` // instead of what the message says
}

// Outcome is what a result comes to.
type Outcome struct {
	Status  string          `json:"status"` // resolved, void or cancelled
	Outcome json.RawMessage `json:"outcome,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Rule    string          `json:"rule,omitempty"`
}

// Closing is from when on a betting round, or selections in it, take no bets, and why.
type Closing struct {
	Round      int      `json:"round"`
	Selections []string `json:"selections,omitempty"`
	Closing    string   `json:"closing"`
	Because    string   `json:"because"`
	Message    string   `json:"message,omitempty"` // where it is not what the studio said
}

// Holds is what holds instead of a message: the one that is stored under its identity,
// or a higher revision.
type Holds struct {
	ID       string `json:"id,omitempty"`
	Type     Type   `json:"type,omitempty"`
	Revision int    `json:"revision,omitempty"`
}

// OutcomeOf returns what a result or a cancellation comes to, nil for other messages.
func OutcomeOf(m *Message) *Outcome {
	switch {
	case m.Type == DrawCancelled:
		return &Outcome{Status: "cancelled", Reason: m.Reason, Rule: m.Game.CancelRule}
	case m.Type != DrawResulted:
		return nil
	case m.Resolution.Void.Reason != "":
		return &Outcome{Status: "void", Reason: m.Resolution.Void.Reason, Rule: m.Resolution.Void.Rule}
	}
	return &Outcome{Status: "resolved", Outcome: json.RawMessage(m.Resolution.Outcome.AppendJSON(strictjson.Out(nil)))}
}

// inWords says what holds.
func (h *Holds) inWords() string {
	switch {
	case h == nil:
		return ""
	case h.Revision > 0 && h.ID != "":
		return fmt.Sprintf("revision %d holds, as message %s has it", h.Revision, h.ID)
	case h.Revision > 0:
		return fmt.Sprintf("revision %d holds", h.Revision)
	case h.ID != "":
		return fmt.Sprintf("message %s holds", h.ID)
	}
	return "what is stored holds" // by an earlier version, which gave it no id that is one now
}

// Say makes the reply's message of what a result comes to, empty for none, and of what
// holds instead.
func (r *Reply) Say(outcome string) {
	r.Message = outcome
	if r.Holds != nil && outcome != "" {
		r.Message += ". But "
	}
	r.Message += r.Holds.inWords()
}

// JSON returns the reply's text.
func (r Reply) JSON() (string, error) {
	text, err := json.Marshal(r)
	return string(text), err
}
