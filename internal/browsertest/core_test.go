package browsertest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/proof"
	"tally/lib/archive/tiles"
)

// table gives each hash a number, so that golden files are small.
type table struct {
	Hashes []tlog.Hash `json:"hashes"`
	number map[tlog.Hash]int
}

func newTable() *table { return &table{number: map[tlog.Hash]int{}} }

func (t *table) of(hash tlog.Hash) int {
	n, known := t.number[hash]
	if !known {
		n = len(t.Hashes)
		t.number[hash] = n
		t.Hashes = append(t.Hashes, hash)
	}
	return n
}

func (t *table) all(hashes []tlog.Hash) []int {
	list := make([]int, len(hashes))
	for i, hash := range hashes {
		list[i] = t.of(hash)
	}
	return list
}

// stored are the hashes of a log in the order in which tlog stores them.
type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		list[i] = s[index]
	}
	return list, nil
}

// newLog stores a log of so many entries, no two of them alike.
func newLog(t testing.TB, size int64) stored {
	t.Helper()
	var all stored
	for i := range size {
		hashes, err := tlog.StoredHashes(i, fmt.Appendf(nil, "entry %d", i), all)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, hashes...)
	}
	return all
}

// uniform is a log of any size, all of whose entries are alike: its hashes depend
// on their level only.
type uniform []tlog.Hash

func newUniform() uniform {
	levels := uniform{tlog.RecordHash([]byte("the same"))}
	for range 63 {
		last := levels[len(levels)-1]
		levels = append(levels, tlog.NodeHash(last, last))
	}
	return levels
}

func (u uniform) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		level, _ := tlog.SplitStoredHashIndex(index)
		list[i] = u[level]
	}
	return list, nil
}

