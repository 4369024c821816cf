package capacity

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	containerBytes = 3 // of a list or a map, whatever it holds
	elementBytes   = 1 // of each element of a list or a map, besides its own size
	flagBytes      = 1 // of a null or a boolean
)

// ItemSize returns the size of an item in bytes, as it counts for capacity units
// and for the limits of 400 KB and 1 MB: the UTF-8 lengths of its attribute names
// and the sizes of their values. A string or a binary has its length in bytes, a
// null or a boolean 1, a set the sum of its elements, a list or a map 3 and for
// each element 1 and its size, with the length of its name in a map.
//
// AWS calls the size of a number "approximately" one byte for two significant
// digits and one more. Here it is what DynamoDB Local counts: digits in pairs from
// the decimal point (1.2 is two pairs, 12 and 1200 one), and one more for a minus.
//
// The rules: "DynamoDB item sizes and formats" in the DynamoDB Developer Guide.
func ItemSize(item map[string]types.AttributeValue) int {
	size := 0
	for name, value := range item {
		size += len(name) + valueSize(value)
	}
	return size
}

func valueSize(value types.AttributeValue) int {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numberSize(v.Value)
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		return flagBytes
	case *types.AttributeValueMemberSS:
		return sum(v.Value, func(s string) int { return len(s) })
	case *types.AttributeValueMemberBS:
		return sum(v.Value, func(b []byte) int { return len(b) })
	case *types.AttributeValueMemberNS:
		return sum(v.Value, numberSize)
	case *types.AttributeValueMemberL:
		return containerBytes + sum(v.Value, func(e types.AttributeValue) int { return elementBytes + valueSize(e) })
	case *types.AttributeValueMemberM:
		return containerBytes + elementBytes*len(v.Value) + ItemSize(v.Value)
	default:
		return 0 // nil, or a member that a newer API has and this package does not know
	}
}

func sum[E any](elements []E, size func(E) int) int {
	total := 0
	for _, element := range elements {
		total += size(element)
	}
	return total
}

// numberSize returns the size of a number in any spelling that DynamoDB takes:
// -12, 007.50, 1e3.
func numberSize(number string) int {
	digits, negative := strings.CutPrefix(number, "-")
	digits, exponent := integerDigits(strings.TrimPrefix(digits, "+"))
	significant := strings.TrimRight(digits, "0")
	lowest := exponent + len(digits) - len(significant)
	significant = strings.TrimLeft(significant, "0")
	if significant == "" {
		return 1 // zero, which has no sign
	}
	highest := lowest + len(significant) - 1
	size := 1 + pairOf(highest) - pairOf(lowest) + 1
	if negative {
		size++
	}
	return size
}

// integerDigits writes an unsigned number as digits × 10^exponent.
func integerDigits(number string) (digits string, exponent int) {
	mantissa := number
	if at := strings.IndexAny(number, "eE"); at >= 0 {
		mantissa = number[:at]
		// An exponent that is none is refused by DynamoDB; its item has no size.
		exponent, _ = strconv.Atoi(number[at+1:])
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	return whole + fraction, exponent - len(fraction)
}

// pairOf returns the pair to which the digit at 10^position belongs; 0 and 1 are
// the positions of pair 0, -1 and -2 those of pair -1.
func pairOf(position int) int { return position >> 1 }
