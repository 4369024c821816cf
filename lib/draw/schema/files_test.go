package schema_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tally/lib/draw/schema"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

var update = flag.Bool("update", false, "write docs/schemas and docs/message-reference.md anew")

const docs = "../../../docs/"

// same holds a file against what it should be, or writes it.
func same(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if is, err := os.ReadFile(path); err != nil || !bytes.Equal(is, want) {
		t.Errorf("%s is not what `tally schema` prints (%v): go test ./lib/draw/schema -update writes it anew", path, err)
	}
}

// TestFiles: docs/schemas has what the program prints, and nothing else.
func TestFiles(t *testing.T) {
	want := []string{}
	for _, name := range schema.Names() {
		text, err := schema.Of(name.Name, nil).Text()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(docs, "schemas", name.Name+".schema.json")
		same(t, path, text)
		want = append(want, path)
	}
	files, err := filepath.Glob(docs + "schemas/*")
	if slices.Sort(want); err != nil || !slices.Equal(files, want) {
		t.Errorf("docs/schemas has %q, expected %q: %v", files, want, err)
	}
}

// TestReference: the page of all fields says what the schemas say.
func TestReference(t *testing.T) {
	var page strings.Builder
	page.WriteString(`# Every field of every message

Made from the schemas that ` + "`tally schema`" + ` prints, which are in [schemas](schemas); a test holds both against the code that reads
messages. What follows from a message is in [messages.md](messages.md). A message has at most ` + fmt.Sprint(wire.MaxBody/1024) + ` KiB of JSON in UTF-8. A field that is not in its table is refused, as is a name that an object has twice.
A **field** in bold is required.

## Fields of all messages

`)
	war := one(t, "war")
	first := schema.Of("draw.opened", nil)
	begin := len(first.Required) - 2 // without those of draw.opened
	common := first.Required[:begin]
	rows(&page, "", first, first, func(name string) bool { return slices.Contains(common, name) })
	for _, name := range schema.Names() {
		if name.Name == schema.Reply {
			continue
		}
		of := schema.Of(name.Name, nil)
		detail := schema.Of(name.Name, war) // of any game where it is about a table
		fmt.Fprintf(&page, "\n## %s\n\n%s%s.\n\n", name.Name, strings.ToUpper(name.Title[:1]), name.Title[1:])
		rows(&page, "", of, of, func(field string) bool { return !slices.Contains(common, field) })
		fmt.Fprintf(&page, "\n```json\n%s\n```\n", detail.Examples[len(detail.Examples)-1])
	}
	page.WriteString("\n## Replies\n\nFields may be added to a reply: pass over those that you don't know.\n\n")
	reply := schema.Of(schema.Reply, nil)
	rows(&page, "", reply, reply, func(string) bool { return true })
	page.WriteString("\n## Facts and visible cards, by game\n\nA card is its rank, `A 2 3 4 5 6 7 8 9 T J Q K`, and its suit, `S H D C`: `TH` is the ten of hearts.\n")
	for _, game := range games.All() {
		of := schema.Of("draw.resulted", game)
		facts := of.Properties.Find("facts")
		fmt.Fprintf(&page, "\n### %s\n\n`%s`: betting rounds 1 to %d", game.Title, game.ID, len(game.Rounds))
		if game.Paytable() {
			page.WriteString(", odds by the paytable: messages have none.\n\n")
		} else {
			fmt.Fprintf(&page, ", odds from the board: `\"odds\":%s`.\n\n", schema.Of("draw.opened", game).Properties.Find("odds").Examples[0])
		}
		rows(&page, "facts.", facts, of, func(string) bool { return true })
		fmt.Fprintf(&page, "\n```json\n{\"facts\":%s}\n```\n", facts.Examples[0])
		for _, text := range schema.Of("betting.opened", game).Examples[1:] {
			fmt.Fprintf(&page, "\nWhen a later round opens:\n\n```json\n%s\n```\n", text)
		}
	}
	page.WriteString("\n## What only tally can know\n\nA message that fits its schema can still be refused: with one of these codes, for what a schema can't say,\n" +
		"and for what depends on what is stored, as [messages.md](messages.md) has it (`conflict`, `too_late`, `too_many`, `bad_number` of a\nrevision too far ahead).\n\n| code | when |\n|---|---|\n")
	for _, code := range slices.Sorted(maps.Keys(beyond)) {
		fmt.Fprintf(&page, "| `%s` | %s |\n", code, beyond[code])
	}
	same(t, docs+"message-reference.md", []byte(page.String()))
}

func one(t *testing.T, id string) *rules.Game {
	t.Helper()
	game, known := games.Find(id)
	if !known {
		t.Fatalf("there is no game %s", id)
	}
	return game
}