// golden serves the scripts as they are written, the test's own, and golden files.
func golden(t *testing.T, files map[string]any) *tab {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/scripts/", http.StripPrefix("/scripts/", http.FileServer(http.Dir("../../lib/site/pages/assets"))))
	mux.Handle("/testdata/", http.StripPrefix("/testdata/", http.FileServer(http.Dir("testdata"))))
	mux.HandleFunc("/golden/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(files[r.PathValue("name")]); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><link rel="icon" href="data:,"><title>golden values</title>`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	b := newTab(t)
	b.open(server.URL)
	return b
}

// passes runs a function of testdata/core.js on a golden file.
func passes(t *testing.T, b *tab, function, file string) {
	t.Helper()
	for _, wrong := range evaluate[[]string](b, fmt.Sprintf(`import("/testdata/core.js").then((core) => core[%q](%q))`, function, file)) {
		t.Errorf("%s: %s", file, wrong)
	}
	b.quiet(file)
}

type inclusionProof struct {
	Index string `json:"index"`
	Leaf  int    `json:"leaf"`
	Path  []int  `json:"path"`
}

type inclusionTree struct {
	Size   string           `json:"size"`
	Root   int              `json:"root"`
	Proofs []inclusionProof `json:"proofs"`
}

type inclusionGolden struct {
	*table
	Trees []inclusionTree `json:"trees"`
	Alike bool            `json:"alike"` // all leaves have the same hash
}

// add adds the proofs of some leaves of a tree.
func (g *inclusionGolden) add(t testing.TB, log tlog.HashReader, size int64, indexes ...int64) {
	t.Helper()
	root, err := tlog.TreeHash(size, log)
	if err != nil {
		t.Fatal(err)
	}
	tree := inclusionTree{Size: fmt.Sprint(size), Root: g.of(root)}
	for _, index := range indexes {
		path, err := tlog.ProveRecord(size, index, log)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := log.ReadHashes([]int64{tlog.StoredHashIndex(0, index)})
		if err != nil {
			t.Fatal(err)
		}
		tree.Proofs = append(tree.Proofs, inclusionProof{fmt.Sprint(index), g.of(leaf[0]), g.all(path)})
	}
	g.Trees = append(g.Trees, tree)
}

type consistencyPair struct {
	First      string `json:"first"`
	Second     string `json:"second"`
	FirstRoot  int    `json:"first_root"`
	SecondRoot int    `json:"second_root"`
	Proof      []int  `json:"proof"`
}

type consistencyGolden struct {
	*table
	Pairs []consistencyPair `json:"pairs"`
	Tiles map[string][]byte `json:"tiles,omitempty"`
}

// add adds the proof that a tree begins with another one.
func (g *consistencyGolden) add(t testing.TB, log tlog.HashReader, first, second int64) {
	t.Helper()
	firstRoot, err := tlog.TreeHash(first, log)
	if err != nil {
		t.Fatal(err)
	}
	secondRoot, err := tlog.TreeHash(second, log)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := tlog.ProveTree(second, first, log)
	if err != nil {
		t.Fatal(err)
	}
	g.Pairs = append(g.Pairs, consistencyPair{fmt.Sprint(first), fmt.Sprint(second), g.of(firstRoot), g.of(secondRoot), g.all(proof)})
}

// addTiles adds the tiles of a tree.
func (g *consistencyGolden) addTiles(t testing.TB, log tlog.HashReader, size int64) {
	t.Helper()
	for _, tile := range tlog.NewTiles(tiles.Height, 0, size) {
		if _, there := g.Tiles[tiles.Path(tile)]; there {
			continue
		}
		data, err := tlog.ReadTileData(tile, log)
		if err != nil {
			t.Fatal(err)
		}
		g.Tiles[tiles.Path(tile)] = data
	}
}

// large are sizes at which numbers of 32 and 53 bits end, and one near the end of
// what tlog can count, whose indexes of stored hashes are twice as large.
var large = []int64{1 << 31, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<53 - 1, 1 << 53, 1<<53 + 1, 1<<61 + 12345}

// TestInclusion verifies the proofs of all leaves of all small trees, of some
// leaves of trees about as large as tiles are, and of trees too large to be made.
func TestInclusion(t *testing.T) {
	log, same := newLog(t, 65538), newUniform()
	small, some, huge := &inclusionGolden{table: newTable()}, &inclusionGolden{table: newTable()}, &inclusionGolden{table: newTable(), Alike: true}
	for size := range int64(300) {
		if size >= 130 && size < 253 || size > 258 { // an algorithm over bits: 8 of them, and one more
			continue
		}
		var all []int64
		for index := range size + 1 {
			all = append(all, index)
		}
		small.add(t, log, size+1, all...)
	}
	for _, size := range []int64{511, 512, 513, 1023, 4096, 65535, 65536, 65537, 65538} {
		some.add(t, log, size, 0, 1, 2, 127, 128, 254, 255, 256, 257, 510, size/2, size-3, size-2, size-1)
	}
	for _, size := range large {
		huge.add(t, same, size, 0, 1, 1<<31-1, size/3, size/2, size-2, size-1)
	}
	b := golden(t, map[string]any{"small": small, "some": some, "huge": huge})
	for _, file := range []string{"small", "some", "huge"} {
		passes(t, b, "inclusion", file)
	}
}

// TestConsistency verifies the proofs that each small tree begins with each
// smaller one, and some of larger ones.
func TestConsistency(t *testing.T) {
	log, same := newLog(t, 65538), newUniform()
	plain := &consistencyGolden{table: newTable()}
	tiled := &consistencyGolden{table: newTable(), Tiles: map[string][]byte{}}
	gone := &consistencyGolden{table: newTable(), Tiles: map[string][]byte{}}
	tampered := &consistencyGolden{table: newTable(), Tiles: map[string][]byte{}}
	for second := range int64(130) {
		for first := range second + 1 {
			tiled.add(t, log, first+1, second+1)
			if first < second {
				plain.add(t, log, first+1, second+1)
			}
		}
		tiled.addTiles(t, log, second+1)
	}
	for _, second := range []int64{255, 256, 257, 511, 512, 513, 65535, 65536, 65537, 65538} {
		for _, first := range []int64{1, 2, 3, 128, 254, 255, 256, 257, 300, 511, 512, 40000, 65279, 65280, 65281, 65535, 65536, 65537} {
			if first < second {
				plain.add(t, log, first, second)
				tiled.add(t, log, first, second)
			}
		}
		tiled.addTiles(t, log, second)
	}
	for i, second := range large {
		for _, first := range append([]int64{1, 3, 1 << 20, second / 3, second / 2, second - 1}, large[:i]...) {
			plain.add(t, same, first, second)
		}
	}
	for _, first := range []int64{1, 77, 128, 199} {
		gone.add(t, log, first, 200)
	}
	gone.addTiles(t, log, 256)
	for _, pair := range [][2]int64{{1, 1}, {1, 2}, {2, 3}, {3, 7}, {4, 8}, {8, 9}, {64, 65}, {64, 127}, {100, 129}, {128, 129}, {128, 130}, {130, 130}, {200, 255}, {255, 256}, {256, 257}, {256, 300}, {257, 513}, {65279, 65537}, {65536, 65538}} {
		tampered.add(t, log, pair[0], pair[1])
		tampered.addTiles(t, log, pair[1])
	}
	b := golden(t, map[string]any{"plain": plain, "tiled": tiled, "gone": gone, "tampered": tampered})
	passes(t, b, "consistency", "plain")
	passes(t, b, "tiles", "tiled")
	passes(t, b, "tampered", "tampered")
	passes(t, b, "fullTiles", "gone")
}

// TestTilePaths names tiles as package tiles does.
func TestTilePaths(t *testing.T) {
	type tilePath struct {
		Level  int    `json:"level"`
		Number string `json:"number"`
		Width  int    `json:"width"`
		Path   string `json:"path"`
	}
	var list []tilePath
	for _, number := range []int64{0, 1, 42, 999, 1000, 1001, 99999, 123456, 999999, 1000000, 1234067, 1 << 40, math.MaxInt64 >> 8} {
		for level := range 8 {
			for _, width := range []int{1, 17, 255, 256} {
				tile := tlog.Tile{H: tiles.Height, L: level, N: number, W: width}
				list = append(list, tilePath{level, fmt.Sprint(number), width, tiles.Path(tile)})
			}
		}
	}
	passes(t, golden(t, map[string]any{"paths": list}), "paths", "paths")
}

// TestLeaves hashes entries of many lengths, and refuses keys, numbers and base64
// that are spelled otherwise than they must be.
func TestLeaves(t *testing.T) {
	type leaf struct {
		Data []byte    `json:"data"`
		Hash tlog.Hash `json:"hash"`
	}
	random := rand.New(rand.NewPCG(5, 5))
	var list []leaf
	for _, length := range []int{0, 1, 31, 32, 55, 56, 63, 64, 65, 1000, 65535} {
		data := make([]byte, length)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		list = append(list, leaf{data, tlog.RecordHash(data)})
	}
	b := golden(t, map[string]any{"leaves": list})
	passes(t, b, "leaves", "leaves")
	passes(t, b, "refused", "")
}

// junk makes damaged texts of a good one: bytes are flipped, dropped, doubled and
// put in, lines change places, the end is cut off.
func junk(random *rand.Rand, good []byte) []byte {
	text := bytes.Clone(good)
	for range 1 + random.IntN(3) {
		if len(text) == 0 {
			return text
		}
		at := random.IntN(len(text))
		switch random.IntN(8) {
		case 0:
			text[at] ^= 1 << random.IntN(8)
		case 1:
			text = append(text[:at], text[at+1:]...)
		case 2:
			text = append(text[:at], append([]byte{text[at]}, text[at:]...)...)
		case 3:
			part := []string{"\n", "\n\n", " ", "+", "=", "\x00", "\r", "\t", "\u2014 ", "\u00a0", "\u0085", "\ufeff", "\xff", "A", "0"}[random.IntN(15)]
			text = append(text[:at], append([]byte(part), text[at:]...)...)
		case 4:
			text = text[:at]
		case 5:
			lines := strings.SplitAfter(string(text), "\n")
			i, j := random.IntN(len(lines)), random.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
			text = []byte(strings.Join(lines, ""))
		case 6:
			lines := strings.SplitAfter(string(text), "\n")
			i := random.IntN(len(lines))
			text = []byte(strings.Join(append(lines[:i], append([]string{lines[i]}, lines[i:]...)...), ""))
		case 7:
			lines := strings.SplitAfter(string(text), "\n")
			i := random.IntN(len(lines))
			text = []byte(strings.Join(append(lines[:i], lines[i+1:]...), ""))
		}
	}
	return text
}

// refusals are the faults with which the scripts may refuse what Go refuses so.
func refusals(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, checkpoint.ErrOrigin):
		return "other_log"
	case errors.Is(err, checkpoint.ErrSignature):
		return "signature_wrong signature_unknown note_form" // the form is judged before any signature
	}
	return "note_form checkpoint_form"
}

