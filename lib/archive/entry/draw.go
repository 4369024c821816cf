package entry

import (
	"crypto/sha256"
	"encoding/hex"

	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
)

func formatTime(at settlement.Instant) string { return instant.Format(at) }

// HashOf returns the SHA-256 of a text in hexadecimal digits.
func HashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Opening says that a draw was opened, and with which number of its table: a
// table's numbers run on, so a draw that is kept back leaves a gap.
type Opening struct {
	Draw     string
	Game     string
	Table    string
	Sequence int64
	StoredAt settlement.Instant // when tally stored it
	Rounds   []Planned
	// Odds are the odds of the first betting round, if the studio sent them along:
	// the entries of the board, and the SHA-256 of its canonical JSON (RFC 8785).
	Odds *List
	// Message is the SHA-256 of the studio's message as canonical JSON (RFC 8785),
	// without its id and time.
	Message string
}

// Planned is a betting round as the studio planned it.
type Planned struct {
	Round    int
	OpensAt  settlement.Instant
	ClosesAt settlement.Instant
}

// ID returns what the entry is about.
func (o *Opening) ID() ID { return ID{Draw: o.Draw, Kind: KindOpening} }

// Append appends the entry.
func (o *Opening) Append(dst []byte) []byte {
	out := head(dst, KindOpening, o.Draw, o.Game).TextMember("table", o.Table).IntMember("sequence", int(o.Sequence))
	out = timeMember(out, "stored_at", o.StoredAt).Name("rounds").OpenList()
	for _, r := range o.Rounds {
		out = out.Open().IntMember("round", r.Round)
		out = timeMember(timeMember(out, "opens_at", r.OpensAt), "closes_at", r.ClosesAt).Close()
	}
	return optionalList(out.CloseList(), "odds", o.Odds).TextMember("message", o.Message).Close()
}

// Closings says from when to when each betting round took bets, for good. There
// is one for the first state of a draw, and one for each later state that knows
// of another betting round.
type Closings struct {
	Draw   string
	Game   string
	State  int
	Rounds []Closed
}

// Closed is a betting round whose closing can't change any more.
type Closed struct {
	Round   int
	OpensAt settlement.Instant
	Closing settlement.Instant // bets accepted from OpensAt on and before Closing count
	// Selections are what the studio closed within the round, by name.
	Selections []Stopped
	Odds       *List // as in Opening
	// Visible are the cards that lay open when the round opened, as canonical JSON
	// (RFC 8785); empty for none.
	Visible []byte
}

// Stopped is a selection, or a family with :*, that took no bets any more from Closing
// on, though its betting round did.
type Stopped struct {
	Selection string
	Closing   settlement.Instant
}

// ID returns what the entry is about.
func (c *Closings) ID() ID { return ID{Draw: c.Draw, Kind: KindClosings, State: c.State} }

// Append appends the entry.
func (c *Closings) Append(dst []byte) []byte {
	out := head(dst, KindClosings, c.Draw, c.Game).IntMember("state", c.State).Name("rounds").OpenList()
	for _, r := range c.Rounds {
		out = timeMember(timeMember(out.Open().IntMember("round", r.Round), "opens_at", r.OpensAt), "closing", r.Closing)
		if len(r.Selections) > 0 {
			out = out.Name("selections").OpenList()
			for _, s := range r.Selections {
				out = timeMember(out.Open().TextMember("selection", s.Selection), "closing", s.Closing).Close()
			}
			out = out.CloseList()
		}
		out = optionalList(out, "odds", r.Odds)
		if len(r.Visible) > 0 {
			out = out.Name("visible").Raw(r.Visible)
		}
		out = out.Close()
	}
	return out.CloseList().Close()
}
