package intake_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/store"
)

// Two deliveries of one message that can't be taken come at once: it is filed and
// counted once, and both are answered.
func TestQuarantinedAtOnce(t *testing.T) {
	d := newBench(t)
	wrong := strings.Replace(body("draw.resulted"), "KS", "1S", 1)
	both := make(chan struct{}) // closed once both are about to file it
	var mutex sync.Mutex
	arrived := 0
	d.db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if !strings.HasPrefix(call.Keys[0], "QUARANTINE#") || !call.Write {
			return fakedynamo.Proceed
		}
		mutex.Lock()
		if arrived++; arrived == 2 {
			close(both)
		}
		mutex.Unlock()
		<-both
		return fakedynamo.Proceed
	}
	var deliveries sync.WaitGroup
	for range 2 {
		deliveries.Go(func() {
			if err := d.Handle(t.Context(), intake.Delivery{Body: []byte(wrong), SentAt: noon, From: intake.Studio}); err != nil {
				t.Error(err)
			}
		})
	}
	deliveries.Wait()
	if sent := strings.Join(d.sent, ", "); sent != "reply quarantined, reply quarantined" {
		t.Errorf("sent %s", sent)
	}
	if d.reply.Status != wire.Quarantined || len(d.reply.Errors) == 0 {
		t.Errorf("the last answer is %+v", d.reply)
	}
	if d.counter.quarantined != 1 {
		t.Errorf("it is counted %d times", d.counter.quarantined)
	}
	for place, prefix := range map[string]string{store.QuarantineKey(noon): "", store.DrawKey("war-1.7"): store.HeldPrefix} {
		t.Run(place, func(t *testing.T) {
			items := 0
			for _, err := range d.Table.Query(t.Context(), place, prefix) {
				if items++; err != nil {
					t.Fatal(err)
				}
			}
			if items != 1 {
				t.Errorf("%s holds it %d times", place, items)
			}
		})
	}
}
