package schema

import (
	"strconv"

	"tally/lib/rulebook/rules"
)

// gameFacts is what is seen of a game's draws: at the end, and while betting goes on.
type gameFacts struct {
	facts   *Schema
	example string
	// visible is what lies open when a betting round opens, from the second on.
	visible  func(round int) *Schema
	examples map[int]string // of visible, by round
}

// byGame has the facts of each game. lib/rulebook/games reads them; the names and bounds
// here are held against it by a test.
func byGame(id string) gameFacts {
	switch id {
	case "baccarat":
		return gameFacts{facts: hands(), example: `{"player":["KS","3D","7C"],"banker":["9H","2C","QS"]}`,
			visible: firstCards, examples: map[int]string{2: `{"player":["KS"]}`, 3: `{"player":["KS"],"banker":["9H"]}`}}
	case "live_baccarat":
		return gameFacts{facts: hands(), example: `{"player":["KS","8D"],"banker":["9H","2C"]}`}
	case "dice":
		return gameFacts{facts: rolls(), example: `{"rolls":[{"dice":[6,1,1,2,5],"faults":["die_on_edge"]},{"dice":[3,3,5,5,5]}]}`}
	case "lucky5":
		return gameFacts{facts: balls(36, 5, "cylinders left to right; another number than 5 makes the draw void", "white", "green", "red", "blue"),
			example: `{"balls":[36,1,17,9,22]}`}
	case "lucky7":
		return gameFacts{facts: balls(42, 7, "the order in the tube, of which the first 7 count; fewer make the draw void", "yellow", "black"),
			example: `{"balls":[42,7,1,30,12,5,19,33]}`}
	case "poker":
		const open = `"hands":[["AS","KD"],["2C","2D"],["9H","TH"],["JC","3S"],["QD","QH"],["7S","8S"]]`
		return gameFacts{facts: board(5), example: `{` + open + `,"board":["4H","5H","6H","KC","2H"]}`,
			visible: func(round int) *Schema { return board(visibleBoard[round]) },
			examples: map[int]string{2: `{` + open + `}`, 3: `{` + open + `,"board":["4H","5H","6H"]}`,
				4: `{` + open + `,"board":["4H","5H","6H","KC"]}`}}
	case "war":
		player := field("player", card("the Player's card", "KS"))
		return gameFacts{facts: object([]string{"player", "dealer"}, player, field("dealer", card("the Dealer's card", "AD")), burned()),
			example: `{"player":"KS","dealer":"AD"}`,
			visible: func(int) *Schema {
				return object([]string{"player"}, player, burned())
			}, examples: map[int]string{2: `{"player":"KS"}`}}
	case "wheel":
		return gameFacts{facts: turns(), example: `{"spins":[{"turns":2,"sector":"4"},{"turns":5,"sector":"cup"}]}`}
	case "blackjack":
		return gameFacts{facts: seats(), example: `{"dealer":["AS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D","TC"],"doubled":true}]},` +
			`{"seat":4,"split":true,"hands":[{"cards":["8D","TC"]},{"cards":["8S","9C"]}]}]}`,
			visible:  func(int) *Schema { return seatsOpen() },
			examples: map[int]string{2: `{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]},{"seat":4,"hands":[{"cards":["8D","8S"]}]}]}`}}
	case "roulette":
		return gameFacts{facts: pockets(), example: `{"spins":[{"revolutions":6,"pocket":17}]}`}
	}
	return gameFacts{}
}

func card(description, example string) *Schema {
	s := ref("card")
	return s.about(description, example)
}

func cardList(description string, least, most int, example ...any) *Schema {
	return list(ref("card"), least, most).about(description, example...)
}

func burned() Member {
	return field("burned", longList(ref("card"), 0).about("cards shown and discarded: they count as dealt, in no hand", raw(`["5C"]`)))
}

// hands are those of baccarat.
func hands() *Schema {
	return object([]string{"player", "banker"},
		field("player", cardList("the Player's cards in the order dealt", 2, 3, raw(`["KS","8D"]`))),
		field("banker", cardList("the Banker's cards in the order dealt", 2, 3, raw(`["9H","2C"]`))), burned())
}

// firstCards are those that lie open in baccarat: none of the Banker's in round 2.
func firstCards(round int) *Schema {
	required, most := []string{"player"}, 0
	if round > 2 {
		required, most = append(required, "banker"), 1
	}
	return object(required,
		field("player", cardList("the Player's first card", 1, 1, raw(`["KS"]`))),
		field("banker", cardList("the Banker's first card, from round 3 on", most, most, raw(`["9H"]`))), burned())
}

func rolls() *Schema {
	dice := list(whole(1, 6), 0, 5).about("the faces from left to right; a faulty roll may show fewer than five", raw(`[3,3,5,5,5]`))
	faults := longList(oneOf(rollFaults()...), 0).about("why the roll does not count; absent or empty for the roll that counts", raw(`["die_on_edge"]`))
	roll := object([]string{"dice"}, field("dice", dice), field("faults", faults))
	roll.If = &Schema{Properties: Members{field("faults", &Schema{MinItems: 1})}, Required: []string{"faults"}}
	roll.Else = &Schema{Properties: Members{field("dice", &Schema{MinItems: 5})}}
	return object([]string{"rolls"}, field("rolls", list(roll, 1, 2).about("the rolls in order: the last counts, one before it was faulty")))
}

