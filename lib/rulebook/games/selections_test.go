package games_test

import (
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/ruletest"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

func find(t testing.TB, id string) *rules.Game {
	t.Helper()
	game, known := games.Find(id)
	if !known {
		t.Fatalf("no game %s", id)
	}
	return game
}

func TestGames(t *testing.T) {
	var ids []string
	for _, game := range games.All() {
		ids = append(ids, game.ID)
	}
	want := strings.Fields("baccarat live_baccarat dice lucky5 lucky7 poker war wheel blackjack roulette")
	if !slices.Equal(ids, want) {
		t.Errorf("the games are %v", ids)
	}
	for _, id := range []string{"", "Baccarat", "baccarat ", "lucky", "keno"} {
		t.Run(id, func(t *testing.T) {
			if _, known := games.Find(id); known {
				t.Errorf("there is a game %q", id)
			}
		})
	}
	games.All()[0] = nil // a reader's copy
	find(t, "baccarat")
}

// TestCatalogues has what the rulebook says of each game.
func TestCatalogues(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		game          | prefix | decks | rounds | paytable | selections | reasons beside the common ones
		baccarat      | BAC    | 6     | 3      | false    | 9          | scanner_mismatch cards_misplaced dealing_order card_damaged card_hidden card_exposed cut_card_forgotten wrong_scan
		live_baccarat | LBAC   | 8     | 1      | true     | 3          | scanner_mismatch cards_misplaced dealing_order card_damaged card_hidden card_exposed cut_card_forgotten wrong_scan
		# 9 combinations, 25 lines under and over, 2 parities, 6 faces any and none, 30 exactly
		dice          | DICE   | 0     | 1      | false    | 103        | die_fell die_on_edge die_unclear combination_unclear die_covers_line
		# 36 + 630 + 7,140 drawn, 36 not; 155 lines, 2 + 2 parities; 4 colours any and none, 20 lines twice, 24 exactly, 12 pairs twice;
		# 2 × 2 parities, 35 lines twice for first and last, 4 colours twice
		lucky5        | LUCKY5 | 0     | 1      | false    | 8404       | balls_not_ready balls_not_visible wrong_ball_count
		# 42 + 861 + 11,480 + 111,930 drawn, 42 not; 245 lines; 2 colours, 14 lines twice, 16 exactly, 2 pairs twice; 41 lines
		lucky7        | LUCKY7 | 0     | 1      | false    | 125073     | balls_not_ready balls_not_visible wrong_ball_count
		poker         | POK    | 1     | 4      | false    | 16         | scanner_mismatch cards_misplaced dealing_order card_damaged card_hidden card_exposed cut_card_forgotten wrong_scan
		war           | WAR    | 6     | 2      | false    | 25         | scanner_mismatch cards_misplaced dealing_order card_damaged card_hidden card_exposed cut_card_forgotten wrong_scan
		wheel         | WHEEL  | 0     | 1      | true     | 35         | too_few_turns wheel_touched between_sectors
		blackjack     | BJ     | 8     | 2      | true     | 28         | scanner_mismatch cards_misplaced dealing_order card_damaged card_hidden card_exposed cut_card_forgotten wrong_scan
		# 37 + 60 + 14 + 23 + 11 inside, 12 outside
		roulette      | ROU    | 0     | 1      | true     | 157        | too_few_turns wheel_touched between_sectors
	`) {
		t.Run(row[0], func(t *testing.T) {
			game := find(t, row[0])
			count := 0
			for range game.Selections {
				count++
			}
			got := []any{game.Prefix, game.Decks, len(game.Rounds), game.Paytable(), count}
			want := row[1:6]
			for i := range got {
				if text(got[i]) != want[i] {
					t.Errorf("%s: column %d is %v, want %s", game.ID, i+1, got[i], want[i])
				}
			}
			reasons := strings.Fields("connection_lost technical_failure presenter_error stream_lost system_malfunction no_result " + row[6])
			if len(reasons) != len(game.Reasons) {
				t.Errorf("%s has %d reasons to cancel", game.ID, len(game.Reasons))
			}
			for _, code := range reasons {
				if reason, known := game.CancelReason(code); !known || reason.Code != code || reason.Text == "" {
					t.Errorf("%s can't be cancelled for %s", game.ID, code)
				}
			}
			for _, code := range []string{"", "No_result", "weather", "tie"} {
				if _, known := game.CancelReason(code); known {
					t.Errorf("%s can be cancelled for %q", game.ID, code)
				}
			}
		})
	}
}

// TestReasonsOfOtherGames: a code of another game's kind is an error.
func TestReasonsOfOtherGames(t *testing.T) {
	for id, code := range map[string]string{"dice": "wrong_scan", "war": "die_fell", "wheel": "balls_not_ready", "lucky5": "wheel_touched", "roulette": "card_hidden"} {
		t.Run(id, func(t *testing.T) {
			if _, known := find(t, id).CancelReason(code); known {
				t.Errorf("%s can be cancelled for %s", id, code)
			}
		})
	}
}

// TestEverySelectionReadsBack prints and parses the whole catalogue of each
// game; no two selections share a text.
func TestEverySelectionReadsBack(t *testing.T) {
	for _, game := range games.All() {
		seen := map[string]bool{}
		for s := range game.Selections {
			text := game.Text(s)
			if seen[text] {
				t.Errorf("%s: two selections are written %s", game.ID, text)
			}
			seen[text] = true
			if back, err := game.Parse(text); err != nil || back != s {
				t.Fatalf("%s: %s reads back as %s, %v", game.ID, text, game.Text(back), err)
			}
		}
	}
}

func TestNoSelections(t *testing.T) {
	for _, row := range ruletest.Rows(t, `
		game          | text                      | code: a part of the reason
		baccarat      | Player                    | unknown_selection: Baccarat has no such selection
		baccarat      | player:1                  | illegal_shape: player has no parameters
		baccarat      | player:                   | illegal_shape: player has no parameters
		baccarat      | hand:1                    | unknown_selection: no such selection
		baccarat      | dealer                    | unknown_selection: no such selection
		live_baccarat | player_pair               | unknown_selection: Live baccarat has no such selection
		live_baccarat | big                       | unknown_selection: no such selection
		dice          | combo                     | unknown_selection: combo:<pair
		dice          | combo:                    | illegal_shape: "" is none of
		dice          | combo:one_pair            | illegal_shape: is none of
		dice          | combo:two_pair            | illegal_shape: is none of
		dice          | combo:straight            | illegal_shape: is none of
		dice          | combo:Pair                | illegal_shape: is none of
		dice          | sum_under:4.5             | illegal_shape: from 5.5 to 29.5
		dice          | sum_under:30.5            | illegal_shape: from 5.5 to 29.5
		dice          | sum_over:17               | illegal_shape: no line
		dice          | sum_over:017.5            | illegal_shape: no line
		dice          | sum_over:17.50            | illegal_shape: no line
		dice          | face:0                    | illegal_shape: from 1 to 6
		dice          | face:7                    | illegal_shape: from 1 to 6
		dice          | face_exactly:3            | illegal_shape: it is written face_exactly:<1-6>:<1-5>
		dice          | face_exactly:3:0          | illegal_shape: from 1 to 5
		dice          | face_exactly:3:6          | illegal_shape: from 1 to 5
		dice          | face_exactly:7:1          | illegal_shape: from 1 to 6
		lucky5        | drawn:0                   | illegal_shape: from 1 to 36
		lucky5        | drawn:37                  | illegal_shape: from 1 to 36
		lucky5        | drawn:1-2-3-4             | illegal_shape: more than 3 numbers
		lucky5        | drawn:2-1                 | illegal_shape: ascending
		lucky5        | drawn:7-7                 | illegal_shape: named twice
		lucky5        | drawn:07                  | illegal_shape: no whole number
		lucky5        | drawn:1,2                 | illegal_shape: no whole number
		lucky5        | sum_under:14.5            | illegal_shape: from 15.5 to 169.5
		lucky5        | sum_over:170.5            | illegal_shape: from 15.5 to 169.5
		lucky5        | colour_any:yellow         | illegal_shape: none of white, green, red, blue
		lucky5        | color_any:white           | unknown_selection: no such selection
		lucky5        | colour_under:white:5.5    | illegal_shape: from 0.5 to 4.5
		lucky5        | colour_exactly:white:6    | illegal_shape: from 0 to 5
		lucky5        | colour_more:white-white   | illegal_shape: compares white with itself
		lucky5        | colour_equal:white        | illegal_shape: no pair
		lucky5        | first_under:0.5           | illegal_shape: from 1.5 to 35.5
		lucky5        | last_over:36.5            | illegal_shape: from 1.5 to 35.5
		lucky7        | drawn:1-2-3-4-5           | illegal_shape: more than 4 numbers
		lucky7        | drawn:43                  | illegal_shape: from 1 to 42
		lucky7        | colour_any:white          | illegal_shape: none of yellow, black
		lucky7        | sum_under:27.5            | illegal_shape: from 28.5 to 272.5
		lucky7        | sum_under:273.5           | illegal_shape: from 28.5 to 272.5
		lucky7        | colour_over:black:7.5     | illegal_shape: from 0.5 to 6.5
		lucky7        | colour_exactly:black:8    | illegal_shape: from 0 to 7
		lucky7        | first_over:42.5           | illegal_shape: from 1.5 to 41.5
		poker         | hand                      | unknown_selection: it is written hand:<1-6>
		poker         | hand:                     | illegal_shape: from 1 to 6
		poker         | hand:0                    | illegal_shape: from 1 to 6
		poker         | hand:7                    | illegal_shape: from 1 to 6
		poker         | hand:1:2                  | illegal_shape: from 1 to 6
		poker         | hand:+1                   | illegal_shape: from 1 to 6
		poker         | hand:１                   | illegal_shape: from 1 to 6
		poker         | hands:1                   | unknown_selection: no such selection
		poker         | combo:one_pair            | illegal_shape: is none of
		poker         | combo:all_different       | illegal_shape: is none of
		war           | tie                       | unknown_selection: no such selection
		war           | player_under_8:1          | illegal_shape: has no parameters
		war           | player_9                  | unknown_selection: no such selection
		wheel         | under                     | unknown_selection: it is written under:9.5
		wheel         | under:8.5                 | illegal_shape: from 9.5 to 9.5
		wheel         | range:1-18                | illegal_shape: is none of 1-6, 7-12, 13-18
		wheel         | range:6-1                 | illegal_shape: is none of
		wheel         | number:19                 | illegal_shape: from 1 to 18
		wheel         | number:0                  | illegal_shape: from 1 to 18
		wheel         | cup                       | unknown_selection: no such selection
		blackjack     | seat:0                    | illegal_shape: from 1 to 7
		blackjack     | seat:8                    | illegal_shape: from 1 to 7
		blackjack     | double:1                  | illegal_shape: it is written double:<1-7>:1
		blackjack     | double:1:2                | illegal_shape: from 1 to 1
		blackjack     | insurance                 | unknown_selection: it is written insurance:<1-7>
		roulette      | split:1-5                 | illegal_shape: not neighbours on the layout
		roulette      | split:2-1                 | illegal_shape: ascending
		roulette      | split:3-4                 | illegal_shape: not neighbours on the layout
		roulette      | split:0-4                 | illegal_shape: not neighbours on the layout
		roulette      | split:1-1                 | illegal_shape: named twice
		roulette      | split:1                   | illegal_shape: fewer than 2 numbers
		roulette      | split:1-2-3               | illegal_shape: more than 2 numbers
		roulette      | street:1-2-4              | illegal_shape: no row of the layout
		roulette      | street:2-3-4              | illegal_shape: no row of the layout
		roulette      | street:0-1-3              | illegal_shape: no row of the layout
		roulette      | corner:1-2-3-4            | illegal_shape: don't meet in a corner
		roulette      | corner:3-4-6-7            | illegal_shape: don't meet in a corner
		roulette      | line:1-7                  | illegal_shape: first and the last of six
		roulette      | line:2-7                  | illegal_shape: first and the last of six
		roulette      | line:1-2-3-4-5-6          | illegal_shape: more than 2 numbers
		roulette      | line:0-3                  | illegal_shape: from 1 to 36
		roulette      | five:0-1-2-3              | unknown_selection: no such selection
		roulette      | straight:37               | illegal_shape: from 0 to 36
		roulette      | straight:00               | illegal_shape: from 0 to 36
		roulette      | dozen:0                   | illegal_shape: from 1 to 3
		roulette      | column:4                  | illegal_shape: from 1 to 3
		roulette      | green                     | unknown_selection: no such selection
	`) {
		t.Run(row[0]+" "+row[1], func(t *testing.T) {
			checkNoSelection(t, find(t, row[0]), row[1], row[2])
		})
	}
	for _, game := range games.All() {
		for _, text := range []string{"", ":", "::", " ", "\x00", "\xff", strings.Repeat("a", 1<<16), strings.Repeat(":", 1<<16)} {
			checkNoSelection(t, game, text, "unknown_selection: no such selection")
		}
		for i := range game.Families {
			name := game.Families[i].Name
			for s := range game.SelectionsOf(name) {
				text := game.Text(s)
				checkNoSelection(t, game, " "+text, "unknown_selection: ")
				checkNoSelection(t, game, strings.ToUpper(text), "unknown_selection: ")
				for _, after := range []string{":", ":1", ": "} {
					checkNoSelection(t, game, text+after, "illegal_shape: ")
				}
				checkNoSelection(t, game, name+":"+strings.Repeat("9", 1<<16), "illegal_shape: ")
				checkNoSelection(t, game, name+":-1", "illegal_shape: ")
				break // one of each family
			}
		}
	}
}

func checkNoSelection(t *testing.T, game *rules.Game, text, want string) {
	t.Helper()
	s, err := game.Parse(text)
	if err == nil {
		t.Errorf("%s: %.60q reads as %s", game.ID, text, game.Text(s))
		return
	}
	code, reason, _ := strings.Cut(want, ": ")
	wrong, typed := err.(*rules.SelectionError)
	if !typed || wrong.Code != code || !strings.Contains(wrong.Reason, reason) || wrong.Reason == "" {
		t.Errorf("%s: %.60q: %.120v; want %s", game.ID, text, err, want)
	}
}

// FuzzParse: what reads prints as it was written, in every game, and nothing
// else is a selection.
func FuzzParse(f *testing.F) {
	for _, game := range games.All() {
		for i := range game.Families {
			for s := range game.SelectionsOf(game.Families[i].Name) {
				f.Add(game.Text(s))
				break
			}
		}
	}
	for _, text := range []string{"", ":", "hand:", "split:1-5", "drawn:1-1", "sum_over:0125.5", "corner:0-1-2-3", "line:1-6"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, game := range games.All() {
			s, err := game.Parse(text)
			if err != nil {
				if wrong := err.(*rules.SelectionError); wrong.Reason == "" || wrong.Code != "unknown_selection" && wrong.Code != "illegal_shape" {
					t.Fatalf("%s: %q: %v", game.ID, text, err)
				}
				continue
			}
			if game.Text(s) != text {
				t.Fatalf("%s: %q prints as %q", game.ID, text, game.Text(s))
			}
			if back, err := game.Parse(game.Text(s)); err != nil || back != s {
				t.Fatalf("%s: %q does not read back", game.ID, text)
			}
			found := false
			for known := range game.SelectionsOf(game.Family(s).Name) {
				if found = known == s; found {
					break
				}
			}
			if !found {
				t.Fatalf("%s: %q is not in the catalogue", game.ID, text)
			}
		}
	})
}
