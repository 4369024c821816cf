package build_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
	"tally/lib/site/build"
	"tally/lib/site/files"
	"tally/lib/site/history"
	"tally/lib/site/pages"
	"tally/lib/site/statistics"
)

const origin = "example.com/tally"

// publicLog is a log in memory that can be as large as a test needs it.
type publicLog struct {
	t       testing.TB
	signer  note.Signer
	known   note.Verifiers
	entries [][]byte

	mutex  sync.Mutex // of what a reader sees
	files  map[string][]byte
	hashes []tlog.Hash // as tlog stores them
	size   int64
}

// newLog returns a log that will have these entries and has none.
func newLog(t testing.TB, entries [][]byte) *publicLog {
	t.Helper()
	signer, verifier, _ := archivetest.Key(t, origin, 3)
	return &publicLog{t: t, signer: signer, known: note.VerifierList(verifier), entries: entries, files: map[string][]byte{}}
}

// ReadHashes implements tlog.HashReader.
func (l *publicLog) ReadHashes(places []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(places))
	for i, place := range places {
		list[i] = l.hashes[place]
	}
	return list, nil
}

// grow publishes the log's first entries.
func (l *publicLog) grow(size int64) {
	l.t.Helper()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	old := l.size
	for ; l.size < size; l.size++ {
		more, err := tlog.StoredHashes(l.size, l.entries[l.size], l)
		if err != nil {
			l.t.Fatal(err)
		}
		l.hashes = append(l.hashes, more...)
	}
	for _, tile := range tlog.NewTiles(tiles.Height, old, size) {
		data, err := tlog.ReadTileData(tile, l)
		if err != nil {
			l.t.Fatal(err)
		}
		l.files[tiles.Path(tile)] = data
	}
	for n := old / tiles.Width; n*tiles.Width < size; n++ {
		var bundle []byte
		of := l.entries[n*tiles.Width : min(size, (n+1)*tiles.Width)]
		for _, e := range of {
			bundle = tiles.AppendEntry(bundle, e)
		}
		l.files[tiles.EntriesPath(n, len(of))] = bundle
	}
	l.publish()
}

// publish signs the checkpoint. The caller holds the lock.
func (l *publicLog) publish() {
	root, err := tlog.TreeHash(l.size, l)
	if err != nil {
		l.t.Fatal(err)
	}
	if l.files[checkpoint.Path], err = checkpoint.Sign(origin, tlog.Tree{N: l.size, Hash: root}, l.signer); err != nil {
		l.t.Fatal(err)
	}
}

// Get implements follow.Source.
func (l *publicLog) Get(_ context.Context, path string) ([]byte, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	data, found := l.files[path]
	if !found {
		return nil, objects.ErrNotFound
	}
	return bytes.Clone(data), nil
}

// recorder counts what is recorded.
type recorder struct {
	mutex    sync.Mutex
	mismatch int
	behind   int64
}

func (r *recorder) Behind(entries int64) { r.behind = entries }
func (r *recorder) Written(int)          {}
func (r *recorder) Mismatch(string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.mismatch++
}

// follower returns a follower as a Lambda is that was just started.
func follower(l build.Source, known note.Verifiers, store objects.Store) *build.Follower {
	return &build.Follower{Origin: origin, Known: known, Log: l, Files: store, Site: plainSite{}, Record: &recorder{},
		Logger: slog.New(slog.DiscardHandler), Stretch: 50, Parallel: 4}
}

// plainSite makes pages that show all that they were given.
type plainSite struct{}

var _ build.PageMaker = plainSite{}

func page(path string, about ...any) pages.File {
	text, err := json.Marshal(about)
	if err != nil {
		panic(err)
	}
	return pages.File{Path: path, Data: text, ContentType: "text/html; charset=utf-8"}
}

func (plainSite) Assets() []pages.File {
	return []pages.File{{Path: "assets/site.abc.css", Data: []byte("a{}"), ContentType: "text/css; charset=utf-8", Immutable: true}}
}

