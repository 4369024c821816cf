package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/fakedynamo"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/intake"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// draws lists draws page by page.
func (w *world) draws(query string) (ids []string) {
	w.Helper()
	for next := ""; ; {
		list := decoded[v1.Draws](w.TB, w.want(w.do(http.MethodGet, "/v1/draws?"+query+next, ""), "200"))
		for _, d := range list.Draws {
			ids = append(ids, d.Draw+" "+d.Status)
		}
		if list.Next == "" {
			return ids
		}
		next = "&cursor=" + list.Next
	}
}

// TestStoredIdentifiers answers a draw whose table an earlier version took as "..": each
// answer is as the document says.
func TestStoredIdentifiers(t *testing.T) {
	w := newWorldOn(t, store.New(fakedynamo.New(t, "tally"), "tally"))
	w.open("roulette", "rou-1", "")
	head, _, err := w.table.Get(t.Context(), store.DrawKey("rou-1"), store.HeadKey)
	if err != nil {
		t.Fatal(err)
	}
	head.Body, head.Version = strings.Replace(head.Body, `"table":"t-1"`, `"table":".."`, 1), head.Version+1
	if err := w.table.Replace(t.Context(), head); err != nil {
		t.Fatal(err)
	}
	if got := decoded[v1.Draw](t, w.want(w.do(http.MethodGet, "/v1/draws/rou-1", ""), "200")); got.Table != ".." {
		t.Errorf("%+v, want got.Table = \"..\"", got)
	}
	w.want(w.do(http.MethodGet, "/v1/draws/%2E%2E", ""), "400 invalid_request")
}

// TestListDraws finds draws of three days by what they can be found by.
func TestListDraws(t *testing.T) {
	w := newWorld(t)
	w.allow(100_000)
	var all []string
	for day := range 3 {
		for i := range 5 {
			game := []string{"roulette", "live_baccarat"}[i%2]
			id := fmt.Sprintf("d%d.%d", day, i)
			w.open(game, id, "")
			w.pass(time.Minute)
			all = append(all, id)
		}
		w.pass(24*time.Hour - 5*time.Minute)
	}
	span := "from=" + instant.Format(noon) + "&to=" + instant.Format(noon+3*24*3_600_000)
	w.say(intake.Studio, "roulette", "d0.0", "draw.resulted", `,"revision":1,"facts":`+facts17)
	for _, test := range []struct {
		query string
		want  func(id string, at int) bool
	}{
		{span, func(string, int) bool { return true }},
		{span + "&limit=2", func(string, int) bool { return true }},
		{span + "&limit=4&game=roulette", func(_ string, at int) bool { return at%5%2 == 0 }},
		{span + "&limit=1&status=resulted", func(_ string, at int) bool { return at == 0 }},
		{span + "&table=t-2", func(string, int) bool { return false }},
		{"from=" + instant.Format(noon+60_000) + "&to=" + instant.Format(noon+180_000), func(_ string, at int) bool { return at == 1 || at == 2 }},
	} {
		t.Run(test.query, func(t *testing.T) {
			var want []string
			for at, id := range all {
				status := " closed"
				if at == 0 {
					status = " resulted"
				}
				if test.want(id, at) {
					want = append(want, id+status)
				}
			}
			if got := w.draws(test.query); !slices.Equal(got, want) {
				t.Errorf("%s: %q, not %q", test.query, got, want)
			}
		})
	}
	w.open("roulette", "now", "")
	if got := w.draws("status=open"); !slices.Equal(got, []string{"now open"}) {
		t.Errorf("open: %q", got)
	}
	for _, query := range []string{"from=2026-11-30", "from=2026-11-30T12:00:00.000Z&to=2026-11-30T12:00:00.000Z", "from=2026-11-30T12:00:00.000Z&to=2027-11-30T12:00:00.000Z",
		"status=lost", "limit=0", "limit=101", "limit=1&limit=2", "colour=red", "cursor=x", "cursor=AAAA", "from=2026-02-30T12:00:00.000Z"} {
		w.want(w.do(http.MethodGet, "/v1/draws?"+query, ""), "400 invalid_request")
	}
}

