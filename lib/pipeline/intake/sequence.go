package intake

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// What an operator should know of a table's running numbers.
const (
	SequenceRepeated  = "repeated"  // two draws have one number
	SequenceSkipped   = "skipped"   // numbers are missing, though later ones have come
	SequenceRestarted = "restarted" // the table counts from a lower number again
)

// The numbers that are held of a table.
const (
	heldNumbers = 8 // that came last
	// lateBy is how many higher numbers have to be there before one counts as missing, and
	// how many lower ones have to come in a row for a table to count anew: a queue does
	// not keep the order of messages.
	lateBy = 3
)

// Numbers are a table's running numbers that came last, in the order in which they came.
type Numbers []Numbered

// Numbered is the running number of a draw.
type Numbered struct {
	Sequence int64  `json:"n"`
	Draw     string `json:"draw"`
}

// First returns the draw that had a number before another did, empty for none.
func (n Numbers) First(arrived Numbered) string {
	for _, held := range n {
		if held.Sequence == arrived.Sequence {
			if held.Draw == arrived.Draw {
				break // what follows came after it
			}
			return held.Draw
		}
	}
	return ""
}

// Add returns the numbers with one more, and what an operator should know of it: empty
// for nothing. One that is held changes nothing.
func (n Numbers) Add(arrived Numbered) (Numbers, string) {
	if slices.Contains(n, arrived) {
		return n, ""
	}
	next := append(slices.Clone(n), arrived)
	next = next[max(0, len(next)-heldNumbers):]
	if before, newest := next[:max(0, len(next)-lateBy)], next[max(0, len(next)-lateBy):]; len(before) > 0 && newest.highest() < before.lowest() {
		return newest, SequenceRestarted
	}
	switch {
	case n.First(arrived) != "":
		return next, SequenceRepeated
	case next.missing(arrived.Sequence):
		return next, SequenceSkipped
	}
	return next, ""
}

func (n Numbers) highest() int64 { return slices.MaxFunc(n, bySequence).Sequence }
func (n Numbers) lowest() int64  { return slices.MinFunc(n, bySequence).Sequence }

func bySequence(a, b Numbered) int { return cmp.Compare(a.Sequence, b.Sequence) }

// missing reports whether numbers are missing for sure since the newest arrived: those
// right below the highest three, of which the newest is one. So each is missed once.
func (n Numbers) missing(newest int64) bool {
	var sorted []int64
	for _, held := range n {
		sorted = append(sorted, held.Sequence)
	}
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	third := len(sorted) - lateBy
	return third > 0 && newest >= sorted[third] && sorted[third]-sorted[third-1] > 1
}

// number keeps the running number of a draw that was opened, and returns which other
// draw of the table had it before. It raises what is wrong with it, and never fails the
// message: the draw is stored, and whatever its number is its bets are settled.
func (in *Intake) number(ctx context.Context, m *wire.Message, head *draw.Head, replay bool) (other string) {
	ctx, cancel := context.WithTimeout(ctx, StoreWithin)
	defer cancel()
	arrived := Numbered{Sequence: m.Sequence, Draw: m.Draw}
	var err error
	concern := "" // of the try before, which may have succeeded though its answer was lost
	for try := range maxTries {
		if other, concern, err = in.addNumber(ctx, m.Table, arrived, head.RetainUntil, replay, concern); err == nil {
			in.outOfSequence(ctx, m, concern, other)
			return other
		}
		if !errors.Is(err, store.ErrChanged) && try > 0 || store.Pause(ctx, try) != nil {
			break
		}
	}
	in.Log.LogAttrs(ctx, slog.LevelError, "running number not kept: it may be missed", slog.String("table", m.Table),
		slog.Int64("sequence", m.Sequence), slog.String("draw", m.Draw), slog.Any("error", err))
	return ""
}

func (in *Intake) outOfSequence(ctx context.Context, m *wire.Message, concern, other string) {
	if concern == "" {
		return
	}
	if in.OutOfSequence != nil {
		in.OutOfSequence(concern)
	}
	in.Log.LogAttrs(ctx, slog.LevelWarn, "running numbers of a table are out of order", slog.String("concern", concern), slog.String("table", m.Table),
		slog.Int64("sequence", m.Sequence), slog.String("draw", m.Draw), slog.String("other_draw", other))
}

// addNumber adds a number to those of its table by compare-and-swap.
func (in *Intake) addNumber(ctx context.Context, table string, arrived Numbered, expires settlement.Instant, replay bool, tried string) (other, concern string, err error) {
	held, item, err := store.Read[Numbers](ctx, in.Table, store.TableKey(table), store.SequenceKey)
	if err != nil {
		return "", tried, err
	}
	other = held.First(arrived)
	if slices.Contains(held, arrived) {
		return other, tried, nil
	}
	if replay && len(held) > 0 && arrived.Sequence < held.lowest() {
		return other, "", nil // it comes again long after: no number that the table has now
	}
	next, concern := held.Add(arrived)
	return other, concern, in.Table.Replace(ctx, store.Item{PK: store.TableKey(table), SK: store.SequenceKey, Body: store.Encode(next),
		Version: item.Version + 1, ExpiresAt: max(expires, item.ExpiresAt)})
}
