// Package exploration goes through every order of steps in which a few bets, their
// bookmakers' retries and cancellations, a result, a correction, settlement runs and
// looks can meet, with the handlers themselves, and checks each state that is reached.
//
// A step is one request to DynamoDB or one message that is sent. A query takes several:
// a page is no snapshot. What a handler does is a function of what it was told so far,
// for its clock stands still. So its position is the list of answers it has had, and
// which request comes next is found by running it once with these answers. A state of
// the whole is the content of the table, the messages under way and the position of
// each handler; states that are alike are gone through once. No handler has to be
// stopped or set back, and none waits.
//
// Package simulation plays long random runs of everything; this package plays short
// ones of one draw, all of them. The package is tests alone.
package exploration
