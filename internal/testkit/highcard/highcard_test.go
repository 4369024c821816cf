package highcard_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/simulation"
	"tally/internal/simulation/plans"
	"tally/internal/studio"
	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakeobjects"
	"tally/internal/testkit/highcard"
	"tally/lib/archive/verify"
	"tally/lib/bookmaker/api"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/lambda/pages"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/replay"
	"tally/lib/rulebook/settlement"
	sitepages "tally/lib/site/pages"
	"tally/lib/site/pages/texts"
)

// The game resolves and settles offline as every other does.
func TestOffline(t *testing.T) {
	defer games.Release(highcard.Game)()
	for _, row := range []struct{ line, resolved, settled string }{
		{`{"game":"highcard","facts":{"player":"KS","dealer":"AD"},"bets":[{"bet":"b1","selection":"dealer","odds":"1.95","stake":"10.00","currency":"EUR"}]}`,
			`"outcome":{"winner":"dealer","margin":1}`, `{"bet":"b1","status":"won","payout":"19.50","rule":"HIGH-1"}`},
		{`{"game":"highcard","facts":{"player":"9C","dealer":"9D"},"bets":[{"bet":"b1","selection":"dealer","odds":"1.95","stake":"10.00","currency":"EUR"}]}`,
			`"outcome":{"winner":"tie","margin":0}`, `{"bet":"b1","status":"refunded","payout":"10.00","reason":"tie","rule":"HIGH-2"}`},
		{`{"game":"highcard","facts":{"player":"KS","dealer":"KS"},"bets":[]}`, `"code":"duplicate_card"`, `"code":"duplicate_card"`},
	} {
		t.Run(row.resolved, func(t *testing.T) {
			if got := string(new(replay.Resolver).Respond(nil, []byte(row.line))); !strings.Contains(got, row.resolved) {
				t.Errorf("%s resolves to %s, without %s", row.line, got, row.resolved)
			}
			if got := string(new(replay.Settler).Respond(nil, []byte(row.line))); !strings.Contains(got, row.settled) {
				t.Errorf("%s settles to %s, without %s", row.line, got, row.settled)
			}
		})
	}
}

// id is the draw that is played.
const id = "high-1.20261130.0001"

// house is all that a draw goes through, on a table and a log in memory.
type house struct {
	*testing.T
	*archivetest.Sample
	site  *fakeobjects.Fake
	token string
	now   settlement.Instant
}

// Send takes what is sent to queues; only the archive is listened to.
func (*house) Send(context.Context, string, time.Duration) error { return nil }

// Nobody measures anything here.
func (h *house) Quarantined(code string)                     { h.Errorf("quarantined: %s", code) }
func (*house) Stored(string, time.Duration, string)          {}
func (*house) Settled(string, int, int, bool, time.Duration) {}
func (*house) Mismatch(string)                               {}
func (*house) Accepted(string)                               {}
func (*house) Unlooked(string)                               {}
func (*house) Refused(string, string)                        {}
func (*house) Denied(string)                                 {}
func (*house) Failed(string)                                 {}
func (*house) Behind(int64)                                  {}
func (*house) Written(int)                                   {}

// archived takes what is sent to the archive.
type archived struct{ *house }

func (a archived) Send(_ context.Context, body string, _ time.Duration) error {
	e, err := wire.ParseAppend(body)
	a.Told = append(a.Told, e)
	return err
}

func (h *house) clock() settlement.Instant { return h.now }

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// say has the studio say something of the draw.
func (h *house) say(kind, rest string) {
	h.Helper()
	in := &intake.Intake{Table: h.Table, Replies: h, Sweeps: h, Archive: archived{h}, Record: h, Settings: draw.Settings{Shards: 1}, Now: h.clock, Log: slog.New(slog.DiscardHandler)}
	body := fmt.Sprintf(`{"schema":1,"id":%q,"type":%q,"game":"highcard","table":"high-1","draw":%q,"at":%q,%s}`, kind, kind, id, instant.Format(h.now), rest)
	h.must(in.Handle(h.Context(), intake.Delivery{Body: []byte(body), SentAt: h.now, From: intake.Studio}))
	h.now += 1000
}

// ask asks the API.
func (h *house) ask(method, path, body string) string {
	h.Helper()
	handler, err := api.New(api.Options{Table: h.Table, Now: h.clock, Record: h, Log: slog.New(slog.DiscardHandler)})
	h.must(err)
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+h.token)
	request.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	return fmt.Sprint(response.Code, " ", response.Body.String())
}

// has fails unless a text has all parts.
func (h *house) has(what, text string, parts ...string) {
	h.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			h.Errorf("%s has no %s: %.3000s", what, part, text)
		}
	}
}

// packed gives the pages what they say of the games that are released now, as go generate does
// for those that stay.
func packed(t *testing.T) (undo func()) {
	before := sitepages.Embedded
	now, err := texts.Pack(os.DirFS("../../../lib/site/pages"))
	if err != nil {
		t.Fatal(err)
	}
	sitepages.Embedded = now
	return func() { sitepages.Embedded = before }
}

