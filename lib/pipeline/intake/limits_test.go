package intake_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
)

// sized keeps how long the longest message is that was sent.
type sized struct{ longest *int }

// Send implements intake.Sender.
func (s sized) Send(_ context.Context, body string, _ time.Duration) error {
	*s.longest = max(*s.longest, len(body))
	return nil
}

// The largest message with the longest faults still fits into an item of DynamoDB
// and into a reply: it is put into quarantine, not delivered for ever.
func TestLargestQuarantined(t *testing.T) {
	for _, character := range []string{"<", "\\u0001", "\u2028", "é", `\"`} {
		t.Run(character, func(t *testing.T) {
			d := newBench(t)
			longest := 0
			d.Intake.Replies = sized{&longest}
			var fields strings.Builder
			for n := range 100 {
				fmt.Fprintf(&fields, `,"%s%d":1`, strings.Repeat(character, 600/len(character)), n)
			}
			body := strings.TrimSuffix(body("draw.opened"), "}") + fields.String() + `,"x":"`
			body += strings.Repeat("x", wire.MaxBody-len(body)-2) + `"}`
			if _, err := d.handle(t, intake.Studio, body); err != nil || d.counter.quarantined != 1 {
				t.Errorf("%d are in quarantine: %v", d.counter.quarantined, err)
			}
			if longest == 0 || longest > 256<<10 {
				t.Errorf("the reply has %d bytes", longest)
			}
		})
	}
}
