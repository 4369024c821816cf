package capacity_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
)

const (
	kb   = 1 << 10
	unit = capacity.Unit
	half = capacity.Unit / 2

	asMetered capacity.HalfUnits = -1 // DynamoDB Local reports what the meter counts
	isSilent  capacity.HalfUnits = -2 // DynamoDB reports no capacity with an error
)

// row is one call, what the meter counts of it and what DynamoDB Local reports.
type row struct {
	name  string
	given []item // stored before
	call  func(at table) (*capacity.HalfUnits, error)
	want  capacity.Count // Calls and Attempts are 1 where they are 0 here
	local capacity.HalfUnits
}

// check runs each row against both flavours. The meter must count the same
// whatever the endpoint; where DynamoDB Local's report differs from the published
// rules, a row pins both.
func check(t *testing.T, rows []row) {
	t.Helper()
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		for _, row := range rows {
			t.Run(row.name, func(t *testing.T) { row.check(t, db) })
		}
	})
}

func (r row) check(t *testing.T, db dynamotest.DB) {
	counted := capacity.New("pk", "sk")
	at := table{ctx: t.Context(), client: db.NewClient(counted.Attach), name: db.Table(t)}
	for _, it := range r.given {
		if _, err := at.put(it, "", types.ReturnValueNone); err != nil {
			t.Fatal(err)
		}
	}
	counted.Reset()
	reported, err := r.call(at)
	if r.local == isSilent {
		if !isCondition(err) {
			t.Fatalf("the call should fail on a condition: %v", err)
		}
	} else if err != nil {
		t.Fatal(err)
	}
	want := r.want
	want.Calls, want.Attempts = max(1, want.Calls), max(1, want.Attempts)
	got := counted.Snapshot().Total()
	if got != want {
		t.Errorf("counted %+v\n   want %+v", got, want)
	}
	if !db.Features.ConsumedCapacity || r.local == isSilent {
		return
	}
	local := r.local
	if local == asMetered {
		local = want.Reads + want.Writes
	}
	if reported == nil || *reported != local {
		t.Errorf("DynamoDB Local reports %v units, want %v", reported, local)
	}
}

func isCondition(err error) bool {
	var failed *types.ConditionalCheckFailedException
	var cancelled *types.TransactionCanceledException
	return errors.As(err, &failed) || errors.As(err, &cancelled)
}

const (
	ifAbsent = "attribute_not_exists(pk)"
	ifThere  = "attribute_exists(pk)"
	noValues = types.ReturnValueNone
	allOld   = types.ReturnValueAllOld
	allNew   = types.ReturnValueAllNew
)

func put(it item, condition string, old types.ReturnValue) func(table) (*capacity.HalfUnits, error) {
	return func(at table) (*capacity.HalfUnits, error) { return at.put(it, condition, old) }
}

func update(expression string, value types.AttributeValue, returns types.ReturnValue) func(table) (*capacity.HalfUnits, error) {
	return func(at table) (*capacity.HalfUnits, error) {
		var values item
		if value != nil {
			values = item{":v": value}
		}
		return at.update("a", expression, values, returns)
	}
}

func remove(old types.ReturnValue) func(table) (*capacity.HalfUnits, error) {
	return func(at table) (*capacity.HalfUnits, error) { return at.delete("a", old) }
}

