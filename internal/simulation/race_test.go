//go:build race

package simulation

// The race detector is about ten times slower.
const (
	defaultSeeds = 200
	everyFault   = 8 // one request of so many fails
)