// rollFaults are the codes of faulty rolls.
func rollFaults() (codes []string) {
	for _, reason := range rules.ReasonsOf(rules.DiceReasons) {
		if reason.Is(rules.DiceReasons) || reason.Code == "stream_lost" {
			codes = append(codes, reason.Code)
		}
	}
	return codes
}

func balls(highest int64, drawn int, order string, colours ...string) *Schema {
	numbers := longList(whole(1, highest), 0).about("the numbers, each once: "+order, raw(`[`+example(drawn)+`]`))
	numbers.Unique = true
	return object([]string{"balls"}, field("balls", numbers),
		field("colours", longList(oneOf(colours...), 0).about("the colours seen, one for each ball")))
}

// example lists the first balls.
func example(drawn int) (text string) {
	for n := range drawn {
		if n > 0 {
			text += ","
		}
		text += strconv.Itoa(n + 1)
	}
	return text
}

// visibleBoard is how many community cards lie open, by betting round.
var visibleBoard = map[int]int{2: 0, 3: 3, 4: 4}

// board is six open hands of poker and so many community cards.
func board(open int) *Schema {
	required := []string{"hands"}
	if open > 0 {
		required = append(required, "board")
	}
	return object(required,
		field("hands", list(list(ref("card"), 2, 2), 6, 6).about("the two cards of each of the hands 1 to 6")),
		field("board", cardList("the community cards in the order dealt", open, open, raw(`["4H","5H","6H","KC","2H"]`))), burned())
}

func turns() *Schema {
	sectors := []any{}
	for n := 1; n <= 18; n++ {
		sectors = append(sectors, strconv.Itoa(n))
	}
	full := atLeast(0).about("full turns of the wheel: fewer than 3 are a faulty spin", 5)
	full.Unit = "turns"
	spin := object([]string{"turns", "sector"}, field("turns", full),
		field("sector", oneOf(append(sectors, "cup", nil)...).about("where the pointer stopped; null between two sectors, which is a faulty spin", "4")))
	return object([]string{"spins"}, field("spins", list(spin, 1, 2).about("the spins in order: the last counts, one before it was faulty")))
}

func pockets() *Schema {
	round := atLeast(0).about("times that the ball went round: fewer than 3 are no spin", 6)
	round.Unit = "revolutions"
	spin := object([]string{"revolutions", "pocket"}, field("revolutions", round),
		field("pocket", whole(0, 36).about("where the ball lies", 17)))
	return object([]string{"spins"}, field("spins", longList(spin, 1).about("the spins in order: the last counts, all before it were faulty")))
}

func atLeast(least int64) *Schema { return &Schema{Type: "integer", Minimum: &least} }

// seats are those of blackjack when the draw is over.
func seats() *Schema {
	hand := object([]string{"cards"},
		field("cards", cardList("in the order dealt; of a split seat each hand starts with one card of the pair", 2, 21, raw(`["8H","3D","TC"]`))),
		field("doubled", (&Schema{Type: "boolean"}).about("whether the hand was doubled; false when absent", true)))
	seat := object([]string{"seat", "hands"}, seatNumber(),
		field("split", (&Schema{Type: "boolean"}).about("whether the pair was split; false when absent", true)),
		field("hands", list(hand, 1, 2).about("one hand, two of a split seat")))
	seat.If = &Schema{Properties: Members{field("split", &Schema{Const: true})}, Required: []string{"split"}}
	one := 1
	seat.Then = &Schema{Properties: Members{field("hands", &Schema{MinItems: 2})}}
	seat.Else = &Schema{Properties: Members{field("hands", &Schema{MaxItems: &one})}}
	return table(cardList("the dealer's cards, the open one first", 2, 21, raw(`["AS","6D"]`)), seat)
}

// seatsOpen are those of blackjack when betting round 2 opens.
func seatsOpen() *Schema {
	hand := object([]string{"cards"}, field("cards", cardList("the first two cards", 2, 2, raw(`["8H","3D"]`))),
		field("doubled", (&Schema{Const: false}).about("no hand is doubled yet")))
	seat := object([]string{"seat", "hands"}, seatNumber(), field("split", (&Schema{Const: false}).about("no seat is split yet")),
		field("hands", list(hand, 1, 1).about("the one hand of the seat")))
	return table(cardList("the dealer's open card", 1, 1, raw(`["AS"]`)), seat)
}

func seatNumber() Member { return field("seat", whole(1, 7).about("the seat's number, each once", 1)) }

func table(dealer, seat *Schema) *Schema {
	return object([]string{"dealer", "seats"}, field("dealer", dealer),
		field("seats", list(seat, 1, 7).about("the seats that play")), burned())
}
