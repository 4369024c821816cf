package schema

import (
	"fmt"
	"slices"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

// Reply is the name of the schema of replies; the others are named as the types of
// messages are.
const Reply = "reply"

// kind is a kind of message: what it has beside the fields of all.
type kind struct {
	name, title string
	required    []string
	fields      func() Members
	// of adds what depends on the game, nil where nothing does.
	of func(*rules.Game) Members
	// table says that it is about a table: it has no draw and no game.
	table bool
}

var kinds = []kind{
	{name: string(wire.DrawOpened), title: "a draw begins: its number, the planned betting rounds, perhaps the odds of the first",
		required: []string{"sequence", "rounds"}, fields: drawOpened, of: drawOpenedOf},
	{name: string(wire.BettingOpened), title: "a betting round opens: its times, the visible cards, the odds",
		required: []string{"round", "opens_at", "closes_at"}, fields: bettingOpened, of: bettingOpenedOf},
	{name: string(wire.BettingClosed), title: "a betting round closes, or some selections within it",
		required: []string{"round", "closed_at"}, fields: bettingClosed, of: bettingClosedOf},
	{name: string(wire.DrawResulted), title: "what was seen: the facts, or their correction",
		required: []string{"revision", "facts"}, fields: drawResulted, of: drawResultedOf},
	{name: string(wire.DrawCancelled), title: "a draw is cancelled, and why",
		required: []string{"revision", "reason"}, fields: drawCancelled, of: drawCancelledOf},
	{name: string(wire.BetsVoided), title: "an operator's order: the bets of a scope are refunded",
		required: []string{"order", "scope", "reason", "evidence"}, fields: betsVoided, of: betsVoidedOf},
	{name: string(wire.OrderRevoked), title: "an operator's order: an order to void does not hold",
		required: []string{"order", "revokes", "reason", "evidence"}, fields: orderRevoked},
	{name: string(wire.TableSuspended), title: "a table takes no bets, until it is resumed", required: []string{"reason"}, fields: tableSuspended, table: true},
	{name: string(wire.TableResumed), title: "a table takes bets again", fields: noFields, table: true},
	{name: string(wire.TableAlive), title: "a table and its studio's line are alive: sent every 20 seconds, its silence is an alarm", fields: noFields, table: true},
	{name: Reply, title: "tally's answer to each message, on studio-replies"},
}

// Name is a schema that there is.
type Name struct{ Name, Title string }

// Names returns the schemas in the order of a draw.
func Names() (names []Name) {
	for _, k := range kinds {
		names = append(names, Name{Name: k.name, Title: k.title})
	}
	return names
}

// ByGame reports whether a schema differs by the game.
func ByGame(name string) bool {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	return at >= 0 && name != Reply && !kinds[at].table
}

// Of returns the schema of that name: of one game's messages, or with nil of all games'.
// It is nil where there is no such schema.
func Of(name string, game *rules.Game) *Schema {
	at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	switch {
	case at < 0:
		return nil
	case name == Reply:
		return reply()
	case kinds[at].table:
		return kinds[at].ofTable()
	case game == nil:
		return kinds[at].ofAll()
	}
	return kinds[at].ofOne(game)
}

// describe is the beginning of every message's schema.
func (k kind) describe(s *Schema, suffix string) *Schema {
	s.Dialect, s.ID, s.Title, s.Description = dialect, k.name+suffix+".schema.json", k.name, k.title
	return s
}

// common are the fields of every message.
func common(name string, game *Schema) Members {
	return Members{
		field("schema", (&Schema{Const: wire.Schema}).about("the version of this format", wire.Schema)),
		field("id", ref("id").about("of this message: the reply names it, and the same message sent again keeps it", "m-1")),
		field("type", (&Schema{Const: name}).about("the kind of message", name)),
		field("game", game),
		field("table", ref("id").about("where the draw takes place", "t-1")),
		field("draw", ref("id").about("of this draw alone, for ever: no other draw of any table has it", "t-1.20261130.7")),
		field("at", ref("time").about("when the message was made, by the studio's clock", "2026-11-30T12:00:29.000Z")),
	}
}

var commonRequired = []string{"schema", "id", "type", "game", "table", "draw", "at"}

func noFields() Members { return nil }

// ofTable is the schema of messages about a table.
func (k kind) ofTable() *Schema {
	s := object(slices.Concat([]string{"schema", "id", "type", "table", "at"}, k.required))
	s.Properties, s.Defs = common(k.name, nil), definitions()
	for _, name := range []string{"game", "draw"} {
		at := s.Properties.index(name)
		s.Properties = slices.Delete(s.Properties, at, at+1)
	}
	s.Properties[s.Properties.index("table")].Schema.Description = "which table"
	s.Properties = append(s.Properties, k.fields()...)
	s.Examples = []any{compose(s.Properties, nil)}
	return k.describe(s, "")
}

// ofOne is the schema of one game's messages.
func (k kind) ofOne(game *rules.Game) *Schema {
	fields := append(common(k.name, (&Schema{Const: game.ID}).about(game.Title, game.ID)), k.fields()...)
	s := object(slices.Concat(commonRequired, k.required))
	s.Defs = definitions()
	if k.of != nil {
		fields = fields.with(k.of(game))
	}
	s.Properties, s.AllOf = fields, conditions(k.name, game)
	s.Examples = examplesOf(k.name, fields, game)
	return k.describe(s, "."+game.ID)
}

// ofAll is the schema of all games' messages: what depends on the game stands under it.
func (k kind) ofAll() *Schema {
	ids := []string{}
	for _, game := range games.All() {
		ids = append(ids, game.ID)
	}
	s := object(slices.Concat(commonRequired, k.required))
	s.Properties = append(common(k.name, oneOf(ids...).about("the game that is played", "war")), k.fields()...)
	s.Defs = definitions()
	for _, game := range games.All() {
		s.Examples = append(s.Examples, k.ofOne(game).Examples[0])
		if k.of == nil {
			continue
		}
		then := &Schema{AllOf: conditions(k.name, game)}
		for _, m := range k.of(game) {
			name := m.Name + "." + game.ID
			s.Defs = append(s.Defs, Member{Name: name, Schema: m.Schema})
			then.Properties = append(then.Properties, Member{Name: m.Name, Schema: ref(name)})
		}
		s.AllOf = append(s.AllOf, &Schema{If: is("game", game.ID), Then: then})
	}
	if k.name == string(wire.DrawResulted) {
		s.AllOf = append(s.AllOf, corrected())
	}
	if k.of == nil {
		s.Examples = s.Examples[:1]
	}
	return k.describe(s, "")
}

func is(name string, value any) *Schema {
	return &Schema{Properties: Members{field(name, &Schema{Const: value})}, Required: []string{name}}
}

// conditions are what one field of a game's message asks of another.
func conditions(name string, game *rules.Game) (all []*Schema) {
	switch wire.Type(name) {
	case wire.DrawResulted:
		return []*Schema{corrected()}
	case wire.BettingOpened:
		shown := byGame(game.ID)
		for _, round := range game.Rounds {
			then := &Schema{Properties: Members{field("visible", nothing)}}
			if round.Number > 1 {
				then = &Schema{Properties: Members{field("visible", shown.visible(round.Number))}, Required: []string{"visible"}}
			}
			all = append(all, &Schema{If: is("round", round.Number), Then: then})
		}
	}
	return all
}

// corrected asks a reason of every result above revision 1.
func corrected() *Schema {
	above := int64(2)
	return &Schema{If: &Schema{Properties: Members{field("revision", &Schema{Minimum: &above})}, Required: []string{"revision"}},
		Then: &Schema{Required: []string{"correction"}}}
}

// definitions are what the fields of messages refer to.
func definitions() Members {
	return Members{
		field("id", &Schema{Type: "string", Pattern: `^[A-Za-z0-9._-]{1,64}$`, Not: oneOf(".", ".."),
			Description: "an identifier: 1 to 64 of A-Z a-z 0-9 . _ -, neither . nor .."}),
		field("time", &Schema{Type: "string", Format: "date-time", Unit: "milliseconds, UTC",
			Pattern:     `^2[0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$`,
			Description: "a time: RFC 3339 in UTC with milliseconds, of the years 2000 to 2999"}),
		field("card", &Schema{Type: "string", Pattern: `^[A23456789TJQK][SHDC]$`,
			Description: "a card: rank A 2 3 4 5 6 7 8 9 T J Q K, then suit S H D C"}),
		field("note", &Schema{Type: "string", MaxLength: wire.MaxNote, Unit: "bytes of UTF-8",
			Description: fmt.Sprintf("a text for people, of at most %d bytes", wire.MaxNote)}),
	}
}

func field(name string, s *Schema) Member { return Member{Name: name, Schema: s} }
