package entry

import (
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// Status is how a draw stands under a state.
type Status string

// The statuses.
const (
	Resolved  Status = "resolved"  // the facts have an outcome
	Void      Status = "void"      // the facts make the draw void by the rules
	Cancelled Status = "cancelled" // the studio cancelled it, or no result came in time
)

// State says what holds about a draw from now on: what was seen, what the rules
// make of it, and which orders void bets. A later state replaces it; both stay.
type State struct {
	Draw     string
	Game     string
	State    int
	Replaces int // the state before; 0 for none
	MadeAt   settlement.Instant
	// Catalogue is the version of the game's rules that resolved the facts.
	Catalogue int
	// Revision is the studio's number of the result or cancellation that holds; 0
	// for tally's own cancellation of a draw without a result.
	Revision int
	Status   Status
	// Facts are what was seen on the table, as canonical JSON (RFC 8785); of a
	// resolved or void draw.
	Facts []byte
	// FactsSHA256 is their hash where they are too large to be shown.
	FactsSHA256 string
	Outcome     []byte // of a resolved draw, as `tally resolve` writes it
	Reason      string // a code; of a void or cancelled draw
	Rule        string // the paragraph; of a void or cancelled draw
	// Correction says why a result or cancellation was corrected; nil where nothing
	// says it.
	Correction *Correction
	// Video is where the studio says that its recording is; nil for none.
	Video *Recording
	// Orders are the orders to void bets that hold, nil for none. Hashed is a line
	// for each, in the order of their ids: the id, a space, the SHA-256 of the
	// order's message as in Message, a line feed.
	Orders *List
	// Message is the SHA-256 of the studio's message, as in Opening; empty for
	// tally's own cancellation.
	Message string
}

// Correction is why a draw was corrected.
type Correction struct {
	Reason Note
	Note   Note
}

// ID returns what the entry is about.
func (s *State) ID() ID { return ID{Draw: s.Draw, Kind: KindState, State: s.State} }

// ShowFacts puts canonical facts into the entry, or their hash.
func (s *State) ShowFacts(facts []byte) {
	if len(facts) > maxFacts {
		s.FactsSHA256 = HashOf(string(facts))
		return
	}
	s.Facts = facts
}

// Append appends the entry.
func (s *State) Append(dst []byte) []byte {
	out := head(dst, KindState, s.Draw, s.Game).IntMember("state", s.State)
	if s.Replaces > 0 {
		out = out.IntMember("replaces", s.Replaces)
	}
	out = timeMember(out, "made_at", s.MadeAt).IntMember("catalogue", s.Catalogue).IntMember("revision", s.Revision).
		TextMember("status", string(s.Status))
	if len(s.Facts) > 0 {
		out = out.Name("facts").Raw(s.Facts)
	}
	out = optionalText(out, "facts_sha256", s.FactsSHA256)
	if len(s.Outcome) > 0 {
		out = out.Name("outcome").Raw(s.Outcome)
	}
	out = optionalText(optionalText(out, "reason", s.Reason), "rule", s.Rule)
	if s.Correction != nil {
		out = s.Correction.append(out)
	}
	out = s.Video.append(out)
	return optionalText(optionalList(out, "orders", s.Orders), "message", s.Message).Close()
}

func (c *Correction) append(out strictjson.Out) strictjson.Out {
	return c.Note.append(c.Reason.append(out.Name("correction").Open(), "reason"), "note").Close()
}
