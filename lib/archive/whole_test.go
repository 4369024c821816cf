package archive_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive"
	"tally/lib/archive/entry"
	"tally/lib/archive/sequencer"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// discard drops what is recorded.
type discard struct{}

func (discard) Quarantined(string)                                {}
func (discard) Stored(string, time.Duration, string)              {}
func (discard) Settled(string, int, int, bool, time.Duration)     {}
func (discard) Mismatch(string)                                   {}
func (discard) Appended(string, int)                              {}
func (discard) Send(context.Context, string, time.Duration) error { return nil }

// memory is a log in memory.
type memory struct{ leaves []sequencer.Leaf }

func (m *memory) Append(_ context.Context, leaves []sequencer.Leaf) (sequencer.Appended, error) {
	m.leaves = append(m.leaves, leaves...)
	return sequencer.Appended{New: len(leaves)}, nil
}

func (m *memory) Indexes(context.Context, string) (map[string]int64, error) {
	known := map[string]int64{}
	for i, leaf := range m.leaves {
		known[leaf.Key] = int64(i)
	}
	return known, nil
}

type reading struct{}

// The archive reads a draw of more than one query page, for a message about its state,
// while settle closes its run: wherever between two pages that is, the settlement
// that comes into the log has all bets, of both bookmakers.
func TestSettledBetweenPages(t *testing.T) {
	const noon settlement.Instant = 1_795_953_600_000
	for between := 1; between <= 20; between++ {
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
		for _, bookmaker := range []string{"acme", "borealis"} {
			if err := table.Put(t.Context(), store.Item{PK: store.DrawKey("d"), SK: store.PartKey(bookmaker)}); err != nil {
				t.Fatal(err)
			}
			bet := store.StoredBet{SK: store.BetKey("b1"), Selection: "red", Stake: 1000, Currency: "EUR", AcceptedAt: noon + 1000, Round: 1}
			if _, err := table.CreateBet(t.Context(), store.BetsKey("d", bookmaker, 0), bet); err != nil {
				t.Fatal(err)
			}
		}
		now = noon + 70_000
		say(`"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":34}]}`)
		now = noon + 90_000
		db.PageBytes = 1 // stands for a draw with some hundred bookmakers, or large boards
		settler := &settle.Settler{Table: table, Archive: discard{}, Record: discard{}, Now: clock, Log: quiet, Parallel: 1}
		requests := 0
		db.Intercept = func(ctx context.Context, _ fakedynamo.Call) fakedynamo.Verdict {
			if ctx.Value(reading{}) != nil {
				if requests++; requests == between {
					if err := settler.Handle(t.Context(), "d"); err != nil {
						t.Error(err)
					}
				}
			}
			return fakedynamo.Proceed
		}
		to := &memory{}
		a := &archive.Archive{Table: table, To: to, ShowTotals: true, Random: rand.Reader, Record: discard{}, Log: quiet}
		if err := a.Handle(context.WithValue(t.Context(), reading{}, true), wire.Append{Draw: "d", What: wire.AppendState, State: 1}); err != nil {
			t.Fatal(err)
		}
		db.Intercept = nil
		if requests < between { // it had read all by then
			if between < 6 {
				t.Fatalf("it made %d requests", requests)
			}
			return
		}
		if err := a.Handle(t.Context(), wire.Append{Draw: "d", What: wire.AppendSettlement, State: 1}); err != nil {
			t.Fatal(err)
		}
		settlements := slices.DeleteFunc(to.leaves, func(leaf sequencer.Leaf) bool { return !strings.Contains(string(leaf.Data), `"entry":"settlement"`) })
		if len(settlements) != 1 || !strings.Contains(string(settlements[0].Data), `"bets":2`) {
			t.Errorf("settled before request %d, the log has %s", between, settlements)
		}
	}
}

// A settlement is logged, and held to be right, only with what the plan of its run
// says was done: neither with less nor with more. Where the plan is not kept, in items
// of earlier versions, who was notified stands for it.
func TestWholePlan(t *testing.T) {
	const id = "war-1.20261130.0512"
	pk := store.DrawKey(id)
	for _, kept := range []bool{true, false} {
		for what, tamper := range map[string]func(at *store.Table, state int) error{
			"": func(*store.Table, int) error { return nil },
			"acme shard 1 is missing": func(at *store.Table, state int) error {
				return at.Delete(t.Context(), pk, store.DoneKey(state, "acme", 1))
			},
			"acme is missing": func(at *store.Table, state int) error {
				return errors.Join(at.Delete(t.Context(), pk, store.DoneKey(state, "acme", 0)), at.Delete(t.Context(), pk, store.DoneKey(state, "acme", 1)))
			},
			"another is done": func(at *store.Table, state int) error {
				return errors.Join(at.Put(t.Context(), store.Item{PK: pk, SK: store.DoneKey(state, "zeta", 0), Body: "{}"}),
					at.Put(t.Context(), store.Item{PK: pk, SK: store.DoneKey(state, "zeta", 1), Body: "{}"}))
			},
		} {
			t.Run(fmt.Sprintf("plan kept %v, %s", kept, what), func(t *testing.T) {
				s := archivetest.New(t)
				game, _ := games.Find("war")
				s.Play(game)
				var last wire.Append
				for _, e := range s.Told {
					if e.Draw == id && e.What == wire.AppendSettlement {
						last = e // the last
					}
				}
				past := editPlan(t, s.Table, pk, kept)
				if kept != (past.Plan != nil) || kept && !slices.Equal(past.Plan, []string{"acme", "borealis"}) {
					t.Fatalf("the plan is %v", past.Plan)
				}
				if err := tamper(s.Table, last.State); err != nil {
					t.Fatal(err)
				}
				err := s.Archive.Handle(t.Context(), last)
				if (err == nil) != (what == "") {
					t.Errorf("archived: %v", err)
				}
				if what == "" {
					return
				}
				set := store.Item{PK: pk, SK: store.CommitmentKey(last.State), Body: "{}"}
				if err := s.Table.Put(t.Context(), set); err != nil {
					t.Fatal(err)
				}
				if data, err := archive.Expected(t.Context(), s.Table, entry.ID{Draw: id, Kind: entry.KindSettlement, State: last.State}, true); !errors.Is(err, archive.ErrRecords) {
					t.Errorf("expected is %s, %v", data, err)
				}
			})
		}
	}
}

// editPlan takes the plan out of a draw's SWEEP, as earlier versions stored it, unless
// it is to be kept.
func editPlan(t *testing.T, at *store.Table, pk string, kept bool) record.RunState {
	t.Helper()
	item, _, err := at.Get(t.Context(), pk, store.SweepKey)
	if err != nil {
		t.Fatal(err)
	}
	if !kept {
		var body map[string]json.RawMessage
		if err := json.Unmarshal([]byte(item.Body), &body); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(body, func(name string, _ json.RawMessage) bool { return name == "plan" })
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		item.Body = string(text)
		if err := at.Put(t.Context(), item); err != nil {
			t.Fatal(err)
		}
	}
	run, err := store.Decode[record.RunState](item)
	if err != nil {
		t.Fatal(err)
	}
	return *run
}
