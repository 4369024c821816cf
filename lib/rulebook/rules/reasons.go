package rules

import "slices"

// CancelKind groups the reasons to cancel a draw by what is on the table.
type CancelKind uint8

// The kinds of reasons; every game also has the common ones.
const (
	CommonReasons CancelKind = iota
	CardReasons
	DiceReasons
	BallReasons
	WheelReasons
)

// CancelReason is a code that a studio cancels a draw with.
type CancelReason struct {
	Code string
	Text string
	kind CancelKind
}

// Is reports whether the reason is of a kind.
func (r CancelReason) Is(kind CancelKind) bool { return r.kind == kind }

var cancelReasons = []CancelReason{
	{"connection_lost", "the studio lost its connection", CommonReasons},
	{"technical_failure", "equipment in the studio failed", CommonReasons},
	{"presenter_error", "the presenter made a mistake that can't be put right", CommonReasons},
	{"stream_lost", "picture or sound of the broadcast was lost", CommonReasons},
	{"system_malfunction", "the gaming system failed", CommonReasons},
	{"no_result", "no result could be established", CommonReasons},
	{"scanner_mismatch", "the scanner could not read a card or read another one", CardReasons},
	{"cards_misplaced", "cards were mixed up or put in a wrong place", CardReasons},
	{"dealing_order", "cards were dealt in a wrong order", CardReasons},
	{"card_damaged", "a card is marked or damaged", CardReasons},
	{"card_hidden", "a card fell off the table or can't be seen", CardReasons},
	{"card_exposed", "a card lay face up in the pack", CardReasons},
	{"cut_card_forgotten", "the cut card was not used", CardReasons},
	{"wrong_scan", "the dealer scanned a card wrongly", CardReasons},
	{"die_fell", "a die fell off the table", DiceReasons},
	{"die_on_edge", "a die stopped on its edge", DiceReasons},
	{"die_unclear", "a die does not lie clearly on one side", DiceReasons},
	{"combination_unclear", "the combination can't be made out", DiceReasons},
	{"die_covers_line", "a die covers the line of the marked area", DiceReasons},
	{"balls_not_ready", "the balls were not laid out before the draw", BallReasons},
	{"balls_not_visible", "some balls can't be seen", BallReasons},
	{"wrong_ball_count", "the number of balls drawn is wrong", BallReasons},
	{"too_few_turns", "there were fewer than three full turns", WheelReasons},
	{"wheel_touched", "someone touched the turning wheel", WheelReasons},
	{"between_sectors", "the pointer stopped between two sectors", WheelReasons},
}

// ReasonsOf returns the common reasons and those of a kind.
func ReasonsOf(kind CancelKind) []CancelReason {
	return slices.DeleteFunc(slices.Clone(cancelReasons), func(r CancelReason) bool {
		return r.kind != CommonReasons && r.kind != kind
	})
}