// TestBoardsOfDraws lists draws with their boards: the same that each alone has, of
// those that take bets only, and no more in a page than an answer may have.
func TestBoardsOfDraws(t *testing.T) {
	w := newWorld(t)
	w.allow(100_000)
	w.open("lucky5", "early", `{"sum_odd":"1.95"}`)
	w.pass(2 * time.Minute)
	w.open("lucky5", "board", `{"sum_odd":"1.90","sum_even":"1.85"}`)
	w.open("roulette", "paytable", "")
	w.say(intake.Studio, "war", "rounds", "draw.opened", fmt.Sprintf(`,"sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q},{"round":2,"opens_at":%q,"closes_at":%q}],"odds":{"player":"2.10","dealer":"2.00"}`,
		instant.Format(w.now()-30_000), instant.Format(w.now()-1), instant.Format(w.now()-1), instant.Format(w.now()+60_000)))
	w.say(intake.Studio, "war", "rounds", "betting.opened", fmt.Sprintf(`,"round":2,"opens_at":%q,"closes_at":%q,"visible":{"player":"KS"},"odds":{"player":"1.10","dealer":"9.00"}`,
		instant.Format(w.now()-1), instant.Format(w.now()+60_000)))
	w.pass(time.Second)
	list := decoded[v1.Draws](t, w.want(w.do(http.MethodGet, "/v1/draws?board=current", ""), "200")).Draws
	if len(list) != 4 {
		t.Fatalf("%+v, want len(list) = 4", list)
	}
	for _, d := range list {
		alone := decoded[v1.DrawDetail](t, w.want(w.do(http.MethodGet, "/v1/draws/"+d.Draw, ""), "200"))
		var current *v1.Board
		for i := range alone.Boards {
			if alone.Boards[i].Current {
				current = &alone.Boards[i]
			}
		}
		if !reflect.DeepEqual(d.Board, current) || (d.Board != nil) != (d.Status == "open") {
			t.Errorf("%s: %+v in the list, %+v alone", d.Draw, d.Board, current)
		}
		switch d.Draw {
		case "board":
			if d.Board.Odds["sum_even"] != "1.85" {
				t.Errorf("%+v, want d.Board.Odds[\"sum_even\"] = \"1.85\"", d.Board)
			}
		case "rounds":
			if d.Board.Round != 2 || d.Board.Odds["dealer"] != "9.00" || string(d.Board.Visible) != `{"player":"KS"}` {
				t.Errorf("%+v, want d.Board.Round = 2 and d.Board.Odds[\"dealer\"] = \"9.00\" and string(d.Board.Visible) = `{\"player\":\"KS\"}`",
					d.Board)
			}
		}
	}
	for _, d := range decoded[v1.Draws](t, w.do(http.MethodGet, "/v1/draws", "")).Draws {
		if d.Board != nil {
			t.Errorf("%+v, want no d.Board", d)
		}
	}

	// Draws whose boards have some 100 KB: more than an answer may have, together.
	var odds []string
	for i := 1; i < 29 && len(odds) < 4000; i++ {
		for j := i + 1; j < 43; j++ {
			for k := j + 1; k < 43; k++ {
				odds = append(odds, fmt.Sprintf(`"drawn:%d-%d-%d":"150.00"`, i, j, k))
			}
		}
	}
	var all []string
	for i := range 45 {
		id := fmt.Sprintf("large-%02d", i)
		w.open("lucky7", id, "{"+strings.Join(odds, ",")+"}")
		all = append(all, id)
	}
	var got []string
	pages := 0
	for cursor := ""; ; pages++ {
		a := w.want(w.do(http.MethodGet, "/v1/draws?game=lucky7&board=current"+cursor, ""), "200")
		page := decoded[v1.Draws](t, a)
		for _, d := range page.Draws {
			if len(d.Board.Odds) != len(odds) {
				t.Fatalf("%s has %d odds", d.Draw, len(d.Board.Odds))
			}
			got = append(got, d.Draw)
		}
		if len(a.body) > 5<<20 || page.Next == "" {
			break
		}
		cursor = "&cursor=" + page.Next
	}
	if !slices.Equal(got, all) || pages != 1 {
		t.Errorf("%q in %d pages", got, pages+1)
	}
}

