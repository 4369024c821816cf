package entry_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tally/lib/archive/entry"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// The schema and the page that describe entries.
const (
	schemaFile = "../../../docs/archive-entries.schema.json"
	pageFile   = "../../../docs/archive-entries.md"
)

// samples are the entries of the sample draws of all games, and those of the page.
func samples(t *testing.T) (list [][]byte) {
	t.Helper()
	paths, err := filepath.Glob("../testdata/*.jsonl")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%v, %v, want no error and len(paths) of at least 10", paths, err)
	}
	for _, path := range append(paths, pageFile) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSuffix(line, []byte("\n")); bytes.HasPrefix(line, []byte(`{"schema":`)) {
				list = append(list, line)
			}
		}
	}
	return list
}

func TestSamples(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[entry.Kind]int{}
	for _, data := range samples(t) {
		e, err := entry.Parse(data)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if again := e.Append(nil); !bytes.Equal(again, data) {
			t.Errorf("%s is written as %s", data, again)
		}
		kinds[e.ID().Kind]++
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v", data, err)
		}
		if s, is := e.(*entry.State); is {
			if err := s.Resolve(&strictjson.Document{}); err != nil {
				t.Errorf("%s: %v", data, err)
			}
		}
	}
	if len(kinds) != 4 {
		t.Errorf("the samples have only %v", kinds)
	}
}

// TestOneSpelling changes each byte of an entry, takes it away, doubles it, and
// puts spaces everywhere: what is still read is read as something else.
func TestOneSpelling(t *testing.T) {
	seen := map[entry.Kind]int{}
	for _, data := range samples(t) {
		e, err := entry.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if seen[e.ID().Kind]++; seen[e.ID().Kind] > 2 {
			continue
		}
		for at := range data {
			for _, other := range [][]byte{
				slices.Concat(data[:at], data[at+1:]), slices.Concat(data[:at+1], data[at:]),
				slices.Concat(data[:at], []byte(" "), data[at:]), slices.Concat(data[:at], []byte{data[at] ^ 1}, data[at+1:]),
			} {
				if bytes.Equal(other, data) {
					continue
				}
				if read, err := entry.Parse(other); err == nil && bytes.Equal(read.Append(nil), data) {
					t.Errorf("%s is read as %s", other, data)
				}
			}
		}
	}
}

func TestRefused(t *testing.T) {
	valid := `{"schema":1,"entry":"state","draw":"d","game":"war","state":1,"made_at":"2026-11-30T12:00:00.000Z","catalogue":1,"revision":1,"status":"resolved","facts":{"dealer":"AD","player":"KS"},"outcome":{"winner":"dealer"},"message":"` + strings.Repeat("0", 64) + `"}`
	if _, err := entry.Parse([]byte(valid)); err != nil {
		t.Fatal(err)
	}
	for old, by := range map[string]string{
		`"schema":1`:                     `"schema":2`,
		`"entry":"state"`:                `"entry":"stage"`,
		`"draw":"d"`:                     `"draw":"d#"`,
		`"state":1`:                      `"state":0`,
		`"state":1,`:                     `"state":2,`,
		`"made_at":"2026`:                `"made_at":"26`,
		`"status":"resolved"`:            `"status":"void"`,
		`"revision":1`:                   `"revision":0`,
		`"facts":{"dealer"`:              `"facts":{"z":1,"dealer"`,
		`,"outcome":{"winner":"dealer"}`: ``,
		`"message":"0`:                   `"message":"G`,
		`,"message"`:                     `,"more":1,"message"`,
		`{"dealer":"AD","player":"KS"}`:  `{"player":"KS","dealer":"AD"}`,
	} {
		t.Run(old, func(t *testing.T) {
			changed := strings.Replace(valid, old, by, 1)
			if changed == valid {
				t.Fatalf("nothing has %s", old)
			}
			if _, err := entry.Parse([]byte(changed)); err == nil {
				t.Errorf("%s was taken", changed)
			}
		})
	}
	for _, text := range []string{"", "null", "[]", "{}", valid + valid, strings.Repeat(" ", 1<<16)} {
		t.Run(fmt.Sprintf("%.40q", text), func(t *testing.T) {
			if _, err := entry.Parse([]byte(text)); err == nil {
				t.Errorf("%.50q was taken", text)
			}
		})
	}
}

