package browsertest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"golang.org/x/net/html"

	"tally/internal/testkit/archivetest"
	"tally/lib/rulebook/games"
	"tally/lib/site/history"
	"tally/lib/site/pages"
	"tally/lib/site/serve"
)

// narrow is the width of a small phone, in CSS pixels, and wide that of a laptop.
const narrow, wide, height = 360, 1200, 800

// pagesOf returns the paths of pages of every kind in a language: a draw's of every
// game, and of the other kinds one game's. In English all others are there, too;
// those that all languages have are judged by axe-core.
func pagesOf(t testing.TB, lang string) (judged, others []string) {
	t.Helper()
	judged = append(judged, lang+"/index.html", lang+"/about.html")
	for i, g := range games.All() {
		judged = append(judged, lang+"/"+g.ID+"/2026-11-30/"+archivetest.Draws(t, g)[0]+".html")
		if i > 0 {
			continue
		}
		for _, name := range []string{"index", "2026-11", "2026-11-30", "statistics"} {
			judged = append(judged, lang+"/"+g.ID+"/"+name+".html")
		}
	}
	if lang != "en" {
		return judged, nil
	}
	judged = append(judged, "index.html", "404.html")
	for path := range sample(t).all {
		if strings.HasPrefix(path, "en/") && strings.HasSuffix(path, ".html") && !slices.Contains(judged, path) {
			others = append(others, path)
		}
	}
	slices.Sort(others)
	return judged, others
}

// TestPages loads pages of every kind in every language on a small phone. The
// browser must have nothing to say against them, and nothing is wider than the
// screen. In English axe-core judges them, in light and dark.
func TestPages(t *testing.T) {
	all := sample(t).all
	h := serving(t, nil)
	for _, lang := range pages.Languages {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			b := newTab(t)
			b.do(chromedp.EmulateViewport(narrow, height))
			judged, others := pagesOf(t, lang)
			for i, path := range append(judged, others...) {
				if all[path] == nil {
					t.Errorf("there is no page %s", path)
					continue
				}
				b.open(h.page(path))
				b.fits(path)
				b.quiet(path)
				if lang == "en" && i < len(judged) {
					b.accessible(path)
				}
				b.photograph(path)
			}
		})
	}
}

