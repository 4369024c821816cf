package capacity

import "strconv"

// HalfUnits is a number of capacity units, read or write, in halves of one: the
// least that DynamoDB charges is half a unit, for an eventually consistent read.
type HalfUnits int64

// Unit is one whole capacity unit.
const Unit HalfUnits = 2

// String returns the number of whole units, as "12" or "12.5".
func (u HalfUnits) String() string {
	if u < 0 {
		return "-" + (-u).String()
	}
	whole := strconv.FormatInt(int64(u/Unit), 10)
	if u%Unit != 0 {
		return whole + ".5"
	}
	return whole
}

const (
	writeUnitBytes = 1 << 10
	readUnitBytes  = 4 << 10
)

// writeUnits is the cost of writing one item, of which size is the larger of
// before and after.
func writeUnits(size int) HalfUnits { return blocks(size, writeUnitBytes) * Unit }

// readUnits is the cost of reading items of a size in all.
func readUnits(size int, consistent bool) HalfUnits {
	if consistent {
		return blocks(size, readUnitBytes) * Unit
	}
	return blocks(size, readUnitBytes) * Unit / 2
}

// blocks is the number of blocks begun, at least one.
func blocks(size, block int) HalfUnits {
	return HalfUnits(max(1, (size+block-1)/block))
}
