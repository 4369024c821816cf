//go:build !race

package webhook

// schedules is how many random schedules are run.
const schedules = 1000
