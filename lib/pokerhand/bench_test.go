package pokerhand

import (
	"math/rand/v2"
	"testing"

	"tally/lib/cards"
)

func randomHands(n int) [][7]cards.Card {
	rng := rand.New(rand.NewPCG(1, 2))
	hands := make([][7]cards.Card, n)
	for i := range hands {
		for j, c := range rng.Perm(cards.Count)[:7] {
			hands[i][j] = cards.Card(c)
		}
	}
	return hands
}

func BenchmarkBestRandom(b *testing.B) {
	hands := randomHands(1 << 16)
	sum := 0
	for i := 0; b.Loop(); i++ {
		sum += int(Best(&hands[i&(1<<16-1)]))
	}
	_ = sum
}

func BenchmarkBestRandomN(b *testing.B) {
	hands := randomHands(1 << 16)
	sum := 0
	b.ResetTimer()
	for i := 0; i<b.N; i++ {
		sum += int(Best(&hands[i&(1<<16-1)]))
	}
	Sink = sum
}
var Sink int

// sixHands are the hands of the first case of poker_odds.jsonl.
var sixHands = [Hands][2]cards.Card{
	{card("AS"), card("6D")}, {card("4S"), card("KC")}, {card("QH"), card("8S")},
	{card("8D"), card("2C")}, {card("JD"), card("6C")}, {card("6H"), card("5C")},
}

func card(code string) cards.Card {
	c, ok := cards.Parse(code)
	if !ok {
		panic("no card: " + code)
	}
	return c
}

func BenchmarkSixHandsAllBoards(b *testing.B) {
	for b.Loop() {
		if _, err := Analyse(&sixHands, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSixHandsAfterFlop(b *testing.B) {
	flop := []cards.Card{card("KH"), card("QS"), card("8C")}
	for b.Loop() {
		if _, err := Analyse(&sixHands, flop, nil); err != nil {
			b.Fatal(err)
		}
	}
}
