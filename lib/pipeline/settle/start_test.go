package settle

import (
	"fmt"
	"testing"
)

// Draws begin to tell their bookmakers with different ones, each with the same one
// whenever it is tried.
func TestStarts(t *testing.T) {
	const bookmakers = 10
	starts := map[int]int{}
	for n := range 200 {
		draw := fmt.Sprintf("rou-1.%d", n)
		start := startOf(draw, bookmakers)
		if again := startOf(draw, bookmakers); again != start || start < 0 || start >= bookmakers {
			t.Errorf("%s begins with %d, then with %d", draw, start, again)
		}
		starts[start]++
	}
	for start := range bookmakers {
		if n := starts[start]; n == 0 || n > 60 {
			t.Errorf("%d of 200 draws begin with bookmaker %d of %d", n, start, bookmakers)
		}
	}
	if startOf("rou-1.1", 0) != 0 {
		t.Error("a draw without bookmakers begins somewhere")
	}
}
