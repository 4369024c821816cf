package browsertest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakedynamo"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/tiles"
	"tally/lib/store"
)

// The draw that is verified: its game is played first, so that its proof is under
// an older checkpoint than the log's.
const (
	game  = "baccarat"
	draw  = "bac-1.20261130.0042"
	state = 4
)

var (
	drawPage  = fmt.Sprintf("en/%s/2026-11-30/%s.html", game, draw)
	entryFile = fmt.Sprintf("results/%s/2026-11-30/%s.%d.json", game, draw, state)
	proofFile = fmt.Sprintf("results/%s/2026-11-30/%s.%d.tlog-proof", game, draw, state)
)

// shown is what the page shows of a verification.
type shown struct {
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
	Steps   []struct {
		Name   string `json:"name"`
		Result string `json:"result"`
		Text   string `json:"text"`
	} `json:"steps"`
	Actions []string `json:"actions"`
}

// results are the results of the steps, such as "entry failed".
func (s *shown) results() (list []string) {
	for _, step := range s.Steps {
		list = append(list, step.Name+" "+step.Result)
	}
	return list
}

// of returns the text of a step.
func (s *shown) of(name string) string {
	for _, step := range s.Steps {
		if step.Name == name {
			return step.Text
		}
	}
	return ""
}

// press presses Verify and waits for the verdict.
func (b *tab) press() *shown {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(`#verify [data-part="button"]`), chromedp.NodeVisible))
	return b.verdict()
}

// verdict waits for the verdict and returns what is shown.
func (b *tab) verdict() *shown {
	b.t.Helper()
	return evaluate[*shown](b, `(async () => {
		const part = (name) => document.querySelector('#verify [data-part="' + name + '"]');
		const verdict = part("verdict");
		while (!verdict.dataset.result || verdict.dataset.result === "running" || part("button").getAttribute("aria-disabled") === "true") {
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
		return {
			verdict: verdict.dataset.result,
			text: verdict.innerText,
			steps: Array.from(part("steps").children, (item) => ({ name: item.dataset.step, result: item.dataset.result, text: item.innerText })),
			actions: Array.from(part("steps").querySelectorAll("[data-action], [download]"), (action) => action.dataset.action ?? action.download),
		};
	})()`)
}

var stepNames = []string{"entry", "page", "leaf", "inclusion", "signature", "consistency", "newest", "closings", "memory"}

// expect fails the test unless the steps that are named ended as they should, and
// all others well.
func (s *shown) expect(t testing.TB, verdict string, others ...string) {
	t.Helper()
	var want []string
	for _, name := range stepNames {
		at := slices.IndexFunc(others, func(other string) bool { return strings.HasPrefix(other, name+" ") })
		if at < 0 {
			want = append(want, name+" ok")
		} else {
			want = append(want, others[at])
		}
	}
	if got := s.results(); s.Verdict != verdict || !slices.Equal(got, want) {
		t.Errorf("verdict %s, steps %q; want %s, %q\n%s", s.Verdict, got, verdict, want, s.Text)
		for _, step := range s.Steps {
			t.Logf("%s: %s", step.Name, step.Text)
		}
	}
}

