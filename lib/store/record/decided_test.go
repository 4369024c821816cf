package record

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"tally/lib/draw"
	"tally/lib/draw/wire"
	"tally/lib/rulebook/games/poker"
	"tally/lib/store"
)

// opened is the opening of a betting round of poker, with its draw, as intake stores it.
func opened(t testing.TB, round int, board string) (*Draw, store.Item) {
	t.Helper()
	body := fmt.Sprintf(`{"schema":1,"id":"m","type":"betting.opened","game":"poker","table":"pok-1","draw":"pok-1.7","at":"2026-11-30T12:00:00.000Z","round":%d,
		"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:30.000Z",
		"visible":{"hands":[["AS","KS"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]],"board":%s}}`, round, board)
	m, _, faults := wire.Parse([]byte(body))
	if m == nil {
		t.Fatalf("the message is not valid: %v", faults)
	}
	item := store.Item{PK: store.DrawKey(m.Draw), SK: store.RoundKey(round), Body: body, Hash: m.Hash(), Decided: Decided(m)}
	head := draw.New(m.Draw)
	head.Game, head.Catalogue = "poker", poker.Game.Version
	return New(nil, head), item
}

// written is what is stored of a message, by its selections.
func written(t testing.TB, d *Draw, item store.Item) map[string]string {
	t.Helper()
	m, err := d.read(item)
	if err != nil {
		t.Fatalf("reading the message: %v", err)
	}
	marks := map[string]string{}
	for selection, mark := range m.Decided {
		marks[poker.Game.Text(selection)] = mark.String()
	}
	return marks
}

// A royal flush on the flop wins for its hand whatever comes; every other hand loses, and
// so does every other combination.
var royal = map[string]string{"hand:1": "win", "hand:2": "lose", "hand:3": "lose", "hand:4": "lose", "hand:5": "lose", "hand:6": "lose",
	"combo:royal_flush": "win", "combo:straight_flush": "lose", "combo:four_of_a_kind": "lose", "combo:full_house": "lose", "combo:flush": "lose",
	"combo:straight": "lose", "combo:three_of_a_kind": "lose", "combo:two_pairs": "lose", "combo:pair": "lose", "combo:high_card": "lose"}

func TestDecided(t *testing.T) {
	d, item := opened(t, 3, `["QS","JS","TS"]`)
	if got := written(t, d, item); !maps.Equal(got, royal) {
		t.Errorf("read back is %v, want %v", got, royal)
	}
	kept := item.Decided
	item.Decided = "" // as an earlier version stored it
	if got := written(t, d, item); !maps.Equal(got, royal) {
		t.Errorf("found again is %v, want %v", got, royal)
	}
	// What is kept is believed, if it is of this message: nobody looks at the cards.
	var other decided
	if err := json.Unmarshal([]byte(kept), &other); err != nil {
		t.Fatal(err)
	}
	other.Marks = map[string]string{"hand:2": "win"}
	other.Digest = other.digest(item.Hash)
	item.Decided = store.Encode(other)
	if got := written(t, d, item); !maps.Equal(got, other.Marks) {
		t.Errorf("read back is %v, want %v: the cards were looked at again", got, other.Marks)
	}
}

// Whatever is not what was stored is an error, never a guess.
func TestDamaged(t *testing.T) {
	edit := func(old, new string) func(*store.Item) {
		return func(item *store.Item) {
			before := item.Decided + item.Body
			item.Decided, item.Body = strings.Replace(item.Decided, old, new, 1), strings.Replace(item.Body, old, new, 1)
			if item.Decided+item.Body == before {
				t.Fatalf("nothing has %q", old)
			}
		}
	}
	for name, damage := range map[string]func(*store.Item){
		"another mark":        edit(`"hand:2":"lose"`, `"hand:2":"win"`),
		"a mark less":         edit(`"hand:2":"lose",`, ``),
		"another selection":   edit(`"hand:2"`, `"hand:7"`),
		"another version":     edit(`"version":2`, `"version":1`),
		"another digest":      edit(`"digest":"`, `"digest":"0`),
		"no JSON":             edit(`"marks"`, `marks`),
		"other cards":         edit(`"2C","2D"`, `"2C","2H"`),
		"no message any more": func(item *store.Item) { item.Body = "" },
		"another hash":        func(item *store.Item) { item.Hash = wire.HashOf("another message") },
		"of another message":  func(item *store.Item) { _, other := opened(t, 3, `["QS","JS","9S"]`); item.Decided = other.Decided },
	} {
		t.Run(name, func(t *testing.T) {
			d, item := opened(t, 3, `["QS","JS","TS"]`)
			damage(&item)
			if m, err := d.read(item); err == nil {
				t.Errorf("it is read as %+v", m.Decided)
			}
		})
	}
}

// What is not dear is not kept.
func TestCheapIsNotKept(t *testing.T) {
	m, _, faults := wire.Parse([]byte(`{"schema":1,"id":"m","type":"betting.opened","game":"war","table":"war-1","draw":"war-1.7","at":"2026-11-30T12:00:00.000Z","round":2,
		"opens_at":"2026-11-30T12:00:00.000Z","closes_at":"2026-11-30T12:00:30.000Z","visible":{"player":"KS"}}`))
	if m == nil {
		t.Fatalf("the message is not valid: %v", faults)
	}
	if kept := Decided(m); kept != "" {
		t.Errorf("kept is %q", kept)
	}
}

// BenchmarkReread reads poker's second betting round back, of which 658,008 boards may
// still come: with what it decides beside it, and as before it was kept.
func BenchmarkReread(b *testing.B) {
	d, item := opened(b, 2, `[]`)
	before := item
	before.Decided = ""
	for name, item := range map[string]store.Item{"kept": item, "enumerated": before} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.read(item); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
