// Package archivetest makes a log for tests: the sample messages and bets of all
// games (package events), taken up by intake, settled, and archived, as the
// pipeline would, with a fixed key and fixed secrets, so that the log has the same
// bytes every time.
package archivetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tally/events"
	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive"
	"tally/lib/archive/sequencer"
	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
	"tally/lib/rulebook/settlement"
	"tally/lib/site/history"
	"tally/lib/store"
)

// Origin is the name of the sample log.
const Origin = "example.com/tally"

// Sample is a pipeline with a log.
type Sample struct {
	DB      *fakedynamo.DB
	Table   *store.Table
	Files   *fakeobjects.Fake
	Log     *sequencer.Log
	Archive *archive.Archive
	// VerifierKey is the log's public key.
	VerifierKey string
	// Told are the messages to the archive so far, in their order.
	Told []wire.Append

	t   testing.TB
	now settlement.Instant
}

// New returns a pipeline that has seen nothing.
func New(t testing.TB) *Sample {
	t.Helper()
	signer, verifier, public := Key(t, Origin, 7)
	s := &Sample{DB: fakedynamo.New(t, "tally"), Files: fakeobjects.New(), VerifierKey: public, t: t}
	s.Table = store.New(s.DB, "tally")
	quiet := slog.New(slog.DiscardHandler)
	s.Log = &sequencer.Log{Origin: Origin, Lock: archive.TableLock{Table: s.Table, Origin: Origin}, Objects: s.Files, Signers: []note.Signer{signer}, Known: note.VerifierList(verifier), Log: quiet}
	s.Archive = &archive.Archive{Table: s.Table, To: s.Log, ShowTotals: true, Random: rand.NewChaCha8([32]byte{9}), Record: discard{}, Log: quiet}
	return s
}

// discard records nothing.
type discard struct{}

func (discard) Quarantined(string)                            {}
func (discard) Stored(string, time.Duration, string)          {}
func (discard) Settled(string, int, int, bool, time.Duration) {}
func (discard) Mismatch(string)                               {}
func (discard) Appended(string, int)                          {}

type drop struct{}

func (drop) Send(context.Context, string, time.Duration) error { return nil }

// counted counts what is sent.
type counted struct{ n int }

func (c *counted) Send(context.Context, string, time.Duration) error { c.n++; return nil }

// queue keeps what is sent to the archive.
type told struct{ s *Sample }

func (t told) Send(_ context.Context, body string, _ time.Duration) error {
	e, err := wire.ParseAppend(body)
	t.s.Told = append(t.s.Told, e)
	return err
}

// Play plays the sample draws of a game: handles its messages, with its bets, and
// settles each state as soon as it is there. It archives nothing.
func (s *Sample) Play(game *rules.Game) {
	s.t.Helper()
	messages, err := events.Messages(game)
	if err != nil {
		s.t.Fatal(err)
	}
	bets, err := events.Bets(game)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, file := range messages {
		m, _, _ := wire.Parse(file.Body)
		if m != nil {
			s.now = max(s.now, m.At+250)
		}
		bets = s.place(game, bets)
		s.handle(file)
	}
}

// PlayShuffled plays the sample draws of a game with their messages in a random
// order, some of them twice, and by clocks that are not quite right; then all of them
// once more. All bets are there from the start.
func (s *Sample) PlayShuffled(game *rules.Game, random *rand.Rand) {
	s.t.Helper()
	messages, err := events.Messages(game)
	if err != nil {
		s.t.Fatal(err)
	}
	bets, err := events.Bets(game)
	if err != nil {
		s.t.Fatal(err)
	}
	first, _, _ := wire.Parse(messages[0].Body)
	start := first.At
	s.now = start + 24*3_600_000
	s.place(game, bets)
	s.now = start
	shuffled := append(slices.Clone(messages), messages[:random.IntN(len(messages))]...)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for _, file := range append(shuffled, messages...) {
		s.now += settlement.Instant(random.IntN(40_000) - 200)
		s.handle(file)
	}
}

// handle has intake take a message, and the draw settled.
func (s *Sample) handle(file events.File) {
	s.t.Helper()
	clock := func() settlement.Instant { return s.now }
	quiet := slog.New(slog.DiscardHandler)
	sweeps := &counted{}
	in := &intake.Intake{Table: s.Table, Replies: drop{}, Sweeps: sweeps, Archive: told{s: s},
		Record: discard{}, Settings: draw.Settings{Shards: 2}, Now: clock, Log: quiet}
	settler := &settle.Settler{Table: s.Table, Archive: told{s: s},
		Record: discard{}, Now: func() settlement.Instant { return s.now + 3_600_000 }, Log: quiet, PageLines: 4}
	_, partial, _ := wire.Parse(file.Body)
	from := intake.Studio
	if partial.Type.IsOrder() {
		from = intake.Operator
	}
	if err := in.Handle(s.t.Context(), intake.Delivery{Body: file.Body, SentAt: s.now, From: from}); err != nil {
		s.t.Fatalf("%s: %v", file.Name, err)
	}
	if sweeps.n == 0 {
		return
	}
	if err := settler.Handle(s.t.Context(), partial.Draw); err != nil {
		s.t.Fatalf("settling after %s: %v", file.Name, err)
	}
}

