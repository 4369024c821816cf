package build_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/tiles"
	"tally/lib/site/build"
	"tally/lib/site/files"
)

// run runs a follower that must not fail.
func run(t testing.TB, f *build.Follower) build.Result {
	t.Helper()
	result, err := f.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestAnyPartition cuts logs into runs and stretches at random: after each run the
// site is the one that is made at once from as many entries.
func TestAnyPartition(t *testing.T) {
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(seed, 9))
		l := newLog(t, draws(t, seed, 24, 1+int(seed)*60))
		store := fakeobjects.New()
		all := int64(len(l.entries))
		for size := int64(0); size < all; {
			size = min(all, size+1+random.Int64N(1+all/4))
			l.grow(size)
			f := follower(l, l.known, store)
			f.Stretch, f.Limit, f.Parallel = 1+random.Int64N(60), 1+random.Int64N(100), 1+random.IntN(6)
			for result := run(t, f); result.Size < size; result = run(t, f) {
				compare(t, l, store.Files(), result.Size)
			}
			compare(t, l, store.Files(), size)
		}
		if s := status(t, store); s.Size != all || s.Working || s.Origin != origin {
			t.Errorf("the site stands at %+v", s)
		}
	}
}

// TestEmptyLog makes a site of a log that nothing was written to yet.
func TestEmptyLog(t *testing.T) {
	l, store := newLog(t, nil), fakeobjects.New()
	for range 2 {
		if result := run(t, follower(l, l.known, store)); result.Size != 0 {
			t.Errorf("%+v, want result.Size = 0", result)
		}
		compare(t, l, store.Files(), 0)
	}
}

// TestUntil stops at a size.
func TestUntil(t *testing.T) {
	l, store := newLog(t, draws(t, 1, 20, 1)), fakeobjects.New()
	l.grow(int64(len(l.entries)))
	for _, size := range []int64{0, 33} {
		f := follower(l, l.known, store)
		f.Until = &size
		if result := run(t, f); result.Size != size || result.All != size {
			t.Errorf("%+v, want result.Size = %v and result.All = %v", result, size, size)
		}
		compare(t, l, store.Files(), size)
	}
}

// TestNoTime plans nothing that the deadline leaves no time for.
func TestNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, store := newLog(t, draws(t, 1, 20, 1)), fakeobjects.New()
		l.grow(int64(len(l.entries)))
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		f := follower(l, l.known, store)
		result, err := f.Run(ctx)
		if err != nil || result.Size != 0 || f.Record.(*recorder).behind != int64(len(l.entries)) {
			t.Errorf("%+v, %v, want no error and result.Size = 0 and f.Record.(*recorder).behind = %v", result, err, int64(len(l.entries)))
		}
	})
}

// faulty returns an interceptor that gives one verdict to the write of a number.
func faulty(at int, verdict fakedynamo.Verdict) (intercept fakedynamo.Interceptor, writes *int) {
	gate := make(chan struct{}, 1)
	writes = new(int)
	return func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		gate <- struct{}{}
		defer func() { <-gate }()
		if call.Write {
			if *writes++; *writes == at {
				return verdict
			}
		}
		return fakedynamo.Proceed
	}, writes
}

// TestFaults lets each write of a run fail in each way. The run ends there, as if
// its process had died; what was on its way arrives late, before or after the next
// run, and the site is right all the same.
func TestFaults(t *testing.T) {
	entries := draws(t, 4, 2, 2, "roulette")
	all := int64(len(entries))
	for _, verdict := range []fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailAfter, fakedynamo.FailLate, fakedynamo.SendTwice} {
		for at := 1; ; at++ {
			l, store := newLog(t, entries), fakeobjects.New()
			l.grow(all / 2)
			f := follower(l, l.known, store)
			f.Stretch = 7
			intercept, writes := faulty(at, verdict)
			store.Intercept = intercept
			_, err := f.Run(t.Context())
			store.Intercept = nil
			if *writes < at {
				compare(t, l, store.Files(), all/2)
				break // there are no more writes
			}
			if err != nil && !errors.Is(err, fakeobjects.ErrLost) {
				t.Fatalf("write %d, %s: %v", at, verdict, err)
			}
			if err == nil && verdict != fakedynamo.SendTwice {
				t.Fatalf("write %d, %s: the run did not notice", at, verdict)
			}
			early := at%2 == 0
			if early {
				store.Land()
			}
			run(t, f)
			l.grow(all)
			run(t, f)
			if !early {
				store.Land()
			}
			compare(t, l, store.Files(), all)
		}
	}
}

