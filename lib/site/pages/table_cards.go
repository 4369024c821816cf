package pages

import "strconv"

// baccaratCards are the cards of the two sides.
type baccaratCards struct {
	Player []face `json:"player"`
	Banker []face `json:"banker"`
	Burned []face `json:"burned"`
}

func (c *baccaratCards) groups(w *words) []group {
	return withBurned(w, filled(group{w.text("baccarat.player"), c.Player}, group{w.text("baccarat.banker"), c.Banker}), c.Burned)
}

type baccaratTable struct {
	Cards   baccaratCards
	Outcome struct {
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
}

func (t *baccaratTable) parts() (facts, outcome any) { return &t.Cards, &t.Outcome }
func (t *baccaratTable) template() string            { return "baccarat" }

// baccaratSide is one side of the table.
type baccaratSide struct {
	Name   string // player or banker
	Cards  []face
	Points int
	Wins   bool
	Pair   bool
}

// Sides are the two sides; third cards lie across.
func (t *baccaratTable) Sides() []baccaratSide {
	across := func(at int, f *face) { f.Sideways = at == 2 }
	return []baccaratSide{
		{"player", with(t.Cards.Player, across), t.Outcome.PlayerPoints, t.Outcome.Winner == "player", t.Outcome.PlayerPair},
		{"banker", with(t.Cards.Banker, across), t.Outcome.BankerPoints, t.Outcome.Winner == "banker", t.Outcome.BankerPair},
	}
}

// Resolved reports whether there is an outcome.
func (t *baccaratTable) Resolved() bool { return t.Outcome.Winner != "" }

func (t *baccaratTable) seen(w *words) []pair { return pairs(t.Cards.groups(w)) }

func (t *baccaratTable) pairs(w *words) string {
	yes := func(is bool, key string) string {
		if is {
			return w.text(key)
		}
		return ""
	}
	o := &t.Outcome
	if text := joined(", ", yes(o.PlayerPair, "baccarat.player_pair"), yes(o.BankerPair, "baccarat.banker_pair"), yes(o.PerfectPair, "baccarat.perfect_pair")); text != "" {
		return text
	}
	return w.text("baccarat.no_pair")
}

func (t *baccaratTable) result(w *words) []pair {
	o := &t.Outcome
	natural := w.text("table.no")
	if o.Natural {
		natural = w.text("table.yes")
	}
	return []pair{
		{w.text("baccarat.winner"), w.code("baccarat", o.Winner)},
		{w.text("baccarat.points"), w.text("baccarat.points_of_both", "Player", o.PlayerPoints, "Banker", o.BankerPoints)},
		{w.text("baccarat.natural"), natural},
		{w.text("baccarat.cards"), w.text("baccarat.cards_and_size", "Cards", o.Cards, "Size", w.code("baccarat", o.Size))},
		{w.text("baccarat.pairs"), t.pairs(w)},
	}
}

func (t *baccaratTable) line(w *words) string {
	o := &t.Outcome
	text := w.code("baccarat", o.Winner) + " " + strconv.Itoa(o.PlayerPoints) + " : " + strconv.Itoa(o.BankerPoints)
	if o.Natural {
		text += " · " + w.text("baccarat.natural")
	}
	return text
}

// warCards are the two cards.
type warCards struct {
	Player *face  `json:"player"`
	Dealer *face  `json:"dealer"`
	Burned []face `json:"burned"`
}

func one(f *face) []face {
	if f == nil {
		return nil
	}
	return []face{*f}
}

func (c *warCards) groups(w *words) []group {
	return withBurned(w, filled(group{w.text("war.player"), one(c.Player)}, group{w.text("war.dealer"), one(c.Dealer)}), c.Burned)
}

type warTable struct {
	Cards   warCards
	Outcome struct {
		Winner string `json:"winner"`
	}
}

func (t *warTable) parts() (facts, outcome any) { return &t.Cards, &t.Outcome }
func (t *warTable) template() string            { return "war" }

// warSide is one side of the table.
type warSide struct {
	Name  string // player or dealer
	Cards []face
	Wins  bool
}

// Sides are the two sides.
func (t *warTable) Sides() []warSide {
	return []warSide{
		{"player", one(t.Cards.Player), t.Outcome.Winner == "player"},
		{"dealer", one(t.Cards.Dealer), t.Outcome.Winner == "dealer"},
	}
}

// War reports equal ranks.
func (t *warTable) War() bool { return t.Outcome.Winner == "war" }

func (t *warTable) seen(w *words) []pair { return pairs(t.Cards.groups(w)) }

func (t *warTable) result(w *words) []pair {
	return []pair{{w.text("war.winner"), w.code("war", t.Outcome.Winner)}}
}

func (t *warTable) line(w *words) string {
	return joined(" · ", w.code("war", t.Outcome.Winner), joined(" : ", short(one(t.Cards.Player)), short(one(t.Cards.Dealer))))
}