// place stores the bets that were accepted by now and returns the others.
func (s *Sample) place(game *rules.Game, bets []*events.AcceptedBet) (later []*events.AcceptedBet) {
	for _, bet := range bets {
		if bet.AcceptedAt > s.now {
			later = append(later, bet)
			continue
		}
		sk := store.BetKey(bet.Reference)
		if bet.Base != nil {
			sk = store.WagerKey(bet.Base.Reference, game.Text(bet.Selection))
		}
		base := cmp.Or(bet.Base, &bet.Bet)
		pk := store.BetsKey(bet.Draw, bet.Bookmaker, int(base.Reference[len(base.Reference)-1])%2)
		s.create(store.Item{PK: store.DrawKey(bet.Draw), SK: store.PartKey(bet.Bookmaker), StoredAt: s.now})
		stored := store.StoredBet{SK: sk, Selection: game.Text(bet.Selection), Odds: int64(bet.Odds), Stake: int64(bet.Stake),
			Currency: bet.Currency.Code(), Rounding: int64(bet.Rounding), AcceptedAt: bet.AcceptedAt, Round: int64(bet.Round), Shop: bet.Shop}
		if _, err := s.Table.CreateBet(s.t.Context(), pk, stored); err != nil {
			s.t.Fatal(err)
		}
		if bet.CancelledAt != 0 {
			stored = store.StoredBet{SK: store.CancelKey(bet.Reference), AcceptedAt: bet.CancelledAt}
			if _, err := s.Table.CreateBet(s.t.Context(), pk, stored); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	return later
}

func (s *Sample) create(item store.Item) {
	err := s.Table.Create(s.t.Context(), item)
	if exists := (*store.ExistsError)(nil); err != nil && !errors.As(err, &exists) {
		s.t.Fatal(err)
	}
}

// ArchiveAll archives what was sent so far.
func (s *Sample) ArchiveAll() {
	s.t.Helper()
	for _, e := range s.Told {
		if err := s.Archive.Handle(s.t.Context(), e); err != nil {
			s.t.Fatal(err)
		}
	}
	s.Told = nil
}

// PlayAll returns a sample with the draws of all games, archived.
func PlayAll(t testing.TB) *Sample {
	t.Helper()
	s := New(t)
	for _, game := range games.All() {
		s.Play(game)
		s.ArchiveAll()
	}
	return s
}

// Copy writes the log's files into a new folder and returns its path.
func (s *Sample) Copy() string {
	s.t.Helper()
	folder := s.t.TempDir()
	WriteFiles(s.t, folder, s.Files.Files())
	return folder
}

// WriteFiles writes files into a folder.
func WriteFiles(t testing.TB, folder string, files map[string]fakeobjects.Object) {
	t.Helper()
	for key, file := range files {
		path := filepath.Join(folder, filepath.FromSlash(key))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, file.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// Draws returns the ids of the sample draws of a game, in the order of their
// names.
func Draws(t testing.TB, game *rules.Game) (draws []string) {
	t.Helper()
	messages, err := events.Messages(game)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range messages {
		_, partial, _ := wire.Parse(file.Body)
		draws = append(draws, partial.Draw)
	}
	slices.Sort(draws)
	return slices.Compact(draws)
}

// Histories returns what the sample log of package archive's testdata says of a
// game's draws, in the order of their openings.
func Histories(t testing.TB, game *rules.Game) []*history.Draw {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	data, err := os.ReadFile(filepath.Join(filepath.Dir(here), "../../../lib/archive", "testdata", game.ID+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	leaves := map[string][]history.Leaf{}
	var order []string
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		leaf, err := history.Read(int64(i), line)
		if err != nil {
			t.Fatal(err)
		}
		id := leaf.Entry.ID().Draw
		if leaves[id] == nil {
			order = append(order, id)
		}
		leaves[id] = append(leaves[id], leaf)
	}
	var histories []*history.Draw
	for _, id := range order {
		d, err := history.New(leaves[id])
		if err != nil {
			t.Fatal(err)
		}
		histories = append(histories, d)
	}
	return histories
}
