package browsertest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive/entry"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
	"tally/lib/site/files"
	"tally/lib/site/history"
	"tally/lib/site/pages"
	"tally/lib/site/serve"
)

// noon is when the odd draws open.
const noon settlement.Instant = 1796040000000 // 2026-11-30T12:00:00Z

// odd are states that no sample has, by the names of their draws.
func odd() map[string]*entry.State {
	spins := func(faulty int) []byte {
		text := `{"spins":[` + strings.Repeat(`{"pocket":3,"revolutions":1},`, faulty) + `{"pocket":0,"revolutions":4}]}`
		return []byte(text)
	}
	zero := []byte(`{"pocket":0,"colour":"green"}`)
	return map[string]*entry.State{
		"many-spins":     {Game: "roulette", Status: entry.Resolved, Facts: spins(1234), Outcome: zero},
		"one-more":       {Game: "roulette", Status: entry.Resolved, Facts: spins(21), Outcome: zero},
		"hidden":         {Game: "roulette", Status: entry.Resolved, FactsSHA256: entry.HashOf("facts"), Outcome: zero},
		"hidden-hands":   {Game: "blackjack", Status: entry.Resolved, FactsSHA256: entry.HashOf("facts"), Outcome: []byte(`{"dealer":{"total":22,"bust":true},"seats":[{"seat":3,"hands":[{"total":21,"blackjack":true,"result":"win"},{"total":12,"result":"push"}]}]}`)},
		"by-tally":       {Game: "dice", Status: entry.Cancelled, Reason: "no_result", Rule: "DICE-4"},
		"by-studio":      {Game: "dice", Status: entry.Cancelled, Reason: "die_fell", Rule: "DICE-4"},
		"unknown-reason": {Game: "dice", Status: entry.Cancelled, Reason: "meteor_strike", Rule: "DICE-4"},
		"unknown-game":   {Game: "keno", Status: entry.Resolved, Facts: []byte(`{"<b>":"&amp;</script>"}`), Outcome: []byte(`{"x":"<img src=x onerror=alert(1)>"}`)},
		"unknown-facts":  {Game: "war", Status: entry.Resolved, Facts: []byte(`{"player":7}`), Outcome: []byte(`{"winner":"war"}`)},
		"unknown-winner": {Game: "war", Status: entry.Resolved, Facts: []byte(`{"dealer":"2D","player":"TS"}`), Outcome: []byte(`{"winner":"constructor"}`)},
		"unlike-hands":   {Game: "poker", Status: entry.Resolved, Facts: []byte(`{"board":[],"hands":[["2S","2D"]]}`), Outcome: []byte(`{"winners":[1],"combination":"pair","hands":[{"category":"pair","best":[]},{"category":"pair","best":[]}]}`)},
		"no-pocket":      {Game: "roulette", Status: entry.Resolved, Facts: spins(0), Outcome: []byte(`{"pocket":37,"colour":"red"}`)},
		"void":           {Game: "lucky5", Status: entry.Void, Facts: []byte(`{"balls":[1,10,19]}`), Reason: "wrong_ball_count", Rule: "L5-2"},
		"too-many":       {Game: "lucky7", Status: entry.Resolved, Facts: []byte(`{"balls":[1,2,3,4,5,6,7,42]}`), Outcome: []byte(`{"sum":28,"odd":4,"even":3,"colours":{"black":3,"yellow":4},"first":1,"last":7}`)},
		"faulty-rolls":   {Game: "dice", Status: entry.Resolved, Facts: []byte(`{"rolls":[{"dice":[1,2,3],"faults":["die_fell","odd"]},{"dice":[6,6,6,6,6]}]}`), Outcome: []byte(`{"combination":"five_of_a_kind","arranged":[6,6,6,6,6],"sum":30}`)},
		"the-cup":        {Game: "wheel", Status: entry.Resolved, Facts: []byte(`{"spins":[{"sector":null,"turns":4},{"sector":"cup","turns":1000}]}`), Outcome: []byte(`{"sector":"cup"}`)},
		"doubled":        {Game: "blackjack", Status: entry.Resolved, Facts: []byte(`{"burned":["2C"],"dealer":["9S","7D","TC"],"seats":[{"hands":[{"cards":["8H","3D","TC"],"doubled":true}],"seat":2}]}`), Outcome: []byte(`{"dealer":{"total":26,"bust":true},"seats":[{"seat":2,"hands":[{"total":21,"result":"win"}]}]}`)},
	}
}

