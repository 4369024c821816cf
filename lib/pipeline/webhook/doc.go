// Package webhook pushes a bookmaker's reports to addresses of its own, as an
// option beside the feed: the same entries, signed as Standard Webhooks 1.0.
//
// # The feed is the truth
//
// An endpoint has a position in its bookmaker's feed: every report up to it was
// taken (answered 2xx), or had expired. A [Worker] sends the reports after it, one
// after the other in the feed's order, and moves it. What asks it to, a message on
// the queue webhooks, names only the bookmaker; it may be lost, come twice or be
// late. settle sends one for each report of a bookmaker that has webhooks, and a
// [Dispatcher], every minute, one for each endpoint that is due. So nothing is lost by a
// crash anywhere, nor by an endpoint that is down for a day: it lags behind.
//
// # One at a time
//
// Before a worker sends it claims the endpoint for a while, by compare-and-swap on
// its position. A worker that finds it claimed leaves it alone: the one who has it
// looks at the feed again after giving it back, so that a report which came
// meanwhile is seen by one of the two. A claim whose worker died runs out.
//
// A worker may die between a receiver's answer and the write of the position. Then
// the next one sends the same reports again, with the same webhook-id, by which the
// receiver knows them.
//
// # Trying again
//
// One try stands for all that waits behind it, so an endpoint that fails is tried
// ever less often, hourly in the end, and disabled after a day of failing, or at
// once when it answers 410. Enabling it resumes where it was.
//
// # Where it may connect to
//
// The address comes from outside, so it could be one inside: it must be https, on a
// usual port, and every address that a connection is made to is checked as it is
// made, after its name was resolved. Redirects are not followed and no proxy is used.
package webhook
