package intake

import (
	"bytes"
	"maps"
	"strings"
	"testing"
	"time"

	"tally/lib/draw"
	"tally/lib/lambda/metrics"
)

func TestSettings(t *testing.T) {
	settings, err := Config{Shards: 2, ShardsByGame: "roulette=4,poker=256", RetentionDays: 30}.settings()
	if err != nil {
		t.Fatal(err)
	}
	if settings.Shards != 2 || settings.RetainMillis != 30*24*3600*1000 ||
		!maps.Equal(settings.ShardsByGame, map[string]int{"roulette": 4, "poker": 256}) {
		t.Errorf("got %+v", settings)
	}
}

// What intake records becomes a metric, with the numbers given.
func TestRecorder(t *testing.T) {
	var out bytes.Buffer
	measured := metrics.NewMetrics(&out, "tally", "test", time.Now)
	r := recorder{measured}
	r.Quarantined("")
	r.Quarantined("poker")
	r.Stored("war", 2*time.Second, "")
	r.Stored("war", 3*time.Second, draw.ConcernMoved)
	r.Stored("dice", time.Second, draw.ConcernUnclosed)
	r.OutOfSequence("skipped")
	r.CancelledInARow("wheel")
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"game":"unknown","quarantined":1}`,
		`"game":"poker","quarantined":1}`,
		`"game":"war","message_age":[2000,3000],"moved_closings":1}`,
		`"game":"dice","message_age":[1000],"unclosed":1}`,
		`"kind":"skipped","bad_sequence":1}`,
		`"game":"wheel","long_breaks":1}`,
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no line ends in %s:\n%s", want, out.String())
			}
		})
	}
}
