// Package dynamotest gives tests a DynamoDB endpoint, in two flavours.
//
// [Kumo] is the emulator that `tally local` embeds: pure Go, in this process,
// there at once. It also serves SQS, S3 and the Lambda Runtime API, under the
// same [DB.Endpoint]. [DynamoDBLocal] is AWS's own emulator, a Java process
// that the first test to ask for it starts and that ends with the test process;
// scripts/dynamodb-local installs it. [Each] runs one test against both, so
// that the store is proved on the strict one and known to work on the embedded
// one:
//
//	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
//		store := store.New(db.Client, db.Table(t))
//		…
//	})
//
// Both hold their data in memory and keep it for the whole test process, so
// every test has its own tables. A test that needs what only one flavour does
// asks db.Features, or takes that flavour alone; it never skips.
//
// # What kumo does not do
//
// Measured at v0.33.1, each line pinned by a test of this package that fails
// when a newer version behaves otherwise.
//
// It lacks, and so [Features] tells:
//
//   - ConsumedCapacity;
//   - the old item on a failed condition;
//   - ClientRequestToken: the same token is carried out again;
//   - the limit of 400 KB for an item;
//   - the limit of 1 MB for a page of Query and Scan.
//
// It accepts what DynamoDB refuses: a transaction or a batch that names an item
// twice, a transaction of more than 4 MB, empty and overlong key values, a Query
// without a partition key or with a filter on a key, a consistent Query of a
// secondary index, undefined or unused names and values in an expression,
// reserved words in one, adding a number to a string, numbers that are none or
// have more than 38 digits, empty sets, table names of any length, and the
// deletion of a table under deletion protection.
//
// It answers otherwise than DynamoDB:
//
//   - an ExclusiveStartKey that is no stored item starts the query again from
//     its first item, instead of after that key;
//   - a page that Limit ends on the last item has no LastEvaluatedKey, where
//     DynamoDB gives one and then an empty page;
//   - a condition on a binary attribute is never true;
//   - Select COUNT returns the items, UPDATED_NEW all attributes;
//   - a cancelled transaction has no code for the actions that did not fail,
//     where DynamoDB says None;
//   - numbers are kept as they are spelled, and added as floats: wrong beyond 2^53;
//   - SET of a nested path, and list_append, change nothing;
//   - names in expressions are replaced as text, in random order: #a inside #ab
//     may be taken for #a, so that no name may begin another;
//   - there is no PartiQL.
//
// Its queues take messages over their MaximumMessageSize, and their long polls
// are not ended by a message whose delay or visibility timeout ends: a receiver
// learns of it at its next call.
//
// # What neither does
//
// No transaction conflicts with another, and nothing is throttled: tests make
// these up. DynamoDB Local's request tokens hold for the whole server, whatever
// the table: each test needs its own.
package dynamotest
