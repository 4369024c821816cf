package baccarat

import (
	"tally/lib/rulebook/cards"
	"tally/lib/strictjson"
)

// What is said of a coup.
const (
	player = "player"
	banker = "banker"
	tie    = "tie"
)

// outcome is a resolved coup.
type outcome struct {
	Winner       string `json:"winner"`
	PlayerPoints int    `json:"player_points"`
	BankerPoints int    `json:"banker_points"`
	Natural      bool   `json:"natural"`
	Cards        int    `json:"cards"`
	Size         string `json:"size"`
	PlayerPair   bool   `json:"player_pair"`
	BankerPair   bool   `json:"banker_pair"`
	PerfectPair  bool   `json:"perfect_pair"`
}

func newOutcome(p, b []cards.Card) *outcome {
	o := &outcome{
		Winner: tie, PlayerPoints: sum(p), BankerPoints: sum(b),
		Natural:     isNatural(sum(p[:2])) || isNatural(sum(b[:2])),
		Cards:       len(p) + len(b),
		Size:        "big",
		PlayerPair:  p[0].Rank() == p[1].Rank(),
		BankerPair:  b[0].Rank() == b[1].Rank(),
		PerfectPair: p[0] == p[1] || b[0] == b[1],
	}
	switch {
	case o.PlayerPoints > o.BankerPoints:
		o.Winner = player
	case o.PlayerPoints < o.BankerPoints:
		o.Winner = banker
	}
	if o.Cards == 4 {
		o.Size = "small"
	}
	return o
}

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	return strictjson.Out(dst).Open().
		TextMember("winner", o.Winner).
		IntMember("player_points", o.PlayerPoints).
		IntMember("banker_points", o.BankerPoints).
		BoolMember("natural", o.Natural).
		IntMember("cards", o.Cards).
		TextMember("size", o.Size).
		BoolMember("player_pair", o.PlayerPair).
		BoolMember("banker_pair", o.BankerPair).
		BoolMember("either_pair", o.PlayerPair || o.BankerPair).
		BoolMember("perfect_pair", o.PerfectPair).
		Close()
}