// rows writes the table of an object's fields; root has its definitions.
func rows(page *strings.Builder, path string, s, root *schema.Schema, shown func(string) bool) {
	page.WriteString("| field | type | unit | bound | meaning | example |\n|---|---|---|---|---|---|\n")
	fields(page, path, s, root, shown)
}

func fields(page *strings.Builder, path string, s, root *schema.Schema, shown func(string) bool) {
	for _, m := range s.Properties {
		if !shown(m.Name) {
			continue
		}
		name, of := "`"+path+m.Name+"`", m.Schema
		if slices.Contains(s.Required, m.Name) {
			name = "**" + name + "**"
		}
		target := resolved(of, root)
		example := ""
		if len(of.Examples) > 0 {
			example = fmt.Sprintf("`%v`", of.Examples[0])
			if long := len(example) > 60; long {
				example = "below"
			}
		}
		cells := []string{name, kindOf(of, target), target.Unit, bound(of, root), of.Description, example}
		page.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		below, inner := path+m.Name+".", target
		for inner.Items != nil {
			below = strings.TrimSuffix(below, ".") + "[]."
			inner = resolved(inner.Items, root)
		}
		fields(page, below, inner, root, func(string) bool { return true })
	}
}

func resolved(s, root *schema.Schema) *schema.Schema {
	if name, is := strings.CutPrefix(s.Ref, "#/$defs/"); is {
		return root.Defs.Find(name)
	}
	return s
}

// kindOf is the type of a field for people.
func kindOf(s, target *schema.Schema) string {
	switch name := strings.TrimPrefix(s.Ref, "#/$defs/"); {
	case name == "id":
		return "identifier"
	case name == "note":
		return "string"
	case name != "":
		return name
	case s.Type == "array":
		return "list"
	case s.Type == "integer":
		return "whole number"
	case s.Const == false:
		return "boolean"
	case s.Const == wire.Schema:
		return "whole number"
	}
	if target.Type == "" {
		return "string"
	}
	return target.Type
}

// bound is what a field's value may be, for people.
func bound(s, root *schema.Schema) string {
	parts := []string{}
	switch of := resolved(s, root); {
	case s.Ref == "#/$defs/id":
		return "1 to 64 of A-Z a-z 0-9 . _ -"
	case s.Ref == "#/$defs/time":
		return "years 2000 to 2999"
	case s.Const == "draw.opened":
		return "the names of the sections below"
	case s.Const != nil:
		return fmt.Sprintf("`%v`", s.Const)
	case len(s.Enum) > 0:
		for _, v := range s.Enum {
			if v == nil {
				v = "null"
			}
			parts = append(parts, fmt.Sprintf("`%v`", v))
		}
		return strings.Join(parts, ", ")
	case s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("%d to %d", *s.Minimum, *s.Maximum)
	case s.Minimum != nil:
		return fmt.Sprintf("at least %d", *s.Minimum)
	case of.MaxLength > 0:
		return fmt.Sprintf("at most %d", of.MaxLength)
	case s.MaxItems != nil && *s.MaxItems == s.MinItems:
		parts = append(parts, fmt.Sprintf("exactly %d", s.MinItems))
	case s.MaxItems != nil:
		parts = append(parts, fmt.Sprintf("%d to %d", s.MinItems, *s.MaxItems))
	case s.MinItems > 0:
		parts = append(parts, fmt.Sprintf("at least %d", s.MinItems))
	case s.MinProperties > 0:
		return fmt.Sprintf("at least %d field", s.MinProperties)
	}
	if s.Items != nil && s.Items.Properties == nil && s.Items.Items == nil {
		if inner := bound(s.Items, root); inner != "" {
			parts = append(parts, "of "+inner)
		}
	}
	return strings.Join(parts, ", ")
}

// TestReply: the schema of replies has the fields of wire.Reply and no other, and requires
// those that are never left out.
func TestReply(t *testing.T) {
	compare(t, "reply", reflect.TypeFor[wire.Reply](), schema.Of(schema.Reply, nil))
}

func compare(t *testing.T, path string, typ reflect.Type, s *schema.Schema) {
	t.Helper()
	var has, required []string
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		has = append(has, name)
		if options == "" {
			required = append(required, name)
		}
		inner := typ.Field(i).Type
		of := s.Properties.Find(name)
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			if inner = inner.Elem(); of != nil && of.Items != nil {
				of = of.Items
			}
		}
		if inner.Kind() == reflect.Struct && of != nil {
			compare(t, path+"."+name, inner, of)
		}
	}
	var names []string
	for _, m := range s.Properties {
		names = append(names, m.Name)
	}
	slices.Sort(has)
	if slices.Sort(names); !slices.Equal(names, has) {
		t.Errorf("%s: the schema has %q, wire has %q", path, names, has)
	}
	if !slices.Equal(slices.Sorted(slices.Values(s.Required)), slices.Sorted(slices.Values(required))) {
		t.Errorf("%s: the schema requires %q, wire always writes %q", path, s.Required, required)
	}
}
