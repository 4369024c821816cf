package pokerhand

import "testing"

// sink keeps results that nothing else uses.
var sink Strength

func BenchmarkBestFive(b *testing.B) {
	seven := hand("KH 3D KS QC 9H 3S 3H")
	for b.Loop() {
		_, rank := BestFive(seven)
		sink ^= rank
	}
}

// All 658,008 boards.
func BenchmarkSixHandsAllBoards(b *testing.B) {
	for b.Loop() {
		if _, err := Analyse(&sixHands, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// All 666 boards after a flop.
func BenchmarkSixHandsAfterFlop(b *testing.B) {
	flop := hand("KH QS 8C")
	for b.Loop() {
		if _, err := Analyse(&sixHands, flop, nil); err != nil {
			b.Fatal(err)
		}
	}
}