// TestVerify verifies a good archive, which grows from one visit to the next.
func TestVerify(t *testing.T) {
	h, b := serving(t, older(t)), newTab(t)
	b.open(h.page(drawPage))
	first := b.press()
	first.expect(t, "ok")
	if !strings.Contains(first.of("memory"), "had seen nothing") || !strings.Contains(first.Text, "All nine checks hold") {
		t.Errorf("on the first visit: %s", first.of("memory"))
	}
	if !strings.Contains(first.of("closings"), "Nothing was closed before its round.") {
		t.Errorf("of the betting rounds: %s", first.of("closings"))
	}
	b.press().expect(t, "ok")
	h.only(nil)
	b.open(h.page(drawPage))
	grown := b.press()
	grown.expect(t, "ok")
	if !strings.Contains(grown.of("memory"), "begins with it") || !strings.Contains(grown.of("consistency"), "A proof of length") {
		t.Errorf("when the log has grown: %s\n%s", grown.of("consistency"), grown.of("memory"))
	}
	if same := b.press(); !strings.Contains(same.of("memory"), "the same tree") {
		t.Errorf("once more: %s", same.of("memory"))
	}
	// Signatures of others, such as witnesses, change nothing, and are listed.
	witnessed := signedBy(t, sample(t).all, 7, 9)
	delete(witnessed, drawPage)
	h.only(witnessed)
	b.press().expect(t, "ok")
	other := fmt.Sprintf("%s+%08x", archivetest.Origin, signer(t, 9).KeyHash())
	if listed := evaluate[string](b, `document.querySelector('#verify [data-step="signature"] details').textContent`); !strings.Contains(listed, "Other signatures, not verified"+other) {
		t.Errorf("%s is not listed: %s", other, listed)
	}
	b.quiet(drawPage)
}

// tamper is a way to tamper with the archive.
type tamper struct {
	name string
	// change returns the files that are changed.
	change  func(t testing.TB, all contents) contents
	others  []string // the steps that don't end well
	reason  string   // part of what is said
	missing bool     // files are missing, of which the browser complains
}

