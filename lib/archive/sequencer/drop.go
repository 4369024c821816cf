package sequencer

import (
	"context"
	"log/slog"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/tiles"
)

// drop takes away what has passed now that the public tree has grown from one size to
// another. What can't be dropped stays, and harms nobody.
func (l *Log) drop(ctx context.Context, from, to int64) {
	folders := passed(from, to)
	err := parallel(ctx, len(folders), func(ctx context.Context, i int) error { return l.Objects.Drop(ctx, folders[i]) })
	if err != nil {
		l.Log.LogAttrs(ctx, slog.LevelWarn, "parts of tiles that are whole stay", slog.String("log", l.Origin), slog.String("reason", err.Error()))
	}
}

// passed returns the folders with the parts of the tiles and bundles that are whole when a
// tree has grown from one size to another, but for the last: who reads by a checkpoint of a
// moment ago still finds its files. Whoever reads by an older one takes the whole file.
func passed(from, to int64) (folders []string) {
	for level := 0; to >= 2*tiles.Width; level, from, to = level+1, from>>tiles.Height, to>>tiles.Height {
		for n := max(0, from/tiles.Width-1); n < to/tiles.Width-1; n++ {
			folders = append(folders, tiles.Path(tlog.Tile{H: tiles.Height, L: level, N: n, W: tiles.Width})+".p")
			if level == 0 {
				folders = append(folders, tiles.EntriesPath(n, tiles.Width)+".p")
			}
		}
	}
	return folders
}
