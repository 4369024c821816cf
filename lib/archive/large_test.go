//go:build !race

package archive_test

import (
	"testing"

	"tally/lib/store"
)

// Five thousand bookmakers, whose commitments are more than an item may have.
func TestFiveThousandBookmakers(t *testing.T) {
	const bookmakers = 5000
	db, to := manyBookmakers(t, bookmakers), &memory{}
	if err := archiver(db, to, 0).Handle(t.Context(), settled); err != nil {
		t.Fatal(err)
	}
	checkLogged(t, db, to, bookmakers, 499)
	parts := 0
	for item, err := range store.New(db, "table").Query(t.Context(), store.DrawKey("d"), "COMMITMENT#") {
		if err != nil {
			t.Fatal(err)
		}
		if parts++; len(item.Body) > 300<<10 {
			t.Errorf("%s has %d bytes", item.SK, len(item.Body))
		}
	}
	if parts != 6 {
		t.Errorf("they are kept in %d items", parts)
	}
}
