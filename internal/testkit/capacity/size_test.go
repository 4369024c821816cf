package capacity_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
)

// Each size is pinned, and is what DynamoDB Local counts.
func TestItemSize(t *testing.T) {
	list := func(elements ...types.AttributeValue) types.AttributeValue {
		return &types.AttributeValueMemberL{Value: elements}
	}
	values := []struct {
		name  string
		value types.AttributeValue
		want  int
	}{
		{"string", text("abc"), 3},
		{"empty string", text(""), 0},
		{"string by its UTF-8 bytes", text("é€"), 5},
		{"binary", &types.AttributeValueMemberB{Value: make([]byte, 7)}, 7},
		{"boolean", &types.AttributeValueMemberBOOL{Value: true}, 1},
		{"null", &types.AttributeValueMemberNULL{Value: true}, 1},
		{"set of strings", &types.AttributeValueMemberSS{Value: []string{"a", "bc"}}, 3},
		{"set of numbers", &types.AttributeValueMemberNS{Value: []string{"1", "123"}}, 5},
		{"set of binaries", &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2, 3}}}, 3},
		{"empty list", list(), 3},
		{"list", list(text("ab"), number("12")), 3 + 1 + 2 + 1 + 2},
		{"empty map", &types.AttributeValueMemberM{}, 3},
		{"map", &types.AttributeValueMemberM{Value: item{"ab": text("c"), "d": list(text(""))}}, 3 + 1 + 2 + 1 + 1 + 1 + 3 + 1},
		{"0", number("0"), 1},
		{"-0", number("-0"), 1},
		{"1", number("1"), 2},
		{"12", number("12"), 2},
		{"123", number("123"), 3},
		{"1200", number("1200"), 2},
		{"1230", number("1230"), 3},
		{"-12", number("-12"), 3},
		{"+12", number("+12"), 2},
		{"007.50", number("007.50"), 3},
		{"1.2", number("1.2"), 3},
		{"12.3", number("12.3"), 3},
		{"0.12", number("0.12"), 2},
		{"0.012", number("0.012"), 3},
		{"-0.001", number("-0.001"), 3},
		{"1e10", number("1e10"), 2},
		{"12E-3", number("12E-3"), 3},
		{"milliseconds", number("1764487200000"), 6},
		{"38 digits", number(strings.Repeat("9", 38)), 20},
	}
	db := dynamotest.DynamoDBLocal(t)
	at := table{ctx: t.Context(), client: db.Client, name: db.Table(t)}
	for _, test := range values {
		t.Run(test.name, func(t *testing.T) {
			if got := capacity.ItemSize(item{"name": test.value}) - len("name"); got != test.want {
				t.Errorf("ItemSize counts %d bytes, want %d", got, test.want)
			}
			if got := at.size(t, test.value); got != test.want {
				t.Errorf("DynamoDB Local counts %d bytes, want %d", got, test.want)
			}
		})
	}
}

// size finds the size that the endpoint gives a value: how much filler the value
// leaves room for in an item of one write unit.
func (at table) size(t *testing.T, value types.AttributeValue) int {
	t.Helper()
	it := key("size")
	it["value"], it["filler"] = text(""), text("")
	room := 1024 - capacity.ItemSize(it)
	it["value"] = value
	fits, tooMuch := 0, room+1
	for fits+1 < tooMuch {
		try := (fits + tooMuch) / 2
		it["filler"] = text(strings.Repeat("x", try))
		// The larger of the old and the new item counts: there must be no old one.
		if _, err := at.delete("size", types.ReturnValueNone); err != nil {
			t.Fatal(err)
		}
		units, err := at.put(it, "", types.ReturnValueNone)
		if err != nil {
			t.Fatal(err)
		}
		if *units > capacity.Unit {
			tooMuch = try
		} else {
			fits = try
		}
	}
	return room - fits
}
