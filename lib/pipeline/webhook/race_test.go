//go:build race

package webhook

// schedules are fewer under the race detector, which slows them down.
const schedules = 100
