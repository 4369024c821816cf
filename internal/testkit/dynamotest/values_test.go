package dynamotest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// names returns the names of attributes, in order.
func names(it item) string {
	return strings.Join(slices.Sorted(maps.Keys(it)), " ")
}

func bytesBack(at table) (string, error) {
	if err := at.put(keyed("0000", "b", &types.AttributeValueMemberB{Value: []byte{0, 255}})); err != nil {
		return "", err
	}
	out, err := at.client.GetItem(at.ctx, &dynamodb.GetItemInput{TableName: &at.name, Key: keyed("0000")})
	if err != nil {
		return "", err
	}
	b, ok := out.Item["b"].(*types.AttributeValueMemberB)
	if !ok {
		return show(out.Item["b"]), nil
	}
	return fmt.Sprintf("% x", b.Value), nil
}

func spelling(at table) (string, error) {
	if err := at.put(keyed("0000", "n", number("007.50"))); err != nil {
		return "", err
	}
	return at.get("0000", "n")
}

// addLarge adds one to 2^53 in n, which no float64 can.
func addLarge(expression string) func(table) (string, error) {
	return func(at table) (string, error) {
		if err := at.put(keyed("0000", "n", number("9007199254740992"))); err != nil {
			return "", err
		}
		if _, err := at.update(expression, nil, item{":one": number("1")}); err != nil {
			return "", err
		}
		return at.get("0000", "n")
	}
}

func nested(at table) (string, error) {
	inner := &types.AttributeValueMemberM{Value: item{"a": text("x")}}
	if err := at.put(keyed("0000", "m", inner)); err != nil {
		return "", err
	}
	if _, err := at.update("SET m.b = :v", nil, item{":v": text("x")}); err != nil {
		return "", err
	}
	return at.get("0000", "m")
}

func listAppend(at table) (string, error) {
	one := &types.AttributeValueMemberL{Value: []types.AttributeValue{text("x")}}
	if err := at.put(keyed("0000", "l", one)); err != nil {
		return "", err
	}
	if _, err := at.update("SET l = list_append(l, :v)", nil, item{":v": one}); err != nil {
		return "", err
	}
	return at.get("0000", "l")
}

func ifNotExists(at table) (string, error) {
	if err := at.put(keyed("0000", "a", text("old"))); err != nil {
		return "", err
	}
	_, err := at.update("SET a = if_not_exists(a, :v), b = if_not_exists(b, :v)", nil, item{":v": text("new")})
	if err != nil {
		return "", err
	}
	return at.two("a", "b")
}

// two returns two attributes of the item 0000.
func (at table) two(a, b string) (string, error) {
	first, err := at.get("0000", a)
	if err != nil {
		return "", err
	}
	second, err := at.get("0000", b)
	return first + " " + second, err
}

// prefixNames tries often enough that a random order shows.
func prefixNames(at table) (string, error) {
	for range 20 {
		if err := at.put(keyed("0000")); err != nil {
			return "", err
		}
		_, err := at.update("SET #a = :x, #ab = :y", map[string]string{"#a": "first", "#ab": "second"},
			item{":x": text("x"), ":y": text("y")})
		if err != nil {
			return "", err
		}
		got, err := at.two("first", "second")
		if err != nil || got != "x y" {
			return "not always x y", err
		}
	}
	return "x y", nil
}

// conditionOn deletes, under a condition, an item with s "v", n 1 and b "v".
func conditionOn(condition string, value types.AttributeValue) func(table) (string, error) {
	return func(at table) (string, error) {
		stored := keyed("0000", "s", text("v"), "n", number("1"), "b", &types.AttributeValueMemberB{Value: []byte("v")})
		if err := at.put(stored); err != nil {
			return "", err
		}
		_, err := at.client.DeleteItem(at.ctx, &dynamodb.DeleteItemInput{
			TableName: &at.name, Key: keyed("0000"),
			ConditionExpression:       aws.String(condition),
			ExpressionAttributeValues: item{":v": value},
		})
		return accepted, err
	}
}
