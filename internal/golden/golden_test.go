package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/duequeue"
	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive"
	"tally/lib/archive/entry"
	"tally/lib/archive/tiles"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/disputes"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/quarantine"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
	"tally/lib/pipeline/webhook"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
	"tally/lib/strictjson"
)

type sender func(body string) error

func (s sender) Send(_ context.Context, body string, _ time.Duration) error { return s(body) }

// dropped takes what nobody waits for.
type dropped struct{}

func (dropped) Send(context.Context, string, time.Duration) error { return nil }
func (dropped) Quarantined(string)                                {}
func (dropped) Stored(string, time.Duration, string)              {}
func (dropped) Settled(string, int, int, bool, time.Duration)     {}
func (dropped) Mismatch(string)                                   {}
func (dropped) Accepted(string)                                   {}
func (dropped) Unlooked(string)                                   {}
func (dropped) Refused(string, string)                            {}
func (dropped) Denied(string)                                     {}
func (dropped) Failed(string)                                     {}
func (dropped) Stuck(string, string)                              {}
func (dropped) LateRecords(string, int)                           {}
func (dropped) Behind(int)                                        {}
func (dropped) Depth(string, int)                                 {}
func (dropped) Waiting(string)                                    {}
func (dropped) InQuarantine(int)                                  {}
func (dropped) Depths(context.Context) (map[string]int, error)    { return nil, nil }

// versions are the folders of what was stored.
func versions(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob("testdata/*/items.jsonl")
	if err != nil || len(folders) == 0 {
		t.Fatalf("nothing is recorded, %v", err)
	}
	return folders
}

// What earlier versions have stored is read by today's readers, and says what it said.
func TestStoredIsRead(t *testing.T) {
	for _, path := range versions(t) {
		folder := filepath.Dir(path)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			items, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			db, files := load(t, items), map[string]fakeobjects.Object{}
			if again := dump(t, db); !bytes.Equal(again, items) {
				t.Error("the items are not what is recorded")
			}
			root := filepath.Join(folder, "log")
			err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				name, _ := filepath.Rel(root, path)
				data, err := os.ReadFile(path)
				files[filepath.ToSlash(name)] = fakeobjects.Object{Data: data}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(folder, "want.txt"))
			if err != nil {
				t.Fatal(err)
			}
			got := read(t, db, files)
			for i, line := range strings.Split(got, "\n") {
				if lines := strings.Split(string(want), "\n"); i >= len(lines) || lines[i] != line {
					t.Fatalf("line %d is read as\n%s\ninstead of\n%s", i+1, line, lines[min(i, len(lines)-1)])
				}
			}
			if got != string(want) {
				t.Errorf("%d bytes are read instead of %d", len(got), len(want))
			}
			resettled(t, db)
		})
	}
}

// read reads everything that is stored by today's readers, and says what it came to.
func read(t *testing.T, db *fakedynamo.DB, files map[string]fakeobjects.Object) string {
	t.Helper()
	var out strings.Builder
	r := &reading{T: t, table: store.New(db, "tally"), out: &out}
	for _, pk := range db.Partitions() {
		if id, is := strings.CutPrefix(pk, "DRAW#"); is {
			r.drawOf(id)
		}
	}
	r.bookmakerOf("acme")
	r.log(files)
	return out.String()
}

type reading struct {
	*testing.T
	table *store.Table
	out   *strings.Builder
}

func (r *reading) say(format string, args ...any) { _, _ = fmt.Fprintf(r.out, format+"\n", args...) }

