//go:build !auditor

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is likely is counted by hand here: of six decks 311 cards may follow a king, 24 of
// them aces and 23 of them kings.
func TestOdds(t *testing.T) {
	const folder = "../../events/war/"
	first, second := folder+"02-betting.opened.round-1.json", folder+"04-betting.opened.round-2.json"
	text, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	generous := filepath.Join(t.TempDir(), "generous.json")
	if err := os.WriteFile(generous, bytes.Replace(text, []byte(`"dealer": "12.00"`), []byte(`"dealer": "13.00"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	lower := filepath.Join(t.TempDir(), "lower.json")
	if text, err = os.ReadFile(first); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lower, bytes.Replace(text, []byte(`"dealer": "2.08"`), []byte(`"dealer": "1.38"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"a table": {[]string{first}, exitDone, []string{
			"war              12.6000     0.073955  13.5217  0.0682", // 23/311
			"player            2.0800     0.463023   2.1597  0.0369", // half of the other 288
			"overround of player, war, dealer: 1.0409",               // 2/2.08 + 1/12.60
		}},
		"JSON": {[]string{second, "--json"}, exitDone, []string{
			`{"selection":"dealer","odds":"12.0000","probability":"0.077170","fair":"12.9583","margin":"0.0740"`, // 24/311
		}},
		"odds above fair":       {[]string{generous}, exitDone, []string{"dealer", "-0.0032", "fair"}},
		"after another board":   {[]string{first, "--last", lower}, exitDone, []string{"dealer has odds of 2.0800, in the draw before 1.3800"}}, // 1.507 times
		"a message without any": {[]string{folder + "03-betting.closed.round-1.json"}, exitFailed, []string{"the message, a betting.closed, has no odds"}},
		"no message":            {[]string{folder + "bets.json"}, exitFailed, []string{"reading " + folder + "bets.json"}},
		"no file":               {[]string{folder + "none.json"}, exitFailed, []string{"none.json"}},
		"no argument":           {nil, exitMisuse, []string{"name one file with a message, or - for standard input"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			code := run(append([]string{"odds"}, test.args...), &app{out: &out, err: &out, getenv: os.Getenv})
			if code != test.code {
				t.Errorf("exit code %d, want %d:\n%s", code, test.code, out.String())
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it says\n%s\nwant %q in it", out.String(), want)
				}
			}
		})
	}
}