// oddRounds are betting rounds that no sample has, by the names of odd draws; the others
// have one round, and a second one that never opened.
func oddRounds() map[string][]entry.Closed {
	first, midnight := entry.Closed{Round: 1, OpensAt: noon, Closing: noon + 19_500}, noon+12*3_600_000
	side := entry.Closed{Round: 2, OpensAt: noon + 30_000, Closing: midnight, Selections: []entry.Stopped{
		{Selection: "double:3:*", Closing: midnight - 1}, {Selection: "insurance:*", Closing: noon + 44_000}}}
	return map[string][]entry.Closed{
		"doubled":      {first, side},
		"hidden-hands": {first, {Round: 2, OpensAt: side.OpensAt, Closing: side.Closing}}, // nothing was closed
		"unknown-game": {{Round: 3, OpensAt: noon, Closing: midnight, Selections: []entry.Stopped{{Selection: "<b>&", Closing: noon}}}},
	}
}

// oddPages makes the pages of the odd states, with their histories.
func oddPages(t testing.TB) contents {
	t.Helper()
	s, err := pages.New(pages.Options{Origin: archivetest.Origin, VerifierKeys: []string{sample(t).key}, LogURL: serve.LogFolder})
	if err != nil {
		t.Fatal(err)
	}
	all := contents{}
	for name, state := range odd() {
		state.Draw, state.State, state.MadeAt, state.Catalogue = name, 1, noon+90_000, 1
		if name != "by-tally" {
			state.Revision, state.Message = 1, entry.HashOf(name)
		}
		opening := &entry.Opening{Draw: name, Game: state.Game, Table: "table-1", Sequence: 7, StoredAt: noon, Message: entry.HashOf("opening"),
			Rounds: []entry.Planned{{Round: 1, OpensAt: noon, ClosesAt: noon + 20_000}, {Round: 2, OpensAt: noon + 30_000, ClosesAt: noon + 50_000}}}
		closings := &entry.Closings{Draw: name, Game: state.Game, State: 1, Rounds: oddRounds()[name]}
		if closings.Rounds == nil {
			closings.Rounds = []entry.Closed{{Round: 1, OpensAt: noon, Closing: noon + 19_500}}
		}
		var leaves []history.Leaf
		for i, e := range []entry.Entry{opening, closings, state} {
			data, err := entry.Encode(e)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			leaf, err := history.Read(int64(i), data)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			leaves = append(leaves, leaf)
		}
		told, err := history.New(leaves)
		if err != nil {
			t.Fatal(err)
		}
		made, err := s.Draw(told)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := files.Draw(told)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range append(made, kept) {
			all[file.Path] = file.Data
		}
	}
	return all
}

var drawPages = regexp.MustCompile(`^[a-z]{2}/[a-z0-9_]+/\d{4}-\d\d-\d\d/[^/]+\.html$`)

