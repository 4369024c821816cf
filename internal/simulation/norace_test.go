//go:build !race

package simulation

const (
	defaultSeeds = 2500
	everyFault   = 1 // each request fails
)
