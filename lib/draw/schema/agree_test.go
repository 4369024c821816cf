package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tally/events"
	"tally/internal/vectors"
	"tally/lib/draw/schema"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

// beyond are the codes of what the reader refuses and a schema can't: docs/message-reference.md
// has them, too.
var beyond = map[string]string{
	"bad_identifier":         "an order that revokes itself",
	"bad_number":             "a part of a video that ends before it begins",
	"bad_odds":               "numbers of a selection out of range or out of order, in families too large to be listed",
	"bad_time":               "a day that the month does not have; a round or scope that ends before it begins, or is too long; rounds out of order",
	"bad_visible_cards":      "cards that can't lie open together",
	"colour_mismatch":        "a ball of another colour",
	"dealer_must_draw":       "the dealer stood too early",
	"dealer_must_stand":      "the dealer drew too many",
	"duplicate_card":         "a card of a single deck that is there twice",
	"fault_unresolved":       "the last roll or spin is faulty",
	"illegal_hand":           "play that the rules of blackjack don't allow",
	"illegal_shape":          "numbers of a selection out of range or out of order, after a family that is the game's",
	"third_card_missing":     "a third card that had to be drawn",
	"third_card_not_allowed": "a third card that was not to be drawn",
	"too_large":              "a text of at most 1000 characters that has more bytes",
	"too_many_copies":        "more copies of a card than the shoe has",
	"unknown_seat":           "a seat that is named twice",
	"valid_repeated":         "a roll or spin before the last that was not faulty",
	"wrong_type":             "a whole number written with a fraction or an exponent, such as 1.0",
}

// onlyReader are messages whose fault takes more than one change.
var onlyReader = []struct{ typ, fields string }{
	{"draw.opened", `"type":"draw.opened","game":"lucky7","sequence":1,` +
		`"rounds":[{"round":1,"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:09.000Z"}],"odds":{"drawn:2-1":"2.50"}`},
	{"draw.resulted", `"type":"draw.resulted","game":"poker","revision":1,"facts":{"hands":[["AS","KD"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]],` +
		`"board":["AS","5H","6H","KC","2H"]}`},
	{"draw.resulted", `"type":"draw.resulted","game":"war","revision":1,"facts":{"player":"KS","dealer":"AD","burned":["2C","2C","2C","2C","2C","2C","2C"]}`},
	{"draw.resulted", `"type":"draw.resulted","game":"lucky5","revision":1,"facts":{"balls":[36,1,17,9,22],"colours":["white","white","white","white","white"]}`},
	{"draw.resulted", `"type":"draw.resulted","game":"blackjack","revision":1,"facts":{"dealer":["TS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","7C"]}]}]}`},
	{"order.revoked", `"type":"order.revoked","game":"war","order":"o","revokes":"o","reason":"","evidence":""`},
}

// compiledBefore are schemas by their names: those of Lucky 7 take a while.
var compiledBefore = map[string]*jsonschema.Schema{}

// compiled is a schema to validate by.
func compiled(t *testing.T, name string, game *rules.Game) *jsonschema.Schema {
	t.Helper()
	key := name
	if game != nil {
		key += "." + game.ID
	}
	if s := compiledBefore[key]; s != nil {
		return s
	}
	text, err := schema.Of(name, game).Text()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", parsed); err != nil {
		t.Fatal(err)
	}
	s, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatalf("the schema %s: %v", name, err)
	}
	compiledBefore[key] = s
	return s
}

