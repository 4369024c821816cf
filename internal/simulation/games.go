package simulation

// script is what a studio can do on a table of one game.
type script struct {
	game   string
	rounds []roundScript
	facts  []string // results that can happen after what was visible
	wrong  string   // facts that can't be
	cancel string   // a reason to cancel
}

type roundScript struct {
	visible string            // JSON, empty before the first card
	odds    map[string]string // the board; nil in a game with a paytable
	bets    []string          // selections that are taken
	wagers  map[string]string // side wagers by the selection of their bet
}

// scripts are the games that are played; each is there for something that the
// others don't have.
var scripts = []script{
	{ // a board, two rounds, decided selections
		game: "war", cancel: "card_hidden",
		rounds: []roundScript{
			{odds: map[string]string{"player": "2.08", "war": "12.60", "dealer": "2.08", "player_red": "1.93", "dealer_8": "12.10"},
				bets: []string{"player", "war", "dealer", "player_red", "dealer_8"}},
			{visible: `{"player":"KS"}`, odds: map[string]string{"player": "1.17", "war": "12.70", "dealer": "12.00", "player_red": "lose", "player_black": "win", "dealer_8": "11.95"},
				bets: []string{"player", "war", "dealer", "dealer_8"}},
		},
		facts: []string{`{"player":"KS","dealer":"AD"}`, `{"player":"KS","dealer":"KD","burned":["5C"]}`, `{"player":"KS","dealer":"8D"}`},
		wrong: `{"player":"KS","dealer":"1D"}`,
	},
	{ // a paytable, many selections
		game: "roulette", cancel: "technical_failure",
		rounds: []roundScript{{bets: []string{"red", "black", "odd", "straight:17", "straight:0", "corner:0-1-2-3", "dozen:2"}}},
		facts:  []string{`{"spins":[{"revolutions":6,"pocket":17}]}`, `{"spins":[{"revolutions":2,"pocket":9},{"revolutions":5,"pocket":0}]}`, `{"spins":[{"revolutions":4,"pocket":34}]}`},
		wrong:  `{"spins":[{"revolutions":6,"pocket":37}]}`,
	},
	{ // side wagers, three to two, no such wager
		game: "blackjack", cancel: "cut_card_forgotten",
		rounds: []roundScript{
			{bets: []string{"seat:1", "seat:4", "seat:6", "seat:2"}},
			{visible: `{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]},{"seat":4,"hands":[{"cards":["8D","8S"]}]},{"seat":6,"hands":[{"cards":["AH","KC"]}]}]}`,
				wagers: map[string]string{"seat:1": "double:1:1", "seat:4": "split:4", "seat:6": "insurance:6"}},
		},
		facts: []string{
			`{"dealer":["AS","6D"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D","TC"],"doubled":true}]},{"seat":4,"split":true,"hands":[{"cards":["8D","TC"]},{"cards":["8S","9C"]}]},{"seat":6,"hands":[{"cards":["AH","KC"]}]}]}`,
			`{"dealer":["AS","KD"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]},{"seat":4,"hands":[{"cards":["8D","8S"]}]},{"seat":6,"hands":[{"cards":["AH","KC"]}]}]}`,
		},
		wrong: `{"dealer":["AS"],"seats":[{"seat":1,"hands":[{"cards":["8H","3D"]}]}]}`,
	},
	{ // facts that void the draw
		game: "lucky5", cancel: "balls_not_ready",
		rounds: []roundScript{{odds: map[string]string{"sum_odd": "1.95", "sum_even": "1.9", "drawn:7": "6.6", "colour_none:blue": "4.7501", "first_over:18.5": "2"},
			bets: []string{"sum_odd", "sum_even", "drawn:7", "colour_none:blue", "first_over:18.5"}}},
		facts: []string{`{"balls":[36,1,17,9,22]}`, `{"balls":[7,8,17,9]}`, `{"balls":[7,3,11,19,2]}`},
		wrong: `{"balls":[37,1,17,9,22]}`,
	},
	{ // refunds by the rules: equal points
		game: "live_baccarat", cancel: "dealing_order",
		rounds: []roundScript{{bets: []string{"player", "banker", "tie"}}},
		facts:  []string{`{"player":["KS","8D"],"banker":["9H","2C"]}`, `{"player":["9S","KD"],"banker":["9H","KC"]}`, `{"player":["KS","7D"],"banker":["9H","KC"]}`},
		wrong:  `{"player":["KS","3D"],"banker":["9H","2C"]}`,
	},
	{ // groups of equally likely selections on the board
		game: "dice", cancel: "die_fell",
		rounds: []roundScript{{odds: map[string]string{"face": "1.6", "face_exactly/2": "6.25", "sum_odd": "1.95", "combo:pair": "2.05"},
			bets: []string{"face:3", "face_exactly:5:2", "sum_odd", "combo:pair"}}},
		facts: []string{`{"rolls":[{"dice":[3,3,5,5,5]}]}`, `{"rolls":[{"dice":[6,1,1,2,5],"faults":["die_on_edge"]},{"dice":[1,1,2,4,6]}]}`},
		wrong: `{"rolls":[{"dice":[3,3,5,5]}]}`,
	},
}

// offered returns the odds of a selection in the round, empty without a board.
func (r roundScript) offered(selection string) string {
	groups := map[string]string{"face:3": "face", "face_exactly:5:2": "face_exactly/2"}
	if odds, own := r.odds[selection]; own {
		return odds
	}
	return r.odds[groups[selection]]
}