// TestOvertaken holds a follower up at each of its requests while another follows
// a larger log to its end.
func TestOvertaken(t *testing.T) {
	entries := draws(t, 5, 3, 2, "roulette")
	all := int64(len(entries))
	for at := 1; ; at++ {
		l, store := newLog(t, entries), fakeobjects.New()
		l.grow(all / 3)
		run(t, follower(l, l.known, store))
		l.grow(2 * all / 3)
		held := follower(l, l.known, store)
		held.Stretch, held.Parallel = 5, 1
		requests := 0
		store.Intercept = func(context.Context, fakedynamo.Call) fakedynamo.Verdict {
			if requests++; requests == at {
				store.Intercept = nil
				l.grow(all)
				run(t, follower(l, l.known, store))
			}
			return fakedynamo.Proceed
		}
		_, err := held.Run(t.Context())
		if err != nil && !errors.Is(err, build.ErrOvertaken) {
			t.Fatalf("request %d: %v", at, err)
		}
		if store.Intercept != nil {
			break // there are no more requests
		}
		compare(t, l, store.Files(), all)
	}
}

// TestTwoAtOnce runs followers beside each other while the log grows.
func TestTwoAtOnce(t *testing.T) {
	for seed := range uint64(3) {
		l, store := newLog(t, draws(t, seed, 16, 3)), fakeobjects.New()
		all := int64(len(l.entries))
		done := make(chan error)
		for i := range 3 {
			go func() {
				f := follower(l, l.known, store)
				f.Stretch = int64(5 + 3*i)
				for {
					result, err := f.Run(t.Context())
					if err != nil && !errors.Is(err, build.ErrOvertaken) || result.Size == all {
						done <- err
						return
					}
				}
			}()
		}
		for size := int64(0); size < all; size += 9 {
			l.grow(size)
			time.Sleep(time.Millisecond)
		}
		l.grow(all)
		for range 3 {
			if err := <-done; err != nil && !errors.Is(err, build.ErrOvertaken) {
				t.Fatal(err)
			}
		}
		run(t, follower(l, l.known, store))
		compare(t, l, store.Files(), all)
	}
}

// TestMadeAgain deletes the cursor, and some of the files: the whole site is made
// again, over what was there.
func TestMadeAgain(t *testing.T) {
	l, store := newLog(t, draws(t, 3, 30, 40)), fakeobjects.New()
	all := int64(len(l.entries))
	l.grow(all)
	run(t, follower(l, l.known, store))
	n := 0
	for path := range store.Files() {
		if n++; n%5 == 0 {
			store.Set(path, nil)
		}
	}
	store.Set(build.CursorPath, nil)
	f := follower(l, l.known, store)
	f.Stretch = 17
	run(t, f)
	compare(t, l, store.Files(), all)
}

// TestCursorSetBack puts an old cursor in the place of the newest: the site is made
// again from there.
func TestCursorSetBack(t *testing.T) {
	l, store := newLog(t, draws(t, 3, 30, 2)), fakeobjects.New()
	all := int64(len(l.entries))
	l.grow(all / 3)
	run(t, follower(l, l.known, store))
	old := store.Files()[build.CursorPath].Data
	l.grow(all)
	run(t, follower(l, l.known, store))
	store.Set(build.CursorPath, old)
	f := follower(l, l.known, store)
	f.Stretch = 13
	run(t, f)
	compare(t, l, store.Files(), all)
}

// TestNothingNew reads two files and writes none.
func TestNothingNew(t *testing.T) {
	l, store := newLog(t, draws(t, 3, 5, 1)), fakeobjects.New()
	l.grow(int64(len(l.entries)))
	run(t, follower(l, l.known, store))
	var calls []string
	store.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		calls = append(calls, call.String())
		return fakedynamo.Proceed
	}
	run(t, follower(l, l.known, store))
	if !slices.Equal(calls, []string{"GetObject cursor.json"}) {
		t.Errorf("the site was asked for %q", calls)
	}
}

