// Package api answers bookmakers over HTTP: what is open to bet on, placing bets,
// and how they were settled. The contract is docs/openapi.yaml; docs/api.md tells
// the same as a walk.
//
// An [API] is an http.Handler that knows nothing of Lambda: functions/api puts it
// behind API Gateway, `tally local` behind a port. Each request goes the same way:
//
//	path and method → key and scope → rate → form → handler → answer
//
// Paths, scopes, parameters and bodies come from the document itself, which is
// embedded: what it does not allow never reaches a handler. A handler is one file;
// it returns a value to be written as JSON, or an error: a *problem of the one
// table in problems.go, a refusal of lib/pipeline/placing, or anything else, which is a
// fault of ours, of which the bookmaker sees no more than that.
//
// The bookmaker is the key's. No path, parameter or body names one, so that no
// request can name another's.
//
// What is written here is written once, under the identity that the client chose;
// reads that decide are consistent. With warm caches placing a bet is one write
// and no read.
package api
