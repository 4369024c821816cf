package baccarat

import (
	"tally/lib/rulebook/cards"
	"tally/lib/strictjson"
)

type winner uint8

const (
	player winner = iota
	banker
	tie
)

var winners = [...]string{"player", "banker", "tie"}

// outcome is a resolved coup.
type outcome struct {
	winner                     winner
	playerPoints, bankerPoints int
	natural                    bool
	dealt                      int
	playerPair, bankerPair     bool
	perfectPair                bool
}

func newOutcome(p, b []cards.Card) *outcome {
	o := &outcome{
		playerPoints: sum(p), bankerPoints: sum(b),
		natural:     IsNatural(sum(p[:2])) || IsNatural(sum(b[:2])),
		dealt:       len(p) + len(b),
		playerPair:  p[0].Rank() == p[1].Rank(),
		bankerPair:  b[0].Rank() == b[1].Rank(),
		perfectPair: p[0] == p[1] || b[0] == b[1],
	}
	switch {
	case o.playerPoints > o.bankerPoints:
		o.winner = player
	case o.playerPoints < o.bankerPoints:
		o.winner = banker
	default:
		o.winner = tie
	}
	return o
}

func (o *outcome) small() bool { return o.dealt == 4 }

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	size := "big"
	if o.small() {
		size = "small"
	}
	return strictjson.Out(dst).Open().
		TextMember("winner", winners[o.winner]).
		IntMember("player_points", o.playerPoints).
		IntMember("banker_points", o.bankerPoints).
		BoolMember("natural", o.natural).
		IntMember("cards", o.dealt).
		TextMember("size", size).
		BoolMember("player_pair", o.playerPair).
		BoolMember("banker_pair", o.bankerPair).
		BoolMember("either_pair", o.playerPair || o.bankerPair).
		BoolMember("perfect_pair", o.perfectPair).
		Close()
}
