// Command scale runs tally's own functions against models of DynamoDB, SQS, Lambda, API Gateway
// and S3, at the size of a billion bets a day, and says what saturates first, how long each stage
// takes, and what it costs:
//
//	go run ./internal/bench/scale                       what docs/scale.md shows, on standard output
//	go run ./internal/bench/scale -write docs/scale.md  replaces it there
//
// The command has TestTables of this package do it: bubbles of testing/synctest, in which it runs, and the
// fakes are for tests alone.
//
// The functions are put together by lib/lambda/functions and wired as template.yaml says: their
// queues, batches, concurrency, memory and timeouts are read from it, so that a function or a queue
// that is added there is in the model too. They run in a bubble of testing/synctest, whose clock
// stands still while anybody works: a minute of the model is a minute of its clock, however long
// this machine takes. Requests to AWS are answered before the SDK would write them down; what
// is stored is in internal/testkit/fakedynamo, and what a request takes in units is counted by
// internal/testkit/capacity.
//
// The models know the published limits ([figures]): of partitions and their splits, of tables, of
// transactions that meet, of queues' pollers, of functions' instances and cold starts. What is not
// published is assumed, and says so.
package main
