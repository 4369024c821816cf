package games_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"tally/lib/games"
	"tally/lib/rules"
)

// testdata/released.txt holds every version of every game that was ever released, with
// a digest of what it says. Bets were sold by it: a line never changes and never goes.
// What is to be otherwise is a new version beside it.
func TestReleasedVersionsStay(t *testing.T) {
	text, err := os.ReadFile("testdata/released.txt")
	if err != nil {
		t.Fatal(err)
	}
	held := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var id, digest string
		var version int
		if _, err := fmt.Sscan(line, &id, &version, &digest); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		held[fmt.Sprint(id, version)] = true
		game, err := games.Version(id, version)
		if err != nil {
			t.Errorf("draws of %s that began with version %d can't be settled any more: %v", id, version, err)
			continue
		}
		if now := digestOf(game); now != digest {
			t.Errorf("version %d of %s says something else than when it was released: its digest is %s, held is %s", version, id, now, digest)
		}
	}
	for _, game := range games.All() {
		for _, version := range games.Versions(game.ID) {
			if !held[fmt.Sprint(version.ID, version.Version)] {
				t.Errorf("add to testdata/released.txt: %s %d %s", version.ID, version.Version, digestOf(version))
			}
		}
	}
}

// digestOf is a digest of everything in a game's catalogue that decides about money: not
// of texts for people.
func digestOf(game *rules.Game) string {
	hash := sha256.New()
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(hash, format+"\n", args...) }
	say("%s %d %s decks %d rounds %d paytable %t groups %q", game.ID, game.Version, game.Prefix, game.Decks, len(game.Rounds), game.Paytable(), game.Groups)
	for _, reason := range game.Reasons {
		say("cancelled %s %s", reason.Code, game.CancelRule)
	}
	for _, family := range game.Families {
		say("family %s %s round %d odds %s rule %s", family.Name, family.Form(), family.Round, family.Odds, family.Rule)
		for s := range game.SelectionsOf(family.Name) {
			say("%s %s", game.Text(s), game.BoardGroup(s))
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}
