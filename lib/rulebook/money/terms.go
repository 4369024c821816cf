package money

// Terms are the terms on which a bookmaker's bets are taken.
type Terms struct {
	Rounding Rounding          // of payouts
	MinStake map[string]Amount // by currency; no entry, no limit
	MaxStake map[string]Amount // likewise
	Games    map[string]Limits // by game; what one of them says goes before
}

// Limits are the least and the greatest stakes of bets on one game, by currency.
type Limits struct{ MinStake, MaxStake map[string]Amount }

// Bounds returns the least and the greatest stake of a bet on a game; zero for none.
func (t Terms) Bounds(game, currency string) (least, most Amount) {
	least, most = t.MinStake[currency], t.MaxStake[currency]
	if own, set := t.Games[game].MinStake[currency]; set {
		least = own
	}
	if own, set := t.Games[game].MaxStake[currency]; set {
		most = own
	}
	return least, most
}
