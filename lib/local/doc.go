// Package local runs tally on one machine, in one process: an emulator of
// DynamoDB and SQS, and the functions, to which it delivers messages as Lambda
// would. What there is to make and to deliver it reads from template.yaml, the
// only description of both.
//
//	stack, err := local.Start(ctx, local.Options{Template: tally.Template, Build: local.Tally(runtime)})
//	…
//	defer stack.Close()
//	stack.Run(ctx) // until ctx ends
//
// # What is like Lambda
//
//   - A function gets its variables from the template, with the stack's own
//     table and queues in them, and reads its configuration from these.
//   - A batch has up to BatchSize messages; up to MaximumConcurrency batches of a
//     queue are worked on at once.
//   - A function's context ends with its Timeout.
//   - Messages that the answer does not name are deleted. Those that it names,
//     and all of a batch that failed as a whole or panicked, come back when their
//     visibility timeout ends, with a higher receive count, and after
//     maxReceiveCount deliveries go to the dead-letter queue.
//   - Schedules run at their rate, one run at a time.
//
// # What is not
//
//   - Everything is in memory and gone when the process ends.
//   - Functions share one process: there is no cold start, and no memory limit.
//   - Nothing is encrypted, allowed or denied; roles and policies are not read.
//   - A message whose delay or visibility timeout ends is found within a second.
//   - Alarms and dashboards are not made; metrics go where Options say.
//   - Queues that no function reads (studio-replies, and archive-entries as long
//     as there is no archive function) keep their messages until someone reads
//     them or the process ends.
package local
