package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive"
	"tally/lib/archive/commitment"
	"tally/lib/archive/disclosure"
	"tally/lib/archive/entry"
	"tally/lib/archive/sequencer"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// manyBookmakers settles a draw with a bet of each of so many bookmakers, and returns it
// as it is stored.
func manyBookmakers(t *testing.T, bookmakers int) *fakedynamo.DB {
	t.Helper()
	const noon settlement.Instant = 1_795_953_600_000
	db := fakedynamo.New(t, "table")
	table := store.New(db, "table")
	now := noon
	clock := func() settlement.Instant { return now }
	quiet := slog.New(slog.DiscardHandler)
	in := &intake.Intake{Table: table, Replies: discard{}, Sweeps: discard{}, Archive: discard{}, Record: discard{}, Now: clock, Log: quiet, Settings: draw.Settings{Shards: 1}}
	say := func(fields string) {
		body := `{"schema":1,"id":"m","game":"roulette","table":"rou-1","draw":"d","at":"2026-11-30T12:00:00.000Z",` + fields + `}`
		if err := in.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: now}); err != nil {
			t.Fatal(err)
		}
	}
	say(fmt.Sprintf(`"type":"draw.opened","sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(noon), instant.Format(noon+60_000)))
	for i := range bookmakers {
		name := bookmaker(i)
		if err := table.Put(t.Context(), store.Item{PK: store.DrawKey("d"), SK: store.PartKey(name)}); err != nil {
			t.Fatal(err)
		}
		bet := store.StoredBet{SK: store.BetKey("b1"), Selection: "red", Stake: 1000, Currency: "EUR", AcceptedAt: noon + 1000, Round: 1}
		if _, err := table.CreateBet(t.Context(), store.BetsKey("d", name, 0), bet); err != nil {
			t.Fatal(err)
		}
	}
	now = noon + 70_000
	say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":34}]}`)
	now = noon + 90_000
	settler := &settle.Settler{Table: table, Archive: discard{}, Record: discard{}, Now: clock, Log: quiet, Parallel: 1}
	if err := settler.Handle(t.Context(), "d"); err != nil {
		t.Fatal(err)
	}
	return db
}

func bookmaker(i int) string { return fmt.Sprintf("bookmaker-with-a-long-name-%04d", i) }

var settled = wire.Append{Draw: "d", What: wire.AppendSettlement, State: 1}

// archiver archives a draw of many bookmakers, in parts of so many.
func archiver(db *fakedynamo.DB, to archive.Appender, part int) *archive.Archive {
	return &archive.Archive{Table: store.New(db, "table"), To: to, ShowTotals: true, Random: rand.NewChaCha8([32]byte{1}), PartBookmakers: part,
		Record: discard{}, Log: slog.New(slog.DiscardHandler)}
}

// checkLogged holds the settlement that was logged to the reports of the bookmakers: each can
// prove its own by its disclosure.
func checkLogged(t *testing.T, db *fakedynamo.DB, to *memory, bookmakers, step int) {
	t.Helper()
	table := store.New(db, "table")
	at := slices.IndexFunc(to.leaves, func(leaf sequencer.Leaf) bool { return strings.Contains(string(leaf.Data), `"entry":"settlement"`) })
	if at < 0 {
		t.Fatal("no settlement is logged")
	}
	e, err := entry.Parse(to.leaves[at].Data)
	if err != nil {
		t.Fatal(err)
	}
	logged := e.(*entry.Settlement)
	if logged.Bookmakers.Count != bookmakers || logged.Totals[0].Bets != bookmakers {
		t.Errorf("the log says %+v", logged)
	}
	for i := 0; i < bookmakers; i += step {
		d, err := disclosure.Load(t.Context(), table, "d", 1, bookmaker(i))
		if err != nil {
			t.Fatalf("%s: %v", bookmaker(i), err)
		}
		var lines [][]byte
		for page, err := range record.Report(t.Context(), table, store.ReportKey("d", 1, bookmaker(i), 0), 1) {
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, bytes.TrimSuffix(page, []byte("\n")))
		}
		if err := d.Check(logged, lines); err != nil {
			t.Errorf("%s: %v", bookmaker(i), err)
		}
	}
	if _, err := disclosure.Load(t.Context(), table, "d", 1, "nobody"); !errors.Is(err, commitment.ErrUnknown) {
		t.Errorf("nobody gets %v", err)
	}
	expected, err := archive.Expected(t.Context(), table, logged.ID(), true)
	if err != nil || !bytes.Equal(expected, to.leaves[at].Data) {
		t.Errorf("the monitor expects %s, %v", expected, err)
	}
}

