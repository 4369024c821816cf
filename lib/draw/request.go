package draw

// DisputeRequest is what a bookmaker asks for when it disputes bets on a draw: that
// they be voided.
type DisputeRequest struct {
	Draw     string   `json:"draw"`
	Bets     []string `json:"bets,omitempty"` // references; none for all of the bookmaker's bets
	Reason   string   `json:"reason"`
	Evidence string   `json:"evidence"`
}

// PlaceRequest is a bet as a bookmaker sends it.
type PlaceRequest struct {
	Bookmaker string `json:"-"` // from the key, never from the request
	Draw      string `json:"draw"`
	Reference string `json:"reference,omitempty"`
	// Base is the reference of the bet that a double, split or insurance belongs to;
	// such a wager has no reference of its own.
	Base      string `json:"base,omitempty"`
	Selection string `json:"selection"`
	Odds      string `json:"odds,omitempty"` // not in a game with a paytable
	Stake     string `json:"stake"`
	Currency  string `json:"currency"`
	Shop      string `json:"shop,omitempty"`
}
