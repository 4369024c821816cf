// Package disputes keeps what bookmakers ask to be voided, and what operators
// decide about it.
//
// A dispute is written once and so is its decision, under a key beside it: of two
// operators who decide at the same time one does, and the other gets what was
// decided. A dispute changes no settlement. An operator who upholds it sends an
// order to void, under the id that the dispute has named from the start; the draw's
// next state follows from the order like from any other. So a dispute is upheld
// when its order is stored, whatever became of the operator's command.
//
//	DISPUTES#<bookmaker> / DISPUTE#<id>            the dispute
//	DISPUTES#<bookmaker> / DISPUTE#<id>#decision   the decision, with the order as it is sent
//	DISPUTED / <time>#<bookmaker>#<id>             finds it until it is decided
//
// What finds the disputes of all bookmakers is written in one transaction with
// the dispute, so that none is missed. It is a partition of its own rather than an
// index of the table: only disputes that wait are in it, so that listing them
// costs what they are, and nothing else that is written pays for it. A partition
// takes 1,000 writes in a second, and disputes are written by people.
package disputes