// TestRefusals names what is wrong with a log, or with a site, and leaves the site
// as it is.
func TestRefusals(t *testing.T) {
	entries := draws(t, 6, 60, 1, "roulette")
	other := draws(t, 7, 60, 1, "roulette")
	for name, test := range map[string]struct {
		spoil func(l *publicLog, store *fakeobjects.Fake)
		want  error
	}{
		"a log that was set back":  {func(l *publicLog, _ *fakeobjects.Fake) { l.replace(entries, 40) }, build.ErrSetBack},
		"no log any more":          {func(l *publicLog, _ *fakeobjects.Fake) { delete(l.files, checkpoint.Path) }, build.ErrSetBack},
		"another log":              {func(l *publicLog, _ *fakeobjects.Fake) { l.replace(other, 90) }, build.ErrForked},
		"another log of this size": {func(l *publicLog, _ *fakeobjects.Fake) { l.replace(other, 50) }, build.ErrForked},
		"a site of another log": {func(_ *publicLog, s *fakeobjects.Fake) {
			edit(s, build.CursorPath, origin, "example.com/other")
		}, build.ErrForked},
		"a checkpoint of a stranger": {func(l *publicLog, _ *fakeobjects.Fake) {
			l.files[checkpoint.Path] = []byte(strings.Replace(string(l.files[checkpoint.Path]), "\n50\n", "\n60\n", 1))
		}, checkpoint.ErrSignature},
		"a changed entry": {func(l *publicLog, _ *fakeobjects.Fake) {
			l.grow(70)
			flip(l, tiles.EntriesPath(0, 70), 20000)
		}, build.ErrUnlike},
		"an entry that is cut off": {func(l *publicLog, _ *fakeobjects.Fake) {
			l.grow(70)
			l.files[tiles.EntriesPath(0, 70)] = l.files[tiles.EntriesPath(0, 70)][:20000]
		}, build.ErrUnlike},
		"a changed tile": {func(l *publicLog, _ *fakeobjects.Fake) { l.grow(70); flip(l, "tile/0/000.p/70", 60*32) }, build.ErrUnlike},
		"a missing bundle": {func(l *publicLog, _ *fakeobjects.Fake) {
			l.grow(70)
			delete(l.files, tiles.EntriesPath(0, 70))
		}, build.ErrUnlike},
		"a missing tile": {func(l *publicLog, _ *fakeobjects.Fake) {
			l.grow(70)
			delete(l.files, "tile/0/000.p/70")
		}, build.ErrUnlike},
		"an entry of a newer version": {func(l *publicLog, _ *fakeobjects.Fake) {
			l.entries = slices.Clone(l.entries)
			l.entries[60] = []byte(strings.Replace(string(l.entries[60]), `{"schema":1,`, `{"schema":2,`, 1))
			l.grow(70)
		}, build.ErrEntry},
		"a game that is not known": {func(l *publicLog, _ *fakeobjects.Fake) {
			l.entries = slices.Clone(l.entries)
			for i, e := range l.entries[50:70] {
				l.entries[50+i] = []byte(strings.ReplaceAll(string(e), `"game":"roulette"`, `"game":".."`))
			}
			l.grow(70)
		}, build.ErrEntry},
		"a draw that was not opened": {func(l *publicLog, _ *fakeobjects.Fake) {
			l.entries = slices.Clone(l.entries)
			l.entries[60] = renamedData(t, l.entries, "state", "nobody")
			l.grow(70)
		}, build.ErrDamaged},
		"a cursor that is none":     {func(_ *publicLog, s *fakeobjects.Fake) { s.Set(build.CursorPath, []byte("{")) }, build.ErrDamaged},
		"a cursor of a new version": {func(_ *publicLog, s *fakeobjects.Fake) { edit(s, build.CursorPath, `"schema":1`, `"schema":2`) }, build.ErrDamaged},
		"a cursor of a size that no log has": {func(_ *publicLog, s *fakeobjects.Fake) {
			edit(s, build.CursorPath, `"log":{"size":`, `"log":{"size":9000000000000000`)
		}, build.ErrDamaged},
		"rows that are none": {func(l *publicLog, s *fakeobjects.Fake) {
			l.grow(70)
			s.Set(files.RowsPath("roulette", "2026-11-30"), []byte("{}\n"))
		}, build.ErrDamaged},
		"rows that are gone": {func(l *publicLog, s *fakeobjects.Fake) {
			l.grow(70)
			s.Set(files.RowsPath("roulette", "2026-11-30"), nil)
		}, build.ErrDamaged},
		"an index that is none": {func(l *publicLog, s *fakeobjects.Fake) {
			l.grow(70)
			s.Set(files.GamePath("roulette"), []byte("[]"))
		}, build.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			l, store := newLog(t, entries), fakeobjects.New()
			l.grow(50)
			run(t, follower(l, l.known, store))
			test.spoil(l, store)
			if _, err := follower(l, l.known, store).Run(t.Context()); !errors.Is(err, test.want) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if !strings.HasPrefix(name, "a cursor") && status(t, store).Size != 50 {
				t.Error("the site went on")
			}
		})
	}
}

