package entry

import (
	"fmt"

	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// Settlement says that all bets on a draw were settled under a state.
type Settlement struct {
	Draw     string
	Game     string
	State    int
	Replaces int // the state settled before; 0 for none. States between were never settled
	// Totals are those of all bets on the draw, by currency, unless the operator
	// keeps them back.
	Totals     settlement.Totals
	ShowTotals bool
	// Bookmakers commits to what was reported to each bookmaker: see lib/archive/commitment.
	Bookmakers Commitments
}

// Commitments are the bookmakers' commitments in short.
type Commitments struct {
	Count int
	Root  string // Merkle root (RFC 6962) over the commitments, 64 hexadecimal digits
}

// ID returns what the entry is about.
func (s *Settlement) ID() ID { return ID{Draw: s.Draw, Kind: KindSettlement, State: s.State} }

// Append appends the entry.
func (s *Settlement) Append(dst []byte) []byte {
	out := head(dst, KindSettlement, s.Draw, s.Game).IntMember("state", s.State)
	if s.Replaces > 0 {
		out = out.IntMember("replaces", s.Replaces)
	}
	if s.ShowTotals {
		out = AppendTotals(out.Name("totals"), s.Totals)
	}
	return out.Name("bookmakers").Open().IntMember("count", s.Bookmakers.Count).TextMember("root", s.Bookmakers.Root).Close().Close()
}

// Impossible says why no bets can come to the totals; empty where some can. A refund is
// the stake, a bet that is lost pays nothing, and every bet has a stake.
func (s *Settlement) Impossible() string {
	for _, t := range s.Totals {
		paid, code := t.Payout.Compare(t.Stake), t.Currency.Code()
		nothing := t.Payout == money.Sum{}
		switch {
		case t.Bets != t.Won+t.Lost+t.Refunded:
			return fmt.Sprintf("has %d bets in %s, but %d settled", t.Bets, code, t.Won+t.Lost+t.Refunded)
		case t.Stake == money.Sum{}:
			return fmt.Sprintf("has %d bets in %s without a stake", t.Bets, code)
		case t.Won > 0:
		case t.Refunded == 0 && !nothing:
			return fmt.Sprintf("pays something for the lost bets in %s, none of which won or was refunded", code)
		case t.Lost == 0 && paid != 0:
			return fmt.Sprintf("pays something else than the stakes of the refunded bets in %s", code)
		case t.Refunded > 0 && t.Lost > 0 && (paid >= 0 || nothing):
			return fmt.Sprintf("pays for bets in %s, none of which won, what refunds can't come to", code)
		}
	}
	return ""
}

// AppendTotals appends totals by currency, in the format of `tally settle`.
func AppendTotals(out strictjson.Out, byCurrency settlement.Totals) strictjson.Out {
	out = out.Open()
	for i := range byCurrency {
		t := &byCurrency[i]
		out = out.Name(t.Currency.Code()).Open().IntMember("bets", t.Bets)
		out = append(t.Stake.AppendTo(append(out.Name("stake"), '"'), t.Currency), '"')
		out = append(t.Payout.AppendTo(append(out.Name("payout"), '"'), t.Currency), '"')
		out = out.IntMember("won", t.Won).IntMember("lost", t.Lost).IntMember("refunded", t.Refunded).Close()
	}
	return out.Close()
}
