package sequencer

import (
	"fmt"
	"slices"
	"testing"
)

// The parts of a tile pass when the next one is full, at every level.
func TestPassed(t *testing.T) {
	for _, test := range []struct {
		from, to int64
		want     []string
	}{
		{0, 0, nil},
		{0, 511, nil},
		{256, 511, nil},
		{511, 512, []string{"tile/0/000.p", "tile/entries/000.p"}},
		{512, 767, nil},
		{512, 768, []string{"tile/0/001.p", "tile/entries/001.p"}},
		{600, 1030, []string{"tile/0/001.p", "tile/entries/001.p", "tile/0/002.p", "tile/entries/002.p"}},
		{131_071, 131_072, []string{"tile/0/510.p", "tile/entries/510.p", "tile/1/000.p"}},
		{131_072, 131_327, nil},
		{33_554_431, 33_554_432, []string{"tile/0/x131/070.p", "tile/entries/x131/070.p", "tile/1/510.p", "tile/2/000.p"}},
	} {
		t.Run(fmt.Sprint(test.from, " ", test.to), func(t *testing.T) {
			if got := passed(test.from, test.to); !slices.Equal(got, test.want) {
				t.Errorf("from %d to %d entries: %q, want %q", test.from, test.to, got, test.want)
			}
		})
	}
}