// replace puts another log in the place of this one.
func (l *publicLog) replace(entries [][]byte, size int64) {
	fresh := newLog(l.t, entries)
	fresh.grow(size)
	l.entries, l.files, l.hashes, l.size = fresh.entries, fresh.files, fresh.hashes, fresh.size
}

func flip(l *publicLog, path string, at int) { l.files[path][at] ^= 1 }

func edit(s *fakeobjects.Fake, path, old, text string) {
	s.Set(path, []byte(strings.Replace(string(s.Files()[path].Data), old, text, 1)))
}

// renamedData returns an entry of a kind as that of another draw.
func renamedData(t *testing.T, entries [][]byte, kind, draw string) []byte {
	t.Helper()
	for _, data := range entries {
		if strings.HasPrefix(string(data), `{"schema":1,"entry":"`+kind+`"`) {
			_, after, _ := strings.Cut(string(data), `"draw":"`)
			id, _, _ := strings.Cut(after, `"`)
			return []byte(strings.Replace(string(data), id, draw, 1))
		}
	}
	t.Fatal("there is none")
	return nil
}

// TestMismatch keeps a file that never changes and was changed, and says so.
func TestMismatch(t *testing.T) {
	l, store := newLog(t, draws(t, 8, 10, 1, "roulette")), fakeobjects.New()
	l.grow(int64(len(l.entries)))
	var spoiled string
	for path := range model(t, l.entries, l.size) {
		if strings.HasSuffix(path, ".0001.1.json") {
			spoiled = path
		}
	}
	store.Set(spoiled, []byte("{}"))
	store.Set(strings.TrimSuffix(spoiled, ".json")+".tlog-proof", []byte("nothing"))
	f := follower(l, l.known, store)
	run(t, f)
	if f.Record.(*recorder).mismatch != 1 || string(store.Files()[spoiled].Data) != "{}" {
		t.Errorf("%d files do not match", f.Record.(*recorder).mismatch)
	}
	store.Set(spoiled, model(t, l.entries, l.size)[spoiled])
	files := store.Files()
	object := files[spoiled]
	object.Header.ContentType = "application/json; charset=utf-8"
	files[spoiled] = object
	proof := strings.TrimSuffix(spoiled, ".json") + ".tlog-proof"
	object = files[proof]
	if !strings.HasPrefix(string(object.Data), "c2sp.org/tlog-proof@v1\n") {
		t.Errorf("the proof is still %q", object.Data)
	}
	compare(t, l, files, l.size)
}

// TestNameOfState has a draw whose history would be at the path of another draw's
// state: the state, which never changes, goes before, whichever comes first.
func TestNameOfState(t *testing.T) {
	one, two := draws(t, 11, 1, 1, "roulette"), draws(t, 12, 1, 1, "roulette")
	for i := range one {
		one[i] = []byte(strings.Replace(string(one[i]), "rou-1.0001", "a", 1))
	}
	for i := range two {
		two[i] = []byte(strings.Replace(string(two[i]), "rou-1.0001", "a.1", 1))
	}
	for name, entries := range map[string][][]byte{"the state first": slices.Concat(one, two), "the history first": slices.Concat(two, one)} {
		t.Run(name, func(t *testing.T) {
			for _, stretch := range []int64{1, 3, 100} {
				l, store := newLog(t, entries), fakeobjects.New()
				l.grow(int64(len(entries)))
				f := follower(l, l.known, store)
				f.Stretch, f.Limit = stretch, stretch
				for result := run(t, f); result.Size < result.All; result = run(t, f) {
					compare(t, l, store.Files(), result.Size)
				}
				compare(t, l, store.Files(), int64(len(entries)))
				if f.Record.(*recorder).mismatch != 0 {
					t.Errorf("%s: something does not match", name)
				}
			}
		})
	}
}

// TestAssetsFirst sees that no page is there before the assets that it refers to.
func TestAssetsFirst(t *testing.T) {
	l, store := newLog(t, draws(t, 3, 2, 1)), fakeobjects.New()
	l.grow(4)
	var writes []string
	store.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if call.Write {
			writes = append(writes, call.Keys[0])
		}
		return fakedynamo.Proceed
	}
	f := follower(l, l.known, store)
	f.Parallel = 1
	run(t, f)
	if fmt.Sprint(writes[:2]) != "[cursor.json assets/site.abc.css]" {
		t.Errorf("the first writes are %q", writes[:2])
	}
}