// TestLinks follows every link of every page: what it leads to is there, in the site
// as it is published.
func TestLinks(t *testing.T) {
	all := sample(t).all
	links := 0
	for name, data := range all {
		if path.Ext(name) != ".html" {
			continue
		}
		page, err := html.Parse(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		for node := range page.Descendants() {
			for _, a := range node.Attr {
				if !slices.Contains([]string{"href", "src", "data-entry", "data-proof", "data-history", "data-words"}, a.Key) {
					continue
				}
				to, _, _ := strings.Cut(a.Val, "#")
				links++
				target := path.Join(path.Dir(name), to)
				if inRoot, is := strings.CutPrefix(to, "/"); is && name == "404.html" { // which is shown in any folder
					target = inRoot
				} else if is || strings.Contains(to, ":") {
					t.Errorf("%s: %s does not stay in the site", name, to)
				}
				if to != "" && all[target] == nil {
					t.Errorf("%s: there is no %s", name, to)
				}
			}
		}
	}
	if links < 1000 {
		t.Errorf("only %d links", links)
	}
}

// fits fails the test if the page is wider than the screen, or a link that begins a
// row is not where the rows begin.
func (b *tab) fits(where string) {
	b.t.Helper()
	wider := evaluate[[]string](b, `(() => {
		const width = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= width) return [];
		const inScroller = (e) => { for (let p = e.parentElement; p; p = p.parentElement) if (getComputedStyle(p).overflowX !== "visible") return true; };
		return Array.from(document.body.querySelectorAll("*")).filter((e) => e.getBoundingClientRect().right > width && !inScroller(e)).map((e) => e.outerHTML.slice(0, 120)).concat("the page");
	})()`)
	for _, what := range wider[:min(len(wider), 5)] {
		b.t.Errorf("%s: wider than the screen: %s", where, what)
	}
	indented := evaluate[[]string](b, `Array.from(document.querySelectorAll("p > a")).filter((a) => {
		const before = a.previousElementSibling, box = a.getBoundingClientRect(), style = getComputedStyle(a.parentElement);
		return before && box.top >= before.getBoundingClientRect().bottom && box.left > a.parentElement.getBoundingClientRect().left + parseFloat(style.paddingLeft) + 1;
	}).map((a) => a.outerHTML.slice(0, 120))`)
	for _, what := range indented {
		b.t.Errorf("%s: is indented: %s", where, what)
	}
}

// axe is axe-core, which scripts/chromium installs.
var axe = sync.OnceValues(func() (string, error) {
	script, err := os.ReadFile(filepath.Join(root, ".cache", "axe-core", "axe.min.js"))
	return string(script), err
})

// violation is something that axe-core finds wrong.
type violation struct {
	ID     string   `json:"id"`
	Impact string   `json:"impact"`
	Help   string   `json:"help"`
	Nodes  []string `json:"nodes"`
}

// accessible has axe-core judge the page, in light and in dark. In dark only the
// contrast can differ.
func (b *tab) accessible(where string) {
	b.t.Helper()
	script, err := axe()
	if err != nil {
		b.t.Fatalf("axe-core is not installed: run scripts/chromium (%v)", err)
	}
	evaluate[chromedp.Void](b, script+";undefined")
	const run = `axe.run(document, %s).then(({ violations }) => violations.filter(({ impact }) => impact === "serious" || impact === "critical")
		.map(({ id, impact, help, nodes }) => ({ id, impact, help, nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + " " + node.failureSummary.split("\n").slice(1).join(" ")) })))`
	// There is one style sheet, which axe-core need not fetch once more.
	b.judge(where, "light", fmt.Sprintf(run, `{ resultTypes: ["violations"], preload: false }`))
	b.media("", "dark")
	b.judge(where, "dark", fmt.Sprintf(run, `{ resultTypes: ["violations"], preload: false, runOnly: ["color-contrast", "link-in-text-block"] }`))
	b.media("", "light")
	b.forget()
}

func (b *tab) judge(where, scheme, script string) {
	b.t.Helper()
	for _, v := range evaluate[[]violation](b, script) {
		b.t.Errorf("%s in %s: %s, %s: %s\n  %s", where, scheme, v.Impact, v.ID, v.Help, strings.Join(v.Nodes, "\n  "))
	}
}

// media has the page shown on a medium, screen or print, and in a scheme of colours.
func (b *tab) media(medium, scheme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
}

// photograph writes pictures of the page for people to look at, where they ask:
// on a phone and on a laptop, in light and dark.
func (b *tab) photograph(name string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	for _, width := range []int64{narrow, wide} {
		for _, scheme := range []string{"light", "dark"} {
			b.media("", scheme)
			b.do(chromedp.EmulateViewport(width, height))
			picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
			if err != nil {
				b.t.Fatal(err)
			}
			path := filepath.Join(*screenshots, fmt.Sprintf("%s.%d.%s.png", strings.ReplaceAll(strings.TrimSuffix(name, ".html"), "/", "_"), width, scheme))
			if err := os.WriteFile(path, picture, 0o644); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	b.media("", "light")
	b.do(chromedp.EmulateViewport(narrow, height))
}

// TestVerified looks at a page on which Verify was pressed, on a good and on a
// tampered archive, with all details open.
func TestVerified(t *testing.T) {
	h, b := serving(t, nil), newTab(t)
	b.before(hurry)
	b.do(chromedp.EmulateViewport(narrow, height))
	for _, lang := range pages.Languages {
		path := lang + strings.TrimPrefix(drawPage, "en")
		for _, changed := range []contents{{}, setBack(t, 3), {"log/checkpoint": []byte("none")}} {
			h.only(changed)
			b.open(h.page(path))
			found := b.press()
			if want := map[bool]string{true: "ok", false: "failed"}[len(changed) == 0]; found.Verdict != want {
				t.Errorf("%s: %s", path, found.Text)
			}
			if left := found.Text + strings.Join(found.results(), ""); strings.ContainsAny(left, "{}") {
				t.Errorf("%s: a text has a place that is not filled: %s", path, left)
			}
			evaluate[chromedp.Void](b, `document.querySelectorAll("details").forEach((details) => { details.open = true; })`)
			b.fits(path)
			b.quiet(path)
			b.photograph(fmt.Sprintf("verified_%s_%s", found.Verdict, path))
			if lang == "en" && string(changed["log/checkpoint"]) != "none" { // which looks like the one before
				b.accessible(path + ", verified")
			}
		}
	}
}

// focused is the element that has the focus.
type focused struct {
	Text    string `json:"text"`
	Part    string `json:"part"`
	ID      string `json:"id"`
	Lang    string `json:"lang"`
	Visible bool   `json:"visible"`
	Shown   bool   `json:"shown"` // that it has the focus
}

// next presses a key and returns what has the focus then.
func (b *tab) next(key string) focused {
	b.t.Helper()
	b.do(chromedp.KeyEvent(key))
	return evaluate[focused](b, `(() => {
		const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
		return {
			text: e.innerText ?? "", part: e.dataset.part ?? "", id: e.id, lang: e.lang,
			visible: e === document.body || (box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight),
			shown: (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none",
		};
	})()`)
}

// TestKeyboard uses a draw's page without a mouse: the link to the content, the
// languages, and Verify.
func TestKeyboard(t *testing.T) {
	h, b := serving(t, nil), newTab(t)
	b.do(chromedp.EmulateViewport(wide, height))
	b.media("", "light") // and less motion: what is scrolled to is there at once
	b.open(h.page(drawPage))
	if first := b.next(kb.Tab); !strings.Contains(first.Text, "Skip") || !first.Visible || !first.Shown {
		t.Errorf("the first stop is %+v", first)
	}
	if at := b.next(kb.Enter); at.ID != "main" {
		t.Errorf("the link to the content leads to %+v", at)
	}
	stops := 0
	for at := b.next(kb.Tab); at.Part != "button"; at = b.next(kb.Tab) {
		if stops++; stops > 60 {
			t.Fatal("the button Verify is not reached")
		}
		if !at.Visible || !at.Shown {
			t.Errorf("stop %d can't be seen: %+v", stops, at)
		}
	}
	if at := b.next(kb.Enter); at.Part != "button" {
		t.Errorf("when Verify is pressed, %+v has the focus", at)
	}
	b.verdict().expect(t, "ok")
	if at := evaluate[string](b, `document.activeElement.dataset.part + " " + document.querySelector('#verify [data-part="verdict"]').role`); at != "button status" {
		t.Errorf("after the verdict: %s", at)
	}
	// The details of the first step are the next stop, and open.
	for at := b.next(kb.Tab); !strings.HasPrefix(at.Text, "What was computed"); at = b.next(kb.Tab) {
		if stops++; stops > 120 {
			t.Fatal("the details are not reached")
		}
	}
	b.next(kb.Enter)
	if open := evaluate[int](b, `document.querySelectorAll("#verify li details[open]").length`); open != 1 {
		t.Errorf("%d details are open", open)
	}
	b.open(h.page(drawPage))
	for at := b.next(kb.Tab); at.Lang != "es"; at = b.next(kb.Tab) {
		if stops++; stops > 180 {
			t.Fatal("Spanish is not reached")
		}
	}
	b.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitReady(chromedp.CSS(`html[lang="es"]`)))
	if at, err := chromedp.Run(b.ctx, chromedp.Location()); err != nil || at != h.page("es"+strings.TrimPrefix(drawPage, "en")) {
		t.Errorf("the link to Spanish leads to %s, %v", at, err)
	}
	b.quiet("by keyboard")
}

// TestCommands takes the commands for the whole log from the pages: what a reader
// copies works where the site is, whatever its address is.
func TestCommands(t *testing.T) {
	h, b := serving(t, nil), newTab(t)
	commands := func(path string) []string {
		b.open(h.page(path))
		b.quiet(path)
		return evaluate[[]string](b, `Array.from(document.querySelectorAll("pre"), (e) => e.innerText).filter((text) => text.startsWith("tally verify ") && !text.includes("--proof"))`)
	}
	for path, rest := range map[string]string{drawPage: " --site none --draw " + draw, "uk/about.html": ""} {
		want := "tally verify " + h.URL + "/log/" + rest + " --key " + sample(t).key
		if got := commands(path); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		if evaluate[bool](b, `document.querySelector('[data-part="address"]').checkVisibility()`) {
			t.Errorf("%s explains a word that is not there", path)
		}
	}
	b.open(h.page(drawPage))
	words := evaluate[[]string](b, `import(document.querySelector('script[src*="address."]').src).then(({ word }) => ["https://r.example/log/", "http://[::1]:80/a'b$(c)/log/", "http://r.example/%20;&/"].map(word))`)
	if want := []string{"https://r.example/log/", `'http://[::1]:80/a'\''b$(c)/log/'`, "'http://r.example/%20;&/'"}; !slices.Equal(words, want) {
		t.Errorf("%q, want %q", words, want)
	}
}

// TestWithoutScript reads results where scripts don't run.
func TestWithoutScript(t *testing.T) {
	h, b := serving(t, nil), newTab(t)
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	for _, path := range []string{drawPage, "en/" + game + "/2026-11-30.html", "en/" + game + "/index.html", "en/" + game + "/statistics.html", "en/index.html"} {
		b.open(h.page(path))
		b.quiet(path)
	}
	b.open(h.page(drawPage))
	b.readable()
}

// readable fails the test unless the page shows its result, and in the place of the
// button what to do without it.
func (b *tab) readable() {
	b.t.Helper()
	seen := evaluate[struct{ Text, Command, Button, Fallback, Picture bool }](b, `(() => {
		const visible = (selector) => document.querySelector(selector)?.checkVisibility() ?? false;
		return { Text: document.body.innerText.includes("Banker"), Command: visible('[data-part="address"]') && document.body.innerText.includes("tally verify LOG --site none --draw"), Button: visible('#verify [data-part="button"]'), Fallback: visible('#verify [data-part="fallback"]'), Picture: visible("figure.table svg") };
	})()`)
	if !seen.Text || !seen.Command || seen.Button || !seen.Fallback || !seen.Picture {
		b.t.Errorf("%+v", seen)
	}
}

// TestFolder opens a copy of the site as files, where browsers run no modules.
func TestFolder(t *testing.T) {
	b := newTab(t)
	b.open((&url.URL{Scheme: "file", Path: filepath.ToSlash(sample(t).folder) + "/site/" + drawPage}).String())
	b.readable()
	if text := evaluate[string](b, `document.querySelector('#verify [data-part="fallback"]').innerText`); !strings.Contains(text, "tally pages serve") {
		t.Errorf("it says %q", text)
	}
}

// TestPrint prints a page after its verification, which stays.
func TestPrint(t *testing.T) {
	h, b := serving(t, nil), newTab(t)
	b.open(h.page(drawPage))
	b.press().expect(t, "ok")
	b.media("print", "light")
	b.do(chromedp.EmulateViewport(700, height)) // about A4 without its margins
	seen := evaluate[map[string]bool](b, `Object.fromEntries(Object.entries({ verdict: '#verify [data-part="verdict"]', step: "#verify li", picture: "figure.table", button: '#verify [data-part="button"]', nav: ".top nav", skip: ".skip" })
		.map(([name, selector]) => [name, document.querySelector(selector).checkVisibility()]))`)
	for name, want := range map[string]bool{"verdict": true, "step": true, "picture": true, "button": false, "nav": false, "skip": false} {
		t.Run(name, func(t *testing.T) {
			if seen[name] != want {
				t.Errorf("in print %s is shown: %t", name, seen[name])
			}
		})
	}
	b.fits("in print")
	b.media("", "light")
	for _, path := range []string{"", "en/" + game + "/2026-11-30.html", "en/" + game + "/statistics.html"} {
		if path != "" {
			b.open(h.page(path))
		}
		printed, err := chromedp.Run(b.ctx, chromedp.PrintToPDF())
		if err != nil || !bytes.HasPrefix(printed, []byte("%PDF-")) || len(printed) < 10_000 {
			t.Errorf("%s: printed %d bytes, %v", path, len(printed), err)
		}
		if *screenshots != "" {
			name := strings.ReplaceAll(cmp.Or(path, drawPage), "/", "_") + ".pdf"
			if err := os.WriteFile(filepath.Join(*screenshots, "print_"+name), printed, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What a page of a day with very many draws may take.
const (
	dayDraws      = 5000
	maxDayBytes   = 600_000 // before compression
	maxDayPacked  = 60_000  // with it
	maxDayNodes   = 12_000
	maxRenderedMs = 15_000 // on a machine that does much else
)

// TestLargeDay opens a day of 5,000 draws: its newest part, which is no larger than
// any other and does not move when it is there.
func TestLargeDay(t *testing.T) {
	s, err := pages.New(pages.Options{Origin: archivetest.Origin, VerifierKeys: []string{sample(t).key}, LogURL: serve.LogFolder})
	if err != nil {
		t.Fatal(err)
	}
	g, _ := games.Find(game)
	histories := archivetest.Histories(t, g)
	var rows []history.Row
	for i := range dayDraws {
		row := histories[i%len(histories)].Row()
		row.Sequence = int64(i + 1)
		row.Draw = fmt.Sprintf("bac-1.20261130.%04d", i+1)
		row.OpensAt = fmt.Sprintf("2026-11-30T%02d:%02d:%02d.000Z", i/300, i/5%60, i%5*12)
		rows = append(rows, row)
	}
	files, err := s.Day(game, "2026-11-30", rows)
	if err != nil {
		t.Fatal(err)
	}
	all := contents{}
	for _, file := range append(files, s.Assets()...) {
		all[file.Path] = file.Data
	}
	h, b := serving(t, all), newTab(t)
	b.before(`window.shifts = []; new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value }) => value))).observe({ type: "layout-shift", buffered: true });
		window.painted = new Promise((resolve) => new PerformanceObserver((list) => list.getEntriesByName("first-contentful-paint").forEach(({ startTime }) => resolve(startTime))).observe({ type: "paint", buffered: true }));`)
	for _, width := range []int64{narrow, wide} {
		b.do(chromedp.EmulateViewport(width, height))
		b.open(h.page("en/" + game + "/2026-11-30.html"))
		found := evaluate[struct {
			Paint, Shift float64
			Nodes, Rows  int
			Bytes        int
		}](b, `window.painted.then((paint) => ({
			Paint: paint,
			Shift: window.shifts.reduce((a, b) => a + b, 0),
			Nodes: document.querySelectorAll("*").length,
			Rows: document.querySelectorAll("tbody tr").length,
			Bytes: performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation")).reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0),
		}))`)
		if found.Shift != 0 {
			t.Errorf("at %d pixels the layout shifts by %f", width, found.Shift)
		}
		if found.Rows > pages.PartRows || found.Rows == 0 || found.Nodes > maxDayNodes || found.Bytes > maxDayBytes || found.Paint > maxRenderedMs {
			t.Errorf("at %d pixels: %+v", width, found)
		}
		b.fits("a large day")
	}
	b.quiet("a large day")
	if packed := deflated(t, all["en/"+game+"/2026-11-30.html"]); packed > maxDayPacked {
		t.Errorf("compressed, the page has %d bytes", packed)
	}
	parts := 0
	for path := range all {
		if strings.HasPrefix(path, "en/"+game+"/2026-11-30.") && strings.Count(path, ".") == 2 {
			parts++
		}
	}
	if parts != dayDraws/pages.PartRows {
		t.Errorf("the day has %d parts", parts)
	}
	b.photograph("large_day")
}

// TestTexts has the same texts in all languages, with the same places to fill.
func TestTexts(t *testing.T) {
	texts := map[string]map[string]string{}
	for _, lang := range pages.Languages {
		var words struct {
			Texts map[string]map[string]string `json:"texts"`
		}
		if err := json.Unmarshal(sample(t).all[assetOf(t, "words."+lang, ".json")], &words); err != nil {
			t.Fatal(err)
		}
		texts[lang] = map[string]string{}
		for key, forms := range words.Texts {
			if rest, is := strings.CutPrefix(key, "verify."); is {
				texts[lang][rest] = forms["other"]
			}
		}
	}
	for key, english := range texts["en"] {
		for _, lang := range pages.Languages {
			if got, want := placesOf(texts[lang][key]), placesOf(english); !slices.Equal(got, want) {
				t.Errorf("%s in %s: places %v, want %v", key, lang, got, want)
			}
		}
	}
	// What is said without them is there in every language.
	script, err := os.ReadFile(filepath.Join("../../lib/site/pages/assets", "verify.js"))
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range pages.Languages {
		if !strings.Contains(string(script), "\n  "+lang+`: "`) {
			t.Errorf("verify.js has nothing to say in %s where the words can't be read", lang)
		}
	}
	// Every text that the scripts ask for is there.
	for _, name := range []string{"steps.js", "verify.js", "memory.js", "log.js", "note.js", "merkle.js", "page.js"} {
		t.Run(name, func(t *testing.T) {
			script, err := os.ReadFile(filepath.Join("../../lib/site/pages/assets", name))
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range keysIn(string(script)) {
				if texts["en"][key] == "" {
					t.Errorf("%s says %s, which is no text", name, key)
				}
			}
		})
	}
}
