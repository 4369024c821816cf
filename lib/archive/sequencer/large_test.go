//go:build !race

package sequencer_test

import "testing"

// Sizes at which tiles are begun, filled, and passed.
func TestEveryWriteFailsAtTiles(t *testing.T) {
	for _, of := range [][2]int{{250, 1}, {256, 1}, {250, 120}, {500, 20}} {
		testFaults(t, of[0], of[1], 0)
	}
}