func (plainSite) Fixed() ([]pages.File, error) {
	return []pages.File{page("index.html", "root"), page("404.html", "missing")}, nil
}

func (plainSite) Draw(d *history.Draw) ([]pages.File, error) {
	row := d.Row()
	return []pages.File{page(fmt.Sprintf("en/%s/%s/%s.html", row.Game, d.Day(), row.Draw), row)}, nil
}

func (plainSite) Day(game, day string, rows []history.Row) (list []pages.File, err error) {
	n := 0
	for part := range slices.Chunk(rows, 3) {
		n++
		list = append(list, page(fmt.Sprintf("en/%s/%s.%d.html", game, day, n), part))
	}
	return append(list, page(fmt.Sprintf("en/%s/%s.html", game, day), n)), nil
}

func (plainSite) Game(game string, latest []history.Row, years, months, days []pages.ListedPeriod) ([]pages.File, error) {
	return []pages.File{page("en/"+game+"/index.html", slices.Concat(latest), years, months, days)}, nil
}

func (plainSite) Period(game, name string, parts []pages.ListedPeriod) ([]pages.File, error) {
	return []pages.File{page(fmt.Sprintf("en/%s/%s.html", game, name), parts)}, nil
}

func (plainSite) Statistics(game string, counts statistics.Counts, from, to string) ([]pages.File, error) {
	return []pages.File{page("en/"+game+"/statistics.html", counts, from, to)}, nil
}

func (plainSite) Home(latest map[string][]history.Row) ([]pages.File, error) {
	return []pages.File{page("en/index.html", latest)}, nil
}

// draws makes entries of made-up draws of some games, shuffled as tables do that
// play beside each other: the entries of one draw in their order, each some time
// after the one before. The draws are spread over days.
func draws(t testing.TB, seed uint64, count, days int, ids ...string) [][]byte {
	t.Helper()
	if len(ids) == 0 {
		ids = []string{"roulette", "dice"}
	}
	random := rand.New(rand.NewPCG(seed, 1))
	type timed struct {
		at   int
		data []byte
	}
	var all []timed
	samples := map[string][]*history.Draw{}
	for i := range count {
		game, _ := games.Find(ids[i%len(ids)])
		if samples[game.ID] == nil {
			samples[game.ID] = archivetest.Histories(t, game)
		}
		sample := samples[game.ID][random.IntN(len(samples[game.ID]))]
		id := fmt.Sprintf("%s-%d.%04d", game.ID[:3], i%3+1, i+1)
		shift := settlement.Instant(i*days/count)*86_400_000 + settlement.Instant(i)*1000
		at := i * 10
		for _, leaf := range sample.Leaves {
			data, err := entry.Encode(renamed(leaf.Entry, id, int64(i+1), shift))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, timed{at, data})
			at += 1 + random.IntN(60)
			if random.IntN(20) == 0 {
				at += count * 5 // a correction days later
			}
		}
	}
	slices.SortStableFunc(all, func(a, b timed) int { return a.at - b.at })
	var list [][]byte
	for _, e := range all {
		list = append(list, e.data)
	}
	return list
}

// renamed returns an entry as that of another draw, later.
func renamed(e entry.Entry, draw string, sequence int64, later settlement.Instant) entry.Entry {
	switch e := e.(type) {
	case *entry.Opening:
		c := *e
		c.Draw, c.Sequence, c.StoredAt, c.Rounds = draw, sequence, e.StoredAt+later, slices.Clone(e.Rounds)
		for i := range c.Rounds {
			c.Rounds[i].OpensAt += later
			c.Rounds[i].ClosesAt += later
		}
		return &c
	case *entry.Closings:
		c := *e
		c.Draw, c.Rounds = draw, slices.Clone(e.Rounds)
		for i := range c.Rounds {
			c.Rounds[i].OpensAt += later
			c.Rounds[i].Closing += later
		}
		return &c
	case *entry.State:
		c := *e
		c.Draw, c.MadeAt = draw, e.MadeAt+later
		return &c
	case *entry.Settlement:
		c := *e
		c.Draw = draw
		return &c
	}
	panic("there is no other kind")
}

