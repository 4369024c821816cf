package wire

import "encoding/json"

// The statuses of a reply.
const (
	Stored      = "stored"
	Replay      = "replay"
	Quarantined = "quarantined"
)

// Reply is the studio's answer to one message.
type Reply struct {
	ID     string  `json:"id"`
	Draw   string  `json:"draw"`
	Status string  `json:"status"`
	Errors []Fault `json:"errors,omitempty"`
}

// JSON returns the reply's text.
func (r Reply) JSON() (string, error) {
	text, err := json.Marshal(r)
	return string(text), err
}
