// Package rules is the shape that every game has: a catalogue (selections,
// paytable, betting rounds, reasons to cancel, decks) and one total function
// from the facts seen on the table to an outcome.
//
// A game states its Spec and calls Define, which checks the catalogue and
// returns the Game that the rest of tally works with. Nothing outside a game's
// own package knows its facts or its outcome's fields; what others need of an
// outcome is its JSON and the verdict on a selection.
//
// The package reads no clock, does no I/O and never panics on input. Define
// panics on a catalogue that contradicts itself: that is a fault of the program.
package rules