// model is the slow obvious way: the site of a log's first entries, made at once
// from all of them. Proofs are not in it: there are many right ones.
func model(t testing.TB, entries [][]byte, size int64) map[string][]byte {
	t.Helper()
	key := modelKey{size, sha256.Sum256(slices.Concat(entries[:size]...))}
	if known, is := models.Load(key); is {
		return known.(map[string][]byte)
	}
	made := newModel(t, entries, size)
	models.Store(key, made)
	return made
}

// models are those that were made: the tests of faults want the same ones often.
var models sync.Map

type modelKey struct {
	size int64
	hash [32]byte
}

func newModel(t testing.TB, entries [][]byte, size int64) map[string][]byte {
	t.Helper()
	byDraw := map[string][]history.Leaf{}
	for i, data := range entries[:size] {
		leaf, err := history.Read(int64(i), data)
		if err != nil {
			t.Fatal(err)
		}
		byDraw[leaf.Entry.ID().Draw] = append(byDraw[leaf.Entry.ID().Draw], leaf)
	}
	m := &modelSite{t: t, made: map[string][]byte{}, rows: map[string]map[string][]history.Row{}}
	taken := map[string]bool{}
	for _, draw := range slices.Sorted(maps.Keys(byDraw)) {
		m.draw(byDraw[draw], taken)
	}
	for _, draw := range slices.Sorted(maps.Keys(byDraw)) {
		d, err := history.New(byDraw[draw])
		m.must(err)
		if f, err := files.Draw(d); err != nil || !taken[f.Path] {
			m.put(f, err)
		}
	}
	m.all()
	return m.made
}

type modelSite struct {
	t    testing.TB
	made map[string][]byte
	rows map[string]map[string][]history.Row // by game and day
}

func (m *modelSite) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *modelSite) put(f pages.File, err error) {
	m.t.Helper()
	m.must(err)
	m.made[f.Path] = f.Data
}

func (m *modelSite) puts(list []pages.File, err error) {
	m.t.Helper()
	m.must(err)
	for _, f := range list {
		m.made[f.Path] = f.Data
	}
}

// draw makes the files of a draw that never change, and its pages.
func (m *modelSite) draw(leaves []history.Leaf, taken map[string]bool) {
	d, err := history.New(leaves)
	m.must(err)
	m.put(files.PlaceFile(d))
	for _, leaf := range d.Leaves {
		if leaf.Entry.ID().Kind == entry.KindState {
			f := files.State(d, leaf)
			m.put(f, nil)
			taken[f.Path] = true
		}
	}
	m.puts(plainSite{}.Draw(d))
	row := d.Row()
	if m.rows[row.Game] == nil {
		m.rows[row.Game] = map[string][]history.Row{}
	}
	m.rows[row.Game][d.Day()] = append(m.rows[row.Game][d.Day()], row)
}

// all makes everything that sums up draws, day by day, month by month.
func (m *modelSite) all() {
	m.puts(plainSite{}.Assets(), nil)
	m.puts(plainSite{}.Fixed())
	var newest []files.Newest
	home := map[string][]history.Row{}
	for _, game := range games.All() {
		rows, years := m.game(game.ID)
		total := files.Total(game.ID, years)
		m.puts(plainSite{}.Statistics(game.ID, total.Counts, total.From, total.To))
		if len(rows) == 0 {
			continue
		}
		latest := files.Latest(rows, files.LatestOfAll)
		newest = append(newest, files.Newest{Game: game.ID, Latest: latest})
		slices.Reverse(latest)
		home[game.ID] = slices.Clone(latest)
		slices.Reverse(latest)
	}
	if len(newest) > 0 {
		m.put(files.GamesFile(newest))
	}
	m.puts(plainSite{}.Home(home))
}

