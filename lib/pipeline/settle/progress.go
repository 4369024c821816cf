package settle

import (
	"bytes"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"fmt"
	"hash"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// progress is what a partition has come to so far. It is kept with each page, so
// that a retry goes on after the last one without computing it again.
type progress struct {
	Bets    int               `json:"bets"`
	Lines   int               `json:"lines"` // reported
	Pages   int               `json:"pages"`
	Last    string            `json:"last,omitempty"`   // sort key of the last record accounted for
	Totals  settlement.Totals `json:"totals"`           // of all bets under the new state
	Before  settlement.Totals `json:"before,omitempty"` // and under the base
	Moved   settlement.Moved  `json:"moved,omitempty"`  // where a limit is set for it
	Digest  digest            `json:"digest"`           // over all absolute lines under the new state
	Base    digest            `json:"base"`             // and under the base
	Refunds int               `json:"refunds,omitempty"`
}

// digest is a SHA-256 under way; its JSON is its state.
type digest struct{ hash hash.Hash }

func newDigest() digest { return digest{hash: sha256.New()} }

func (d digest) write(line []byte) { _, _ = d.hash.Write(line) } // a hash never fails

// String returns the digest of what was written so far.
func (d digest) String() string { return hex.EncodeToString(d.hash.Sum(nil)) }

// MarshalText returns the state to go on from.
func (d digest) MarshalText() ([]byte, error) {
	state, err := d.hash.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("keeping a digest: %w", err)
	}
	return []byte(hex.EncodeToString(state)), nil
}

// UnmarshalText goes on from a state.
func (d *digest) UnmarshalText(text []byte) error {
	state, err := hex.DecodeString(string(text))
	if err != nil {
		return fmt.Errorf("taking up a digest: %w", err)
	}
	*d = newDigest()
	if err := d.hash.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		return fmt.Errorf("taking up a digest: %w", err)
	}
	return nil
}

// appendLine appends the absolute line of a bet, without the state that it was
// computed under: the same settlement has the same line whichever state it is
// computed from again.
func appendLine(dst []byte, b *settlement.Bet, s settlement.BetResult) strictjson.Out {
	out := strictjson.Out(dst).Open().TextMember("bet", b.Reference)
	if b.Wager != "" {
		out = out.TextMember("wager", b.Wager)
	}
	out = out.TextMember("status", s.Result.String())
	out = append(money.AppendAmount(append(out.Name("stake"), '"'), b.Stake, b.Currency), '"')
	out = append(money.AppendAmount(append(out.Name("payout"), '"'), s.Payout, b.Currency), '"')
	out = out.TextMember("currency", b.Currency.Code())
	if s.Reason != "" {
		out = out.TextMember("reason", s.Reason)
	}
	if s.Rule != "" {
		out = out.TextMember("rule", s.Rule)
	}
	return out.Close()
}

// appendReported appends the line as it is reported: with its state and, after
// the first, the state that it replaces.
func appendReported(dst, absolute []byte, state, replaces int) []byte {
	out := strictjson.Out(append(dst, absolute[:len(absolute)-1]...)).IntMember("state", state)
	if replaces > 0 {
		out = out.IntMember("replaces", replaces)
	}
	return append(out.Close(), '\n')
}

// absoluteOf returns the absolute line of a reported one.
func absoluteOf(reported []byte) []byte {
	end := max(0, bytes.LastIndex(reported, []byte(`,"state":`)))
	return append(reported[:end:end], '}')
}
