package ids_test

import (
	"fmt"
	"strings"
	"testing"

	"tally/lib/draw/ids"
)

func TestValid(t *testing.T) {
	for text, want := range map[string]struct{ stored, new bool }{
		"pok-1.20261130.0042": {true, true}, "A_z-9": {true, true}, "0": {true, true}, strings.Repeat("x", 64): {true, true},
		".": {true, false}, "..": {true, false}, "...": {true, true},
		"": {}, strings.Repeat("x", 65): {}, "a b": {}, "a/b": {}, "a#b": {}, "a:b": {}, "é": {}, "a\n": {}, "a\x00": {},
	} {
		t.Run(fmt.Sprintf("%.40q", text), func(t *testing.T) {
			if ids.Valid(text) != want.stored || ids.ValidNew(text) != want.new {
				t.Errorf("%q: %v, new %v, want %v", text, ids.Valid(text), ids.ValidNew(text), want)
			}
		})
	}
}
