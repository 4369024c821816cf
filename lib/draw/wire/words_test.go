package wire_test

import (
	"fmt"
	"testing"

	"tally/lib/draw/wire"
)

// TestInWords: what a result comes to is said in one line.
func TestInWords(t *testing.T) {
	const back = "; bets get their stakes back when it is settled"
	for _, row := range []struct{ game, rest, want string }{
		{"war", `"type":"draw.resulted","revision":1,"facts":{"player":"KS","dealer":"AD"}`, "resolved: winner dealer"},
		{"baccarat", `"type":"draw.resulted","revision":1,"facts":{"player":["KS","8D"],"banker":["9H","2C"]}`,
			"resolved: winner player, player points 8, banker points 1, natural, cards 4, size small"},
		{"dice", `"type":"draw.resulted","revision":1,"facts":{"rolls":[{"dice":[3,3,5,5,5]}]}`, "resolved: combination full house, arranged 5 5 5 3 3, sum 21"},
		{"blackjack", `"type":"draw.resulted","revision":1,"facts":{"dealer":["TS","7D"],"seats":[{"seat":1,"hands":[{"cards":["TH","TC"]}]}]}`, "resolved: dealer total 17"},
		{"lucky5", `"type":"draw.resulted","revision":1,"facts":{"balls":[36,1,17,9,22]}`,
			"resolved: sum 85, odd 3, even 2, colours white 2, colours green 1, colours red 1, colours blue 1, first 36, last 22"},
		{"lucky7", `"type":"draw.resulted","revision":1,"facts":{"balls":[42,7,1,30,12,5]}`, "void: 6 of 7 balls" + back},
		{"lucky5", `"type":"draw.resulted","revision":1,"facts":{"balls":[]}`, "void: 0 of 5 balls" + back},
		{"lucky5", `"type":"draw.resulted","revision":1,"facts":{"balls":[1,2,3,4,5,6]}`, "void: 6 of 5 balls" + back},
		{"war", `"type":"draw.cancelled","revision":1,"reason":"card_hidden"`, "cancelled: a card fell off the table or can't be seen" + back},
		{"war", `"type":"betting.closed","round":1,"closed_at":"2026-11-30T12:00:28.000Z"`, ""},
	} {
		t.Run(row.game+" "+row.rest, func(t *testing.T) {
			m, _, faults := wire.Parse(fmt.Appendf(nil, `{"schema":1,"id":"m","game":%q,"table":"t","draw":"d","at":"2026-11-30T12:00:29.000Z",%s}`, row.game, row.rest))
			if len(faults) > 0 {
				t.Fatalf("%v, want len(faults) = 0", faults)
			}
			if got := wire.InWords(m); got != row.want {
				t.Errorf("it is said to be %q instead of %q", got, row.want)
			}
		})
	}
}
