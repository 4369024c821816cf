package draw_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tally/lib/draw"
	"tally/lib/rulebook/settlement"
)

// The table of docs/messages.md: what follows from each kind of message when it is
// missing.
func TestMissing(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "messages.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| missing | bets 1 | closes 1 | bets 2 | closes 2 | state | so |\n")
	if !found {
		t.Fatal("docs/messages.md has no such table")
	}
	rows := 0
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "|---") {
			continue
		}
		if !strings.HasPrefix(line, "|") {
			break
		}
		rows++
		cells := strings.Split(line, "|")
		missing := strings.TrimSpace(cells[1])
		want := strings.Join(strings.Fields(strings.Join(cells[2:7], " ")), " ")
		if got := without(t, missing); got != want {
			t.Errorf("%s missing: %s instead of %s", missing, got, want)
		}
	}
	if rows != 10 {
		t.Errorf("%d rows", rows)
	}
}

// without returns how a draw stands in the table's terms when something is
// missing.
func without(t *testing.T, missing string) string {
	first, second := "1:10-30", "2:40-60"
	missing = strings.ReplaceAll(missing, "`", "")
	switch kind, plan, _ := strings.Cut(missing, ", planned until "); {
	case plan != "" && strings.HasSuffix(kind, "1"):
		missing, first = kind, "1:10-"+plan
		second = "2:" + plan + "-60"
	case plan != "":
		missing, second = kind, "2:40-"+plan
	}
	plan := first + " " + second
	if missing == "round 2 in draw.opened" {
		plan = first
	}
	messages := []struct{ name, text string }{
		{"draw.opened", "1 opened " + plan}, {"betting.opened 1", "9 round " + first}, {"betting.closed 1", "29 closed 1 at 28"},
		{"betting.opened 2", "39 round " + second}, {"betting.closed 2", "58 closed 2 at 57"}, {"draw.resulted", "70 result 1"},
	}
	var left []stored
	for _, m := range messages {
		if m.name != missing {
			left = append(left, say(t, m.text))
		}
	}
	if len(left) == len(messages) && missing != "nothing" && !strings.HasPrefix(missing, "round 2") {
		t.Fatalf("there is no %q to leave out", missing)
	}
	head, state := apply(t, left...)
	made := "no"
	if state != nil {
		made = "yes"
	}
	return strings.Join([]string{bets(head, 1, 20), closes(head, 1), bets(head, 2, 50), closes(head, 2), made}, " ")
}

// bets tells whether a bet on the odds of a round can be placed at a second.
func bets(head *draw.Head, number int, second settlement.Instant) string {
	open, ok := head.RoundAt(noon + second*1000)
	if round, known := head.Round(number); ok && open == number && known && round.Board != "" {
		return "yes"
	}
	return "no"
}

func closes(head *draw.Head, number int) string {
	return fmt.Sprint((head.Closing(number) - noon) / 1000)
}