func TestWrites(t *testing.T) {
	check(t, []row{
		{"put of 1 KB", nil, put(sized("a", kb), ifAbsent, noValues), capacity.Count{Items: 1, Writes: unit}, asMetered},
		{"put of 1 KB and a byte", nil, put(sized("a", kb+1), ifAbsent, noValues), capacity.Count{Items: 1, Writes: 2 * unit}, asMetered},
		{"put over a larger item", []item{sized("a", 3*kb)}, put(sized("a", kb), "", allOld),
			capacity.Count{Items: 1, Writes: 3 * unit}, asMetered},
		// The old item is not in the answer: a lower bound.
		{"put over a larger item unseen", []item{sized("a", 3*kb)}, put(sized("a", kb), "", noValues),
			capacity.Count{Items: 1, Writes: unit, Unseen: 1}, 3 * unit},
		{"put of an absent item, unconditional", nil, put(sized("a", 2*kb), "", noValues),
			capacity.Count{Items: 1, Writes: 2 * unit, Unseen: 1}, asMetered},
		{"update of an item", []item{sized("a", 9*kb)}, update("SET b = :v", text("x"), allNew),
			capacity.Count{Items: 1, Writes: 10 * unit, Unseen: 1}, asMetered},
		// What was there before is not in the answer.
		{"update that shrinks an item", []item{sized("a", 9*kb)}, update("REMOVE filler", nil, allNew),
			capacity.Count{Items: 1, Writes: unit, Unseen: 1}, 9 * unit},
		{"update that shrinks an item, seen before", []item{sized("a", 9*kb)}, update("REMOVE filler", nil, allOld),
			capacity.Count{Items: 1, Writes: 9 * unit, Unseen: 1}, asMetered},
		{"update estimated by its values", nil, update("SET filler = :v", sized("a", 2*kb)["filler"], noValues),
			capacity.Count{Items: 1, Writes: 2 * unit, Unseen: 1}, asMetered},
		{"delete", []item{sized("a", 3*kb)}, remove(allOld), capacity.Count{Items: 1, Writes: 3 * unit}, asMetered},
		{"delete unseen", []item{sized("a", 3*kb)}, remove(noValues), capacity.Count{Items: 1, Writes: unit, Unseen: 1}, 3 * unit},
		{"delete of nothing", nil, remove(allOld), capacity.Count{Items: 1, Writes: unit}, asMetered},
	})
}

func TestBatchWrites(t *testing.T) {
	putRequest := func(it item) types.WriteRequest {
		return types.WriteRequest{PutRequest: &types.PutRequest{Item: it}}
	}
	deletion := types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key("a")}}
	batch := func(writes ...types.WriteRequest) func(table) (*capacity.HalfUnits, error) {
		return func(at table) (*capacity.HalfUnits, error) { return at.batchWrite(writes...) }
	}
	check(t, []row{
		{"two puts", nil, batch(putRequest(sized("a", kb)), putRequest(sized("b", 2*kb+1))),
			capacity.Count{Items: 2, Writes: 4 * unit, Unseen: 2}, asMetered},
		{"put over a larger item", []item{sized("a", 3*kb)}, batch(putRequest(sized("a", kb))),
			capacity.Count{Items: 1, Writes: unit, Unseen: 1}, 3 * unit},
		{"delete", []item{sized("a", 3*kb)}, batch(deletion), capacity.Count{Items: 1, Writes: unit, Unseen: 1}, 3 * unit},
		// The API reference: "Delete operations on nonexistent items consume one
		// write capacity unit." DynamoDB Local reports two.
		{"delete of nothing", nil, batch(deletion), capacity.Count{Items: 1, Writes: unit, Unseen: 1}, 2 * unit},
	})
}

// A write that fails its condition costs as one that succeeds, by the larger of
// the stored item and the new one ("Condition expressions" and "Read and write
// operations" in the Developer Guide). Its answer is an error, without a report.
func TestFailedConditions(t *testing.T) {
	rows := []row{
		{"put of a smaller item", []item{sized("a", 3*kb)}, put(sized("a", kb), ifAbsent, noValues),
			capacity.Count{Items: 1, Writes: 3 * unit}, isSilent},
		{"put of a larger item", []item{sized("a", kb)}, put(sized("a", 3*kb), ifAbsent, noValues),
			capacity.Count{Items: 1, Writes: 3 * unit}, isSilent},
		{"put where there is nothing", nil, put(sized("a", 2*kb), ifThere, noValues),
			capacity.Count{Items: 1, Writes: 2 * unit}, isSilent},
	}
	db := dynamotest.DynamoDBLocal(t)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) { row.check(t, db) })
	}
	// Kumo does not tell the stored item: a lower bound, and the meter says so.
	unseen := rows[0]
	unseen.want = capacity.Count{Items: 1, Writes: unit, Unseen: 1}
	t.Run("put of a smaller item, stored item untold", func(t *testing.T) { unseen.check(t, dynamotest.Kumo(t)) })
}

