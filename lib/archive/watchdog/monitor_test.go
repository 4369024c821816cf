package watchdog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/watchdog"
	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/store"
)

// watch is a monitor of a sample log, and what it has told.
type watch struct {
	t      *testing.T
	s      *archivetest.Sample
	m      *watchdog.Monitor
	sent   []wire.Append
	faults []string
	lag    int
}

func (w *watch) Send(_ context.Context, body string, _ time.Duration) error {
	e, err := wire.ParseAppend(body)
	w.sent = append(w.sent, e)
	return err
}

func (w *watch) LogLag(entries int)   { w.lag = entries }
func (w *watch) LogFault(kind string) { w.faults = append(w.faults, kind) }

func watching(t *testing.T, s *archivetest.Sample) *watch {
	t.Helper()
	verifier, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{t: t, s: s}
	w.m = &watchdog.Monitor{Origin: archivetest.Origin, Table: s.Table, Files: s.Files, Known: note.VerifierList(verifier), Archive: w, Record: w, Log: slog.New(slog.DiscardHandler)}
	return w
}

// played returns the sample draws of some games, settled, with a watch.
func played(t *testing.T, ids ...string) *watch {
	t.Helper()
	s := archivetest.New(t)
	for _, id := range ids {
		game, _ := games.Find(id)
		s.Play(game)
	}
	return watching(t, s)
}

// draws returns the states of the draws that were settled.
func (w *watch) draws(entries []wire.Append) map[string]int {
	w.t.Helper()
	states := map[string]int{}
	for _, e := range entries {
		if e.What != wire.AppendSettlement {
			continue
		}
		item, _, err := w.s.Table.Get(w.t.Context(), store.DrawKey(e.Draw), store.HeadKey)
		if err != nil {
			w.t.Fatal(err)
		}
		head, err := store.Decode[draw.Head](item)
		if err != nil {
			w.t.Fatal(err)
		}
		states[e.Draw] = head.State
	}
	return states
}

// look lets the monitor look at draws, and returns how many are not as they have to
// be.
func (w *watch) look(states map[string]int) (wrong int) {
	w.t.Helper()
	w.sent, w.faults = nil, nil
	run, err := w.m.Begin(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(states)) {
		logged, err := run.Logged(w.t.Context(), id, states[id])
		if err != nil {
			w.t.Fatal(err)
		}
		if !logged {
			wrong++
		}
	}
	run.End()
	return wrong
}

// TestRepair looks at draws that the log does not have: each is sent again, and then
// it has them.
func TestRepair(t *testing.T) {
	w := played(t, "war", "poker")
	states := w.draws(w.s.Told)
	w.s.Told = nil // every message to the archive is lost
	if wrong := w.look(states); wrong != len(states) || len(w.sent) != wrong || w.lag != 2*wrong || len(w.faults) > 0 {
		t.Fatalf("%d of %d are wrong, %d sent, lag %d, %v", wrong, len(states), len(w.sent), w.lag, w.faults)
	}
	w.s.Told = w.sent
	w.s.ArchiveAll()
	for range 2 {
		if wrong := w.look(states); wrong > 0 || len(w.sent) > 0 || w.lag > 0 || len(w.faults) > 0 {
			t.Fatalf("%d are wrong, %v sent, lag %d, %v", wrong, w.sent, w.lag, w.faults)
		}
	}
}

// TestUnpublished has an appender die between commit and publication.
func TestUnpublished(t *testing.T) {
	w := played(t, "war")
	states, entries := w.draws(w.s.Told), w.s.Told
	w.s.ArchiveAll()
	game, _ := games.Find("dice")
	w.s.Play(game)
	more, last := w.draws(w.s.Told), w.s.Told[len(w.s.Told)-1]
	w.s.Files.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation == "PutIfMatch" {
			return fakedynamo.FailBefore
		}
		return fakedynamo.Proceed
	}
	if err := w.s.Archive.Handle(t.Context(), last); err == nil {
		t.Fatal("published")
	}
	w.s.Files.Intercept = nil
	if wrong := w.look(states); wrong > 0 || w.lag == 0 || len(w.faults) > 0 {
		t.Errorf("%d are wrong, lag %d, %v", wrong, w.lag, w.faults)
	}
	if wrong := w.look(map[string]int{last.Draw: more[last.Draw]}); wrong != 1 || len(w.sent) != 1 {
		t.Errorf("%d are wrong, %v sent", wrong, w.sent)
	}
	w.s.Told = w.sent
	w.s.ArchiveAll()
	if wrong := w.look(map[string]int{last.Draw: more[last.Draw]}); wrong > 0 || w.lag > 0 {
		t.Errorf("%d are wrong, lag %d of %d", wrong, w.lag, len(entries))
	}
}

