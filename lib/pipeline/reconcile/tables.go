package reconcile

import (
	"context"
	"fmt"
	"log/slog"

	"tally/lib/draw/instant"
	"tally/lib/pipeline/tables"
)

// silentTables counts the tables that should have been heard of and were not.
func (r *Reconciler) silentTables(ctx context.Context) error {
	if r.SilentTables == nil {
		return nil
	}
	list, err := tables.List(ctx, r.Table)
	if err != nil {
		return fmt.Errorf("looking for silent tables: %w", err)
	}
	silent, now := 0, r.Now()
	for _, s := range list {
		if s.Silent(now) {
			silent++
			r.Log.LogAttrs(ctx, slog.LevelWarn, "table is silent", slog.String("table", s.Table), slog.String("heard_at", instant.Format(s.HeardAt)))
		}
	}
	r.SilentTables(silent)
	return nil
}