// fits validates a document and returns what is wrong with it.
func fits(s *jsonschema.Schema, body []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// refused are the faults of a message that comes now. looked is whether what the visible
// cards decide has to be found out, which takes a while.
func refused(body []byte, looked bool) []wire.Fault {
	known := wire.DecidedMarks{}
	if looked {
		known = nil
	}
	m, _, faults := wire.ParseAgain(body, nil, known)
	if len(faults) > 0 {
		return faults
	}
	return m.Admit(m.At)
}

// messages are the types that studios and operators send.
func messages() (names []string) {
	for _, n := range schema.Names() {
		if schema.ByGame(n.Name) {
			names = append(names, n.Name)
		}
	}
	return names
}

// examples are the messages that a schema shows.
func examples(t *testing.T, s *schema.Schema) (list [][]byte) {
	t.Helper()
	for _, e := range s.Examples {
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		t.Fatalf("%s has no example", s.Title)
	}
	return list
}

// common are the fields that the schema of all games has in one form: to change them in
// one game's messages is enough.
var common = map[string]bool{"schema": true, "id": true, "type": true, "table": true, "draw": true, "at": true, "sequence": true, "order": true,
	"evidence": true, "revokes": true, "closed_at": true, "opens_at": true, "closes_at": true, "correction": true, "equipment": true, "video": true, "=": true}

// held is how a message was decided by both, and which codes were the reader's alone.
type held struct {
	t    *testing.T
	used map[string]bool
	n    int
}

// hold compares a message, changed as what says, under a schema and the reader.
func (h *held) hold(s *jsonschema.Schema, what string, body []byte, looked bool) {
	h.against(s, what, body, refused(body, looked))
}

// against compares what a schema says of a message with what the reader has said.
func (h *held) against(s *jsonschema.Schema, what string, body []byte, faults []wire.Fault) {
	h.n++
	switch wrong := fits(s, body); {
	case wrong == nil && len(faults) == 0, wrong != nil && len(faults) > 0:
	case wrong != nil:
		h.t.Errorf("%s: the reader takes what the schema refuses: %v\n%s", what, wrong, body)
	default:
		for _, f := range faults {
			if h.used[f.Code] = true; beyond[f.Code] == "" {
				h.t.Errorf("%s: the schema takes what the reader refuses: %s: %s\n%s", what, f.Code, f.Message, body)
			}
		}
	}
}

// TestAgree changes every field of a message of every kind and game in every way that a
// studio may get it wrong; the schema and the reader take and refuse the same, but for
// what only the reader can know.
func TestAgree(t *testing.T) {
	used := map[string]bool{}
	for _, name := range messages() {
		whole := compiled(t, name, nil)
		for _, game := range games.All() {
			t.Run(name+"/"+game.ID, func(t *testing.T) {
				h := &held{t: t, used: used}
				first := game == games.All()[0]
				own := compiled(t, name, game)
				for _, body := range examples(t, schema.Of(name, game)) {
					if faults := refused(body, true); len(faults) > 0 {
						t.Errorf("the reader refuses the example: %v\n%s", faults, body)
					}
					h.hold(own, "the example", body, true)
					h.hold(whole, "the example", body, true)
					changes(t, body, func(path string, changed []byte) {
						faults := refused(changed, strings.HasPrefix(path, "visible") || strings.HasPrefix(path, "round"))
						if name := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[ ", r) })[0]; first || !common[name] {
							h.against(whole, path, changed, faults)
						}
						if !strings.HasPrefix(path, "game") {
							h.against(own, path, changed, faults)
						}
					})
				}
				t.Logf("%d comparisons", h.n)
			})
		}
	}
	for _, m := range onlyReader {
		h := &held{t: t, used: used}
		body := `{"schema":1,"id":"m","table":"t","draw":"d","at":"2026-11-30T12:00:29.000Z",` + m.fields + `}`
		h.hold(compiled(t, m.typ, nil), "a message that only the reader refuses", []byte(body), true)
	}
	for _, code := range slices.Sorted(maps.Keys(beyond)) {
		if !used[code] {
			t.Errorf("nothing is refused with %s by the reader alone: take it from the list", code)
		}
	}
}

// TestAgreeOnTables does the same with messages about tables, which no game's are.
func TestAgreeOnTables(t *testing.T) {
	for _, n := range schema.Names() {
		if schema.ByGame(n.Name) || n.Name == schema.Reply {
			continue
		}
		t.Run(n.Name, func(t *testing.T) {
			h := &held{t: t, used: map[string]bool{}}
			s := compiled(t, n.Name, nil)
			for _, body := range examples(t, schema.Of(n.Name, nil)) {
				if faults := refused(body, false); len(faults) > 0 {
					t.Errorf("the reader refuses the example: %v\n%s", faults, body)
				}
				changes(t, body, func(path string, changed []byte) { h.hold(s, path, changed, false) })
			}
			if h.n < 100 {
				t.Errorf("only %d comparisons", h.n)
			}
		})
	}
}

// changes calls then with a message in which one value is changed, once for each value and change.
func changes(t *testing.T, body []byte, then func(path string, changed []byte)) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var root any
	if err := decoder.Decode(&root); err != nil {
		t.Fatal(err)
	}
	write := func(path string) {
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		then(path, text)
	}
	walk(root, "", write, func(v any) { root = v })
}

// walk changes a value and all below it; set puts another in its place.
func walk(v any, path string, write func(string), set func(any)) {
	for _, other := range others(v) {
		set(other)
		write(fmt.Sprintf("%s = %.40v", path, other))
	}
	set(v)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			was := v[name]
			delete(v, name)
			write(strings.TrimPrefix(path+"."+name, ".") + " removed")
			v[name] = was
			walk(was, strings.TrimPrefix(path+"."+name, "."), write, func(other any) { v[name] = other })
		}
		v["extra"] = json.Number("1")
		write(path + " extra")
		delete(v, "extra")
	case []any:
		for i := range v {
			walk(v[i], fmt.Sprintf("%s[%d]", path, i), write, func(other any) { v[i] = other })
		}
	}
}