// TestRedraw draws the results and the closings of all draws once more from their entries,
// by the script, in every language: they come out as the pages have them.
func TestRedraw(t *testing.T) {
	all := oddPages(t)
	h, b := serving(t, all), newTab(t)
	for path, page := range sample(t).all {
		if drawPages.MatchString(path) && bytes.Contains(page, []byte(`id="verify"`)) {
			all[path] = page
		}
	}
	maps.DeleteFunc(all, func(path string, _ []byte) bool { return !drawPages.MatchString(path) })
	paths, err := json.Marshal(slices.Sorted(maps.Keys(all)))
	if err != nil || len(all) < 4*(len(odd())+10) {
		t.Fatalf("%d pages, %v", len(all), err)
	}
	b.open(h.page(drawPage))
	wrong := evaluate[[]string](b, fmt.Sprintf(`(async () => {
		const { compareRounds, drawOutcome, difference } = await import("/%s");
		const { Words } = await import("/%s");
		const wrong = [];
		for (const path of %s) {
			const page = new DOMParser().parseFromString(await (await fetch("/" + path)).text(), "text/html");
			const verify = page.getElementById("verify");
			const json = async (name) => (await fetch(new URL(verify.dataset[name], location.origin + "/" + path))).json();
			const words = new Words(await json("words"));
			const closings = (await json("history")).entries.findLast(({ entry }) => entry.entry === "closings");
			try {
				compareRounds(page, { game: verify.dataset.game, day: path.split("/").at(-2) }, closings.entry.rounds, words);
			} catch (fault) {
				wrong.push(path + ": " + fault);
			}
			const drawn = drawOutcome(JSON.parse(verify.querySelector('[data-part="entry"]').textContent), words);
			const other = difference(page.querySelector("section.outcome"), new DOMParser().parseFromString(drawn, "text/html").querySelector("section"));
			const show = (node) => (node?.outerHTML ?? node?.data ?? "nothing").slice(0, 300);
			if (other) wrong.push(path + ": " + show(other.found) + "\n  redrawn: " + show(other.wanted));
		}
		return wrong;
	})()`, assetOf(t, "page", ".js"), assetOf(t, "words", ".js"), paths))
	for _, text := range wrong[:min(len(wrong), 10)] {
		t.Error(text)
	}
	b.quiet("redrawing")
}

// assetOf returns the path of an asset.
func assetOf(t testing.TB, name, end string) string {
	t.Helper()
	for path := range sample(t).all {
		if strings.HasPrefix(path, "assets/"+name+".") && strings.HasSuffix(path, end) && strings.Count(path, ".") == 2+strings.Count(name, ".") {
			return path
		}
	}
	t.Fatalf("there is no asset %s", name)
	return ""
}

// other is a draw beside the one that is verified.
const other = "war-1.20261130.0512"

// replaced returns a page with one text in the place of another.
func replaced(t testing.TB, page []byte, old, with string) []byte {
	t.Helper()
	if !bytes.Contains(page, []byte(old)) {
		t.Fatalf("the page has no %q", old)
	}
	return bytes.Replace(page, []byte(old), []byte(with), 1)
}

// between returns the text of a page from one mark up to the end of another.
func between(t testing.TB, page []byte, from, to string) string {
	t.Helper()
	_, rest, is := strings.Cut(string(page), from)
	inside, _, ends := strings.Cut(rest, to)
	if !is || !ends {
		t.Fatalf("the page has no %q … %q", from, to)
	}
	return from + inside + to
}

// superseded returns the page of the draw as it was under its first state: made
// from the entries up to that one.
func superseded(t testing.TB) []byte {
	t.Helper()
	var told struct {
		Entries []struct {
			Index int64           `json:"index"`
			Entry json.RawMessage `json:"entry"`
		} `json:"entries"`
	}
	if err := json.Unmarshal(sample(t).all[fmt.Sprintf("results/%s/2026-11-30/%s.json", game, draw)], &told); err != nil {
		t.Fatal(err)
	}
	var leaves []history.Leaf
	for _, one := range told.Entries {
		leaf, err := history.Read(one.Index, one.Entry)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leaf)
		if leaf.Entry.ID().Kind == entry.KindState {
			break
		}
	}
	early, err := history.New(leaves)
	if err != nil {
		t.Fatal(err)
	}
	s, err := pages.New(pages.Options{Origin: archivetest.Origin, VerifierKeys: []string{sample(t).key}, LogURL: serve.LogFolder})
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.Draw(early)
	if err != nil {
		t.Fatal(err)
	}
	return files[0].Data
}

