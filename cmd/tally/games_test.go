package main

import (
	"encoding/json"
	"slices"
	"testing"

	"tally/lib/rulebook/catalogue"
	"tally/lib/rulebook/games"
)

// TestCatalogues holds what programs read against the games themselves.
func TestCatalogues(t *testing.T) {
	text, err := describeGames(nil, true)
	if err != nil {
		t.Fatal(err)
	}
	var all []catalogue.Catalogue
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != len(games.All()) {
		t.Fatalf("%d catalogues of %d games", len(all), len(games.All()))
	}
	for i, game := range games.All() {
		c := all[i]
		counted := 0
		for range game.Selections {
			counted++
		}
		if c.Game != game.ID || c.Count != counted || len(c.Families) != len(game.Families) || len(c.Rounds) != len(game.Rounds) {
			t.Errorf("%s: id %s, %d selections of %d, %d families, %d rounds", game.ID, c.Game, c.Count, counted, len(c.Families), len(c.Rounds))
		}
		for _, f := range c.Families {
			checkFamily(t, game.ID, c.Odds, f)
		}
	}
}

func checkFamily(t *testing.T, id, odds string, f catalogue.Family) {
	t.Helper()
	game, _ := games.Find(id)
	if (f.Count <= catalogue.MaxListed) != (len(f.Selections) == f.Count) {
		t.Errorf("%s, %s: %d selections, %d listed", id, f.Family, f.Count, len(f.Selections))
	}
	for _, text := range f.Selections {
		if _, err := game.Parse(text); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	grouped := 0
	for _, g := range f.BoardGroups {
		grouped += g.Count
	}
	if grouped != 0 && grouped != f.Count {
		t.Errorf("%s, %s: %d of %d selections in board groups", id, f.Family, grouped, f.Count)
	}
	if (f.Odds != "") != (odds == "paytable") || f.Rule == "" || f.Wins == "" || f.Parameters == nil {
		t.Errorf("%s, %s: incomplete: %+v", id, f.Family, f)
	}
}

func TestClosest(t *testing.T) {
	names := []string{"baccarat", "live_baccarat", "dice", "lucky5", "lucky7", "war", "wheel"}
	for typed, want := range map[string]string{
		"bacarat": "baccarat", "Dice": "dice", "lucky_7": "lucky7", "lucky": "lucky5", "whel": "wheel", "wra": "war", "chess": "", "": "",
		"live-baccarat": "live_baccarat", "baccarat": "baccarat", "DICE": "dice", "WHEAL": "wheel",
	} {
		t.Run(typed, func(t *testing.T) {
			if got := closest(typed, names); got != want {
				t.Errorf("closest to %q is %q, want %q", typed, got, want)
			}
		})
	}
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ä", "a", 1}} {
		t.Run(test.a+" "+test.b, func(t *testing.T) {
			if got := distance(test.a, test.b); got != test.want {
				t.Errorf("distance of %q and %q is %d, want %d", test.a, test.b, got, test.want)
			}
		})
	}
}

func TestDidYouMean(t *testing.T) {
	names := []string{"lucky5", "lucky7", "redrive", "resolve", "war"}
	for typed, want := range map[string]string{
		"WAR": "; did you mean -war?", "re": "; did you mean -redrive or -resolve?", "Lucky": "; did you mean -lucky5 or -lucky7?",
		"resolved": "; did you mean -resolve?", "chess": "", "": "",
	} {
		t.Run(typed, func(t *testing.T) {
			if got := didYouMean("-", typed, names); got != want {
				t.Errorf("%q: got %q, want %q", typed, got, want)
			}
		})
	}
}

func TestGamesCompletion(t *testing.T) {
	if ids := gameIDs(); !slices.Contains(ids, "roulette") || len(ids) != len(games.All()) {
		t.Errorf("ids: %v", ids)
	}
}