var tampers = []tamper{
	{"a flipped bit in the entry", func(t testing.TB, all contents) contents { return all.flip(t, entryFile, "resolved") },
		[]string{"entry failed", "page skipped", "inclusion failed"}, "not the one that this page shows", false},
	{"a flipped bit in what the page shows", func(t testing.TB, all contents) contents { return all.flip(t, drawPage, "&quot;catalogue&quot;:2") },
		[]string{"entry failed", "page skipped"}, "not the one that this page shows", false},
	{"another draw's entry", func(t testing.TB, all contents) contents {
		return contents{entryFile: all["results/war/2026-11-30/war-1.20261130.0512.1.json"]}
	}, []string{"entry failed", "page skipped", "inclusion failed"}, "another draw", false},
	{"another draw's entry and proof", func(t testing.TB, all contents) contents {
		return contents{entryFile: all["results/war/2026-11-30/war-1.20261130.0512.1.json"], proofFile: all["results/war/2026-11-30/war-1.20261130.0512.1.tlog-proof"]}
	}, []string{"entry failed", "page skipped"}, "war-1.20261130.0512, 1, not bac-1.20261130.0042, 4", false},
	{"an entry that is none", func(t testing.TB, all contents) contents { return contents{entryFile: []byte("null")} },
		[]string{"entry failed", "page skipped", "inclusion failed"}, "is no entry", false},
	{"an entry that is too long", func(t testing.TB, all contents) contents {
		return contents{entryFile: bytes.Repeat([]byte("x"), 65_536)}
	}, []string{"entry failed", "page skipped", "leaf skipped", "inclusion skipped"}, "longer than 65535 bytes", false},
	{"no entry", func(t testing.TB, all contents) contents { return contents{entryFile: nil} },
		[]string{"entry failed", "page skipped", "leaf skipped", "inclusion skipped"}, "is missing", true},
	{"another draw's proof", func(t testing.TB, all contents) contents {
		return contents{proofFile: all["results/war/2026-11-30/war-1.20261130.0512.1.tlog-proof"]}
	}, []string{"inclusion failed"}, "of another entry", false},
	{"a flipped bit in the proof's path", func(t testing.TB, all contents) contents {
		lines := strings.Split(string(all[proofFile]), "\n")
		lines[4] = "AAAA" + lines[4][4:]
		return contents{proofFile: []byte(strings.Join(lines, "\n"))}
	}, []string{"inclusion failed"}, "not in this tree", false},
	{"another index in the proof", func(t testing.TB, all contents) contents {
		return contents{proofFile: bytes.Replace(all[proofFile], []byte("\nindex "), []byte("\nindex 1"), 1)}
	}, []string{"inclusion failed"}, "", false},
	{"a proof cut off", func(t testing.TB, all contents) contents { return contents{proofFile: all[proofFile][:100]} },
		[]string{"inclusion failed", "signature failed", "consistency skipped", "closings skipped", "memory skipped"}, "format tlog-proof", false},
	{"no proof", func(t testing.TB, all contents) contents { return contents{proofFile: nil} },
		[]string{"inclusion failed", "signature failed", "consistency skipped", "closings skipped", "memory skipped"}, "is missing", true},
	{"a flipped bit in the signature under the proof", func(t testing.TB, all contents) contents {
		data := bytes.Clone(all[proofFile])
		data[len(data)-10] ^= 2
		return contents{proofFile: data}
	}, []string{"signature failed", "consistency skipped", "closings skipped", "memory skipped"}, "is wrong", false},
	{"another key on the page", func(t testing.TB, all contents) contents {
		_, public, err := note.GenerateKey(rand.NewChaCha8([32]byte{8}), archivetest.Origin)
		if err != nil {
			t.Fatal(err)
		}
		return contents{drawPage: bytes.ReplaceAll(all[drawPage], []byte(sample(t).key), []byte(public))}
	}, []string{"signature failed", "consistency skipped", "closings skipped", "memory skipped"}, "No key that this page names", false},
	{"a malformed key on the page", func(t testing.TB, all contents) contents {
		return contents{drawPage: bytes.ReplaceAll(all[drawPage], []byte(sample(t).key), []byte("a-key"))}
	}, []string{"signature failed", "consistency skipped", "closings skipped", "memory skipped"}, "malformed", false},
	{"another log's name on the page", func(t testing.TB, all contents) contents {
		return contents{drawPage: bytes.Replace(all[drawPage], []byte(`data-origin="example.com/tally"`), []byte(`data-origin="example.com/other"`), 1)}
	}, []string{"signature failed", "consistency skipped", "closings skipped", "memory skipped"}, "another log", false},
	{"a flipped bit in the log's checkpoint", func(t testing.TB, all contents) contents { return all.flip(t, "log/checkpoint", "") },
		[]string{"consistency failed", "closings skipped", "memory skipped"}, "", false},
	{"a checkpoint that is none", func(t testing.TB, all contents) contents { return contents{"log/checkpoint": []byte("hello\n")} },
		[]string{"consistency failed", "closings skipped", "memory skipped"}, "signed-note", false},
	{"no checkpoint", func(t testing.TB, all contents) contents { return contents{"log/checkpoint": nil} },
		[]string{"consistency failed", "closings skipped", "memory skipped"}, "is missing", true},
	{"a flipped bit in a tile", func(t testing.TB, all contents) contents { return all.flip(t, newestTile(t, all), "") },
		[]string{"consistency failed", "closings failed"}, "was changed", false},
	{"a tile cut off", func(t testing.TB, all contents) contents {
		return contents{newestTile(t, all): all[newestTile(t, all)][1:]}
	}, []string{"consistency failed", "closings failed"}, "length", false},
	{"no tile", func(t testing.TB, all contents) contents { return contents{newestTile(t, all): nil} },
		[]string{"consistency failed", "closings failed"}, "is missing", true},
	{"a log older than the proof", func(t testing.TB, _ contents) contents {
		return setBack(t, 3)
	}, []string{"consistency failed"}, "it was set back", false},
	{"a log that is another one", func(t testing.TB, all contents) contents { return forkedLog(t) },
		[]string{"consistency failed", "closings failed"}, "was rewritten", false},
}