// TestForged changes what a draw's page shows. Its entry, proof and log are right, so
// that only comparing the page with them finds it.
func TestForged(t *testing.T) {
	all := sample(t).all
	page, otherPage := all[drawPage], all["en/war/2026-11-30/"+other+".html"]
	changed := func(old, with string) contents { return contents{drawPage: replaced(t, page, old, with)} }
	picture := between(t, page, `<figure class="table">`, `</figure>`)
	facts := between(t, page, `<dl class="facts">`, `</dl>`)
	line := between(t, page, `<p class="line">`, `</p>`)
	card := between(t, []byte(picture), `<svg class="card`, `</svg>`)
	tests := []struct {
		name   string
		files  contents
		step   string
		reason string
	}{
		{"a page of an earlier state", contents{drawPage: superseded(t)}, "newest", "was replaced: the site has state 4 of this draw, and this page shows state 1"},
		{"another draw's page", contents{drawPage: otherPage}, "page", "en/baccarat/2026-11-30/" + draw + ".html, not en/war/"},
		{"another language's page", contents{drawPage: all["es"+strings.TrimPrefix(drawPage, "en")]}, "page", "es/baccarat/"},
		{"the headline", changed(line, `<p class="line">Tie 9 : 9</p>`), "page", "has: Tie 9 : 9. By the entry it must be: "},
		{"no headline", changed(line, ""), "page", "does not show what its entry says"},
		{"a hidden headline", changed(`<p class="line">`, `<p class="line" hidden>`), "page", "drawn in another way"},
		{"another draw's picture", changed(picture, between(t, otherPage, `<figure class="table">`, `</figure>`)), "page", `Under "picture"`},
		{"a card less", changed(card, ""), "page", `Under "picture"`},
		{"a mark in a card", changed(`<g class="ink" fill="#`, `<g class="ink" fill="#f`), "page", `Under "picture"`},
		{"a row of the facts", changed("<dt>Natural</dt><dd>", "<dt>Natural</dt><dd>un"), "page", `Under "outcome"`},
		{"a row more", changed(facts, strings.Replace(facts, "</dl>", "<div><dt>Tie</dt><dd>pays</dd></div></dl>", 1)), "page", `Under "outcome"`},
		{"the status", changed(`<span class="status resolved">Resolved</span> <span`, `<span class="status void">Void</span> <span`), "page", `Under "status" it has: Void. By the entry it must be: Resolved.`},
		{"no word of the correction", changed(` <span class="status corrected">Corrected</span>`, ""), "page", `Under "status"`},
		{"the title", changed(`<span class="id">`+draw, `<span class="id">bac-1.20261130.0043`), "page", `Under "title"`},
		{"the title of the window", changed("<title>"+draw, "<title>bac-1.20261130.0043"), "page", `Under "title"`},
		{"a second result", changed(`<section id="verify"`, `<section class="outcome"><p>Tie</p></section><section id="verify"`), "page", "no page of a draw has: Tie"},
		{"a banner", changed("<body>", "<body><p>Tie wins</p>"), "page", "no page of a draw has: Tie wins"},
		{"a part less", changed(between(t, page, `<section aria-labelledby="states">`, "</section>"), ""), "page", "no page of a draw has"},
		{"a link to another proof", changed(proofFile[strings.LastIndex(proofFile, "/"):]+`" download`, `/other.tlog-proof" download`), "page", `Under "links"`},
		{"a link to another draw in Spanish", changed(draw+`.html" lang="es"`, `other.html" lang="es"`), "page", `Under "links"`},
		{"a key in a command", changed("--key example.com/tally", "--key example.com/other"), "page", `Under "commands"`},
	}
	h, b := serving(t, nil), newTab(t)
	b.before(hurry)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h.only(test.files)
			b.open(h.page(drawPage))
			found := b.press()
			found.expect(t, "failed", test.step+" failed")
			if !strings.Contains(found.Text, test.reason) {
				t.Errorf("the verdict is %q, without %q", found.Text, test.reason)
			}
			if seen := b.remembered(); seen != "" {
				t.Errorf("it is remembered: %s", seen)
			}
			b.quiet(test.name)
		})
	}
}

