package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tally/internal/simulation/plans"
	"tally/internal/testkit/fakedynamo"
	bookmakerapi "tally/lib/bookmaker/api"
	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/settle"
	"tally/lib/pipeline/webhook"
)

// reader is what acme's programs received: by the feed, which one follows, by totals,
// and by webhooks.
type reader struct {
	world  *world
	api    http.Handler
	key    string
	busy   bool
	next   int64 // of the feed
	feed   []v1.FeedEntry
	totals []v1.PeriodTotals
	bodies map[string]string // of webhooks, by webhook-id
	pushed []v1.FeedEntry    // by webhooks, as each came first
}

func newReader(t testing.TB, w *world) *reader {
	r, p := &reader{world: w, bodies: map[string]string{}}, w.processOf(w.skew())
	var err error
	if r.api, err = bookmakerapi.New(bookmakerapi.Options{Table: p.table, Now: p.now, Clock: p.watch.Check, Record: discard{}, Log: slog.New(slog.NewTextHandler(r, nil))}); err != nil {
		t.Fatal(err)
	}
	if r.key, _, err = (&keys.Registry{Table: w.table, Now: p.now}).Create(t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: []string{keys.FeedRead}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := (&webhook.Store{Table: w.table, Now: p.now}).Set(t.Context(), webhook.Params{Bookmaker: "acme", URL: "https://acme.example/hook"}); err != nil {
		t.Fatal(err)
	}
	return r
}

// Write is the API's log: requests fail, but nothing panics.
func (r *reader) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("panic: ")) {
		r.world.problem("%s", line)
	}
	return len(line), nil
}

// read has one of the programs ask. They do so while a transaction becomes visible.
func (r *reader) read() {
	r.busy = true
	what := plans.Pick(r.world.random, []string{"its feed", "2000-01-01", "2000-01"})
	r.world.start("acme reads "+what, func(ctx context.Context) error {
		if what != "its feed" {
			return r.total(ctx, what)
		}
		return r.follow(ctx)
	}, func(*task) { r.busy = false })
}

// follow reads the feed to its end.
func (r *reader) follow(ctx context.Context) error {
	for {
		var page v1.Feed
		if err := r.get(ctx, fmt.Sprintf("/v1/feed?limit=3&after=%d", r.next), &page); err != nil {
			return err
		}
		r.feed, r.next = append(r.feed, page.Entries...), page.Next
		if page.Next == page.Newest {
			return nil
		}
	}
}

// total asks for the totals of a period.
func (r *reader) total(ctx context.Context, period string) error {
	var told v1.PeriodTotals
	err := r.get(ctx, "/v1/totals?period="+period, &told)
	if err == nil {
		r.totals = append(r.totals, told)
	}
	return err
}

// get asks the API. It may be unable to answer, but finds nothing wrong with the request.
func (r *reader) get(ctx context.Context, path string, into any) error {
	request, answer := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil), httptest.NewRecorder()
	request.Header.Set("Authorization", "Bearer "+r.key)
	r.api.ServeHTTP(answer, request)
	if answer.Code == http.StatusOK {
		return json.Unmarshal(answer.Body.Bytes(), into)
	}
	if answer.Code < http.StatusInternalServerError {
		r.world.problem("%s was answered %s", path, answer.Body)
	}
	return fmt.Errorf("%s was answered %s", path, answer.Body)
}

// push is the handler of messages to webhook.
func (r *reader) push(ctx context.Context, body string) error {
	asked, err := wire.ParsePush(body)
	if err != nil {
		return err
	}
	p := r.world.process()
	worker := &webhook.Worker{Table: p.table, Sender: r, Record: discard{}, Now: p.now, Log: quiet}
	again, err := worker.Deliver(ctx, asked.Bookmaker)
	if after := time.Duration(again-p.now()) * time.Millisecond; err == nil && again != 0 && after <= time.Minute {
		return &settle.NotYetError{After: max(0, after)}
	}
	return err
}

// wake asks for what webhooks lack.
func (r *reader) wake(ctx context.Context) error {
	if r == nil {
		return nil
	}
	return (&webhook.Dispatcher{Table: r.world.table, Queue: sender{world: r.world, queue: r.world.webhooks},
		Now: r.world.processOf(r.world.skew()).now}).Wake(ctx)
}

// Send implements webhook.Sends: the scheduler decides what becomes of a request.
func (r *reader) Send(ctx context.Context, _ *webhook.Endpoint, m webhook.Message, _ time.Time) (webhook.Outcome, error) {
	verdict := r.world.intercept(ctx, fakedynamo.Call{Operation: "Send", Keys: []string{m.ID}, Write: true})
	if err := ctx.Err(); err != nil {
		return webhook.Outcome{}, err
	}
	if verdict == fakedynamo.Proceed || verdict == fakedynamo.FailAfter || verdict == fakedynamo.SendTwice {
		r.take(m)
	}
	if verdict == fakedynamo.Proceed {
		return webhook.Outcome{Status: http.StatusNoContent}, nil
	}
	return webhook.Outcome{Failed: webhook.FailedBusy, After: 5 * time.Second}, nil // other waits are random
}

