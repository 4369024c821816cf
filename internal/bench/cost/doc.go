// Package cost measures what a draw costs to place, to settle and to correct.
//
// The draw is one of roulette with bets of 20 bookmakers, through the same packages as
// in the Lambdas, on DynamoDB Local with its pages of 1 MB. Requests and capacity units
// are counted by internal/testkit/capacity from what the client asks, by DynamoDB's
// published rules. (Of an item that is replaced the meter sees only the new size; here
// none was a unit larger before, as a test holds against what DynamoDB Local says.)
// The phases are
//
//   - place: all bets, spread over a betting round of 30 s by a clock of the
//     benchmark's own, with the bookmakers' entries in the registry and readings of
//     the draw's head: one after each bet, and one before where a tenth of a second
//     went by without;
//   - settle: the result's message and the first run. Lines are those reported;
//   - correct few: a corrected result that changes the bets on two pockets;
//   - correct all: the draw is cancelled, every bet is refunded.
//
// A bet's reference has 20 random characters, which compress badly; a real one
// makes smaller pages.
package cost