// TestHistory looks for a newer state where the site's history of the draw is not
// what it should be.
func TestHistory(t *testing.T) {
	all := sample(t).all
	path := fmt.Sprintf("results/%s/2026-11-30/%s.json", game, draw)
	told := func(text string) contents { return contents{path: []byte(text)} }
	tests := []struct {
		name, result, reason string
		files                contents
		closings             string
	}{
		{"missing", "failed", "is missing", contents{path: nil}, "skipped"},
		{"another draw's", "failed", "damaged, or that of another draw", contents{path: all["results/war/2026-11-30/"+other+".json"]}, "skipped"},
		{"no history", "failed", "damaged, or that of another draw", told("[]"), "skipped"},
		{"a number that is none", "failed", "damaged, or that of another draw", told(`{"row":{"draw":"` + draw + `","game":"baccarat","state":"4"},"states":[]}`), "skipped"},
		{"no states", "failed", "damaged, or that of another draw", told(`{"row":{"draw":"` + draw + `","game":"baccarat","state":4}}`), "skipped"},
		{"a newer state among the files", "failed", "the site has state 5", told(`{"row":{"draw":"` + draw + `","game":"baccarat","state":4},"states":[{"state":5}]}`), "failed"},
		{"behind the page", "unreachable", "ends with state 3", told(`{"row":{"draw":"` + draw + `","game":"baccarat","state":3},"states":[]}`), "skipped"},
		{"a state of another draw", "unable", "the state of another draw", told(`{"schema":1,"entry":"state","draw":"bac-1","state":42}`), "skipped"},
	}
	h, b := serving(t, nil), newTab(t)
	b.before(hurry)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h.only(test.files)
			b.open(h.page(drawPage))
			found := b.press()
			found.expect(t, test.result, "newest "+test.result, "closings "+test.closings)
			if !strings.Contains(found.Text, test.reason) {
				t.Errorf("the verdict is %q, without %q", found.Text, test.reason)
			}
			evaluate[chromedp.Void](b, "localStorage.clear()")
			b.forget()
		})
	}
}

// The draw of blackjack whose studio closed insurance within the second betting round.
const (
	blackjackPage    = "en/blackjack/2026-11-30/bj-1.20261130.0064.html"
	blackjackHistory = "results/blackjack/2026-11-30/bj-1.20261130.0064.json"
)

// TestClosings tells what was closed within a betting round, and finds where the page or
// the site's history tells it otherwise than the log.
func TestClosings(t *testing.T) {
	game, _ := games.Find("blackjack")
	s, made := archivetest.New(t), fakeobjects.New()
	play(t, s, made, game) // alone: nothing of it is late
	all := contentsOf(made, s.Files)
	page := all[blackjackPage]
	with := func(path, old, with string) contents {
		changed := maps.Clone(all)
		changed[path] = replaced(t, all[path], old, with)
		return changed
	}
	changed := func(old, text string) contents { return with(blackjackPage, old, text) }
	retold := func(old, text string) contents { return with(blackjackHistory, old, text) }
	stopped := between(t, page, ` <span class="lying"><code>insurance:*`, "</time></span>")
	closing := `<span><time datetime="2026-11-30T12:04:34.600Z">12:04:34.600</time>`
	tests := []struct {
		name   string
		files  contents
		reason string
	}{
		{"nothing closed", changed(stopped, ""), "has: –. By the entry it must be: insurance:* 12:03:45.500."},
		{"a later time", changed(">12:03:45.500<", ">12:04:05.500<"), "has: 12:04:05.500. By the entry it must be: 12:03:45.500."},
		{"one selection instead of all", changed("<code>insurance:*", "<code>insurance:1"), "has: insurance:1. By the entry it must be: insurance:*."},
		{"something more", changed(stopped, strings.Replace(stopped, "insurance:*", "double:*", 1)+stopped), `Under "betting rounds"`},
		{"a later closing of the round", changed(closing, strings.ReplaceAll(closing, "34.600", "35.000")), `Under "betting rounds"`},
		{"a note that nothing was", changed("</table>\n</div>\n</section>", `</table></div><p class="notice">No selection was closed</p></section>`), "No selection was closed"},
		{"a round less", changed(between(t, page, `<tr role="row"><th role="rowheader" scope="row">2 `, "</tr>"), ""), "By the entry it must be: 2"},
		{"other columns", changed(">Planned close<", ">Closed<"), `Under "betting rounds"`},
		{"a history with another time", retold("12:03:45.500Z", "12:04:05.500Z"), "not in this tree"},
		{"a history without what was closed", retold(`"selections":[{"selection":"insurance:*","closing":"2026-11-30T12:03:45.500Z"}],`, ""), "not in this tree"},
		{"a history without closings", retold(`"entry":"closings"`, `"entry":"closing"`), "does not say when its betting rounds closed"},
	}
	h, b := serving(t, all), newTab(t)
	b.before(hurry)
	b.open(h.page(blackjackPage))
	found := b.press()
	found.expect(t, "ok")
	if says := found.of("closings"); !strings.Contains(says, "Closed before its round, so that no later bet on it counts: Round 2: insurance:* 12:03:45.500.") {
		t.Errorf("it says %q", says)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h.only(test.files)
			b.open(h.page(blackjackPage))
			found := b.press()
			found.expect(t, "failed", "closings failed")
			if !strings.Contains(found.Text, test.reason) {
				t.Errorf("the verdict is %q, without %q", found.Text, test.reason)
			}
			b.quiet(test.name)
		})
	}
}

