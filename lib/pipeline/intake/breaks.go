package intake

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"tally/lib/draw"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

const (
	// longestBreak is how many draws of a table in a row may be cancelled; one more is
	// worth an operator's notice.
	longestBreak = 5
	heldEnds     = 4 * longestBreak
)

// Ends are what the newest draws of a table came to, in the order in which they open:
// messages come in any order, and again.
type Ends []End

// End is what one draw came to.
type End struct {
	Draw      string             `json:"draw"`
	OpensAt   settlement.Instant `json:"opens_at"`
	Cancelled bool               `json:"cancelled,omitempty"`
}

func byOpening(a, b End) int {
	return cmp.Or(cmp.Compare(a.OpensAt, b.OpensAt), cmp.Compare(a.Draw, b.Draw))
}

// Add returns the draws with what one of them came to, and how many in a row are
// cancelled with it: 0 where it changes nothing, or has a result.
func (e Ends) Add(end End) (next Ends, row int) {
	if slices.Contains(e, end) || len(e) == heldEnds && byOpening(end, e[0]) < 0 {
		return e, 0
	}
	next = slices.DeleteFunc(slices.Clone(e), func(held End) bool { return held.Draw == end.Draw })
	at, _ := slices.BinarySearchFunc(next, end, byOpening)
	next = slices.Insert(next, at, end)
	from, to := at, at
	for from >= 0 && next[from].Cancelled {
		from--
	}
	for to < len(next) && next[to].Cancelled {
		to++
	}
	return next[max(0, len(next)-heldEnds):], max(0, to-from-1)
}

// Ended keeps what a draw came to by the revision that holds, and tells of a cancellation
// that makes a longer row than the rulebook allows for. It never fails what it follows:
// the draw is stored, and settled whatever its table does.
func (in *Intake) Ended(ctx context.Context, head *draw.Head, cancelled bool) {
	within, cancel := context.WithTimeout(ctx, StoreWithin)
	defer cancel()
	end := End{Draw: head.Draw, OpensAt: head.ResultAt, Cancelled: cancelled}
	if first, known := head.Round(1); known && first.OpensAt != 0 {
		end.OpensAt = first.OpensAt
	}
	row := 0 // of the try before, which may have succeeded though its answer was lost
	var err error
	for try := range maxTries {
		if row, err = in.addEnd(within, head, end, row); err == nil || store.Pause(within, try) != nil {
			break
		}
	}
	switch {
	case err != nil:
		in.Log.LogAttrs(ctx, slog.LevelError, "end of a draw not kept: a long row of cancelled draws may be missed",
			slog.String("table", head.Table), slog.String("draw", head.Draw), slog.Any("error", err))
	case row > longestBreak:
		if in.CancelledInARow != nil {
			in.CancelledInARow(head.Game)
		}
		in.Log.LogAttrs(ctx, slog.LevelWarn, "draws of a table are cancelled in a row", slog.String("table", head.Table),
			slog.String("draw", head.Draw), slog.Int("row", row))
	}
}

// addEnd adds what a draw came to by compare-and-swap.
func (in *Intake) addEnd(ctx context.Context, head *draw.Head, end End, tried int) (row int, err error) {
	held, item, err := store.Read[Ends](ctx, in.Table, store.TableKey(head.Table), store.CancelledKey)
	if err != nil {
		return tried, err
	}
	next, row := held.Add(end)
	if slices.Equal(next, held) {
		return tried, nil
	}
	return row, in.Table.Replace(ctx, store.Item{PK: store.TableKey(head.Table), SK: store.CancelledKey, Body: store.Encode(next),
		Version: item.Version + 1, ExpiresAt: max(head.RetainUntil, item.ExpiresAt)})
}
