//go:build race

package simulation_test

// The race detector is about ten times slower.
const defaultSeeds = 200