// TestGetDraw looks at a draw of two betting rounds as it goes on.
func TestGetDraw(t *testing.T) {
	w := newWorld(t)
	at := func(minutes settlement.Instant) string { return instant.Format(noon + 60_000*minutes) }
	w.say(intake.Studio, "war", "w-1", "draw.opened", fmt.Sprintf(`,"sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q},{"round":2,"opens_at":%q,"closes_at":%q}],"odds":{"player":"2.08","dealer":"2.08"}`,
		at(0), at(1), at(2), at(3)))
	get := func() v1.DrawDetail {
		return decoded[v1.DrawDetail](t, w.want(w.do(http.MethodGet, "/v1/draws/w-1", ""), "200"))
	}
	if d := get(); d.Status != "open" || d.Sequence != 7 || len(d.Boards) != 2 || !d.Boards[0].Current || d.Boards[0].Odds["player"] != "2.08" || d.Boards[1].Odds != nil {
		t.Errorf("%+v, want d.Status = \"open\" and d.Sequence = 7 and len(d.Boards) = 2 and d.Boards[0].Current and d.Boards[0].Odds[\"player\"] = \"2.08\" and no d.Boards[1].Odds",
			d)
	}
	// Without a result there is no state, not a state 0.
	for _, path := range []string{"/v1/draws/w-1", "/v1/draws/w-1/totals", "/v1/draws?from=" + at(0) + "&to=" + at(1)} {
		t.Run(path, func(t *testing.T) {
			if text := string(w.want(w.do(http.MethodGet, path, ""), "200").body); strings.Contains(text, `"state"`) {
				t.Errorf("%s: %s", path, text)
			}
		})
	}
	w.pass(90 * time.Second)
	if d := get(); d.Status != "closed" || d.Rounds[0].Status != "closed" || d.Rounds[1].Status != "upcoming" {
		t.Errorf("%+v, want d.Status = \"closed\" and d.Rounds[0].Status = \"closed\" and d.Rounds[1].Status = \"upcoming\"", d)
	}
	w.pass(30 * time.Second)
	w.say(intake.Studio, "war", "w-1", "betting.opened", fmt.Sprintf(`,"round":2,"opens_at":%q,"closes_at":%q,"visible":{"player":"KS"},"odds":{"player":"1.17","player_red":"lose"}`, at(2), at(3)))
	d := get()
	if b := d.Boards[1]; !b.Current || string(b.Visible) != `{"player":"KS"}` || b.Decided["player_red"] != "lose" || !maps.Equal(b.Odds, map[string]string{"player": "1.17", "player_red": "lose"}) {
		t.Errorf("%+v", d.Boards)
	}
	w.pass(time.Minute)
	w.result("war", "w-1", 1, `{"player":"KS","dealer":"AD"}`)
	w.say(intake.Studio, "war", "w-1", "draw.cancelled", `,"revision":2,"reason":"card_hidden"`)
	d = get()
	if d.Status != "resulted" || d.State != 2 || len(d.States) != 2 || len(d.Revisions) != 2 || d.Revisions[0].Type != "draw.resulted" ||
		string(d.Revisions[0].Outcome) != `{"winner":"dealer"}` || d.Revisions[1].Reason != "card_hidden" || d.States[1].Revision != 2 {
		t.Errorf("%+v", d)
	}
	w.want(w.do(http.MethodGet, "/v1/draws/nosuch", ""), "404 unknown_draw")
	w.want(w.do(http.MethodGet, "/v1/games/chess", ""), "404 unknown_game")
}

// TestOddsToCome asks for what takes bets now, with its odds: a draw whose board has
// not come is not among it, one with a paytable is.
func TestOddsToCome(t *testing.T) {
	w := newWorld(t)
	w.open("poker", "pok-1", "")
	w.open("poker", "pok-2", `{"hand:1":"5.80"}`)
	w.open("roulette", "rou-1", "")
	for query, want := range map[string]string{"status=open&board=current": "pok-2 rou-1 ", "status=open": "pok-1 pok-2 rou-1 ", "board=current": "pok-1 pok-2 rou-1 "} {
		t.Run(query, func(t *testing.T) {
			got := ""
			for _, d := range decoded[v1.Draws](t, w.want(w.do(http.MethodGet, "/v1/draws?"+query, ""), "200")).Draws {
				got += d.Draw + " "
			}
			if got != want {
				t.Errorf("%s: %s, not %s", query, got, want)
			}
		})
	}
}

// A draw that tally itself has cancelled, for want of a result, has a state and no revision
// of the studio's.
func TestCancelledByTally(t *testing.T) {
	w := newWorldOn(t, store.New(fakedynamo.New(t, "table"), "table"))
	w.open("roulette", "rou-1", "")
	w.pass(time.Hour)
	head, version, err := record.LoadHead(t.Context(), w.table, "rou-1")
	if err != nil || !head.Cancel(w.now()) {
		t.Fatalf("the draw is not cancelled: %v", err)
	}
	game, err := head.Rules()
	if err != nil {
		t.Fatal(err)
	}
	state, err := intake.NextState(t.Context(), w.table, head, game, w.now())
	if err != nil {
		t.Fatal(err)
	}
	writes := append(intake.HeadWrites(head, version, state), store.Creating(store.Item{PK: store.DrawKey("rou-1"), SK: store.RevisionKey(draw.AutomaticRevision), StoredAt: w.now()}))
	if err := w.table.Transact(t.Context(), writes...); err != nil {
		t.Fatal(err)
	}
	detail := decoded[v1.DrawDetail](t, w.want(w.do(http.MethodGet, "/v1/draws/rou-1", ""), "200"))
	if len(detail.Revisions) != 0 || len(detail.States) != 1 || detail.States[0].Revision != draw.AutomaticRevision {
		t.Errorf("it has the revisions %+v and the states %+v", detail.Revisions, detail.States)
	}
}
