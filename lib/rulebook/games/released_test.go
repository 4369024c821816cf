package games_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
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
		if late := game.LateRule(firstOf(game, family.Name)); late != "" {
			say("late %s decided %s voided %s", late, game.DecidedRule(), game.VoidedRule())
		}
		say("family %s %s round %d odds %s rule %s", family.Name, family.Form(), family.Round, family.Odds, family.Rule)
		for s := range game.SelectionsOf(family.Name) {
			say("%s %s", game.Text(s), game.BoardGroup(s))
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// firstOf is the first selection of a family.
func firstOf(game *rules.Game, family string) (first rules.Selection) {
	for s := range game.SelectionsOf(family) {
		return s
	}
	return first
}

// What each version quotes of an outcome: a draw of version 1 is audited by the lines
// that were reported, so its quotes stay as they were.
func TestQuotesOfVersions(t *testing.T) {
	const (
		royal   = `{"hands":[["2C","3C"],["2D","3D"],["4C","5C"],["4D","5D"],["6C","7C"],["6D","7D"]],"board":["AS","KS","QS","JS","TS"]}`
		aces    = `{"hands":[["AC","AD"],["2D","3D"],["4C","5C"],["4D","5D"],["6C","8C"],["6D","8D"]],"board":["AS","KS","QH","JC","9H"]}`
		ten     = `{"sector":"10","turns":3}`
		cup     = `{"sector":"cup","turns":3}`
		busts   = `{"dealer":["9C","8D"],"seats":[{"seat":1,"hands":[{"cards":["TC","6C","KD"]}]},{"seat":2,"hands":[{"cards":["TC","6D"]}]},{"seat":3,"split":true,"hands":[{"cards":["8C","KH"]},{"cards":["8H","7H","KS"]}]},{"seat":4,"hands":[{"cards":["5C","6S","TS"],"doubled":true}]}]}`
		dealers = `{"dealer":["KC","AD"],"seats":[{"seat":1,"hands":[{"cards":["TC","9C"]}]},{"seat":2,"hands":[{"cards":["AC","KD"]}]},{"seat":3,"hands":[{"cards":["TC","6C","KH"]}]},{"seat":4,"hands":[{"cards":["5C","6S","TS"],"doubled":true}]}]}`
	)
	facts := map[string]string{"royal": royal, "aces": aces, "ten": `{"spins":[` + ten + `]}`, "cup": `{"spins":[` + cup + `]}`, "busts": busts, "dealer's": dealers}
	for _, row := range ruletest.Rows(t, `
		game      | facts    | selection  | version 1 | version 2
		poker     | aces     | hand:1     | POK-2.3   | POK-2.2
		poker     | aces     | hand:2     | POK-2.3   | POK-2.2
		poker     | royal    | hand:1     | POK-2.3   | POK-2.3
		poker     | aces     | combo:pair | POK-2.4   | POK-2.4
		wheel     | ten      | black      | WHEEL-2.6 | WHEEL-2.8.10
		wheel     | ten      | red        | WHEEL-2.6 | WHEEL-2.8.10
		wheel     | ten      | black_even | WHEEL-2.6 | WHEEL-2.8.10
		wheel     | ten      | odd        | WHEEL-2.6 | WHEEL-2.8.10
		wheel     | ten      | over:9.5   | WHEEL-2.6 | WHEEL-2.6
		wheel     | cup      | grey       | WHEEL-2.6 | WHEEL-2.8.19
		wheel     | cup      | fortune    | WHEEL-2.6 | WHEEL-2.6
		blackjack | busts    | seat:1     | BJ-2.3.1  | BJ-2.3.3
		blackjack | busts    | seat:2     | BJ-2.3.1  | BJ-2.3.1
		blackjack | busts    | seat:3     | BJ-2.3.1  | BJ-2.3.1
		blackjack | busts    | split:3    | BJ-2.7    | BJ-2.3.3
		blackjack | busts    | double:4:1 | BJ-2.6    | BJ-2.6
		blackjack | busts    | seat:7     | BJ-2.3.1  | BJ-2.3.1
		blackjack | dealer's | seat:1     | BJ-2.3.1  | BJ-2.2
		blackjack | dealer's | seat:2     | BJ-2.2    | BJ-2.2
		blackjack | dealer's | seat:3     | BJ-2.3.1  | BJ-2.3.3
		blackjack | dealer's | double:4:1 | BJ-2.6    | BJ-2.2
		blackjack | dealer's | split:1    | BJ-2.7    | BJ-2.7
	`) {
		t.Run(row[0]+" "+row[1]+" "+row[2], func(t *testing.T) {
			for i, game := range games.Versions(row[0]) {
				verdict := game.Judge(ruletest.Outcome(t, game, facts[row[1]]), ruletest.Selection(t, game, row[2]))
				if verdict.Rule != row[3+i] {
					t.Errorf("%s, %s, %s: version %d quotes %s, want %s", row[0], row[1], row[2], game.Version, verdict.Rule, row[3+i])
				}
			}
		})
	}
}