// TestFaults changes the log, or the table, in one way after the other.
func TestFaults(t *testing.T) {
	flip := func(w *watch, path string, at int) {
		data := bytes.Clone(w.s.Files.Files()[path].Data)
		data[at] ^= 1
		w.s.Files.Set(path, data)
	}
	for _, test := range []struct {
		name  string
		do    func(w *watch, older []byte)
		want  string
		wrong bool // about every draw
	}{
		{"a flipped bit in the checkpoint", func(w *watch, _ []byte) { flip(w, checkpoint.Path, 20) }, watchdog.BadSignature, true},
		{"an older checkpoint", func(w *watch, older []byte) { w.s.Files.Set(checkpoint.Path, older) }, watchdog.Older, true},
		{"no checkpoint any more", func(w *watch, _ []byte) { w.s.Files.Set(checkpoint.Path, nil) }, watchdog.Older, true},
		{"another log under this key", func(w *watch, _ []byte) {
			other := played(w.t, "dice", "wheel", "lucky5")
			other.s.ArchiveAll()
			for path, file := range other.s.Files.Files() {
				w.s.Files.Set(path, file.Data)
			}
			w.change(store.LogKey(archivetest.Origin), store.LogStateKey, func(string) string { return other.body(store.LogKey(archivetest.Origin), store.LogStateKey) })
		}, watchdog.Forked, true},
		{"a table that was set back", func(w *watch, _ []byte) {
			w.change(store.LogKey(archivetest.Origin), store.LogStateKey, func(body string) string { return strings.Replace(body, `"size":`, `"size":-`, 1) })
		}, watchdog.TableBehind, true},
		{"a table with a size that no log has", func(w *watch, _ []byte) {
			w.change(store.LogKey(archivetest.Origin), store.LogStateKey, func(body string) string { return strings.Replace(body, `"size":`, `"size":9000000000000000`, 1) })
		}, watchdog.TableBehind, true},
		{"another memory", func(w *watch, _ []byte) {
			w.change(store.LogKey(archivetest.Origin), store.LogSeenKey, func(body string) string { return strings.Replace(body, `tally\n`, `tally\n1`, 1) })
		}, watchdog.BadMemory, false},
		{"a missing tile", func(w *watch, _ []byte) { w.s.Files.Set(w.path("tile/0/"), nil) }, watchdog.WrongFile, true},
		{"a flipped bit in a tile", func(w *watch, _ []byte) { flip(w, w.path("tile/0/"), 5) }, watchdog.WrongFile, true},
		{"a missing bundle", func(w *watch, _ []byte) { w.s.Files.Set(w.path("tile/entries/"), nil) }, watchdog.WrongFile, true},
		{"flipped bits in every entry", func(w *watch, _ []byte) {
			path := w.path("tile/entries/")
			w.s.Files.Set(path, bytes.ReplaceAll(w.s.Files.Files()[path].Data, []byte("war"), []byte("var")))
		}, watchdog.WrongFile, true},
		{"an index that points elsewhere", func(w *watch, _ []byte) {
			for id, state := range w.draws(w.entries()) {
				key := entry.ID{Draw: id, Kind: entry.KindState, State: state}.Key()
				w.change(store.LogEntriesKey(archivetest.Origin, id), key, func(string) string { return `{"index":0}` })
			}
		}, watchdog.Mismatch, true},
		{"a state that was changed in the table", func(w *watch, _ []byte) {
			for id, state := range w.draws(w.entries()) {
				w.change(store.DrawKey(id), store.StateKey(state), func(body string) string { return strings.Replace(body, `"made_at":1`, `"made_at":2`, 1) })
			}
		}, watchdog.Mismatch, true},
		{"a state that is no longer one", func(w *watch, _ []byte) {
			for id, state := range w.draws(w.entries()) {
				w.change(store.DrawKey(id), store.StateKey(state), func(string) string { return "{" })
			}
		}, watchdog.Mismatch, true},
		{"a message that is gone", func(w *watch, _ []byte) {
			for id, state := range w.draws(w.entries()) {
				w.change(store.DrawKey(id), store.StateKey(state), func(body string) string { return strings.Replace(body, `"revision":`, `"revision":9`, 1) })
			}
		}, watchdog.Mismatch, true},
		{"totals that were changed in the table", func(w *watch, _ []byte) {
			for id, state := range w.draws(w.entries()) {
				for item, err := range w.s.Table.Query(w.t.Context(), store.DrawKey(id), store.DonePrefix(state)) {
					if err != nil {
						w.t.Fatal(err)
					}
					item.Body = strings.NewReplacer(`"payout":"`, `"payout":"1`, `"stake":"`, `"stake":"1`).Replace(item.Body)
					w.put(item)
				}
			}
		}, watchdog.Mismatch, false},
		{"totals that can't be", func(w *watch, _ []byte) {
			for id, state := range w.draws(w.entries()) {
				for item, err := range w.s.Table.Query(w.t.Context(), store.DrawKey(id), store.DonePrefix(state)) {
					if err != nil {
						w.t.Fatal(err)
					}
					item.Body = strings.Replace(item.Body, `"payout":"`, `"payout":"1`, 1)
					w.put(item)
				}
			}
		}, watchdog.Mismatch, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := played(t, "war")
			states := w.draws(w.s.Told)
			first := w.s.Told[0]
			w.s.Told = w.s.Told[1:]
			if err := w.s.Archive.Handle(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			older := w.s.Files.Files()[checkpoint.Path].Data
			game, _ := games.Find("baccarat")
			w.s.Play(game)
			w.s.ArchiveAll()
			if wrong := w.look(states); wrong > 0 || len(w.faults) > 0 {
				t.Fatalf("%d are wrong, %v", wrong, w.faults)
			}
			test.do(w, older)
			wrong := w.look(states)
			if !slices.Contains(w.faults, test.want) || test.wrong && wrong != len(states) {
				t.Errorf("%d are wrong, %v", wrong, w.faults)
			}
			for _, fault := range w.faults {
				if fault != test.want {
					t.Errorf("found %v", w.faults)
				}
			}
			if len(w.sent) > 0 {
				t.Errorf("%v was sent, which fixes nothing", w.sent)
			}
		})
	}
}

