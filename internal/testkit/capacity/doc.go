// Package capacity counts what a DynamoDB client asks for and what that costs, so
// that tests can pin it: cost is behaviour.
//
// A [Meter] is attached to a client as middleware. For each operation it counts
// calls, attempts (the SDK's retries are attempts of one call), items, and the
// read and write capacity units by DynamoDB's published rules:
//
//   - An item's size is the sum of its names and values; see [ItemSize].
//   - A write costs one unit for each KB begun, by the larger of the item before
//     and after it; so does one that fails its condition, or deletes nothing.
//   - A consistent read costs one unit for each 4 KB begun, an eventually
//     consistent one half. GetItem and BatchGetItem round up for each item, Query
//     and Scan for the sum of a page. A read of nothing costs as one of 4 KB.
//   - A transaction costs double, for each of its items.
//
// Units are whole numbers of halves, [HalfUnits]; nothing here is a float.
//
// # What a client cannot see
//
// The meter computes from requests and answers alone, so it works against any
// endpoint. Where these do not show every size that matters, it counts what they
// do show and adds one to [Count.Unseen] for the item: its units are then a lower
// bound, and where Unseen is 0 they are exact. Unseen are
//
//   - the item that a write replaces, deletes or checks, unless the answer has it
//     (ReturnValues ALL_OLD, or ReturnValuesOnConditionCheckFailure ALL_OLD) or
//     the write was conditional on there being none;
//   - the item after an UpdateItem, unless the answer has it (ALL_NEW), and then
//     the one before; as an estimate it counts the key and the values given, as
//     if all were stored;
//   - what a filter, a projection or Select COUNT kept out of an answer, counted
//     once for the answer or, in GetItem and BatchGetItem, once for each item;
//   - an attempt without an answer, which may have been carried out or not.
//
// Throttled and refused attempts cost nothing. A cancelled transaction is counted
// as if carried out, which AWS does not publish, so each of its items is unseen;
// a replay under its token is counted like the first. Writes to secondary indexes
// are not counted, since a request does not show them; nor are PartiQL statements,
// whose units are unseen.
package capacity
