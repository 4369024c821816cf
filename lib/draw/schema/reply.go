package schema

import (
	"tally/lib/draw"
	boards "tally/lib/draw/odds"
	"tally/lib/draw/wire"
)

// oddsCheck is the schema of wire.OddsCheck.
func oddsCheck() *Schema {
	text := func(description string, example any) *Schema {
		return (&Schema{Type: "string"}).about(description, example)
	}
	listOf := func(description string, required []string, members ...Member) *Schema {
		return (&Schema{Type: "array", Items: &Schema{Type: "object", Properties: members, Required: required}}).about(description)
	}
	codes := oneOf(boards.AboveFair, boards.Forgotten, boards.Outside, boards.Jump, boards.BadMark, boards.Undecided)
	return &Schema{Type: "object", Properties: Members{
		field("groups", listOf("sets of families of which exactly one selection wins, where the board has all", []string{"families", "overround"},
			field("families", (&Schema{Type: "array", Items: &Schema{Type: "string"}}).about("the families", raw(`["player","war","dealer"]`))),
			field("overround", text("the sum of one over the odds", "1.0409")))),
		field("selections", listOf("at most 100", []string{"selection", "odds"},
			field("selection", text("a selection or a group of equally likely ones", "player")),
			field("odds", text("as they were sent, or win or lose", "2.0800")),
			field("probability", text("exact, rounded to six decimals; absent where what may come is beyond counting", "0.463023")),
			field("fair", text("the odds that would leave no margin", "2.1597")),
			field("margin", text("what part of its stakes is kept in the long run; negative above fair odds", "0.0369")))),
		field("more", atLeast(1).about("selections that are not listed", 34)),
		field("warnings", listOf("what looks like a mistake", []string{"code", "message"},
			field("code", codes.about("what, for programs", boards.AboveFair)),
			field("selection", text("of which selection", "player")),
			field("message", text("what, for people", "player has odds of 2.5000, above the fair 2.1597: it pays out more than it takes")))),
	}}
}

// reply is the schema of wire.Reply. Fields may be added to it: who reads replies passes
// over those that it doesn't know.
func reply() *Schema {
	text := func(description string, example ...any) *Schema {
		return (&Schema{Type: "string"}).about(description, example...)
	}
	number := func(description string, example int) *Schema { return atLeast(1).about(description, example) }
	open := func(required []string, members ...Member) *Schema {
		return &Schema{Type: "object", Properties: members, Required: required}
	}
	errors := &Schema{Type: "array", MinItems: 1, Items: open([]string{"code", "message"},
		field("code", (&Schema{Type: "string", Pattern: `^[a-z_]+$`}).about("what is wrong, for programs", "conflict")),
		field("rule", text("the paragraph that it breaks", "BAC-2.6.1")),
		field("message", text("what is wrong and what to do, for people", "revision: revisions are numbered 1 to 1000")))}
	outcome := open([]string{"status"},
		field("status", oneOf("resolved", "void", "cancelled").about("what the draw comes to", "resolved")),
		field("outcome", (&Schema{Type: "object"}).about("as tally resolve writes it: format-outcomes.md", raw(`{"winner":"dealer"}`))),
		field("reason", text("why it is void or cancelled", "wrong_ball_count")),
		field("rule", text("the paragraph that says so", "LUCKY7-2.2")))
	closing := open([]string{"round", "closing", "because"},
		field("round", number("the betting round", 1)),
		field("selections", (&Schema{Type: "array", Items: &Schema{Type: "string"}}).about(
			"what of it, absent for the whole round", raw(`["insurance:*"]`))),
		field("closing", at("from when on it takes no bets", "2026-11-30T12:00:20.000Z")),
		field("because", oneOf(draw.ByClosing, draw.ByClosingLag, draw.ByPlan, draw.ByNextRound, draw.ByResult, draw.ByOpening, draw.ByRound).
			about("what closed it", draw.ByClosing)),
		field("message", text("why it is another time than closed_at says", "closed_at says 2026-11-30T12:00:18.000Z: …")))
	holds := open(nil, field("id", text("of the message that has the identity", "m-2")), field("type", text("its type", "draw.resulted")),
		field("revision", number("the revision that holds", 1)))
	s := open([]string{"id", "draw", "status"},
		field("id", text("of the message; empty where it could not be read", "m-1")),
		field("draw", text("of the message; empty where it could not be read", "t-1.20261130.7")),
		field("status", oneOf(wire.Stored, wire.Replay, wire.Quarantined).
			about("stored, replay (it was stored before) or quarantined (put aside, with all that is wrong)", wire.Stored)),
		field("errors", errors.about("of a quarantined message: all that is wrong")),
		field("type", text("of the message", "betting.closed")),
		field("table", text("of the message", "t-1")),
		field("round", number("of the message", 1)),
		field("revision", number("of the message", 1)),
		field("order", text("of the message", "ord-7")),
		field("outcome", outcome.about("of a result or a cancellation")),
		field("closings", (&Schema{Type: "array", Items: closing}).about(
			"the closings that took effect: of what a betting.closed closes, or of every round with a result")),
		field("message", text("what a result comes to and what holds instead, for people", "void: 6 of 7 balls; bets get their stakes back when it is settled")),
		field("note", text("what the draw lacks, or has twice")),
		field("odds", oddsCheck().about("what a look at the message's odds board came to; nothing is refused for it")),
		field("holds", holds.about("what holds instead of the message")))
	s.Defs = Members{field("time", definitions().Find("time"))}
	s.Examples = []any{raw(`{"id":"m3","draw":"war-1.7","status":"stored","type":"betting.closed","table":"war-1","round":1,` +
		`"closings":[{"round":1,"closing":"2026-11-30T12:00:28.000Z","because":"closed_at"}]}`)}
	return kinds[len(kinds)-1].describe(s, "")
}
