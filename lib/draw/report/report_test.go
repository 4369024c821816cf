package report_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"tally/lib/draw/report"
)

// A page comes back as it was stored, and one that is longer than any page is refused
// before it fills the memory.
func TestPages(t *testing.T) {
	const line = `{"bet":"b-1","status":"won","stake":"1.00","payout":"2.00","currency":"EUR","state":2,"replaces":1}` + "\n"
	tests := []struct {
		name  string
		lines int
		fault string
	}{
		{"empty", 0, ""},
		{"one line", 1, ""},
		{"full", report.MaxPageLines, ""},
		{"longer than any page", 11 * report.MaxPageLines, "more than 1024000 bytes"},
	}
	want := report.Line{Bet: "b-1", Status: "won", Stake: "1.00", Payout: "2.00", Currency: "EUR", State: 2, Replaces: 1}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stored, err := report.Deflate(bytes.Repeat([]byte(line), test.lines))
			if err != nil {
				t.Fatalf("deflating: %v", err)
			}
			text, err := report.Inflate(stored)
			if test.fault != "" {
				if err == nil || !strings.Contains(err.Error(), test.fault) {
					t.Fatalf("inflating gave %v, want an error with %q", err, test.fault)
				}
				return
			}
			if err != nil {
				t.Fatalf("inflating: %v", err)
			}
			lines, err := report.ParseLines(text)
			if err != nil || len(lines) != test.lines {
				t.Fatalf("got %d lines and error %v, want %d lines", len(lines), err, test.lines)
			}
			for _, got := range lines {
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("got line %+v, want %+v", got, want)
				}
			}
		})
	}
}
