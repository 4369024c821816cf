package intake

import (
	"context"
	"fmt"

	"tally/lib/draw/wire"
	"tally/lib/store/record"
)

// admit refuses a new message of the studio's whose sender may not speak for its table,
// unless an operator has released it. Its status is empty when it is let through.
func (in *Intake) admit(ctx context.Context, m *wire.Message, d Delivery, hash string) (result, error) {
	if d.From != Studio || in.MaySpeak == nil {
		return result{}, nil
	}
	if may, err := in.MaySpeak(ctx, d.Sender, m.Table); err != nil || may {
		return result{}, err
	}
	if released, err := record.Released(ctx, in.Table, m.Draw, hash); err != nil || released {
		return result{}, err
	}
	who := "its sender is not known"
	if d.Sender != "" {
		who = fmt.Sprintf("its sender, %.200s, is not listed for it", d.Sender)
	}
	remedy := "An operator lists senders with `tally senders allow`"
	if m.Draw != "" { // what is said of a table is sent again instead
		remedy += ", or releases the message"
	}
	return refused(wire.CodeNotAllowed, fmt.Sprintf("a message about table %s: %s. %s", m.Table, who, remedy)), nil
}