// TestNotes gives the scripts many damaged checkpoints and proofs. Each must be
// taken or refused as package checkpoint and package proof do.
func TestNotes(t *testing.T) {
	const origin = "example.com/tally"
	random := rand.New(rand.NewPCG(20, 26))
	source := rand.NewChaCha8([32]byte{3})
	var signers []note.Signer
	var keys []string
	var known []note.Verifier
	for _, name := range []string{origin, origin, "witness.example.com/w1"} {
		secret, public, err := note.GenerateKey(source, name)
		if err != nil {
			t.Fatal(err)
		}
		signer, err := note.NewSigner(secret)
		if err != nil {
			t.Fatal(err)
		}
		verifier, err := note.NewVerifier(public)
		if err != nil {
			t.Fatal(err)
		}
		signers = append(signers, signer)
		if name == origin {
			keys, known = append(keys, public), append(known, verifier)
		}
	}
	verifiers := note.VerifierList(known...)
	log := newLog(t, 40)
	root, err := tlog.TreeHash(40, log)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(text string, signers ...note.Signer) []byte {
		signed, err := note.Sign(&note.Note{Text: text}, signers...)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	body := fmt.Sprintf("%s\n40\n%s\n", origin, root)
	corpus := [][]byte{
		sign(body, signers...), sign(body, signers[0]), sign(body, signers[1], signers[2]), sign(body, signers[2]),
		sign(body+"an extension\n", signers[0]), sign(body+"\nan empty line before\n", signers[0]),
		sign("example.com/other\n40\n"+root.String()+"\n", signers[0]),
		sign(origin+"\n040\n"+root.String()+"\n", signers[0]), sign(origin+"\n-1\n"+root.String()+"\n", signers[0]),
		sign(origin+"\n9223372036854775808\n"+root.String()+"\n", signers[0]),
		sign(body+"\n", signers[0]), sign(body+"one\n\nmore\n", signers[0]), sign(origin+"\n0\n"+root.String()+"\n", signers[0]),
		sign(origin+"\n281474976710656\n"+root.String()+"\n", signers[0]), sign(origin+"\n281474976710657\n"+root.String()+"\n", signers[0]),
		sign(origin+"\n9223372036854775807\n"+root.String()+"\n", signers[0]),
		sign(origin+"\n40\n"+root.String()[1:]+"\n", signers[0]), sign("one line\n", signers[0]), sign("\n\n", signers[0]),
		{}, []byte("\n"), []byte("\n\n"), []byte("\n\n\n"), []byte("hello\n"), bytes.Repeat([]byte("\u2014 a AAAAAAAA\n"), 200),
		append(sign(body, signers[0]), bytes.Repeat([]byte("\u2014 a AAAAAAAA\n"), 99)...), append(sign(body, signers[0]), bytes.Repeat([]byte("\u2014 a AAAAAAAA\n"), 100)...),
	}
	type checked struct {
		Text    []byte `json:"text"`
		Size    string `json:"size"`
		Refused string `json:"refused"`
	}
	type proved struct {
		Text  []byte `json:"text"`
		Entry []byte `json:"entry"`
		Taken bool   `json:"taken"`
	}
	var checkpoints []checked
	for i := range 3000 {
		text := corpus[i%len(corpus)]
		if i >= len(corpus) {
			text = junk(random, text)
		}
		c, err := checkpoint.Open(text, origin, verifiers)
		one := checked{Text: text, Refused: refusals(err)}
		if err == nil {
			one.Size = fmt.Sprint(c.Tree.N)
		}
		checkpoints = append(checkpoints, one)
	}
	var proofs []proved
	for i := range 3000 {
		index := int64(i % 40)
		p := proof.Inclusion{Data: fmt.Appendf(nil, "entry %d", index), Index: index, Checkpoint: corpus[i%3]}
		if p.Path, err = tlog.ProveRecord(40, index, log); err != nil {
			t.Fatal(err)
		}
		text := p.Format()
		if i >= 100 {
			text = junk(random, text)
		}
		proofs = append(proofs, proved{text, p.Data, taken(text, p.Data, origin, verifiers)})
	}
	passes(t, golden(t, map[string]any{"notes": map[string]any{"origin": origin, "keys": keys, "checkpoints": checkpoints, "proofs": proofs}}), "notes", "notes")
}

// taken reports whether a proof holds for an entry. That the entry is none of
// tally's says nothing about the proof.
func taken(text, entry []byte, origin string, known note.Verifiers) bool {
	p, err := proof.Parse(text)
	if err != nil || !bytes.Equal(p.Data, entry) {
		return false
	}
	c, err := checkpoint.Open(p.Checkpoint, origin, known)
	return err == nil && tlog.CheckRecord(p.Path, c.Tree.N, c.Tree.Hash, p.Index, tlog.RecordHash(p.Data)) == nil
}
