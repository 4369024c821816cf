package metrics

// Name is the name of a metric.
type Name string

// NoGame stands for the game of a message that names none.
const NoGame = "unknown"

// The metrics, all but the two of time and depth counted in an invocation.
const (
	Accepted      Name = "accepted"       // bets accepted
	RefusedBets   Name = "refused_bets"   // bets and cancellations that were refused
	Denied        Name = "denied"         // requests whose key did not open what they asked for
	Settled       Name = "settled"        // lines of a first settlement that won or lost
	Refunded      Name = "refunded"       // lines of a first settlement that were refunded
	Corrected     Name = "corrected"      // lines that replaced an earlier one
	Quarantined   Name = "quarantined"    // messages put in quarantine
	MovedClosings Name = "moved_closings" // closings that take effect later than they say
	Unclosed      Name = "unclosed"       // results whose side wagers were never closed, of tables that have to
	BadSequence   Name = "bad_sequence"   // running numbers of tables that were repeated, skipped or restarted
	SilentTables  Name = "silent_tables"  // tables that have not been heard of, though they should have been
	LongBreaks    Name = "long_breaks"    // draws cancelled after as many of their table as may be in a row
	Failures      Name = "failures"       // messages and runs that failed, by kind
	ClockWrong    Name = "clock_wrong"    // requests and messages refused since the process's clock is wrong
	Mismatch      Name = "unequal"        // totals or digests that don't add up
	Stuck         Name = "stuck"          // settlement runs that don't advance
	Overdue       Name = "overdue"        // draws past their deadline
	Unlooked      Name = "unlooked"       // late records that nobody could be asked to look for
	LateRecords   Name = "stragglers"     // bets found after their draw was settled
	Waiting       Name = "waiting"        // looks at corrections that wait for an operator
	Archived      Name = "archived"       // entries appended to the public log
	Uncosigned    Name = "uncosigned"     // requests to witnesses of the log that brought no cosignature
	LogFaults     Name = "log_faults"     // what contradicts the public log, by kind
	LogLag        Name = "log_lag"        // entries that wait to be public
	Behind        Name = "behind"         // minutes since the draws were due that are still to be looked at
	PagesLag      Name = "pages_lag"      // entries of the public log that the site lacks
	PagesFiles    Name = "pages_files"    // files of the site that were written

	Delivered        Name = "delivered"         // reports that endpoints of webhooks took
	NotDelivered     Name = "not_delivered"     // tries that they did not, by kind
	WebhooksDisabled Name = "webhooks_disabled" // endpoints that nothing is sent to any more

	MessageAge      Name = "message_age"      // of a studio's message when it was stored
	SettlementDelay Name = "settlement_delay" // from the last closing to the report
	QuarantineDepth Name = "quarantine_depth" // messages in quarantine now
	DeadLetterDepth Name = "dead_letter_depth"
)

// The dimensions. Every metric has the first; the others divide it.
const (
	DimensionFunction = "function"
	DimensionGame     = "game"
	DimensionKind     = "kind"
)

// divided tells by which dimension, besides the function, a metric is divided.
var divided = map[Name]string{
	Accepted:         DimensionGame,
	Unlooked:         DimensionGame,
	RefusedBets:      DimensionKind, // the problem's code
	Denied:           DimensionKind, // the problem's code
	Settled:          DimensionGame,
	Refunded:         DimensionGame,
	Corrected:        DimensionGame,
	Quarantined:      DimensionGame,
	Failures:         DimensionKind, // of failure
	ClockWrong:       DimensionFunction,
	Mismatch:         DimensionGame,
	Stuck:            DimensionGame,
	Overdue:          DimensionGame,
	LateRecords:      DimensionGame,
	Waiting:          DimensionGame,
	Archived:         DimensionGame,
	Uncosigned:       DimensionKind, // the outcome
	LogFaults:        DimensionKind, // of contradiction
	LogLag:           DimensionFunction,
	Behind:           DimensionFunction,
	PagesLag:         DimensionFunction,
	PagesFiles:       DimensionFunction,
	Delivered:        DimensionFunction,
	NotDelivered:     DimensionKind, // of failure
	WebhooksDisabled: DimensionKind, // the reason
	SettlementDelay:  DimensionGame,
	MessageAge:       DimensionGame,
	MovedClosings:    DimensionGame,
	Unclosed:         DimensionGame,
	BadSequence:      DimensionKind, // what is wrong
	LongBreaks:       DimensionGame,
	SilentTables:     DimensionFunction,
	QuarantineDepth:  DimensionFunction,
	DeadLetterDepth:  DimensionKind, // the queue
}

// Dimension returns the dimension that divides a metric, which is DimensionFunction where
// nothing else does; known is false where there is no metric of that name.
func (n Name) Dimension() (dimension string, known bool) {
	dimension, known = divided[n]
	return dimension, known
}

// unit is one of CloudWatch's.
func (n Name) unit() string {
	if n.sampled() {
		return "Milliseconds"
	}
	return "Count"
}

// gauge tells whether values of the metric are alternatives, of which the last
// counts, rather than to be added up.
func (n Name) gauge() bool {
	return n == QuarantineDepth || n == SilentTables || n == DeadLetterDepth || n == LogLag || n == PagesLag || n == Behind
}

// sampled tells whether each value is kept, for percentiles.
func (n Name) sampled() bool { return n == SettlementDelay || n == MessageAge }
