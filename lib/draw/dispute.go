package draw

// DisputeRequest is what a bookmaker asks for when it disputes bets on a draw: that
// they be voided.
type DisputeRequest struct {
	Draw     string   `json:"draw"`
	Bets     []string `json:"bets,omitempty"` // references; none for all of the bookmaker's bets
	Reason   string   `json:"reason"`
	Evidence string   `json:"evidence"`
}
