package reconcile

import (
	"context"
	"fmt"
	"log/slog"

	"tally/lib/draw/instant"
	"tally/lib/pipeline/tables"
)

// silentTables counts the tables that should have been heard of and were not.
func (c *Cursor) silentTables(ctx context.Context) error {
	if c.SilentTables == nil {
		return nil
	}
	list, err := tables.List(ctx, c.Table)
	if err != nil {
		return fmt.Errorf("looking for silent tables: %w", err)
	}
	silent, now := 0, c.Now()
	for _, s := range list {
		if s.Silent(now) {
			silent++
			c.Log.LogAttrs(ctx, slog.LevelWarn, "table is silent", slog.String("table", s.Table), slog.String("heard_at", instant.Format(s.HeardAt)))
		}
	}
	c.SilentTables(silent)
	return nil
}
