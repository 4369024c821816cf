package archive_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// A draw that never gets an outcome is in the log, from its opening on, and has its
// opening there once.
func TestOpeningWithoutOutcome(t *testing.T) {
	const noon settlement.Instant = 1_795_953_600_000
	table := store.New(fakedynamo.New(t, "table"), "table")
	quiet := slog.New(slog.DiscardHandler)
	in := &intake.Intake{Table: table, Replies: discard{}, Sweeps: discard{}, Archive: discard{}, Record: discard{}, Now: func() settlement.Instant { return noon }, Log: quiet}
	body := fmt.Sprintf(`{"schema":1,"id":"m","game":"roulette","table":"rou-1","draw":"d","at":%q,"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]}`,
		instant.Format(noon), instant.Format(noon), instant.Format(noon+60_000))
	if err := in.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: noon}); err != nil {
		t.Fatal(err)
	}
	to := &memory{}
	a := &archive.Archive{Table: table, To: to, Random: rand.Reader, Record: discard{}, Log: quiet}
	for range 2 {
		if err := a.Handle(t.Context(), wire.Append{Draw: "d", What: wire.AppendOpening}); err != nil {
			t.Errorf("it is not archived: %v", err)
		}
	}
	if len(to.leaves) != 1 || !strings.Contains(string(to.leaves[0].Data), `"entry":"opening"`) {
		t.Errorf("the log has %s", to.leaves)
	}
}

// A try of a settlement run that was given up, or came second, has left pages behind those of
// DONE. What is committed to is what was reported to the bookmaker.
func TestPagesLeftBehind(t *testing.T) {
	game, _ := games.Find("roulette")
	archived := func(leave func(s *archivetest.Sample)) []byte {
		s := archivetest.New(t)
		s.Play(game)
		leave(s)
		s.ArchiveAll()
		return entriesOf(t, s)
	}
	want := archived(func(*archivetest.Sample) {})
	left := 0
	got := archived(func(s *archivetest.Sample) {
		for _, last := range s.Told {
			if last.What != wire.AppendSettlement {
				continue
			}
			head, _, err := record.LoadHead(t.Context(), s.Table, last.Draw)
			if err != nil {
				t.Fatal(err)
			}
			for _, bookmaker := range []string{"acme", "borealis"} {
				for shard := range head.Shards {
					left += leavePage(t, s.Table, head, last.State, bookmaker, shard)
				}
			}
		}
	})
	if left == 0 || !bytes.Equal(got, want) {
		t.Errorf("with %d pages left behind the log has\n%s\nnot\n%s", left, got, want)
	}
}

// leavePage puts the first page of a report once more behind its last, and returns how
// many pages that were.
func leavePage(t *testing.T, table *store.Table, head *draw.Head, state int, bookmaker string, shard int) int {
	t.Helper()
	item, found, err := table.Get(t.Context(), store.DrawKey(head.Draw), store.DoneKey(state, bookmaker, shard))
	if err != nil {
		t.Fatal(err)
	}
	page, paged, err := table.Get(t.Context(), store.ReportKey(head.Draw, state, bookmaker, shard), store.PageKey(1))
	if err != nil {
		t.Fatal(err)
	}
	if !found || !paged {
		return 0
	}
	done, err := store.Decode[record.Done](item)
	if err != nil {
		t.Fatal(err)
	}
	page.SK = store.PageKey(done.Pages + 1)
	if err := table.Create(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	return 1
}