// TestLoggedClosings finds what a log may tell of a draw's closings only where whoever
// wrote it is wrong: a closing that was told is changed, or lies outside its round.
func TestLoggedClosings(t *testing.T) {
	const first = `{"entry":"closings","draw":"d","game":"war","state":1,"rounds":[{"round":1,"opens_at":"2026-11-30T12:00:00.000Z","closing":"2026-11-30T12:00:20.000Z","selections":[{"selection":"war","closing":"2026-11-30T12:00:05.000Z"}]}]}`
	second := strings.Replace(first, `"state":1`, `"state":2`, 1)
	with := func(entry, old, with string) string { return strings.Replace(entry, old, with, 1) }
	tests := []struct {
		name, first, second string
		want                string // the fault; that of the page, where the log's closings hold
	}{
		{"kept", first, second, "page_differs"},
		{"nothing closed any more", first, with(second, `,"selections":[{"selection":"war","closing":"2026-11-30T12:00:05.000Z"}]`, ""), "closing_changed"},
		{"something else closed", first, with(second, `"war","closing"`, `"dealer","closing"`), "closing_changed"},
		{"closed earlier", first, with(second, "12:00:20", "12:00:19"), "closing_changed"},
		{"a round gone", first, with(second, `"round":1`, `"round":2`), "closing_changed"},
		{"closed with its round", first, with(first, "12:00:05", "12:00:20"), "closing_changed"},
		{"never closed within it", with(first, "12:00:05", "12:00:20"), with(second, "12:00:05", "12:00:20"), "closed_outside"},
		{"closed before it opened", with(first, "12:00:05", "11:59:59"), with(second, "12:00:05", "11:59:59"), "closed_outside"},
		{"of later states", with(first, `"state":1`, `"state":3`), with(second, `"state":2`, `"state":3`), "no_closings"},
		{"of another draw", first, with(second, `"draw":"d"`, `"draw":"e"`), "history_form"},
	}
	h, b := serving(t, nil), newTab(t)
	b.open(h.page(drawPage))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			leaves := []tlog.Hash{tlog.RecordHash([]byte(test.first)), tlog.RecordHash([]byte(test.second))}
			h.only(contents{"log/tile/0/000.p/2": slices.Concat(leaves[0][:], leaves[1][:])})
			root := rootOf(t, leaves)
			got := evaluate[string](b, fmt.Sprintf(`(async () => {
				const { steps } = await import("/%s");
				const { Words } = await import("/%s");
				const { unbase64 } = await import("/%s");
				const known = {
					page: { draw: "d", game: "war", state: "2", day: "2026-11-30", log: location.origin + "/log/" },
					history: { entries: [{ index: 0, entry: %s }, { index: 1, entry: %s }] },
					current: { size: 2n, root: unbase64("%s") },
					words: await Words.read(new URL(document.getElementById("verify").dataset.words, document.baseURI).href),
				};
				return steps.find(({ name }) => name === "closings").check(known, () => {}).then(() => "", (fault) => fault.code ?? String(fault));
			})()`, assetOf(t, "steps", ".js"), assetOf(t, "words", ".js"), assetOf(t, "bytes", ".js"), test.first, test.second, root))
			if got != test.want {
				t.Errorf("it ends with %q, not %q", got, test.want)
			}
		})
	}
}
