package gen

import (
	"cmp"
	"math/bits"
	"slices"
)

// The sums of keys make rowCount rows of rowWidth columns. Fewer rows would need
// fewer offsets but leave more holes in the packed table.
const (
	rowBits  = 13
	colBits  = keyBits - rowBits
	rowCount = 1 << rowBits
	rowWidth = 1 << colBits
)

// pack lays the rows of a sparse table over each other so that no two entries
// meet (row displacement): the entry of a sum is packed[sum+offsets[sum/rowWidth]],
// reckoned modulo 2^32. The fullest rows are laid first, each where it first fits.
func pack(entries map[uint32]uint16) (offsets [rowCount]uint32, packed []uint16) {
	rows := rowsOf(entries)
	fullest := make([]int, rowCount)
	for row := range rows {
		fullest[row] = row
	}
	slices.SortStableFunc(fullest, func(a, b int) int { return cmp.Compare(len(rows[b]), len(rows[a])) })

	used := make(bitset, (rowWidth+4*len(entries))/64)
	end := 0
	for _, row := range fullest {
		start := firstFit(rows[row], used)
		for _, column := range rows[row] {
			used.set(start + column)
			end = max(end, start+column+1)
		}
		offsets[row] = uint32(start) - uint32(row)*rowWidth
	}
	packed = make([]uint16, end)
	for sum, strength := range entries {
		packed[sum+offsets[sum/rowWidth]] = strength
	}
	return offsets, packed
}

// rowsOf returns the used columns of each row, in ascending order.
func rowsOf(entries map[uint32]uint16) (rows [rowCount][]int) {
	for sum := range entries {
		row := sum / rowWidth
		rows[row] = append(rows[row], int(sum%rowWidth))
	}
	for _, row := range rows {
		slices.Sort(row)
	}
	return rows
}

// firstFit returns the lowest place at which all columns of a row are free.
func firstFit(row []int, used bitset) int {
	for start := 0; ; start += 64 {
		taken := uint64(0)
		for _, column := range row {
			taken |= used.window(start + column)
		}
		if ^taken != 0 {
			return start + bits.TrailingZeros64(^taken)
		}
	}
}

type bitset []uint64

func (b bitset) set(i int) { b[i/64] |= 1 << (i % 64) }

// window returns the 64 bits from the i-th on.
func (b bitset) window(i int) uint64 { return b[i/64]>>(i%64) | b[i/64+1]<<(64-i%64) }
