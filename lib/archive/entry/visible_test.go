package entry_test

import (
	"testing"

	"tally/lib/archive/entry"
)

func TestContradiction(t *testing.T) {
	const dealt = `{"dealer":["AS"],"seats":[{"hands":[{"cards":["8H","8D"]}],"seat":4}]}`
	for _, test := range []struct {
		name, visible, facts string
		holds                bool
	}{
		{"the same card", `{"player":"KS"}`, `{"dealer":"AD","player":"KS"}`, true},
		{"another card", `{"player":"KS"}`, `{"dealer":"AD","player":"QS"}`, false},
		{"a card on the other side", `{"player":"KS"}`, `{"dealer":"KS"}`, false},
		{"more cards", `{"banker":["9H"],"player":["KS","3D"]}`, `{"banker":["9H","2C"],"player":["KS","3D","7C"]}`, true},
		{"cards in another order", `{"player":["KS","3D"]}`, `{"player":["3D","KS"]}`, false},
		{"fewer cards", `{"player":["KS","3D"]}`, `{"player":["KS"]}`, false},
		{"a board that grew", `{"board":["4H"],"hands":[["AS","KD"],["2C","2D"]]}`, `{"board":["4H","5H"],"hands":[["AS","KD"],["2C","2D"]]}`, true},
		{"another hand", `{"hands":[["AS","KD"],["2C","2D"]]}`, `{"board":[],"hands":[["AS","KD"],["2C","2H"]]}`, false},
		{"burned cards that the facts leave out", `{"burned":["5C"],"player":"KS"}`, `{"player":"KS"}`, true},
		{"a hand that took cards", dealt, `{"dealer":["AS","6D"],"seats":[{"hands":[{"cards":["2C","3C"]}],"seat":1},{"hands":[{"cards":["8H","8D","2C"],"doubled":true}],"seat":4}]}`, true},
		{"a pair that was split", dealt, `{"dealer":["AS","6D"],"seats":[{"hands":[{"cards":["8D","TC"]},{"cards":["8H","9C"]}],"seat":4,"split":true}]}`, true},
		{"a pair that was split into others", dealt, `{"dealer":["AS","6D"],"seats":[{"hands":[{"cards":["8D","TC"]},{"cards":["8S","9C"]}],"seat":4,"split":true}]}`, false},
		{"a seat that is gone", dealt, `{"dealer":["AS","6D"],"seats":[{"hands":[{"cards":["8H","8D"]}],"seat":5}]}`, false},
		{"no seats", dealt, `{"dealer":["AS","6D"]}`, false},
		{"seats of another form", `{"seats":[4]}`, `{"seats":[{"seat":[4]}]}`, false},
		{"another dealer's card", dealt, `{"dealer":["6D","AS"],"seats":[{"hands":[{"cards":["8H","8D"]}],"seat":4}]}`, false},
		{"no JSON", `{`, `{}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if why := entry.Contradiction([]byte(test.visible), []byte(test.facts)); (why == "") != test.holds {
				t.Errorf("%s: %q, want (why == \"\") = %v", test.name, why, test.holds)
			}
		})
	}
}