func (r *reading) check(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// later is a time at which everything recorded is over, and nothing has expired.
func later() settlement.Instant { return noon + 30*24*3_600_000 }

func (r *reading) drawOf(id string) {
	r.Helper()
	head, _, err := record.LoadHead(r.Context(), r.table, id)
	r.check(err)
	game, err := head.Rules()
	r.check(err)
	settler := settler(r.table)
	status, err := settler.Status(r.Context(), id)
	r.check(err)
	r.say("draw %s of %s %d: revision %d, state %d, swept %t, held %t, strays %d, last closing %s", id, game.ID, game.Version, head.Revision,
		status.State, status.Settled, status.Quarantined, len(head.MismatchedOrders()), instant.Format(head.LastClosing()))
	audited, err := settler.Audit(r.Context(), id, wire.Look{}, settle.Position{})
	r.check(err)
	r.say("  missed %d", len(audited.Missed))
	for _, bookmaker := range []string{"acme", "borealis"} {
		r.accounts(id, bookmaker, head.Shards)
	}
	for state := range head.State {
		for _, kind := range []entry.Kind{entry.KindState, entry.KindSettlement} {
			data, err := archive.Expected(r.Context(), r.table, entry.ID{Draw: id, Kind: kind, State: state + 1}, true)
			r.check(err)
			r.say("  logged %s", data)
		}
	}
}

func (r *reading) accounts(id, bookmaker string, shards int) {
	r.Helper()
	d, err := record.Open(r.Context(), r.table, id)
	r.check(err)
	history, err := settle.LoadHistory(r.Context(), d, bookmaker)
	r.check(err)
	for shard := range shards {
		var records []store.StoredBet
		for record, err := range r.table.Bets(r.Context(), store.BetsKey(id, bookmaker, shard), "") {
			r.check(err)
			records = append(records, record)
		}
		accounts, err := history.Accounts(records)
		r.check(err)
		for _, account := range accounts {
			lines, err := json.Marshal(account.Lines)
			r.check(err)
			r.say("  %s %s", bookmaker, lines)
		}
	}
	state, byCurrency, err := record.Totals(r.Context(), r.table, id, bookmaker)
	r.check(err)
	totals, err := json.Marshal(byCurrency)
	r.check(err)
	r.say("  %s under state %d: %s", bookmaker, state, totals)
}

func (r *reading) bookmakerOf(bookmaker string) {
	r.Helper()
	made := &keys.Registry{Table: r.table, Now: later}
	settings, err := made.Settings(r.Context(), bookmaker)
	r.check(err)
	terms, err := settings.Terms()
	r.check(err)
	r.say("settings {%v %v}", terms.Rounding, terms.MaxStake)
	listed, err := made.List(r.Context(), bookmaker)
	r.check(err)
	for _, key := range listed {
		r.say("key %v %s", key.Scopes, key.State(later()))
	}
	hooks, err := (&webhook.Store{Table: r.table, Now: later}).List(r.Context(), bookmaker)
	r.check(err)
	for _, hook := range hooks {
		r.say("webhook %s", hook.State())
	}
	list, _, err := disputes.List(r.Context(), r.table, bookmaker, store.DisputeKey(""), store.DisputeKey("~"), 100)
	r.check(err)
	for _, d := range list {
		r.say("dispute %s of %s %s", d.ID, d.Draw, d.Status)
	}
	for m, err := range (&quarantine.Quarantine{Table: r.table}).Days(r.Context(), time.UnixMilli(int64(noon)).Add(3*24*time.Hour), 5) {
		r.check(err)
		r.say("quarantined %s of %s: %s", m.Type, m.Draw, m.Faults[0].Code)
	}
	feed, err := settle.ReadFeed(r.Context(), r.table, bookmaker)
	r.check(err)
	r.say("feed of %d", feed.Newest)
	token, _, err := r.table.Get(r.Context(), "GOLDEN", "TOKEN")
	r.check(err)
	for _, path := range []string{"/v1/draws/rou-1.7", "/v1/draws/rou-1.7/bets", "/v1/draws/rou-1.7/bets/b0", "/v1/draws/rou-1.7/totals", "/v1/feed?after=0",
		"/v1/feed/position", "/v1/totals?period=2026-11-30", "/v1/totals?period=2026-12-01", "/v1/settings", "/v1/disputes"} {
		if status, said := answer(r.T, r.table, later, token.Body, http.MethodGet, path, ""); status != http.StatusOK {
			r.Errorf("GET %s: %d %s", path, status, said)
		}
	}
}

func (r *reading) log(files map[string]fakeobjects.Object) {
	r.Helper()
	var names []string
	for name := range files {
		if strings.HasPrefix(name, "tile/entries/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		width := tiles.Width
		if at := strings.Index(name, ".p/"); at >= 0 {
			_, err := fmt.Sscan(name[at+3:], &width)
			r.check(err)
		}
		list, err := tiles.Entries(files[name].Data, width)
		if err != nil {
			r.Fatalf("%s: %v", name, err)
		}
		for _, data := range list {
			e, err := entry.Parse(data)
			if err != nil {
				r.Fatalf("%s: %v", data, err)
			}
			switch e := e.(type) {
			case *entry.Opening:
				err = e.Resolve()
			case *entry.Closings:
				err = e.Resolve(new(strictjson.Document))
			case *entry.State:
				err = e.Resolve(new(strictjson.Document))
			}
			if err != nil {
				r.Errorf("%s: %v", data, err)
			}
			r.say("entry %s", e.ID())
		}
	}
}

func settler(table *store.Table) *settle.Settler {
	return &settle.Settler{Table: table, Archive: dropped{}, Record: dropped{}, Now: later, Log: slog.New(slog.DiscardHandler), PageLines: 4}
}

// resettled corrects a draw that was settled by an earlier version: its settlements come
// to the same again, and are replaced. Reconcile looks at all draws without a fault.
func resettled(t *testing.T, db *fakedynamo.DB) {
	t.Helper()
	table := store.New(db, "tally")
	now := func() settlement.Instant { return later() }
	in := &intake.Intake{Table: table, Replies: dropped{}, Sweeps: dropped{}, Archive: dropped{}, Record: dropped{}, Settings: draw.Settings{}, Now: now, Log: slog.New(slog.DiscardHandler)}
	body := `{"schema":1,"id":"m","game":"roulette","table":"rou-1","draw":"rou-1.7","at":"2026-11-30T12:00:00.000Z","type":"draw.resulted","revision":3,"facts":{"spins":[{"revolutions":5,"pocket":17}]},"correction":{"reason":"video_review"}}`
	if err := in.Handle(t.Context(), intake.Delivery{Body: []byte(body), SentAt: later(), From: intake.Studio}); err != nil {
		t.Fatal(err)
	}
	if err := settler(table).Handle(t.Context(), "rou-1.7"); err != nil {
		t.Fatalf("the correction of a draw that was settled by an earlier version: %v", err)
	}
	queue := duequeue.Queue{}
	cursor := &reconcile.Cursor{Table: table, Looks: &queue, Depths: dropped{}, Record: dropped{}, Now: now, Log: slog.New(slog.DiscardHandler)}
	look := &reconcile.Reconciler{Table: table, Intake: in, Settler: settler(table), Sweeps: dropped{}, Studio: dropped{}, Record: stuck{T: t},
		Log: slog.New(slog.DiscardHandler), Now: now, ResultWithin: time.Hour}
	for range 60 { // of three hours each
		if err := cursor.Run(t.Context()); err != nil && !strings.Contains(err.Error(), "no look was sent yet") {
			t.Fatal(err)
		}
		if err := queue.Work(t.Context(), look); err != nil {
			t.Fatal(err)
		}
	}
	if queue.Sent < 3 {
		t.Errorf("%d draws were looked at, want at least those of three states", queue.Sent)
	}
}

// stuck says what reconcile finds of a draw.
type stuck struct {
	*testing.T
	dropped
}

func (s stuck) Mismatch(game string)           { s.Errorf("a draw of %s does not match", game) }
func (s stuck) LateRecords(game string, _ int) { s.Errorf("bets of %s were missed", game) }
