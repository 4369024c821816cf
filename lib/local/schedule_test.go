package local

import (
	"testing"
	"time"
)

func TestParseRate(t *testing.T) {
	for text, want := range map[string]time.Duration{"rate(1 minute)": time.Minute, "rate(5 minutes)": 5 * time.Minute, "rate(2 hours)": 2 * time.Hour, "rate(1 day)": 24 * time.Hour} {
		t.Run(text, func(t *testing.T) {
			if got, err := parseRate(text); err != nil || got != want {
				t.Errorf("%s: %s %v, want no error and %v", text, got, err, want)
			}
		})
	}
	for _, text := range []string{"", "rate(0 minutes)", "rate(1 second)", "rate(1 minute", "cron(* * * * ? *)", "rate(x minutes)"} {
		t.Run(text, func(t *testing.T) {
			if _, err := parseRate(text); err == nil {
				t.Errorf("%q is a schedule", text)
			}
		})
	}
}