// A state may say where a recording is; nothing but an https address is taken, since it becomes a link.
func TestVideo(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.Repeat("0f", 32)
	state := func(video string) string {
		return `{"schema":1,"entry":"state","draw":"d","game":"war","state":1,"made_at":"2026-11-30T12:00:00.000Z","catalogue":1,"revision":1,"status":"resolved",` +
			`"facts":{"dealer":"AD","player":"KS"},"outcome":{"winner":"dealer"},` + video + `"message":"` + strings.Repeat("0", 64) + `"}`
	}
	for video, right := range map[string]bool{
		`"video":{"url":"https://video.example/7.mp4","sha256":"HASH","from_ms":0,"to_ms":41200,"kept_until":"2027-11-30T12:00:00.000Z"},`: true,
		`"video":{"url":"https://video.example/7.mp4","sha256":"HASH"},`:                                                                   true,
		`"video":{"url":"http://video.example/7.mp4","sha256":"HASH"},`:                                                                    false,
		`"video":{"url":"https://a:b@video.example/7.mp4","sha256":"HASH"},`:                                                               false,
		`"video":{"url":"https://video.example/7.mp4","sha256":"0f"},`:                                                                     false,
		`"video":{"url":"https://video.example/7.mp4"},`:                                                                                   false,
		`"video":{"url":"https://video.example/7.mp4","sha256":"HASH","from_ms":5,"to_ms":5},`:                                             false,
		`"video":{"url":"https://video.example/7.mp4","sha256":"HASH","from_ms":5},`:                                                       false,
	} {
		t.Run(video, func(t *testing.T) {
			data := []byte(state(strings.ReplaceAll(video, "HASH", hash)))
			e, err := entry.Parse(data)
			if (err == nil) != right {
				t.Fatalf("read: %v, want it taken: %v", err, right)
			}
			if !right {
				return
			}
			if again := e.Append(nil); !bytes.Equal(again, data) {
				t.Errorf("%s is written as %s", data, again)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			if err == nil {
				err = schema.Validate(value)
			}
			if err != nil {
				t.Errorf("by its schema: %v", err)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	eur, _ := money.ParseCurrency("EUR")
	s := &entry.State{Draw: "d", Game: "roulette", State: 1, MadeAt: 1796040000000, Catalogue: 1, Revision: 1, Status: entry.Resolved, Outcome: []byte(`{}`), Message: entry.HashOf("")}
	s.ShowFacts([]byte(`{"spins":["` + strings.Repeat("x", 60_000) + `"]}`))
	data, err := entry.Encode(s)
	if err != nil || !strings.Contains(string(data), `"facts_sha256"`) || !errors.Is(s.Resolve(&strictjson.Document{}), entry.ErrHidden) {
		t.Errorf("%s, %v, want no error and `\"facts_sha256\"` in string(data) and entry.ErrHidden", data, err)
	}
	large := &entry.Closings{Draw: "d", Game: "war", State: 1, Rounds: []entry.Closed{{Round: 1, OpensAt: 1796040000000, Closing: 1796040000000, Visible: []byte(`{"x":"` + strings.Repeat("x", 1<<16) + `"}`)}}}
	if _, err := entry.Encode(large); !errors.Is(err, entry.ErrTooLarge) {
		t.Errorf("an entry that is too large: %v", err)
	}
	mismatch := &entry.Settlement{Draw: "d", Game: "war", State: 1, ShowTotals: true, Totals: settlement.Totals{{Currency: eur, Bets: 2, Won: 1}}, Bookmakers: entry.Commitments{Root: entry.HashOf("")}}
	if _, err := entry.Encode(mismatch); err == nil {
		t.Error("totals that don't add up were written")
	}
}

func TestNotes(t *testing.T) {
	if n := entry.NoteOf("video_review"); n.Code != "video_review" || n.SHA256 != "" {
		t.Errorf("%+v, want n.Code = \"video_review\" and n.SHA256 = \"\"", n)
	}
	if n := entry.NoteOf("Anna saw it"); n.Code != "" || n.SHA256 != entry.HashOf("Anna saw it") {
		t.Errorf("%+v, want n.Code = \"\" and n.SHA256 = entry.HashOf(\"Anna saw it\")", n)
	}
}
