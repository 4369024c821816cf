package dynamotest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Where both accept and the answers differ, and what a store relies on that both
// answer alike.
func TestAnswers(t *testing.T) {
	run(t, []probe{
		{"query from a start key that is not stored", queryFromAbsent, "0000 0001 0002", "0001 0002"},
		{"query page ended by Limit on the last item", limitOnLast, "no more", "more"},
		{"query page ended by Limit before the last item", limitBeforeLast, "more", "more"},
		{"query backwards", queryBackwards, "0002 0001 0000", "0002 0001 0000"},
		{"query with a lower-case and", queryBetween("pk = :p and sk between :a and :b"), "0001 0002", "0001 0002"},
		{"query with an upper-case AND", queryBetween("pk = :p AND sk BETWEEN :a AND :b"), "0001 0002", "0001 0002"},
		{"sort keys by their bytes", sortByBytes, "B a é", "B a é"},
		{"Select COUNT", selectCount, "3 items", "0 items"},
		{"UPDATED_NEW", updatedNew, "a n pk sk", "n"},
		{"codes of a cancelled transaction", cancelledCodes, " ConditionalCheckFailed", "None ConditionalCheckFailed"},
		{"nothing applied of a cancelled transaction", cancelledApplies, "absent", "absent"},
		{"bytes put and got", bytesBack, "00 ff", "00 ff"},
		{"spelling of a number", spelling, "007.50", "7.5"},
		{"adding beyond 2^53", addLarge("ADD n :one"), "9007199254740992", "9007199254740993"},
		{"SET + beyond 2^53", addLarge("SET n = n + :one"), "9007199254740992", "9007199254740993"},
		{"SET of a nested path", nested, "map of 1", "map of 2"},
		{"list_append", listAppend, "list of 1", "list of 2"},
		{"two SET with if_not_exists", ifNotExists, "old new", "old new"},
		{"names that begin each other", prefixNames, "not always x y", "x y"},
		{"condition on equal binary", conditionOn("b = :v", &types.AttributeValueMemberB{Value: []byte("v")}), "ConditionalCheckFailedException", accepted},
		{"condition on an equal number spelled otherwise", conditionOn("n = :v", number("1.0")), accepted, accepted},
		{"condition on the size of a string", conditionOn("size(s) = :v", number("1")), accepted, accepted},
		{"condition <> on an absent attribute", conditionOn("z <> :v", text("v")), accepted, accepted},
		{"condition IN", conditionOn("s IN (:v)", text("v")), accepted, accepted},
		{"condition NOT with parentheses", conditionOn("NOT (s <> :v)", text("v")), accepted, accepted},
		{"condition attribute_type", conditionOn("attribute_type(s, :v)", text("S")), accepted, accepted},
		{"condition begins_with", conditionOn("begins_with(s, :v)", text("v")), accepted, accepted},
	})
}

func (at table) keys(query *dynamodb.QueryInput) (string, error) {
	out, err := at.client.Query(at.ctx, query)
	if err != nil {
		return "", err
	}
	var keys []string
	for _, it := range out.Items {
		keys = append(keys, show(it["sk"]))
	}
	return strings.Join(keys, " "), nil
}

func queryFromAbsent(at table) (string, error) {
	if err := at.numbered(3, 1); err != nil {
		return "", err
	}
	query := at.partition()
	query.ExclusiveStartKey = keyed("0000~")
	return at.keys(query)
}

func limitOnLast(at table) (string, error)     { return at.limited(3) }
func limitBeforeLast(at table) (string, error) { return at.limited(2) }

// limited tells whether a query of 3 items with a limit says that there are more.
func (at table) limited(limit int32) (string, error) {
	if err := at.numbered(3, 1); err != nil {
		return "", err
	}
	query := at.partition()
	query.Limit = &limit
	out, err := at.client.Query(at.ctx, query)
	if err != nil {
		return "", err
	}
	if out.LastEvaluatedKey == nil {
		return "no more", nil
	}
	return "more", nil
}

func queryBackwards(at table) (string, error) {
	if err := at.numbered(3, 1); err != nil {
		return "", err
	}
	query := at.partition()
	query.ScanIndexForward = aws.Bool(false)
	return at.keys(query)
}

func queryBetween(condition string) func(table) (string, error) {
	return func(at table) (string, error) {
		if err := at.numbered(4, 1); err != nil {
			return "", err
		}
		query := at.partition()
		query.KeyConditionExpression = &condition
		query.ExpressionAttributeValues = item{":p": text("p"), ":a": text("0001"), ":b": text("0002")}
		return at.keys(query)
	}
}

func sortByBytes(at table) (string, error) {
	for _, sk := range []string{"é", "a", "B"} {
		if err := at.put(keyed(sk)); err != nil {
			return "", err
		}
	}
	return at.keys(at.partition())
}

func selectCount(at table) (string, error) {
	if err := at.numbered(3, 1); err != nil {
		return "", err
	}
	query := at.partition()
	query.Select = types.SelectCount
	out, err := at.client.Query(at.ctx, query)
	if err != nil {
		return "", err
	}
	if out.Count != 3 {
		return "", fmt.Errorf("Count is %d, not 3", out.Count)
	}
	return fmt.Sprintf("%d items", len(out.Items)), nil
}

func updatedNew(at table) (string, error) {
	if err := at.put(keyed("0000", "a", text("x"))); err != nil {
		return "", err
	}
	out, err := at.update("SET n = :n", nil, item{":n": number("1")})
	if err != nil {
		return "", err
	}
	return names(out.Attributes), nil
}

func cancelledCodes(at table) (string, error) {
	if err := at.put(keyed("1")); err != nil {
		return "", err
	}
	_, err := at.transact("", at.putWrite(keyed("0"), ""), at.putWrite(keyed("1"), "attribute_not_exists(pk)"))
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return "", fmt.Errorf("not cancelled: %w", err)
	}
	var codes []string
	for _, reason := range cancelled.CancellationReasons {
		codes = append(codes, aws.ToString(reason.Code))
	}
	return strings.Join(codes, " "), nil
}

func cancelledApplies(at table) (string, error) {
	if _, err := cancelledCodes(at); err != nil {
		return "", err
	}
	return at.get("0", "pk")
}
