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
// Around that a plan has its own kind of bad day: clocks that are most of a second apart and are
// set forwards and backwards; messages that two handlers work on at once; stretches in which
// the table takes few requests; a deployment, in order or not, with processes of the version
// before side by side with new ones; a new version of a game; bets that crowd around the end
// of betting and are lost with their process. In some runs archive appends to a log of files,
// whose writes fail in the same ways and which reconcile watches and an auditor verifies in the
// end; in some a bookmaker's programs go along: they follow the feed and ask for totals
// through the API, and take webhooks. What was reported to them meanwhile has to hold in the end.
//
// In an eighth of the plans bets are under way just when a draw is settled first: at the ends of
// what a settlement waits for, with writes that take as long as they may ([plans.Edges]).
//
// No record is late that should not be. Who does not look at a draw after a bet is waited for: a look
// never finds what was written in time. And what a look finds that nobody has asked for was
// answered to nobody. Only bets that are written later than they may be, and those that an old process
// takes after a deployment out of order, are late; the money is right in the end all the same.
//
// Whatever else happens, what is written once is never written again with other bytes, nor
// deleted: pages, marks, states, messages, feeds, bets, and every file of the log but its
// checkpoint.
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
