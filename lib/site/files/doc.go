// Package files makes what machines read of the public log: for each draw its
// states with their proofs, for each day a row for each draw as newline-separated
// JSON and as CSV, and indexes of days, months and years.
//
//	results/roulette/2026-11-30/rou-1.0042.1.json        a state: the entry's own bytes, for ever
//	results/roulette/2026-11-30/rou-1.0042.1.tlog-proof  its proof
//	results/roulette/2026-11-30/rou-1.0042.json          the draw's whole history
//	results/roulette/2026-11-30.ndjson                   the day's draws, a row each
//	results/roulette/2026-11.json                        the month's days
//	results/draws/rou-1.0042.json                        where the draw is to be found
//
// docs/site.md describes each. Every file is a function of what the log says, so
// that anyone who has the log can make it again and compare. The same rows give
// the same bytes.
package files
