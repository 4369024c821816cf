package pages

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive/objects"
	"tally/lib/rulebook/games"
	"tally/lib/site/build"
	"tally/lib/site/files"
	"tally/lib/site/history"
)

const docs = "../../../docs/"

// discard drops what is recorded of a run.
type discard struct{ mismatch int }

func (*discard) Behind(int64)      {}
func (*discard) Written(int)       {}
func (n *discard) Mismatch(string) { n.mismatch++ }

// sample returns the site of the sample log.
func sample(t *testing.T) (*archivetest.Sample, map[string]fakeobjects.Object) {
	t.Helper()
	s := archivetest.PlayAll(t)
	verifier, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	store, told := fakeobjects.New(), &discard{}
	run, err := Follow(Params{Origin: archivetest.Origin, PublicKeys: []string{s.VerifierKey}, Known: note.VerifierList(verifier), Log: s.Files, Site: store,
		Limit: 1000, Record: told, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if told.mismatch > 0 {
		t.Error("something does not match")
	}
	return s, store.Files()
}

// TestSchemas: the schema of the site's files finds that of the log's entries beside
// it by the name that both have, also where a program has loaded the two by their
// names and reads nothing else.
func TestSchemas(t *testing.T) {
	loaded := jsonschema.NewCompiler()
	loaded.UseLoader(jsonschema.SchemeURLLoader{})
	for _, name := range []string{"site.schema.json", "archive-entries.schema.json"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.Open(docs + name)
			if err != nil {
				t.Fatal(err)
			}
			schema, err := jsonschema.UnmarshalJSON(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := text.Close(); err != nil {
				t.Fatal(err)
			}
			if id := schema.(map[string]any)["$id"]; id != name {
				t.Errorf("the $id of %s is %v", name, id)
			}
			if err := loaded.AddResource("https://elsewhere.example/"+name, schema); err != nil {
				t.Fatal(err)
			}
		})
	}
	if _, err := loaded.Compile("https://elsewhere.example/site.schema.json"); err != nil {
		t.Error(err)
	}
}

// TestSampleSite holds the whole site of the sample log against what is documented:
// the schema, the headers, and that no link of a page leads nowhere.
func TestSampleSite(t *testing.T) {
	s, made := sample(t)
	schema, err := jsonschema.NewCompiler().Compile(docs + "site.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	log := s.Files.Files()
	checked := map[string]int{}
	for name, f := range made {
		if f.Header.ContentType != files.ContentType(name) {
			t.Errorf("%s is a %s", name, f.Header.ContentType)
		}
		switch end := path.Ext(name); end {
		case ".json":
			if path.Dir(name) == "assets" { // which are for the pages' own scripts
				continue
			}
			valid(t, schema, name, f.Data)
		case ".ndjson":
			for line := range bytes.Lines(f.Data) {
				valid(t, schema, name, line)
			}
		case ".html":
			links(t, name, f.Data, func(to string) bool {
				_, isFile := made[to]
				_, isLog := log[strings.TrimPrefix(to, "log/")]
				return isFile || isLog && strings.HasPrefix(to, "log/")
			})
		}
		checked[path.Ext(name)]++
	}
	for _, end := range []string{".json", ".ndjson", ".csv", ".html", ".css", ".tlog-proof"} {
		t.Run(end, func(t *testing.T) {
			if checked[end] == 0 {
				t.Errorf("there is no %s", end)
			}
		})
	}
}

func valid(t *testing.T, schema *jsonschema.Schema, name string, text []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v\n%.300s", name, err, text)
	}
}

var linked = regexp.MustCompile(`(?:href|src)="([^"#][^"]*)"`)

// links follows the links of a page.
func links(t *testing.T, name string, text []byte, there func(to string) bool) {
	t.Helper()
	for _, match := range linked.FindAllSubmatch(text, -1) {
		to, _, _ := strings.Cut(string(match[1]), "#")
		if strings.Contains(to, ":") {
			continue // to another place, or data of the page's own
		}
		target := strings.TrimPrefix(to, "/")
		if target == to {
			target = path.Join(path.Dir(name), to)
		} else if name != "404.html" { // which is shown at any address
			t.Errorf("%s links to %s, which leads elsewhere in a copied folder", name, to)
		}
		if !there(target) {
			t.Errorf("%s links to %s, which is not there", name, to)
		}
	}
}

// TestDocumentShowsFiles holds the examples of docs/site.md against the files.
func TestDocumentShowsFiles(t *testing.T) {
	text, err := os.ReadFile(docs + "site.md")
	if err != nil {
		t.Fatal(err)
	}
	wheel, _ := games.Find("wheel")
	var rows []history.Row
	for _, d := range archivetest.Histories(t, wheel) {
		rows = append(rows, d.Row())
	}
	list, _, err := files.DayFiles("wheel", "2026-11-30", rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if end := path.Ext(f.Path); (end == ".ndjson" || end == ".json") && !bytes.Contains(text, append([]byte("```json\n"), append(f.Data, "```\n"...)...)) {
			t.Errorf("site.md does not show\n%s", f.Data)
		}
	}
	for _, column := range files.Columns {
		if !strings.Contains(string(text), "`"+column+"`") {
			t.Errorf("site.md does not name the column %s", column)
		}
	}
	for _, name := range []string{files.GamesPath, build.CursorPath} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(string(text), "`"+path.Base(name)+"`") {
				t.Errorf("site.md does not name %s", name)
			}
		})
	}
}

// TestSource reads a log and says when a file is not there.
func TestSource(t *testing.T) {
	store := fakeobjects.New()
	store.Set("checkpoint", []byte("a log"))
	log := source{store}
	if data, err := log.Get(t.Context(), "checkpoint"); err != nil || string(data) != "a log" {
		t.Errorf("%s, %v, want no error and string(data) = \"a log\"", data, err)
	}
	if _, err := log.Get(t.Context(), "tile/0/000"); err != objects.ErrNotFound {
		t.Errorf("got %v", err)
	}
}