// take is acme's receiver of webhooks.
func (r *reader) take(m webhook.Message) {
	before, known := r.bodies[m.ID]
	if known && before != string(m.Body) {
		r.world.problem("webhook %s came as %s, and before as %s", m.ID, m.Body, before)
	}
	var told v1.ReportCreated
	if err := json.Unmarshal(m.Body, &told); err != nil {
		r.world.problem("webhook %s: %v", m.ID, err)
	}
	if r.bodies[m.ID] = string(m.Body); !known {
		r.pushed = append(r.pushed, told.Data)
	}
}

// reader verifies what acme received meanwhile against what its feed says now, and that
// against what is stored.
func (c *checker) reader() {
	r, f := c.world.reader, c.feeds["acme"]
	if r == nil {
		return
	}
	now := &reader{world: c.world, api: r.api, key: r.key}
	for _, reads := range []*reader{r, now} {
		if err := reads.follow(context.Background()); err != nil {
			c.problem("%v", err)
		}
	}
	if len(now.feed) != len(f.entries) {
		c.problem("acme's feed has %d entries, %d are stored", len(now.feed), len(f.entries))
		return
	}
	for i, e := range now.feed {
		if stored := f.entries[i]; e.Sequence != int64(i+1) || e.Draw != stored.Draw || e.State != stored.State {
			c.problem("entry %d of acme's feed is %+v, stored is %+v", i+1, e, stored)
		}
	}
	for what, told := range map[string][]v1.FeedEntry{"its feed": r.feed, "webhooks": r.pushed} {
		if len(told)+len(now.feed) > 0 && !reflect.DeepEqual(told, now.feed) {
			c.problem("acme was told by %s\n%+v\nthe feed is\n%+v", what, told, now.feed)
		}
	}
	c.totals(r, now.feed, f)
}

// totals verifies the totals that acme got. Two days on, those of both days are
// final, and come to what the newest lines do; once they were answered, they are kept.
func (c *checker) totals(r *reader, entries []v1.FeedEntry, f *feed) {
	time.Sleep(time.Until(plans.Epoch.Add(49*time.Hour + time.Minute)))
	var newest []*line
	for _, lines := range f.newest {
		newest = slices.AppendSeq(newest, maps.Values(lines))
	}
	sum := sums{}
	for _, t := range add(newest) {
		sum.add(-1, v1.Totals(t))
	}
	for _, day := range []string{"2000-01-01", "2000-01-02"} {
		for range 2 { // counted, then kept
			if err := r.total(context.Background(), day); err != nil {
				c.problem("%v", err)
				return
			}
		}
		told := r.totals[len(r.totals)-1]
		if sum.add(1, told.Totals...); !told.Final {
			c.problem("the totals of %s are not final", day)
		}
	}
	if !sum.none() {
		c.problem("acme's lines and the totals of both days differ by %v", sum)
	}
	for _, told := range r.totals {
		c.period(told, entries)
	}
}

// period verifies totals by the entries of the feed that they say they are of.
func (c *checker) period(told v1.PeriodTotals, entries []v1.FeedEntry) {
	sum, first, last := sums{}, int64(0), int64(0)
	for _, e := range entries {
		if !strings.HasPrefix(e.At, told.Period) || !told.Final && e.Sequence > told.Last {
			continue
		}
		if last = e.Sequence; first == 0 {
			first = e.Sequence
		}
		sum.add(-1, e.Totals...)
		sum.add(1, e.Before...)
	}
	if sum.add(1, told.Totals...); !sum.none() || told.First != first || told.Last != last {
		c.problem("the totals were reported as %+v; entries %d to %d differ by %v", told, first, last, sum)
	}
}

// sums are numbers of totals, by currency and what they count.
type sums map[string]int64

func (s sums) add(times int64, list ...v1.Totals) {
	for _, t := range list {
		for what, n := range map[string]int64{"bets": int64(t.Bets), "stake": minor(t.Stake), "payout": minor(t.Payout), "won": int64(t.Won), "lost": int64(t.Lost), "refunded": int64(t.Refunded)} {
			s[t.Currency+" "+what] += times * n
		}
	}
}

func (s sums) none() bool {
	for _, n := range s {
		if n != 0 {
			return false
		}
	}
	return true
}

// minor returns the minor units of an amount.
func minor(amount string) int64 {
	n, err := strconv.ParseInt(strings.Replace(amount, ".", "", 1), 10, 64)
	if err != nil {
		return -1 << 62 // it fits nothing
	}
	return n
}