// entries are messages that name all draws of War of Bets, once more.
func (w *watch) entries() []wire.Append {
	w.t.Helper()
	other := played(w.t, "war")
	return other.s.Told
}

// path returns the newest file whose name begins so.
func (w *watch) path(prefix string) string {
	w.t.Helper()
	newest, most := "", -1
	for path, file := range w.s.Files.Files() {
		if strings.HasPrefix(path, prefix) && len(file.Data) > most {
			newest, most = path, len(file.Data)
		}
	}
	return newest
}

func (w *watch) body(pk, sk string) string {
	w.t.Helper()
	item, _, err := w.s.Table.Get(w.t.Context(), pk, sk)
	if err != nil {
		w.t.Fatal(err)
	}
	return item.Body
}

// change rewrites an item of the table.
func (w *watch) change(pk, sk string, do func(body string) string) {
	w.t.Helper()
	item, found, err := w.s.Table.Get(w.t.Context(), pk, sk)
	if err != nil || !found {
		w.t.Fatalf("%s / %s: %v, want no error and found", pk, sk, err)
	}
	item.Body = do(item.Body)
	w.put(item)
}

func (w *watch) put(item store.Item) {
	w.t.Helper()
	if err := w.s.Table.Put(w.t.Context(), item); err != nil {
		w.t.Fatal(err)
	}
}

// TestOverlappingRuns has two runs look at a log that grows between them: neither
// takes what the other has seen for a fault.
func TestOverlappingRuns(t *testing.T) {
	w := played(t, "war")
	w.s.ArchiveAll()
	w.look(nil)
	game, _ := games.Find("dice")
	w.s.Play(game)
	inside := false
	w.s.Files.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation == "GetObject" && call.Keys[0] == checkpoint.Path && !inside {
			inside = true
			w.s.ArchiveAll()
			if _, err := w.m.Begin(t.Context()); err != nil {
				t.Error(err)
			}
		}
		return fakedynamo.Proceed
	}
	w.look(nil)
	if !inside || len(w.faults) > 0 {
		t.Errorf("%v, want inside and len(w.faults) = 0", w.faults)
	}
}

