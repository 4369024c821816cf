// Package sqsbatch runs one function for each message of an SQS event in a
// Lambda, and answers which messages failed.
//
// Lambda polls the queue, hands over a batch, and takes from the queue every
// message that the answer does not name. A message that it names stays hidden
// until its visibility timeout ends, and is then delivered again, to any
// instance; after the queue's maxReceiveCount it moves to the dead-letter queue.
// That needs FunctionResponseTypes: [ReportBatchItemFailures] on the event
// source, without which a failed message would be taken for a done one.
//
// # What a message function may rely on
//
// It gets one message and a context that ends before the Lambda does, so that
// there is time to answer. Several run at once, up to [Options].Concurrency, in
// no order: a standard queue has none. What it returns decides what follows:
//
//	nil         the message is done and will be taken from the queue
//	RetryAfter    it can't be finished now: it comes back after the given time
//	any other   a fault: logged, and tried again after a growing, random time
//
// A panic is a fault of its message alone; its stack goes to the log. So is the
// end of the context: a function that does not heed it is left behind shortly
// after, and its message reported as failed. It may then still be running in a
// later invocation, as whatever is left behind in a Lambda may, so its effects
// must be as safe to repeat as those of a second delivery are. Messages for
// which no time is left are not started; they come back at once.
//
// # What is logged
//
// The queue's name, the message's id, its receive count, and the fault: never a
// body or an attribute. Errors that a message function returns must hold to the
// same. Of a panic only runtime errors are quoted, of others just the type.
//
// # Time
//
// Deadlines are those of contexts, which run on the Go runtime's clock; tests
// turn that clock with testing/synctest. Randomness is an option.
package sqsbatch