// A draw goes from its announcement to the proof of its result: by way of intake, the
// API, settlement, the log, the site, its statistics, and verifying.
func TestPlayed(t *testing.T) {
	defer games.Release(highcard.Game)()
	defer packed(t)()
	h := &house{T: t, Sample: archivetest.New(t), site: fakeobjects.New(), now: 1_796_040_000_000} // 2026-11-30T12:00:00Z
	var err error
	h.token, _, err = (&keys.Registry{Table: h.Table, Now: h.clock}).Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes()})
	h.must(err)

	h.say("draw.opened", fmt.Sprintf(`"sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}],"odds":{"player":"1.95","dealer":"1.95","tie":"15.5"}`,
		instant.Format(h.now), instant.Format(h.now+60_000)))
	h.has("the catalogue", h.ask(http.MethodGet, "/v1/games", ""), `"game":"highcard"`, `"odds":"board"`)
	const bet = `{"selection":%q,"odds":%q,"stake":"10.00","currency":"EUR"}`
	h.has("a bet", h.ask(http.MethodPut, "/v1/draws/"+id+"/bets/b-1", fmt.Sprintf(bet, "dealer", "1.95")), "201 ")
	h.has("a bet", h.ask(http.MethodPut, "/v1/draws/"+id+"/bets/b-2", fmt.Sprintf(bet, "tie", "15.5")), "201 ")
	h.has("a bet at other odds", h.ask(http.MethodPut, "/v1/draws/"+id+"/bets/b-3", fmt.Sprintf(bet, "tie", "15.6")), "409 ", "odds_changed")
	h.now += 20_000
	h.say("betting.closed", fmt.Sprintf(`"round":1,"closed_at":%q`, instant.Format(h.now)))
	h.say("draw.resulted", `"revision":1,"facts":{"player":"KS","dealer":"AD"}`)
	h.now += 60_000
	settler := &settle.Settler{Table: h.Table, Archive: archived{h}, Record: h, Now: h.clock, Log: slog.New(slog.DiscardHandler), Parallel: 1, PageLines: 4}
	h.must(settler.Handle(t.Context(), id))
	h.has("the draw", h.ask(http.MethodGet, "/v1/draws/"+id, ""), "200 ", `"winner":"dealer"`)
	h.has("the bet that won", h.ask(http.MethodGet, "/v1/draws/"+id+"/bets/b-1", ""), `"status":"won"`, `"payout":"19.50"`, `"rule":"HIGH-1"`)
	h.has("the bet that lost", h.ask(http.MethodGet, "/v1/draws/"+id+"/bets/b-2", ""), `"status":"lost"`)

	h.ArchiveAll()
	files := h.Files.Files()
	follow, err := pages.Follow(pages.Params{Origin: archivetest.Origin, PublicKeys: []string{h.VerifierKey}, Known: h.known(), Log: h.Files, Site: h.site, Record: h, Logger: slog.New(slog.DiscardHandler)})
	h.must(err)
	h.must(follow(t.Context()))
	page := func(path string) string { return string(h.site.Files()[path].Data) }
	h.has("the page", page("en/highcard/2026-11-30/"+id+".html"), `<p class="line">Dealer · 1 rank</p>`, `aria-label="king of spades"`,
		`<div class="side wins"><h3>Dealer <span class="winner">wins</span></h3>`, "<dt>By how many ranks</dt>", "before the cards")
	h.has("the page in Ukrainian", page("uk/highcard/2026-11-30/"+id+".html"), "Дилер · 1 ранг", "Старша карта")
	h.has("the latest results", page("es/index.html"), "Carta alta", "Crupier · 1 rango")
	h.has("the statistics", page("pt/highcard/statistics.html"), "Por quantas posições", "Empate", "47,059%") // of the other 51 cards 48 decide, 24 for each

	report, err := verify.Log(t.Context(), memory(files), verify.Params{Origin: archivetest.Origin, Known: h.known(), Now: func() time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }})
	h.must(err)
	if len(report.Findings) > 0 || report.Counts.Resolved != 1 || report.Counts.Settlements != 1 {
		t.Errorf("verifying finds %v, %+v", report.Findings, report.Counts)
	}
}

// known is the log's key.
func (h *house) known() note.Verifiers {
	h.Helper()
	verifier, err := note.NewVerifier(h.VerifierKey)
	h.must(err)
	return note.VerifierList(verifier)
}

// memory is a log's files.
type memory map[string]fakeobjects.Object

func (m memory) Get(_ context.Context, path string) ([]byte, error) {
	file, found := m[path]
	if !found {
		return nil, verify.ErrMissing
	}
	return file.Data, nil
}

// The studio of the demo deals it, with odds near the fair ones.
func TestStudio(t *testing.T) {
	defer games.Release(highcard.Game)()
	script, err := studio.New(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(script.Draws, func(d *studio.Draw) bool { return d.Game.ID == "highcard" })
	if at < 0 {
		t.Fatalf("it is on none of %d tables", len(script.Draws))
	}
	if _, resolved := script.Draws[at].Outcome(); !resolved {
		t.Errorf("%s has no outcome", script.Draws[at].Facts)
	}
	if !slices.ContainsFunc(script.Steps, func(s studio.Step) bool { return s.Bet != nil && s.Bet.Draw == script.Draws[at] && s.Bet.Odds != "" }) {
		t.Error("nobody bets on it")
	}
}

// The simulation plays it, with all that may go wrong.
func TestSimulation(t *testing.T) {
	defer games.Release(highcard.Game)()
	const runs = 5
	played := 0
	for seed := uint64(1); played < runs && seed < 100; seed++ {
		plan := plans.New(seed)
		if !slices.ContainsFunc(plan.Draws, func(id string) bool { return strings.HasPrefix(id, "highcard-") }) {
			continue
		}
		played++
		if o := simulation.Run(t, plan); len(o.Problems) > 0 {
			t.Errorf("seed %d: %s", seed, strings.Join(o.Problems, "\n"))
		}
	}
	if played < runs {
		t.Errorf("only %d of 100 seeds play it", played)
	}
}
