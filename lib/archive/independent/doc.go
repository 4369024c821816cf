// Package independent holds tests that verify tally's log by programs that others
// wrote: Tessera's client and its fsck. What they accept, `tally verify` accepts;
// what was tampered with, both refuse.
package independent