func (m *modelSite) game(game string) (rows []history.Row, years []files.Period) {
	var days []files.Period
	for _, day := range slices.Sorted(maps.Keys(m.rows[game])) {
		of := m.rows[game][day]
		slices.SortFunc(of, files.Compare)
		list, period, err := files.DayFiles(game, day, of)
		m.puts(list, err)
		m.puts(plainSite{}.Day(game, day, of))
		days, rows = append(days, period), append(rows, of...)
	}
	months := m.longer(game, days, 7)
	years = m.longer(game, months, 4)
	latest := files.Latest(rows, files.LatestOfGame)
	if len(rows) > 0 {
		m.put(files.GameFile(game, years, latest))
	}
	slices.Reverse(latest)
	m.puts(plainSite{}.Game(game, latest, newestFirst(years, ""), newestFirst(months, lastNames(years, 3)), newestFirst(days, lastNames(months, 2))))
	return rows, years
}

func (m *modelSite) longer(game string, parts []files.Period, letters int) (periods []files.Period) {
	for len(parts) > 0 {
		name := parts[0].Name[:letters]
		n := 0
		for n < len(parts) && parts[n].Name[:letters] == name {
			n++
		}
		f, period, err := files.IndexFile(game, name, parts[:n])
		m.put(f, err)
		m.puts(plainSite{}.Period(game, name, newestFirst(parts[:n], "")))
		periods, parts = append(periods, period), parts[n:]
	}
	return periods
}

// lastNames returns the first of the last n names.
func lastNames(periods []files.Period, n int) string {
	if len(periods) == 0 {
		return ""
	}
	return periods[max(0, len(periods)-n)].Name
}

// newestFirst lists the periods from one on.
func newestFirst(periods []files.Period, from string) (list []pages.ListedPeriod) {
	for _, p := range slices.Backward(periods) {
		if p.Name >= from {
			list = append(list, pages.ListedPeriod{Name: p.Name, Draws: p.Draws})
		}
	}
	return list
}

// compare holds a site against the model, and checks all proofs.
func compare(t testing.TB, l *publicLog, got map[string]fakeobjects.Object, size int64) {
	t.Helper()
	want := model(t, l.entries, size)
	proofs := 0
	for path, f := range got {
		switch {
		case path == build.CursorPath:
			continue
		case strings.HasSuffix(path, ".tlog-proof"):
			state, found := got[strings.TrimSuffix(path, ".tlog-proof")+".json"]
			index := slices.IndexFunc(l.entries, func(e []byte) bool { return bytes.Equal(e, state.Data) })
			if !found || !build.Proves(f.Data, state.Data, int64(index), origin, l.known) {
				t.Errorf("%s proves nothing", path)
			}
			proofs++
			continue
		}
		if wanted, is := want[path]; !is {
			t.Errorf("%s is there", path)
		} else if !bytes.Equal(f.Data, wanted) {
			t.Errorf("%s is\n%.300s\nnot\n%.300s", path, f.Data, wanted)
		}
		if f.Header.ContentType != files.ContentType(path) {
			t.Errorf("%s is a %s", path, f.Header.ContentType)
		}
	}
	states := 0
	for path, data := range want {
		if _, is := got[path]; !is {
			t.Errorf("%s is missing", path)
		}
		if e, err := entry.Parse(data); err == nil && e.ID().Kind == entry.KindState {
			states++
		}
	}
	if proofs != states {
		t.Errorf("%d proofs of %d states", proofs, states)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// status reads how far a site has come.
func status(t testing.TB, store *fakeobjects.Fake) build.Status {
	t.Helper()
	s, err := build.ReadStatus(store.Files()[build.CursorPath].Data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
