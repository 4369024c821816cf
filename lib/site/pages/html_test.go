package pages_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"tally/lib/archive/entry"
	"tally/lib/site/history"
	"tally/lib/site/pages"
)

// document is a page that was read.
type document struct{ root *html.Node }

func read(t testing.TB, file pages.File) document {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(file.Data))
	if err != nil {
		t.Fatalf("%s: %v", file.Path, err)
	}
	return document{root}
}

// all yields the elements of a page in their order, those of templates too.
func (d document) all(yield func(*html.Node) bool) {
	for n := range d.root.Descendants() {
		if n.Type == html.ElementNode && !yield(n) {
			return
		}
	}
}

// find returns the elements that a test holds for.
func (d document) find(is func(*html.Node) bool) (list []*html.Node) {
	for n := range d.all {
		if is(n) {
			list = append(list, n)
		}
	}
	return list
}

// class returns the elements of a class.
func (d document) class(name string) []*html.Node {
	return d.find(func(n *html.Node) bool { return slices.Contains(strings.Fields(attribute(n, "class")), name) })
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// blocks are the elements that stand apart from what is before them.
var blocks = []string{"p", "div", "li", "td", "th", "tr", "dt", "dd", "h1", "h2", "h3", "svg", "pre", "br"}

// text returns the text of an element, spaces in one.
func text(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && slices.Contains(blocks, d.Data) {
			out.WriteByte(' ')
		}
		if d.Type == html.TextNode {
			out.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// texts returns the texts of elements.
func texts(list []*html.Node) (all []string) {
	for _, n := range list {
		all = append(all, text(n))
	}
	return all
}

// TestPagesAreRight reads all pages as a browser would and looks for what HTML, the
// content security policy and people who can't see forbid.
func TestPagesAreRight(t *testing.T) {
	files := sampleFiles(t)
	for _, file := range files {
		if strings.HasSuffix(file.Path, ".html") {
			checkPage(t, file)
			checkLinks(t, files, file)
		}
	}
}

// checkPage reports what is wrong with one page.
func checkPage(t *testing.T, file pages.File) {
	t.Helper()
	for _, problem := range problems(t, file) {
		t.Errorf("%s: %s", file.Path, problem)
	}
}

// problems returns what is wrong with one page.
func problems(t *testing.T, file pages.File) (list []string) {
	t.Helper()
	wrong := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if file.ContentType != "text/html; charset=utf-8" || file.Immutable {
		wrong("it is %s, immutable %t", file.ContentType, file.Immutable)
	}
	if problem := unbalanced(file.Data); problem != "" {
		wrong("%s", problem)
	}
	d := read(t, file)
	ids, level, ones := map[string]int{}, 0, 0
	for n := range d.all {
		if id := attribute(n, "id"); id != "" {
			ids[id]++
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				wrong("<%s> has the attribute %s", n.Data, a.Key)
			}
		}
		switch n.Data {
		case "style":
			wrong("it has a style element")
		case "script":
			if attribute(n, "src") == "" || text(n) != "" {
				wrong("it has a script within")
			}
		case "img":
			wrong("it has an img: pictures are drawn")
		case "svg":
			named := attribute(n, "aria-label") != "" || attribute(n, "aria-labelledby") != ""
			if (attribute(n, "role") == "img") != named || named == (attribute(n, "aria-hidden") == "true") {
				wrong("a drawing is neither named nor hidden: %v", n.Attr)
			}
		case "button":
			if text(n) == "" {
				wrong("a button without a text")
			}
		case "a":
			if text(n) == "" || attribute(n, "href") == "" {
				wrong("a link without a text or an address")
			}
		case "th":
			if attribute(n, "scope") == "" {
				wrong("a header cell without a scope")
			}
		case "nav":
			if attribute(n, "aria-label") == "" {
				wrong("a navigation without a name")
			}
		case "time":
			if !regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`).MatchString(attribute(n, "datetime")) {
				wrong("the time %q", attribute(n, "datetime"))
			}
		case "h1", "h2", "h3", "h4":
			now := int(n.Data[1] - '0')
			if now > level+1 {
				wrong("the heading %q skips a level", text(n))
			}
			if level = now; now == 1 {
				ones++
			}
		}
		if role := attribute(n, "role"); role == "region" && attribute(n, "aria-label") == "" && attribute(n, "aria-labelledby") == "" {
			wrong("a region without a name")
		}
	}
	if ones != 1 {
		wrong("it has %d main headings", ones)
	}
	for id, n := range ids {
		if n > 1 {
			wrong("%d elements have the id %s", n, id)
		}
	}
	for n := range d.all {
		for _, name := range []string{"aria-labelledby", "aria-describedby"} {
			for _, id := range strings.Fields(attribute(n, name)) {
				if ids[id] == 0 {
					wrong("%s names %s, which is not there", name, id)
				}
			}
		}
		if n.Data == "use" && ids[strings.TrimPrefix(attribute(n, "href"), "#")] == 0 {
			wrong("a drawing uses %s, which is not there", attribute(n, "href"))
		}
	}
	root := d.find(func(n *html.Node) bool { return n.DataAtom == atom.Html })[0]
	if lang, _, _ := strings.Cut(file.Path, "/"); len(lang) == 2 && attribute(root, "lang") != lang {
		wrong("its language is %q", attribute(root, "lang"))
	}
	titles := d.find(func(n *html.Node) bool { return n.DataAtom == atom.Title && n.Namespace == "" })
	if len(titles) != 1 || text(titles[0]) == "" {
		wrong("its title is %v", texts(titles))
	}
	policy := d.find(func(n *html.Node) bool { return attribute(n, "http-equiv") == "Content-Security-Policy" })
	if len(policy) != 1 || !strings.HasPrefix(attribute(policy[0], "content"), "default-src 'none'; script-src 'self'; style-src 'self'") {
		wrong("it has no content security policy")
	}
	return list
}

// TestProblemsAreFound breaks a page in many ways.
func TestProblemsAreFound(t *testing.T) {
	page := sampleFiles(t)["en/baccarat/2026-11-30/bac-1.20261130.0042.html"]
	for old, by := range map[string]string{
		`lang="en"`:             `lang="es"`,
		`</h1>`:                 `</h1><h1>Twice</h1>`,
		`<h2 id="rounds"`:       `<h4 id="rounds"`,
		`id="rounds"`:           `id="states"`,
		`role="img" aria-label`: `role="img" data-label`,
		` aria-hidden="true"`:   ``,
		`scope="col"`:           `data-scope="col"`,
		`<p class="line">`:      `<p class="line" style="color:red">`,
		`<p class="meta">`:      `<p class="meta" onclick="x()">`,
		`<main `:                `<script>x()</script><main `,
		`</main>`:               ``,
		`</section>`:            `</div></section>`,
		`<button type`:          `<button></button><button type`,
		`http-equiv`:            `data-equiv`,
		`#suit-S`:               `#suit-X`,
		`aria-labelledby`:       `aria-describedby="nothing" aria-labelledby`,
		`.000Z"`:                `"`,
		`<title>`:               `<title></title><title>`,
		`<nav class="crumbs" a`: `<nav class="crumbs" data-a`,
	} {
		t.Run(old, func(t *testing.T) {
			broken := bytes.Replace(page.Data, []byte(old), []byte(by), 1)
			if bytes.Equal(broken, page.Data) {
				t.Errorf("the page has no %s", old)
			}
			if found := problems(t, pages.File{Path: page.Path, Data: broken, ContentType: page.ContentType}); len(found) == 0 {
				t.Errorf("%s instead of %s was not found", by, old)
			}
		})
	}
}

// void are the elements of HTML that have no end.
var void = []string{"meta", "link", "br", "hr", "input"}

// unbalanced returns what is wrong with the nesting of tags: a parser of HTML
// repairs it in silence.
func unbalanced(data []byte) string {
	var open []string
	z := html.NewTokenizer(bytes.NewReader(data))
	for {
		kind := z.Next()
		name, _ := z.TagName()
		tag := string(name)
		switch kind {
		case html.ErrorToken:
			if z.Err() != io.EOF || len(open) > 0 {
				return fmt.Sprintf("it ends within %v: %v", open, z.Err())
			}
			return ""
		case html.StartTagToken:
			if !slices.Contains(void, tag) {
				open = append(open, tag)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tag {
				return fmt.Sprintf("</%s> ends %v", tag, open)
			}
			open = open[:len(open)-1]
		case html.SelfClosingTagToken:
			if !slices.ContainsFunc(open, func(o string) bool { return o == "svg" }) {
				return fmt.Sprintf("<%s/> stands outside of a drawing", tag)
			}
		}
	}
}

// written are the files that others write beside the pages.
var written = regexp.MustCompile(`^results/[a-z0-9_]+/\d{4}(-\d\d){0,2}(/[A-Za-z0-9._-]+)?\.(json|csv|ndjson|tlog-proof)$`)

// checkLinks reports links that lead nowhere, or away.
func checkLinks(t *testing.T, files map[string]pages.File, file pages.File) {
	t.Helper()
	for n := range read(t, file).all {
		for _, name := range []string{"href", "src", "data-entry", "data-proof", "data-log"} {
			target := attribute(n, name)
			if !hasAttribute(n, name) || strings.HasPrefix(target, "#") || strings.HasPrefix(target, "blob:") {
				continue
			}
			if strings.Contains(target, ":") || strings.Contains(target, "//") || strings.ContainsAny(target, "?<> ") {
				t.Errorf("%s: the link %s leads away", file.Path, target)
				continue
			}
			to := path.Join("/", path.Dir(file.Path), target)[1:]
			if file.Path == "404.html" {
				to = strings.TrimPrefix(target, "/")
			}
			if _, made := files[to]; !made && !written.MatchString(to) && to != "log" {
				t.Errorf("%s: the link %s leads to %s, which nobody writes", file.Path, target, to)
			}
		}
	}
}

// TestEditions says that each page is there in each language, and that each names
// the others.
func TestEditions(t *testing.T) {
	files := sampleFiles(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		lang, rest, _ := strings.Cut(name, "/")
		if !slices.Contains(pages.Languages, lang) || !strings.HasSuffix(name, ".html") {
			continue
		}
		alternates := read(t, files[name]).find(func(n *html.Node) bool { return attribute(n, "rel") == "alternate" })
		var named []string
		for _, n := range alternates {
			named = append(named, attribute(n, "hreflang"))
			if to := path.Join("/", path.Dir(name), attribute(n, "href"))[1:]; to != attribute(n, "hreflang")+"/"+rest {
				t.Errorf("%s: its edition in %s is %s", name, attribute(n, "hreflang"), to)
			}
		}
		if !slices.Equal(named, pages.Languages) {
			t.Errorf("%s: it names the editions %v", name, named)
		}
	}
}

// untranslated are texts that are the same in all languages.
var untranslated = []string{"English", "Español", "Português", "NDJSON", "JSON", "CSV", "Lucky 5", "Lucky 7", "keno", "meteor_strike", "meteor_strike (DICE-5.1)", "EUR", "JPY", "KWD"}

// TestNoEnglish looks for texts in Latin letters on the pages in Ukrainian, where
// none may be but names, codes and hashes.
func TestNoEnglish(t *testing.T) {
	for name, file := range sampleFiles(t) {
		if !strings.HasPrefix(name, "uk/") {
			continue
		}
		root := read(t, file).root
		for n := range root.Descendants() {
			words := strings.TrimSpace(n.Data)
			if n.Type != html.TextNode || slices.Contains(untranslated, words) || strings.HasPrefix(words, "{") || !latin.MatchString(words) || cyrillic.MatchString(words) {
				continue
			}
			if in := n.Parent; slices.Contains([]string{"code", "pre", "script", "text", "time", "abbr"}, in.Data) || attribute(in, "class") == "id" || in.Data == "small" && in.Parent.Data == "a" {
				continue
			}
			t.Errorf("%s has the text %q in <%s>", name, words, n.Parent.Data)
		}
		for n := range read(t, file).all {
			if label := attribute(n, "aria-label"); latin.MatchString(label) && !cyrillic.MatchString(label) {
				t.Errorf("%s has the label %q", name, label)
			}
		}
	}
}

var (
	latin    = regexp.MustCompile(`[A-Za-z]{3}`)
	cyrillic = regexp.MustCompile(`\p{Cyrillic}`)
)

// TestHomeCorrected says that the home page calls a draw corrected where its row is.
func TestHomeCorrected(t *testing.T) {
	row := func(draw string, corrected bool) history.Row {
		return history.Row{Draw: draw, Game: "roulette", Table: "t", Sequence: 1, OpensAt: "2026-11-30T12:00:00.000Z", State: 1, Status: entry.Resolved,
			Facts: []byte(`{"spins":[{"revolutions":6,"pocket":17}]}`), Outcome: resolveOutcome(t), Corrected: &corrected, Leaves: []int64{1}}
	}
	list, err := newSite(t).Home(map[string][]history.Row{"roulette": {row("first", false), row("second", true)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range list {
		for draw, want := range map[string]bool{"first": false, "second": true} {
			_, link, found := strings.Cut(string(file.Data), `roulette/2026-11-30/`+draw+`.html"`)
			link, _, _ = strings.Cut(link, "</a>")
			if got := strings.Contains(link, "status corrected"); !found || got != want {
				t.Errorf("%s: the %s draw is corrected: %v, want %v: %s", file.Path, draw, got, want, link)
			}
		}
	}
}

// resolveOutcome is what the rules say of the facts of TestHomeCorrected.
func resolveOutcome(t *testing.T) []byte {
	t.Helper()
	return resolve(t, "roulette", `{"spins":[{"revolutions":6,"pocket":17}]}`).Outcome.AppendJSON(nil)
}