// signed signs a tree as the sample log does.
func signed(t testing.TB, tree tlog.Tree) []byte {
	t.Helper()
	text, err := checkpoint.Sign(archivetest.Origin, tree, signer(t, 7))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// signer returns the sample log's key, of seed 7, or another one.
func signer(t testing.TB, seed byte) note.Signer {
	t.Helper()
	secret, _, err := note.GenerateKey(rand.NewChaCha8([32]byte{seed}), archivetest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// size returns the size of the log.
func size(t testing.TB, all contents) int64 {
	t.Helper()
	verifier, err := note.NewVerifier(sample(t).key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := checkpoint.Open(all["log/checkpoint"], archivetest.Origin, note.VerifierList(verifier))
	if err != nil {
		t.Fatal(err)
	}
	return c.Tree.N
}

// newestTile returns the path of the only tile of the log as it is now.
func newestTile(t testing.TB, all contents) string {
	return "log/" + tiles.Path(tlog.Tile{H: tiles.Height, W: int(size(t, all))})
}

// leafHashes are those of the first entries of the sample log.
func leafHashes(t testing.TB, n int64) (list []tlog.Hash) {
	t.Helper()
	data := sample(t).all[newestTile(t, sample(t).all)]
	for i := range n {
		list = append(list, tlog.Hash(data[32*i:]))
	}
	return list
}

// rootOf returns the root over some leaf hashes.
func rootOf(t testing.TB, leaves []tlog.Hash) tlog.Hash {
	t.Helper()
	var all stored
	for i, leaf := range leaves {
		hashes, err := tlog.StoredHashesForRecordHash(int64(i), leaf, all)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, hashes...)
	}
	root, err := tlog.TreeHash(int64(len(leaves)), all)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// oldCheckpoint returns the signed checkpoint of the first entries of the log.
func oldCheckpoint(t testing.TB, n int64) []byte {
	return signed(t, tlog.Tree{N: n, Hash: rootOf(t, leafHashes(t, n))})
}

// setBack returns the log as it was when it had so many entries.
func setBack(t testing.TB, n int64) contents {
	all := sample(t).all
	return contents{"log/checkpoint": oldCheckpoint(t, n), fmt.Sprintf("log/tile/0/000.p/%d", n): all[newestTile(t, all)][:32*n]}
}

// forkedLog returns the files of another log that the same key signed.
func forkedLog(t testing.TB) contents {
	t.Helper()
	verifier, err := note.NewVerifier(sample(t).key)
	if err != nil {
		t.Fatal(err)
	}
	files := fakeobjects.New()
	log := &sequencer.Log{Origin: archivetest.Origin, Lock: archive.TableLock{Table: store.New(fakedynamo.New(t, "tally"), "tally"), Origin: archivetest.Origin}, Objects: files, Signers: []note.Signer{signer(t, 7)}, Known: note.VerifierList(verifier), Log: quiet}
	var leaves []sequencer.Leaf
	for i := range 200 {
		leaves = append(leaves, sequencer.Leaf{Group: "any", Key: fmt.Sprint(i), Data: fmt.Appendf(nil, "another %d", i)})
	}
	if _, err := log.Append(t.Context(), leaves); err != nil {
		t.Fatal(err)
	}
	return contentsOf(fakeobjects.New(), files)
}

// TestTampered tampers with an archive in one way after the other. The step that
// finds it must be the right one, and say why.
func TestTampered(t *testing.T) {
	all := sample(t).all
	h, b := serving(t, nil), newTab(t)
	b.before(hurry)
	for _, tamper := range tampers {
		t.Run(tamper.name, func(t *testing.T) {
			changed := tamper.change(t, all)
			if len(changed) == 0 {
				t.Fatal("nothing is changed")
			}
			h.only(changed)
			b.open(h.page(drawPage))
			found := b.press()
			found.expect(t, "failed", tamper.others...)
			if !strings.Contains(found.Text, tamper.reason) || !strings.HasPrefix(found.Text, "Verification failed at check ") {
				t.Errorf("the verdict is %q, without %q", found.Text, tamper.reason)
			}
			if !tamper.missing {
				b.quiet(tamper.name)
			}
			b.forget()
			if seen := b.remembered(); seen != "" {
				t.Errorf("it is remembered: %s", seen)
			}
		})
	}
	h.only(nil)
	b.open(h.page(drawPage))
	b.press().expect(t, "ok")
	b.quiet("the good archive")
}

// remembered returns what the browser remembers of the log.
func (b *tab) remembered() string {
	b.t.Helper()
	return evaluate[string](b, `localStorage.getItem("tally.log example.com/tally") ?? ""`)
}

// TestMemory shows the browser a log that does not fit what it has seen.
func TestMemory(t *testing.T) {
	all := sample(t).all
	t.Run("an older log", func(t *testing.T) {
		t.Parallel()
		h, b := serving(t, nil), newTab(t)
		b.before(hurry)
		b.open(h.page(drawPage))
		b.press().expect(t, "ok")
		seen := b.remembered()
		h.only(older(t))
		b.open(h.page(drawPage))
		found := b.press()
		found.expect(t, "failed", "memory failed")
		if !strings.Contains(found.Text, "it was set back") || !slices.Contains(found.Actions, "evidence-set_back.json") {
			t.Errorf("%s, %v", found.Text, found.Actions)
		}
		b.kept(seen, "set_back")
		b.press().expect(t, "failed", "memory failed")
		b.kept(seen, "set_back")
		h.only(nil)
		b.open(h.page(drawPage))
		b.press().expect(t, "ok")
	})
	t.Run("a forked log", func(t *testing.T) {
		t.Parallel()
		h, b := serving(t, setBack(t, 60)), newTab(t)
		b.open(h.page(drawPage))
		b.press().expect(t, "ok")
		seen := b.remembered()
		// The log has the same first 50 entries, which the proof needs, and others after.
		leaves := append(leafHashes(t, 50), make([]tlog.Hash, 30)...)
		var tile []byte
		for _, leaf := range leaves {
			tile = append(tile, leaf[:]...)
		}
		fork := contents{"log/checkpoint": signed(t, tlog.Tree{N: 80, Hash: rootOf(t, leaves)}), "log/tile/0/000.p/80": tile}
		h.put(fork)
		found := b.press()
		found.expect(t, "failed", "memory failed")
		if !strings.Contains(found.Text, "was rewritten") || !slices.Contains(found.Actions, "evidence-forked.json") {
			t.Errorf("%s, %v", found.Text, found.Actions)
		}
		b.kept(seen, "forked")
		// The evidence is two checkpoints that contradict each other, both signed.
		var evidence struct{ Origin, Older, Newer string }
		if err := json.Unmarshal(b.download("#verify [download^=evidence]"), &evidence); err != nil {
			t.Fatal(err)
		}
		if evidence.Origin != archivetest.Origin || evidence.Older != string(oldCheckpoint(t, 60)) || evidence.Newer != string(fork["log/checkpoint"]) {
			t.Errorf("%+v", evidence)
		}
		// Of the same size.
		h.put(contents{"log/checkpoint": signed(t, tlog.Tree{N: 60, Hash: rootOf(t, leaves[:60])}), "log/tile/0/000.p/60": tile[:60*32]})
		b.press().expect(t, "failed", "memory failed")
		b.kept(seen, "forked")
		// Someone who knows why it is another one can have it forgotten.
		b.mu.Lock()
		b.answer = true
		b.mu.Unlock()
		b.do(chromedp.Click(chromedp.CSS(`#verify [data-action="forget"]`)), chromedp.WaitNotPresent(chromedp.CSS(`#verify [data-action="forget"]`)))
		if left := b.remembered(); left != "" {
			t.Errorf("it is still remembered: %s", left)
		}
		b.press().expect(t, "ok")
	})
	t.Run("another key", func(t *testing.T) {
		t.Parallel()
		h, b := serving(t, nil), newTab(t)
		b.open(h.page(drawPage))
		b.press().expect(t, "ok")
		seen := b.remembered()
		h.put(signedBy(t, all, 9))
		b.open(h.page(drawPage))
		found := b.press()
		found.expect(t, "failed", "memory failed")
		if !strings.Contains(found.Text, "by another key") || !slices.Equal(found.Actions, []string{"evidence-key_changed.json", "accept_key", "forget"}) {
			t.Errorf("%s, %v", found.Text, found.Actions)
		}
		b.kept(seen, "key_changed")
		b.do(chromedp.Click(chromedp.CSS(`#verify [data-action="accept_key"]`)))
		b.press().expect(t, "failed", "memory failed") // it was asked, and the answer was no
		b.mu.Lock()
		b.answer = true
		b.mu.Unlock()
		b.do(chromedp.Click(chromedp.CSS(`#verify [data-action="accept_key"]`)), chromedp.WaitNotPresent(chromedp.CSS(`#verify [data-action="accept_key"]`)))
		b.press().expect(t, "ok")
	})
	t.Run("a key that is being replaced", func(t *testing.T) {
		t.Parallel()
		h, b := serving(t, nil), newTab(t)
		b.open(h.page(drawPage))
		b.press().expect(t, "ok")
		for _, seeds := range [][]byte{{7, 9}, {9}} { // both sign for a while
			h.put(signedBy(t, all, seeds...))
			b.open(h.page(drawPage))
			b.press().expect(t, "ok")
		}
	})
	t.Run("another tab", func(t *testing.T) {
		t.Parallel()
		h, b := serving(t, setBack(t, 100)), newTab(t)
		b.open(h.page(drawPage))
		b.press().expect(t, "ok")
		h.only(nil)
		// While this tab reads tiles, another one verifies a newer checkpoint.
		evaluate[chromedp.Void](b, fmt.Sprintf(`(() => {
			const fetch = window.fetch, name = "tally.log example.com/tally";
			let times = 0;
			window.fetch = (url, ...rest) => {
				if (url.includes("/tile/") && ++times === 3) localStorage.setItem(name, JSON.stringify({ ...JSON.parse(localStorage.getItem(name)), checkpoint: %q, at: "meanwhile" }));
				return fetch(url, ...rest);
			};
		})()`, oldCheckpoint(t, 120)))
		found := b.press()
		found.expect(t, "ok")
		if !strings.Contains(found.of("memory"), "a tree of size 120 last, on meanwhile") {
			t.Errorf("%s", found.of("memory"))
		}
	})
	t.Run("damaged", func(t *testing.T) {
		t.Parallel()
		h, b := serving(t, nil), newTab(t)
		for _, text := range []string{"", "null", "{", `{"keys":[],"checkpoint":"","at":"","evidence":[]}`, `{"keys":["a"],"checkpoint":"x","at":"y","evidence":[]}`, `[1]`} {
			b.open(h.page(drawPage))
			evaluate[chromedp.Void](b, fmt.Sprintf(`localStorage.setItem("tally.log example.com/tally", %q)`, text))
			found := b.press()
			found.expect(t, "failed", "memory failed")
			if !strings.Contains(found.Text, "can't be used") || !slices.Equal(found.Actions, []string{"forget"}) {
				t.Errorf("%s, %v", found.Text, found.Actions)
			}
		}
	})
}

// kept fails the test unless the browser remembers what it did before, and
// evidence of what did not fit.
func (b *tab) kept(seen, reason string) {
	b.t.Helper()
	before, after := seen[:strings.Index(seen, `"evidence"`)], b.remembered()
	if !strings.HasPrefix(after, before) || !strings.Contains(after, fmt.Sprintf(`"reason":%q`, reason)) {
		b.t.Errorf("remembered %s, which was %s", after, seen)
	}
}

// signedBy returns what is other in the archive when keys of these seeds sign it:
// the page, the proof and the checkpoint.
func signedBy(t testing.TB, all contents, seeds ...byte) contents {
	t.Helper()
	var signers []note.Signer
	var keys []string
	for _, seed := range seeds {
		_, public, err := note.GenerateKey(rand.NewChaCha8([32]byte{seed}), archivetest.Origin)
		if err != nil {
			t.Fatal(err)
		}
		signers, keys = append(signers, signer(t, seed)), append(keys, public)
	}
	again := func(text []byte) []byte {
		head, _, _ := bytes.Cut(text, []byte("\n\n\u2014"))
		signed, err := note.Sign(&note.Note{Text: string(head) + "\n"}, signers...)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	proof := all[proofFile]
	at := bytes.Index(proof, []byte("\n\n")) + 2
	old := sample(t).key
	page := bytes.Replace(all[drawPage], fmt.Appendf(nil, `data-keys="%s"`, old), fmt.Appendf(nil, `data-keys="%s"`, strings.Join(keys, " ")), 1)
	page = bytes.ReplaceAll(page, []byte(" --key "+old), []byte(" --key "+strings.Join(keys, " --key ")))
	return contents{drawPage: page, "log/checkpoint": again(all["log/checkpoint"]), proofFile: append(bytes.Clone(proof[:at]), again(proof[at:])...)}
}

// TestNotVerified can't verify everything, which is not to be taken for a failure
// of the archive.
func TestNotVerified(t *testing.T) {
	tests := []struct {
		name    string
		on      string // what is not answered,
		status  int    // or answered with this
		before  string // a script that runs before those of the page
		verdict string
		others  []string
		reason  string
	}{
		{"no answer", ".tlog-proof", -1, "", "unreachable", []string{"inclusion unreachable", "signature unreachable", "consistency skipped", "closings skipped", "memory skipped"}, "there was no answer"},
		{"a server that is down", "log/checkpoint", 503, "", "unreachable", []string{"consistency unreachable", "closings skipped", "memory skipped"}, "the server answered 503"},
		{"no answer for a tile", "log/tile/", -1, "", "unreachable", []string{"consistency unreachable", "closings unreachable"}, "there was no answer"},
		{"no words", "assets/words.en.", 503, "", "unreachable", nil, "what this button has to say could not be read"},
		{"a browser without Ed25519", "", 0, `const importKey = SubtleCrypto.prototype.importKey;
			SubtleCrypto.prototype.importKey = function (format, key, algorithm, ...rest) {
				return algorithm.name === "Ed25519" ? Promise.reject(new DOMException("", "NotSupportedError")) : importKey.call(this, format, key, algorithm, ...rest);
			};`, "unable", []string{"signature unable", "consistency skipped", "closings skipped", "memory skipped"}, "can't verify Ed25519"},
		{"a browser that remembers nothing", "", 0, `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("", "SecurityError"); } });`,
			"unable", []string{"memory unable"}, "does not let the page remember"},
		{"a browser whose memory is full", "", 0, `Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError"); };`,
			"unable", []string{"memory unable"}, "does not let the page remember"},
		{"a page that is not secure", "", 0, `Object.defineProperty(Crypto.prototype, "subtle", { get: () => undefined });`, "unable", nil, "only for pages that come by https"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h, b := serving(t, nil), newTab(t)
			h.fail(test.on, test.status)
			b.before(hurry + test.before)
			b.open(h.page(drawPage))
			found := b.press()
			if len(test.others) > 0 {
				found.expect(t, test.verdict, test.others...)
			}
			if found.Verdict != test.verdict || !strings.Contains(found.Text, test.reason) || strings.Contains(found.Text, "failed") {
				t.Errorf("%s: %s", found.Verdict, found.Text)
			}
			if len(test.others) == 0 && len(found.Steps) > 0 {
				t.Errorf("steps %v", found.results())
			}
		})
	}
}

// TestVerifyOnce presses the button again while it works, which changes nothing.
func TestVerifyOnce(t *testing.T) {
	h, b := serving(t, nil), newTab(t)
	b.open(h.page(drawPage))
	h.fail("log/checkpoint", 503)
	evaluate[chromedp.Void](b, `document.querySelector('#verify [data-part="button"]').click(), document.querySelector('#verify [data-part="button"]').click()`)
	time.AfterFunc(100*time.Millisecond, func() { h.fail("", 0) })
	b.verdict().expect(t, "ok") // and a server that is back is asked again
}
