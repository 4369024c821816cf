package schema

import (
	"fmt"
	"slices"
	"strings"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/catalogue"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

func at(description, example string) *Schema { return ref("time").about(description, example) }

// mostRounds is how many betting rounds any game has.
func mostRounds() (most int) {
	for _, game := range games.All() {
		most = max(most, len(game.Rounds))
	}
	return most
}

func round(most int) Member {
	return field("round", whole(1, int64(most)).about("the number of the betting round, of those that the game has", 1))
}

func closesAt() Member {
	return field("closes_at", at("from when on it takes none, unless betting.closed comes before; "+
		"at most 24 hours after opens_at, and 31 days after now", "2026-11-30T12:00:30.000Z"))
}

func planned(most int) Member {
	one := object([]string{"round", "opens_at", "closes_at"}, round(most),
		field("opens_at", at("from when on it takes bets", "2026-11-30T12:00:10.000Z")),
		closesAt())
	return field("rounds", list(one, 1, most).about("the planned betting rounds in order, each opening when or after the one before closes"))
}

// boardForm is what every odds board is.
const boardForm = ": by selection or group, decimal odds from 1 to 100000 with at most four decimals, or win or lose; " +
	"a game with a paytable has none"

func drawOpened() Members {
	return Members{
		field("sequence", whole(1, wire.MaxSequence).about("the number of the draw at its table: it runs on from 1", 42)),
		planned(mostRounds()),
		field("odds", (&Schema{Type: "object"}).about("the odds board of betting round 1"+boardForm)),
	}
}

func drawOpenedOf(game *rules.Game) Members {
	return Members{planned(len(game.Rounds)), odds(game)}
}

func bettingOpened() Members {
	return Members{
		round(mostRounds()),
		field("opens_at", at("from when on it takes bets; earlier rounds are closed by then", "2026-11-30T12:00:10.000Z")),
		closesAt(),
		field("visible", (&Schema{Type: "object"}).about("what lies open when the round opens: in every round after the first, and never in the first")),
		field("odds", (&Schema{Type: "object"}).about("the odds board of the round"+boardForm)),
	}
}

func bettingOpenedOf(game *rules.Game) Members {
	return Members{round(len(game.Rounds)), odds(game)}
}

// odds is a game's odds board; nothing where it has a paytable.
func odds(game *rules.Game) Member {
	if game.Paytable() {
		return field("odds", nothing)
	}
	names, patterns := named(game)
	example := ""
	for s := range game.Selections {
		example = fmt.Sprintf(`{%q:"2.50"}`, game.Text(s))
		break
	}
	entry := (&Schema{Type: "string", Pattern: `^(([1-9][0-9]{0,4})(\.[0-9]{1,4})?|100000(\.0{1,4})?|win|lose)$`}).
		about("decimal odds from 1 to 100000 with at most four decimals; win or lose for what is decided", "2.50")
	return field("odds", (&Schema{Type: "object", PropertyNames: anyOf(names, patterns), Additional: entry}).
		about("odds by selection, or by a group of equally likely ones: see `tally games "+game.ID+"`", raw(example)))
}

// part is one parameter of a selection.
const part = `[a-z0-9._-]+`

// named returns the selections and groups of a game that can be listed, and patterns of
// the others.
func named(game *rules.Game) (names []string, patterns []string) {
	for _, family := range catalogue.New(game).Families {
		names = append(names, family.Selections...)
		if len(family.Selections) == 0 {
			patterns = append(patterns, `^`+family.Family+strings.Repeat(":"+part, len(family.Parameters))+`$`)
		}
		for _, group := range family.BoardGroups {
			names = append(names, group.Group)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), patterns
}

func anyOf(names, patterns []string) *Schema {
	if len(patterns) == 0 {
		return oneOf(names...)
	}
	s := &Schema{AnyOf: []*Schema{oneOf(names...)}}
	for _, p := range patterns {
		s.AnyOf = append(s.AnyOf, &Schema{Pattern: p})
	}
	return s
}

func bettingClosed() Members {
	return Members{
		round(mostRounds()),
		field("closed_at", at("from when on no bet is taken: at most five seconds before the message is sent, "+
			"else it takes effect later", "2026-11-30T12:00:28.000Z")),
		field("selections", list(&Schema{Type: "string"}, 1, wire.MaxClosed).about("closes only these, within the round; without it the round closes")),
	}
}

func bettingClosedOf(game *rules.Game) Members {
	return Members{round(len(game.Rounds)), field("selections", list(patternsOf(game), 1, wire.MaxClosed).
		about("closes only these selections, or families with :*, within the round; without it the round closes",
			raw(fmt.Sprintf("[%q]", exampleSelection(game)))))}
}

// exampleSelection is the first of a game's selections that can be listed.
func exampleSelection(game *rules.Game) string {
	for _, family := range catalogue.New(game).Families {
		if len(family.Selections) > 0 {
			return family.Selections[0]
		}
	}
	return ""
}

// patternsOf is the schema of a selection of a game, or of a family of them.
func patternsOf(game *rules.Game) *Schema {
	var names, patterns []string
	for _, family := range catalogue.New(game).Families {
		names = append(names, family.Selections...)
		n := len(family.Parameters)
		if len(family.Selections) == 0 {
			patterns = append(patterns, `^`+family.Family+strings.Repeat(":"+part, n)+`$`)
		}
		if n > 0 {
			patterns = append(patterns, fmt.Sprintf(`^%s(:%s){0,%d}:\*$`, family.Family, part, n-1))
		}
	}
	one := anyOf(names, patterns)
	one.Type = "string"
	return one
}

func revision() Member {
	return field("revision", whole(1, wire.MaxRevision).about(fmt.Sprintf(
		"of the draw's result, from 1: the highest holds; at most %d above the highest stored", wire.MaxAhead), 1))
}

func correction() Member {
	return field("correction", object([]string{"reason"}, field("reason", oneOf(wire.CorrectionReasons...).about("why", wire.CorrectionReasons[0])),
		field("note", ref("note").about("more about it", "the seventh card was scanned twice"))).
		about("why an earlier revision was wrong; every result above revision 1 has it"))
}

func drawResulted() Members {
	return Members{revision(), field("facts", (&Schema{Type: "object"}).about("what was seen on the table, by the game")), correction(), equipment(), video()}
}

// equipment is what a draw was played with.
func equipment() Member {
	s := object(nil)
	for _, name := range wire.EquipmentFields {
		s.Properties = append(s.Properties, field(name, ref("id").about("the "+strings.ReplaceAll(name, "_", " "), name+"-1")))
	}
	s.Properties[s.Properties.index("dealer")].Schema.Description = "the dealer, by a pseudonym"
	return field("equipment", s.about("what the draw was played with"))
}

// video is where a recording is.
func video() Member {
	s := object([]string{"url", "sha256"},
		field("url", (&Schema{Type: "string", Pattern: wire.URLPattern, MaxLength: wire.MaxURL}).about("its address", "https://video.example/t-1/7.mp4")),
		field("sha256", (&Schema{Type: "string", Pattern: wire.SHA256Pattern}).about("the SHA-256 of its bytes",
			"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")),
		field("from_ms", whole(0, wire.MaxSequence).about("the beginning of the draw in it, in milliseconds", 0)),
		field("to_ms", whole(0, wire.MaxSequence).about("the end, after from_ms", 41200)),
		field("kept_until", at("until when it is kept", "2027-11-30T12:00:00.000Z")))
	s.DependentRequired = map[string][]string{"from_ms": {"to_ms"}, "to_ms": {"from_ms"}}
	return field("video", s.about("where a recording of the draw is: its address and hash are in the public log"))
}

func drawResultedOf(game *rules.Game) Members {
	known := byGame(game.ID)
	return Members{field("facts", known.facts.about("what was seen on the table", raw(known.example)))}
}

func drawCancelled() Members {
	return Members{revision(), field("reason", (&Schema{Type: "string"}).about("why: a code of the game's", "technical_failure")), correction()}
}

func drawCancelledOf(game *rules.Game) Members {
	codes := []string{}
	for _, reason := range game.Reasons {
		codes = append(codes, reason.Code)
	}
	return Members{field("reason", oneOf(codes...).about("why: see `tally games "+game.ID+"`", "technical_failure"))}
}

func order() Member {
	return field("order", ref("id").about("of this order, within the draw: the same order sent again keeps it", "ord-7"))
}

func reasons() Members {
	return Members{field("reason", ref("note").about("why, for the record", "display_fault")),
		field("evidence", ref("note").about("where it is shown", "ticket 4711"))}
}

func betsVoided() Members { return append(Members{order(), scope(mostRounds())}, reasons()...) }

func betsVoidedOf(game *rules.Game) Members {
	m := scope(len(game.Rounds))
	one := patternsOf(game)
	m.Schema.Properties[m.Schema.Properties.index("selections")] = field("selections", list(one, 1, wire.MaxClosed).
		about("on these selections, or families with :*", raw(fmt.Sprintf("[%q]", exampleSelection(game)))))
	return Members{m}
}

// tableSuspended is what a message has that suspends a table.
func tableSuspended() Members {
	return Members{field("reason", (&Schema{Ref: "#/$defs/note", Not: oneOf("")}).about("why, as bookmakers are shown it: never empty", "equipment_error"))}
}

func scope(rounds int) Member {
	s := object(nil,
		field("bookmaker", ref("id").about("bets of this bookmaker", "acme")),
		field("shop", ref("id").about("placed in this shop; needs bookmaker", "riga-7")),
		round(rounds),
		field("accepted_from", at("accepted then or later", "2026-11-30T12:00:10.000Z")),
		field("accepted_to", at("accepted before then; after accepted_from", "2026-11-30T12:00:20.000Z")),
		field("bets", list(ref("id"), 1, wire.MaxScopeBets).about("with these references; needs bookmaker", raw(`["b-1"]`))),
		field("selections", list(&Schema{Type: "string"}, 1, wire.MaxClosed).about("on these selections, or families with :*")))
	s.MinProperties = 1
	s.DependentRequired = map[string][]string{"shop": {"bookmaker"}, "bets": {"bookmaker"}}
	return field("scope", s.about("which bets: those that fit every field named"))
}

func orderRevoked() Members {
	return append(Members{order(), field("revokes", ref("id").about("the order that does not hold, another than this", "ord-6"))}, reasons()...)
}
