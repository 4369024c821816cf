// Package simulation plays random studios, bookmakers, queues and faults against
// intake, placing and settle, and checks what they stored.
//
// A [plans.Plan] says who sends what and when; it follows from a seed. A run carries it
// out on an in-memory DynamoDB and in-memory queues, inside a bubble of
// testing/synctest whose clock moves only when the scheduler lets it. Handlers run
// as goroutines that stop before every request and every message they send; the
// scheduler picks who goes on, and what becomes of the request: it may fail, be
// applied while its answer is lost, arrive late, be sent twice, or be the last
// thing that the handler did before it crashed. So any two handlers overlap in
// any way, and the same seed gives the same run.
//
// In some runs a bookmaker's programs go along: they follow the feed and ask for totals
// through the API, and take webhooks. What was reported to them meanwhile has to hold in the end.
//
// When the plan is done, faults stop, everything is delivered again, and one
// checker reads what is stored. It computes for itself when each betting round
// closed and, with the offline settler of `tally settle`, what each bet comes to,
// and compares that with what the bookmakers' feeds say and with every answer
// that was given.
//
// A run that fails prints its seed, the plan shrunk to what is needed to fail, and
// the steps. The package is for tests.
package simulation
