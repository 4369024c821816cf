package pokerhand

import (
	"math/rand/v2"
	"testing"

	"tally/lib/rulebook/cards"
)

// sink keeps results that nothing else uses.
var sink Rank

// One random hand of seven, from 65,536 of them.
func BenchmarkBestRandom(b *testing.B) {
	hands := make([][7]cards.Card, 1<<16)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range hands {
		hands[i] = [7]cards.Card(draw(rng, 7))
	}
	i := uint16(0)
	for b.Loop() {
		sink ^= Best(&hands[i])
		i++
	}
}

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
