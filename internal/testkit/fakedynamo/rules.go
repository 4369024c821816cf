package fakedynamo

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"tally/internal/testkit/capacity"
)

// DynamoDB's limits, in bytes.
const (
	maxItem         = 400 << 10
	maxPartitionKey = 2048
	maxSortKey      = 1024
	maxTransaction  = 4 << 20
	maxWrites       = 100
)

func invalid(format string, args ...any) error {
	return &smithy.GenericAPIError{Code: "ValidationException", Message: fmt.Sprintf(format, args...), Fault: smithy.FaultClient}
}

// text returns the value of a string attribute, empty for any other.
func text(value types.AttributeValue) string {
	if s, ok := value.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func nameOf(it item) string { return text(it[partitionKey]) + " / " + text(it[sortKey]) }

// checkKey checks the key attributes of an item, or a key that has only those.
func checkKey(it item, attributes int) error {
	if attributes > 0 && len(it) != attributes {
		return invalid("The provided key element does not match the schema")
	}
	for name, most := range map[string]int{partitionKey: maxPartitionKey, sortKey: maxSortKey} {
		switch n := len(text(it[name])); {
		case n == 0:
			return invalid("One or more parameter values are not valid: %s is missing, empty or no string", name)
		case n > most:
			return invalid("One or more parameter values were invalid: %s has %d bytes, at most %d are allowed", name, n, most)
		}
	}
	return nil
}

func checkItem(it item) error {
	if err := checkKey(it, 0); err != nil {
		return err
	}
	for name, value := range it {
		if n, ok := value.(*types.AttributeValueMemberN); ok && n.Value == "" {
			return invalid("The parameter cannot be converted to a numeric value: %s", name)
		}
	}
	if size := capacity.ItemSize(it); size > maxItem {
		return invalid("Item size has exceeded the maximum allowed size: %d", size)
	}
	return nil
}

// condition returns a test of the stored item (nil where there is none).
func (db *DB) condition(expression *string, values item) (func(there item) bool, error) {
	if expression == nil {
		if len(values) > 0 {
			return nil, db.unsupported("values without an expression: %v", values)
		}
		return func(item) bool { return true }, nil
	}
	used := 0
	var tests []func(item) bool
	for part := range strings.SplitSeq(*expression, " AND ") {
		if part == "attribute_not_exists("+partitionKey+")" {
			tests = append(tests, func(there item) bool { return there == nil })
			continue
		}
		name, placeholder, isEqual := strings.Cut(part, " = ")
		value, given := values[placeholder]
		if !isEqual || !given || strings.ContainsAny(name, "( #") {
			return nil, db.unsupported("the condition %q", *expression)
		}
		used++
		tests = append(tests, func(there item) bool { return equal(there[name], value) })
	}
	if used != len(values) {
		return nil, db.unsupported("unused values in the condition %q", *expression)
	}
	return func(there item) bool {
		for _, test := range tests {
			if !test(there) {
				return false
			}
		}
		return true
	}, nil
}

// equal compares strings and numbers; the store compares nothing else.
func equal(a, b types.AttributeValue) bool {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		b, ok := b.(*types.AttributeValueMemberS)
		return ok && a.Value == b.Value
	case *types.AttributeValueMemberN:
		b, ok := b.(*types.AttributeValueMemberN)
		return ok && a.Value == b.Value
	}
	return false
}
