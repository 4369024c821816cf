package api

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tally/lib/lambda/metrics"
)

// What the API tells becomes a metric each, divided by what its alarms and the dashboard
// divide it by.
func TestRecorder(t *testing.T) {
	for want, record := range map[string]func(recorder){
		`"game":"war","accepted":1}`:                func(r recorder) { r.Accepted("war") },
		`"game":"dice","unlooked":1}`:               func(r recorder) { r.Unlooked("dice") },
		`"kind":"betting_closed","refused_bets":1}`: func(r recorder) { r.Refused("war", "betting_closed") },
		`"kind":"key_revoked","denied":1}`:          func(r recorder) { r.Denied("key_revoked") },
		`"kind":"internal","failures":1}`:           func(r recorder) { r.Failed("internal") },
	} {
		t.Run(want, func(t *testing.T) {
			var out bytes.Buffer
			measured := metrics.NewMetrics(&out, "tally", "api", time.Now)
			record(recorder{measured})
			if err := measured.Flush(); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSuffix(out.String(), "\n"); !strings.HasSuffix(got, want) {
				t.Errorf("got %s, want one line that ends in %s", got, want)
			}
		})
	}
}
