package verify

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
)

// What a log of any length has named is remembered as ranges of numbers: a table's draws
// are numbered one after the other, and so are the names of a day's draws. Only a log
// that numbers with gaps, or not at all, needs more room the longer it is.

// stretch is a run of numbers, both ends in it.
type stretch struct{ from, to int64 }

// numbers is a set, as the fewest stretches in their order.
type numbers []stretch

// add adds a number; false says that it was there.
func (s *numbers) add(n int64) bool {
	list := *s
	at := len(list)
	if at > 0 && n <= list[at-1].to {
		at = sort.Search(len(list), func(i int) bool { return list[i].to >= n })
	}
	if at < len(list) && list[at].from <= n {
		return false
	}
	before, after := at > 0 && list[at-1].to == n-1, at < len(list) && list[at].from == n+1
	switch {
	case before && after:
		list[at-1].to = list[at].to
		*s = slices.Delete(list, at, at+1)
	case before:
		list[at-1].to = n
	case after:
		list[at].from = n
	default:
		*s = slices.Insert(list, at, stretch{from: n, to: n})
	}
	return true
}

func (s numbers) has(n int64) bool {
	at := sort.Search(len(s), func(i int) bool { return s[i].to >= n })
	return at < len(s) && s[at].from <= n
}

// gaps returns the numbers between the first and the last that are not there, at most so
// many.
func (s numbers) gaps(most int) (list []int64) {
	for i := 1; i < len(s); i++ {
		for n := s[i-1].to + 1; n < s[i].from && len(list) < most; n++ {
			list = append(list, n)
		}
	}
	return list
}

// MarshalJSON writes the ends of all stretches in one list.
func (s numbers) MarshalJSON() ([]byte, error) {
	ends := make([]int64, 0, 2*len(s))
	for _, part := range s {
		ends = append(ends, part.from, part.to)
	}
	return json.Marshal(ends)
}

// UnmarshalJSON reads such a list.
func (s *numbers) UnmarshalJSON(text []byte) error {
	var ends []int64
	if err := json.Unmarshal(text, &ends); err != nil {
		return err
	}
	*s = nil
	for i := 0; i+1 < len(ends); i += 2 {
		*s = append(*s, stretch{from: ends[i], to: ends[i+1]})
	}
	return nil
}

// table is what is remembered of a table's running numbers.
type table struct {
	Draws    int     `json:"draws"`
	Numbers  numbers `json:"numbers"`
	Repeated []int64 `json:"repeated,omitempty"` // the least of them, as often as they are repeated
}

func (t *table) add(n int64) {
	t.Draws++
	if t.Numbers.add(n) {
		return
	}
	at, _ := slices.BinarySearch(t.Repeated, n)
	t.Repeated = slices.Insert(t.Repeated, at, n)
	t.Repeated = t.Repeated[:min(len(t.Repeated), maxNumbers)]
}

// group are the draws whose names differ in their last digits only, such as those of a
// table on a day.
type group struct {
	Numbers numbers `json:"numbers"`
	// First and Last are the indexes of the first and the last entry about any of them.
	First int64 `json:"first"`
	Last  int64 `json:"last"`
}

// groupDigits are the most digits that tell the draws of a group apart.
const groupDigits = 4

// nameOf takes a draw's name apart: what its group is called, and its number there. As
// many digits as the group's name says belong to the number; # is in no draw's name.
func nameOf(draw string) (name string, number int64) {
	at := len(draw)
	for at > 0 && len(draw)-at < groupDigits && draw[at-1] >= '0' && draw[at-1] <= '9' {
		at--
	}
	number, _ = strconv.ParseInt(draw[at:], 10, 64) // 0 where there are no digits
	return draw[:at] + "#" + strconv.Itoa(len(draw)-at), number
}

// names are the draws that were opened.
type names map[string]*group

// open adds a draw.
func (s names) open(draw string, index int64) *group {
	name, number := nameOf(draw)
	g := s[name]
	if g == nil {
		g = &group{First: index}
		s[name] = g
	}
	g.Numbers.add(number)
	g.Last = index
	return g
}

// find returns the group of a draw that was opened; nil of one that was not.
func (s names) find(draw string) *group {
	name, number := nameOf(draw)
	if g := s[name]; g != nil && g.Numbers.has(number) {
		return g
	}
	return nil
}
