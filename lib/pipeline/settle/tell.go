package settle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"tally/lib/draw/instant"
	"tally/lib/draw/report"
	"tally/lib/pipeline/tables"
	"tally/lib/store"
	"tally/lib/store/record"
)

// Tell tells the bookmakers with bets on a draw, in their feeds, how its table stands, each
// of them once for each change. A draw that has a result is over for its table, and is not
// told of.
func (s *Settler) Tell(ctx context.Context, id, table string) error {
	d, err := record.Load(ctx, s.Table, id)
	if err != nil || !d.Opened() || d.Head.Table != table || d.Head.ResultAt != 0 {
		return err
	}
	state, _, err := tables.Read(ctx, s.Table, table)
	if err != nil || state.ChangedAt == 0 {
		return err
	}
	entry := report.Entry{Draw: id, Game: d.Game.ID, At: s.Now(),
		Table: &report.TableNews{Table: table, Status: state.Status(), Reason: state.Reason, Since: instant.Format(state.ChangedAt)}}
	for _, bookmaker := range d.Bookmakers() {
		told := store.Item{PK: store.TableKey(table), SK: store.ToldKey(state.ChangedAt, bookmaker), ExpiresAt: d.Head.RetainUntil}
		if err := s.tell(ctx, bookmaker, entry, told); err != nil {
			return fmt.Errorf("telling %s of table %s: %w", bookmaker, table, err)
		}
	}
	return nil
}

// tell appends an entry to a bookmaker's feed together with its marker. Before that
// transaction there is neither, after it both; where the marker is there, it was told.
func (s *Settler) tell(ctx context.Context, bookmaker string, entry report.Entry, told store.Item) error {
	for attempt := range maxFeedTries {
		_, already, err := s.Table.Get(ctx, told.PK, told.SK)
		if err != nil || already {
			return err
		}
		pushed, err := s.append(ctx, bookmaker, entry, told)
		if err == nil {
			s.Log.LogAttrs(ctx, slog.LevelInfo, "bookmaker told of a table", slog.String("table", entry.Table.Table), slog.String("status", entry.Table.Status),
				slog.String("bookmaker", bookmaker))
			if pushed {
				s.push(ctx, bookmaker)
			}
			return nil
		}
		if !errors.Is(err, store.ErrChanged) {
			return err
		}
		if err := store.Pause(ctx, attempt); err != nil {
			return err
		}
	}
	return fmt.Errorf("its feed's next number was taken %d times", maxFeedTries)
}
