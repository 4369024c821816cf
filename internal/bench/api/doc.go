// Package api measures what the bookmakers' API adds to the write that a bet is:
//
//	go test -bench Place ./internal/bench/api
//
// Over one connection, what tally's own code adds to the median of a placement has to
// be below 35% of the bare write's.
//
// # What is measured
//
// Processes of their own on this machine: the local stack, as `tally local` starts
// it, for its emulator; the API, as functions/api puts it together, behind a port;
// and this one, which makes the load over real HTTP. One
// bet is placed. Its item is read back, and then written, under other references, in
// the same way: one conditional PutItem each, which has to succeed.
//
//   - bare: this process calls PutItem with the SDK.
//   - proxy: the same call by a process that reads an HTTP request, looks at nothing
//     in it and answers a fixed text: what any API costs that is not the program
//     which wants the write.
//   - place: PUT /v1/draws/{draw}/bets/{reference} of the API, with its key, its
//     form, its metrics and its log, at the level that template.yaml sets.
//
// So place less proxy is tally's own code, given as a share of bare (own-%), and place
// over bare is everything. Neither has a Lambda's translation from API
// Gateway's events and back: that is the platform's, whatever a function does. They
// take turns of a second, so that what else the machine does meets all of them. All
// share the machine's cores: with as many connections as cores or more, a second
// is divided by what each spends of them, and percentiles are mostly waiting in
// line. In a Lambda an instance answers one request at a time, which is the first
// row.
package api