// A transaction costs two units for each KB of each item, one to prepare it and
// one to commit it ("DynamoDB transactions: how it works" in the Developer Guide).
// DynamoDB Local reports twice that, but for a check four for each 4 KB and for a
// delete of nothing two; both are pinned.
func TestTransactions(t *testing.T) {
	transact := func(writes ...types.TransactWriteItem) func(table) (*capacity.HalfUnits, error) {
		return func(at table) (*capacity.HalfUnits, error) {
			for _, write := range writes {
				in(write, &at.name)
			}
			return at.transact(writes...)
		}
	}
	check(t, []row{
		{"put", nil, transact(putAction(sized("a", kb), ifAbsent)),
			capacity.Count{Items: 1, Writes: 2 * unit}, 4 * unit},
		{"two puts", nil, transact(putAction(sized("a", kb), ifAbsent), putAction(sized("b", 3*kb), ifAbsent)),
			capacity.Count{Items: 2, Writes: 8 * unit}, 16 * unit},
		{"put over a larger item", []item{sized("a", 3*kb)}, transact(putAction(sized("a", kb), "")),
			capacity.Count{Items: 1, Writes: 2 * unit, Unseen: 1}, 12 * unit},
		{"update", []item{sized("a", 3*kb-10)}, transact(updateAction("a")),
			capacity.Count{Items: 1, Writes: 2 * unit, Unseen: 1}, 12 * unit},
		{"delete", []item{sized("a", 3*kb)}, transact(deleteAction("a")),
			capacity.Count{Items: 1, Writes: 2 * unit, Unseen: 1}, 12 * unit},
		{"delete of nothing", nil, transact(deleteAction("a")),
			capacity.Count{Items: 1, Writes: 2 * unit, Unseen: 1}, 2 * unit},
		{"check of an item", []item{sized("a", 5*kb)}, transact(checkAction("a", ifThere)),
			capacity.Count{Items: 1, Writes: 2 * unit, Unseen: 1}, 8 * unit},
		{"check that there is none", nil, transact(checkAction("a", ifAbsent)),
			capacity.Count{Items: 1, Writes: 2 * unit}, 4 * unit},
		{"cancelled", []item{sized("b", kb)}, transact(putAction(sized("a", kb), ifAbsent), putAction(sized("b", kb), ifAbsent)),
			capacity.Count{Items: 2, Writes: 4 * unit, Unseen: 2}, isSilent},
	})
}

// A transaction sent again under its token is answered from the first, at the cost
// of reading its items twice. The meter sees no difference in the answer.
func TestReplayedTransaction(t *testing.T) {
	send := func(at table) (*capacity.HalfUnits, error) {
		action := putAction(sized("a", 6*kb), ifAbsent)
		in(action, &at.name)
		out, err := at.client.TransactWriteItems(at.ctx, &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{action}, ClientRequestToken: &at.name, ReturnConsumedCapacity: total,
		})
		if err != nil {
			return nil, err
		}
		return halves(out.ConsumedCapacity...), nil
	}
	row{"replay", nil, func(at table) (*capacity.HalfUnits, error) {
		if _, err := send(at); err != nil {
			return nil, err
		}
		return send(at)
	}, capacity.Count{Calls: 2, Attempts: 2, Items: 2, Writes: 24 * unit}, 4 * unit}.check(t, dynamotest.DynamoDBLocal(t))
}

func in(write types.TransactWriteItem, table *string) {
	switch {
	case write.Put != nil:
		write.Put.TableName = table
	case write.Update != nil:
		write.Update.TableName = table
	case write.Delete != nil:
		write.Delete.TableName = table
	case write.ConditionCheck != nil:
		write.ConditionCheck.TableName = table
	}
}

func putAction(it item, condition string) types.TransactWriteItem {
	put := &types.Put{Item: it}
	if condition != "" {
		put.ConditionExpression = &condition
	}
	return types.TransactWriteItem{Put: put}
}

func updateAction(sk string) types.TransactWriteItem {
	expression := "SET b = :v"
	return types.TransactWriteItem{Update: &types.Update{Key: key(sk), UpdateExpression: &expression,
		ExpressionAttributeValues: item{":v": text("x")}}}
}

func deleteAction(sk string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{Key: key(sk)}}
}

func checkAction(sk, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{Key: key(sk), ConditionExpression: &condition}}
}
