package functions_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tally/lib/local"
	"tally/lib/pipeline/senders"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// The function holds records as Lambda hands them over against the list of senders: one batch,
// two tables, a sender that may speak for one of them; and a record without a sender.
func TestSenderOfRecords(t *testing.T) {
	d := newDay(t)
	table := store.New(dynamodb.NewFromConfig(local.Config(d.stack.Endpoint)), d.stack.Table)
	roulette, dice, wheel := d.files("roulette")[0], d.files("dice")[0], d.files("wheel")[0]
	d.clock = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	list := &senders.Store{Table: table, Now: func() settlement.Instant { return settlement.Instant(d.clock.UnixMilli()) }}
	if _, err := list.Allow(t.Context(), "AROAEXAMPLEOFRIGA", []string{"rou-1", "whl*"}, ""); err != nil {
		t.Fatal(err)
	}
	batch := envelope(queue(t, d.stack, "StudioMessagesQueue"), d.clock, string(roulette.Body), string(dice.Body), string(wheel.Body))
	batch.Records[0].Attributes["SenderId"] = "AROAEXAMPLEOFRIGA:i-0123456789"
	batch.Records[1].Attributes["SenderId"] = "AROAEXAMPLEOFRIGA:i-0123456789"
	delete(batch.Records[2].Attributes, "SenderId")
	if failed := d.deliver(d.intake, batch); failed != 0 {
		t.Errorf("%d records failed: refused messages are done with", failed)
	}
	for draw, want := range map[string]bool{"rou-1.20261130.1001": true, "dice-1.20261130.0118": false, "whl-1.20261130.0088": false} {
		t.Run(draw, func(t *testing.T) {
			head, _, err := record.LoadHead(t.Context(), table, draw)
			if err != nil || head.Opened != want {
				t.Errorf("draw %s is open: %v, want %v, %v", draw, head.Opened, want, err)
			}
		})
	}
}