// A message makes some parts, and the next ones go on; until all are made the settlement
// is not logged, nor disclosed; what came before it is.
func TestPartsByMessages(t *testing.T) {
	const bookmakers, part = 50, 2 // 25 parts, 8 of them by a message
	db, to := manyBookmakers(t, bookmakers), &memory{}
	for range 3 {
		if err := archiver(db, to, part).Handle(t.Context(), settled); !errors.Is(err, archive.ErrMore) {
			t.Fatalf("got %v", err)
		}
		if _, err := disclosure.Load(t.Context(), store.New(db, "table"), "d", 1, bookmaker(0)); !errors.Is(err, disclosure.ErrNotLogged) {
			t.Errorf("a bookmaker gets %v", err)
		}
		if n := len(to.leaves); n != 3 || strings.Contains(string(to.leaves[n-1].Data), `"entry":"settlement"`) {
			t.Errorf("logged are %s", to.leaves)
		}
		if data, err := archive.Expected(t.Context(), store.New(db, "table"), entry.ID{Draw: "d", Kind: entry.KindSettlement, State: 1}, true); data != nil || err != nil {
			t.Errorf("the monitor expects %s, %v", data, err)
		}
	}
	// By a program that would make parts of other sizes.
	if err := archiver(db, to, 1000).Handle(t.Context(), settled); err != nil {
		t.Fatal(err)
	}
	checkLogged(t, db, to, bookmakers, 1)
}

// Each write of the parts fails in each way, once or for good, and another message goes on:
// the log gets one settlement, which every bookmaker can prove.
func TestEveryPartFails(t *testing.T) {
	const bookmakers, part = 7, 2 // a list and four parts
	for write := range 5 {
		for _, verdict := range []fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailAfter, fakedynamo.FailLate, fakedynamo.SendTwice} {
			t.Run(fmt.Sprintf("write %d %v", write, verdict), func(t *testing.T) {
				db, to := manyBookmakers(t, bookmakers), &memory{}
				writes := 0
				db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
					if !call.Write {
						return fakedynamo.Proceed
					}
					if writes++; writes-1 == write {
						return verdict
					}
					return fakedynamo.Proceed
				}
				a := archiver(db, to, part)
				err := a.Handle(t.Context(), settled)
				db.Intercept = nil
				if (err == nil) != (verdict == fakedynamo.SendTwice) {
					t.Errorf("got %v", err)
				}
				if err != nil {
					a.Random = rand.NewChaCha8([32]byte{2}) // another process
					if err := a.Handle(t.Context(), settled); err != nil {
						t.Fatal(err)
					}
				}
				db.Land()
				checkLogged(t, db, to, bookmakers, 1)
			})
		}
	}
}

// Two messages make the parts at once: both come to the same.
func TestPartsAtOnce(t *testing.T) {
	const bookmakers, part = 7, 2
	for write := range 5 {
		db, first, second := manyBookmakers(t, bookmakers), &memory{}, &memory{}
		writes := 0
		db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if !call.Write {
				return fakedynamo.Proceed
			}
			if writes++; writes-1 == write {
				other := archiver(db, second, part)
				other.Random = rand.NewChaCha8([32]byte{2})
				if err := other.Handle(t.Context(), settled); err != nil {
					t.Error(err)
				}
			}
			return fakedynamo.Proceed
		}
		if err := archiver(db, first, part).Handle(t.Context(), settled); err != nil {
			t.Fatal(err)
		}
		db.Intercept = nil
		checkLogged(t, db, first, bookmakers, 1)
		checkLogged(t, db, second, bookmakers, 1)
	}
}