// others are what stands in the place of a value: other types, and what is beside it.
func others(v any) []any {
	list := []any{nil, true, json.Number("1.5"), json.Number("7"), "text", []any{}, map[string]any{}}
	switch v := v.(type) {
	case json.Number:
		for _, n := range []string{"-1", "0", "1", "2", "3", "4", "5", "6", "8", "18", "19", "36", "37", "42", "43", "1000", "1001",
			"9007199254740991", "9007199254740992", "9223372036854775808", "-9223372036854775809", v.String() + ".0", "1e3", `"` + v.String() + `"`} {
			list = append(list, json.RawMessage(n))
		}
	case string:
		list = append(list, "", ".", "..", v+" ", v+"\n", " "+v, strings.ToLower(v), strings.ToUpper(v), v+"x",
			strings.Repeat("x", 64), strings.Repeat("x", 65),
			strings.Repeat("x", 1000), strings.Repeat("x", 1001), strings.Repeat("é", 501), "ä", "a/b", "2.5",
			"1.00", "0.99", "01.5", "100000", "100000.0001",
			"1.23456", "1e3", "2026-02-30T12:00:00.000Z", "2026-11-30T12:00:00Z", "2026-11-30T12:00:00,000Z",
			"2026-11-30T9:00:00.000Z", "1999-12-31T23:59:59.999Z",
			"3000-01-01T00:00:00.000Z", "2026-11-30T24:00:00.000Z", "2026-11-30T12:00:00.000+00:00", "2999-12-31T23:59:59.999Z", "win", "lose", "Win",
			"1S", "10S", "SA", "cup", "19", "0", "white", "die_on_edge", "stream_lost", "scanner_mismatch", "rules_review", "betting.closed", "war",
			"drawn:1-2:*", "drawn:2-1", "insurance:*", "double:3:*", "double:9:*", "player:*", "seat:1", "drawn:1-2")
	case []any:
		list = append(list, long(v, 101), long(v, 2), long(v, 6))
		if len(v) > 0 {
			list = append(list, v[:len(v)-1], append(slices.Clone(v), v[len(v)-1]), v[1:])
		}
	case map[string]any:
		more := maps.Clone(v)
		more["drawn:2-1"], more["hand:7"], more["player"] = "2.50", "2.50", "0.50"
		list = append(list, more)
	}
	return list
}

// long is a list of so many that begin or repeat another.
func long(v []any, n int) []any {
	var list []any
	for len(v) > 0 && len(list) < n {
		list = append(list, v[len(list)%len(v)])
	}
	return list
}

// TestSamples: the sample messages of all games are right, but for one whose card there is
// not.
func TestSamples(t *testing.T) {
	for _, game := range games.All() {
		files, err := events.Messages(game)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			_, partial, _ := wire.Parse(file.Body)
			for _, s := range []*jsonschema.Schema{compiled(t, string(partial.Type), nil), compiled(t, string(partial.Type), game)} {
				if err := fits(s, file.Body); (err != nil) != bytes.Contains(file.Body, []byte(`"1H"`)) {
					t.Errorf("%s: %v, want (err != nil) = bytes.Contains(file.Body, []byte(`\"1H\"`))", file.Name, err)
				}
			}
		}
	}
}

// TestVectors holds facts whose answer was worked out by others against the schemas: what
// resolves fits, what is malformed does not.
func TestVectors(t *testing.T) {
	of := map[string]*jsonschema.Schema{}
	for _, game := range games.All() {
		of[game.ID] = compiled(t, "draw.resulted", game)
	}
	counted := map[string]int{}
	for _, name := range []string{vectors.Resolve, vectors.Resolve2} {
		t.Run(name, func(t *testing.T) {
			for _, line := range vectors.Lines(t, name) {
				var c struct {
					ID     string
					Input  struct{ Game, Facts json.RawMessage }
					Expect struct {
						Status string
						Errors []struct{ Code string }
					}
				}
				if err := json.Unmarshal(line, &c); err != nil {
					t.Fatal(err)
				}
				var id string
				if json.Unmarshal(c.Input.Game, &id) != nil || of[id] == nil || c.Input.Facts == nil {
					continue
				}
				body := fmt.Sprintf(`{"schema":1,"id":"m","type":"draw.resulted","game":%q,"table":"t","draw":"d",`+
					`"at":"2026-11-30T12:00:29.000Z","revision":1,"facts":%s}`, id, c.Input.Facts)
				err := fits(of[id], []byte(body))
				counted[c.Expect.Status]++
				switch c.Expect.Status {
				case "resolved", "void":
					if err != nil {
						t.Errorf("%s: %v", c.ID, err)
					}
				default:
					only := len(c.Expect.Errors) > 0 && !slices.ContainsFunc(c.Expect.Errors, func(e struct{ Code string }) bool { return beyond[e.Code] != "" })
					if only && err == nil && len(refused([]byte(body), true)) > 0 {
						t.Errorf("%s: the schema takes it, expected %+v", c.ID, c.Expect)
					}
				}
			}
		})
	}
	if counted["resolved"] < 100 || counted["invalid"] < 100 {
		t.Errorf("there are only %v", counted)
	}
}
