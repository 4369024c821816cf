package games_test

import (
	"errors"
	"strings"
	"testing"

	"tally/lib/rulebook/games"
)

// TestVersion: a draw keeps the version that it began with; of one that this program does
// not have the error says so, and which it has.
func TestVersion(t *testing.T) {
	for _, game := range games.All() {
		t.Run(game.ID, func(t *testing.T) {
			for _, old := range games.Versions(game.ID) {
				if got, err := games.Version(game.ID, old.Version); got != old || err != nil {
					t.Errorf("version %d is %v, %v", old.Version, got, err)
				}
			}
			_, err := games.Version(game.ID, game.Version+1)
			if !errors.Is(err, games.ErrUnknown) || !strings.Contains(err.Error(), "Deploy") {
				t.Errorf("a version to come: %v, want that it is unknown, and what to do", err)
			}
		})
	}
	if _, err := games.Version("bingo", 1); !errors.Is(err, games.ErrUnknown) || !strings.Contains(err.Error(), "bingo") {
		t.Errorf("another game: %v, want that bingo is unknown", err)
	}
	if _, found := games.Find("bingo"); found {
		t.Error("bingo is found, want no such game")
	}
}

// TestRelease: draws that begin have the new version, those that began keep theirs, and
// once it is withdrawn all is as before.
func TestRelease(t *testing.T) {
	war, _ := games.Find("war")
	next, bingo := *war, *war
	next.Version, bingo.ID = war.Version+1, "bingo"
	withdraw := games.Release(&next)
	if now, _ := games.Find("war"); now != &next {
		t.Errorf("the newest version is %d, want %d", now.Version, next.Version)
	}
	if kept, err := games.Version("war", war.Version); kept != war || err != nil {
		t.Errorf("the version of before is %v, %v", kept, err)
	}
	all := len(games.All())
	withdrawBingo := games.Release(&bingo)
	if now, found := games.Find("bingo"); !found || now != &bingo || len(games.All()) != all+1 {
		t.Errorf("a new game is found: %t, among %d; want it among %d", found, len(games.All()), all+1)
	}
	withdrawBingo()
	withdraw()
	if now, _ := games.Find("war"); now != war || len(games.All()) != all {
		t.Errorf("after all was withdrawn the newest version is %d, want %d", now.Version, war.Version)
	}
}
