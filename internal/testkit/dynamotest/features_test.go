package dynamotest_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/dynamotest"
)

// Each feature is asked for as a store would use it; a flavour has it exactly
// when its Features say so.
func TestFeatures(t *testing.T) {
	features := []struct {
		name   string
		claims func(dynamotest.Features) bool
		holds  func(at table) (bool, error)
	}{
		{"PageLimit", func(f dynamotest.Features) bool { return f.PageLimit }, cutsQuery},
		{"PageLimit of Scan", func(f dynamotest.Features) bool { return f.PageLimit }, cutsScan},
		{"ItemLimit", func(f dynamotest.Features) bool { return f.ItemLimit }, refusesLargeItem},
		{"OldItemOnFailedCondition of PutItem", func(f dynamotest.Features) bool { return f.OldItemOnFailedCondition }, tellsOldItem},
		{"OldItemOnFailedCondition of TransactWriteItems", func(f dynamotest.Features) bool { return f.OldItemOnFailedCondition }, tellsOldItemInTransaction},
		{"RequestTokens replay", func(f dynamotest.Features) bool { return f.RequestTokens }, replaysToken},
		{"RequestTokens conflict", func(f dynamotest.Features) bool { return f.RequestTokens }, refusesTokenOfOther},
		{"ConsumedCapacity", func(f dynamotest.Features) bool { return f.ConsumedCapacity }, reportsCapacity},
	}
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		for _, feature := range features {
			t.Run(feature.name, func(t *testing.T) {
				got, err := feature.holds(table{ctx: t.Context(), client: db.Client, name: db.Table(t)})
				if err != nil {
					t.Fatal(err)
				}
				if want := feature.claims(db.Features); got != want {
					t.Errorf("the flavour shows %t, its Features say %t", got, want)
				}
			})
		}
	})
}

// Of five items of 300 KB the first page has those up to the one that reaches
// 1 MB, the second the rest.
func cutsQuery(at table) (bool, error) {
	if err := at.numbered(5, 300<<10); err != nil {
		return false, err
	}
	first, err := at.client.Query(at.ctx, at.partition())
	if err != nil {
		return false, err
	}
	if first.LastEvaluatedKey == nil {
		return false, nil
	}
	next := at.partition()
	next.ExclusiveStartKey = first.LastEvaluatedKey
	second, err := at.client.Query(at.ctx, next)
	if err != nil {
		return false, err
	}
	if first.Count+second.Count != 5 || second.LastEvaluatedKey != nil {
		return false, fmt.Errorf("two pages hold %d and %d items of 5", first.Count, second.Count)
	}
	return true, nil
}

func cutsScan(at table) (bool, error) {
	if err := at.numbered(5, 300<<10); err != nil {
		return false, err
	}
	out, err := at.client.Scan(at.ctx, &dynamodb.ScanInput{TableName: &at.name})
	if err != nil {
		return false, err
	}
	return out.LastEvaluatedKey != nil, nil
}

func refusesLargeItem(at table) (bool, error) {
	const limit = 400 << 10
	rest := len("pk") + len("p") + len("sk") + len("0") + len("filler")
	if err := at.put(keyed("0", "filler", filler(limit-rest))); err != nil {
		return false, fmt.Errorf("an item of just 400 KB: %w", err)
	}
	err := at.put(keyed("0", "filler", filler(limit-rest+1)))
	if err != nil && code(err) != "ValidationException" {
		return false, err
	}
	return err != nil, nil
}

func tellsOldItem(at table) (bool, error) {
	if err := at.put(keyed("0", "a", text("old"))); err != nil {
		return false, err
	}
	_, err := at.client.PutItem(at.ctx, &dynamodb.PutItemInput{
		TableName: &at.name, Item: keyed("0", "a", text("new")),
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		return false, fmt.Errorf("the put did not fail on its condition: %w", err)
	}
	return show(failed.Item["a"]) == "old", nil
}

func tellsOldItemInTransaction(at table) (bool, error) {
	if err := at.put(keyed("0", "a", text("old"))); err != nil {
		return false, err
	}
	_, err := at.transact("", at.putWrite(keyed("0", "a", text("new")), "attribute_not_exists(pk)"))
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) || len(cancelled.CancellationReasons) != 1 {
		return false, fmt.Errorf("the transaction was not cancelled for one reason: %w", err)
	}
	return show(cancelled.CancellationReasons[0].Item["a"]) == "old", nil
}

// increment adds one to the attribute n of the item 0000.
func (at table) increment(by string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &at.name, Key: keyed("0000"),
		UpdateExpression:          aws.String("ADD n :by"),
		ExpressionAttributeValues: item{":by": number(by)},
	}}
}

func replaysToken(at table) (bool, error) {
	for range 2 {
		if _, err := at.transact(at.name, at.increment("1")); err != nil {
			return false, err
		}
	}
	n, err := at.get("0000", "n")
	return n == "1", err
}

func refusesTokenOfOther(at table) (bool, error) {
	if _, err := at.transact(at.name, at.increment("1")); err != nil {
		return false, err
	}
	_, err := at.transact(at.name, at.increment("2"))
	var mismatch *types.IdempotentParameterMismatchException
	if err != nil && !errors.As(err, &mismatch) {
		return false, err
	}
	return err != nil, nil
}

func reportsCapacity(at table) (bool, error) {
	out, err := at.client.PutItem(at.ctx, &dynamodb.PutItemInput{
		TableName: &at.name, Item: keyed("0"), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		return false, err
	}
	return out.ConsumedCapacity != nil, nil
}

// Neither flavour lets transactions conflict: they take turns.
func TestTransactionsTakeTurns(t *testing.T) {
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		at := table{ctx: t.Context(), client: db.Client, name: db.Table(t)}
		var running sync.WaitGroup
		for range 8 {
			running.Go(func() {
				for range 10 {
					if _, err := at.transact("", at.increment("1")); err != nil {
						t.Error(err)
					}
				}
			})
		}
		running.Wait()
		if n, err := at.get("0000", "n"); err != nil || n != "80" {
			t.Errorf("n is %s, want 80 (error: %v)", n, err)
		}
	})
}