// TestWriteFails loses the write of what was seen: nothing is forgotten, and nothing
// is an alarm.
func TestWriteFails(t *testing.T) {
	for _, verdict := range []fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailAfter, fakedynamo.SendTwice} {
		t.Run(fmt.Sprint(verdict), func(t *testing.T) {
			w := played(t, "war")
			w.s.ArchiveAll()
			w.s.DB.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
				if call.Write {
					return verdict
				}
				return fakedynamo.Proceed
			}
			_, err := w.m.Begin(t.Context())
			w.s.DB.Intercept = nil
			if failed := verdict != fakedynamo.SendTwice; (err != nil) != failed {
				t.Errorf("%v: %v, want (err != nil) = %v", verdict, err, failed)
			}
			if w.look(nil); len(w.faults) > 0 || w.body(store.LogKey(archivetest.Origin), store.LogSeenKey) == "" {
				t.Errorf("%v: %v, want len(w.faults) = 0 and w.body(store.LogKey(archivetest.Origin), store.LogSeenKey) other than \"\"",
					verdict, w.faults)
			}
		})
	}
}

// TestUnreadable can't read a file: that is an error, and no fault of the log.
func TestUnreadable(t *testing.T) {
	w := played(t, "war")
	states := w.draws(w.s.Told)
	w.s.ArchiveAll()
	w.look(nil)
	for _, prefix := range []string{checkpoint.Path, "tile/entries/", "tile/0/"} {
		t.Run(prefix, func(t *testing.T) {
			w.s.Files.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
				if strings.HasPrefix(call.Keys[0], prefix) {
					return fakedynamo.FailBefore
				}
				return fakedynamo.Proceed
			}
			run, err := w.m.Begin(t.Context())
			for id, state := range states {
				if err == nil {
					_, err = run.Logged(t.Context(), id, state)
				}
			}
			if !errors.Is(err, fakeobjects.ErrLost) || len(w.faults) > 0 {
				t.Errorf("%s: %v, %v, want fakeobjects.ErrLost and len(w.faults) = 0", prefix, err, w.faults)
			}
		})
	}
}

// TestContexts: each call of a run has a context of its own. One that has ended since does no harm to
// later calls, and one that ends too early is no fault of the log.
func TestContexts(t *testing.T) {
	w := played(t, "war")
	states := w.draws(w.s.Told)
	w.s.ArchiveAll()
	begin, end := context.WithCancel(t.Context())
	run, err := w.m.Begin(begin)
	if end(); err != nil {
		t.Fatal(err)
	}
	logged := 0
	for id, state := range states {
		call, end := context.WithCancel(t.Context())
		is, err := run.Logged(call, id, state)
		if end(); !is || err != nil || len(w.faults) > 0 {
			t.Errorf("%s under a context of its own: %t, %v, %v; want it logged", id, is, err, w.faults)
		}
		logged++
	}
	if logged == 0 {
		t.Fatal("no draw was played")
	}
	for id, state := range states {
		call, end := context.WithCancel(t.Context())
		w.s.Files.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if strings.HasPrefix(call.Keys[0], "tile/entries/") {
				end()
			}
			return fakedynamo.Proceed
		}
		run, err := w.m.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		is, err := run.Logged(call, id, state)
		if end(); is || !errors.Is(err, context.Canceled) || len(w.faults) > 0 {
			t.Errorf("%s under a context that ends: %t, %v, %v; want that it has ended and no fault", id, is, err, w.faults)
		}
	}
}

// TestNewKey replaces the log's key: what was seen under the old one stays good, as
// long as a run has seen the checkpoint that both have signed.
func TestNewKey(t *testing.T) {
	w := played(t, "war")
	w.s.ArchiveAll()
	w.look(nil)
	signer, verifier, _ := archivetest.Key(t, archivetest.Origin, 3)
	old, err := note.NewVerifier(w.s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	both := note.VerifierList(verifier, old)
	w.s.Log.Signers, w.s.Log.Known, w.m.Known = append([]note.Signer{signer}, w.s.Log.Signers...), both, both
	if _, err := w.s.Log.Append(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if w.look(nil); len(w.faults) > 0 {
		t.Fatalf("found %v, want nothing", w.faults)
	}
	alone := note.VerifierList(verifier)
	w.s.Log.Signers, w.s.Log.Known, w.m.Known = []note.Signer{signer}, alone, alone
	game, _ := games.Find("dice")
	w.s.Play(game)
	w.s.ArchiveAll()
	if w.look(nil); len(w.faults) > 0 {
		t.Fatalf("found %v, want nothing", w.faults)
	}
	var kept struct{ Checkpoint string }
	if err := json.Unmarshal([]byte(w.body(store.LogKey(archivetest.Origin), store.LogSeenKey)), &kept); err != nil || strings.Count(kept.Checkpoint, "— ") != 1 {
		t.Errorf("%q, %v", kept.Checkpoint, err)
	}
}
