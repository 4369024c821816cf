package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	v1 "tally/lib/api/v1"
	"tally/lib/intake"
	"tally/lib/settlement"
	"tally/lib/wire"
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
	span := "from=" + wire.FormatTime(noon) + "&to=" + wire.FormatTime(noon+3*24*3_600_000)
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
		{"from=" + wire.FormatTime(noon+60_000) + "&to=" + wire.FormatTime(noon+180_000), func(_ string, at int) bool { return at == 1 || at == 2 }},
	} {
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

// TestGetDraw looks at a draw of two betting rounds as it goes on.
func TestGetDraw(t *testing.T) {
	w := newWorld(t)
	at := func(minutes settlement.Instant) string { return wire.FormatTime(noon + 60_000*minutes) }
	w.say(intake.Studio, "war", "w-1", "draw.opened", fmt.Sprintf(`,"sequence":7,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q},{"round":2,"opens_at":%q,"closes_at":%q}],"odds":{"player":"2.08","dealer":"2.08"}`,
		at(0), at(1), at(2), at(3)))
	get := func() v1.DrawDetail {
		return decoded[v1.DrawDetail](t, w.want(w.do(http.MethodGet, "/v1/draws/w-1", ""), "200"))
	}
	if d := get(); d.Status != "open" || d.Sequence != 7 || len(d.Boards) != 2 || !d.Boards[0].Current || d.Boards[0].Odds["player"] != "2.08" || d.Boards[1].Odds != nil {
		t.Errorf("%+v", d)
	}
	w.pass(90 * time.Second)
	if d := get(); d.Status != "closed" || d.Rounds[0].Status != "closed" || d.Rounds[1].Status != "upcoming" {
		t.Errorf("%+v", d)
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
