package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/lambda/runtime"
)

// gateway is API Gateway in front of api.
type gateway struct {
	to    *function
	mutex sync.Mutex
	rate  bucket
	limit float64 // at once above the rate

	second, requests int64
	most             int64 // of a second
	all, refused     int
}

// take lets a request in, or not.
func (g *gateway) take() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	now := time.Now()
	if second := now.Unix(); second != g.second {
		g.second, g.requests = second, 0
	}
	g.requests++
	g.most = max(g.most, g.requests)
	g.all++
	g.rate.units = min(g.limit, g.rate.units+g.rate.rate*now.Sub(g.rate.at).Seconds())
	g.rate.at = now
	if g.rate.units < 1 {
		g.refused++
		return false
	}
	g.rate.units--
	return true
}

// call makes a request of the API that has so many bets in it.
func (g *gateway) call(ctx context.Context, method, target, key string, body []byte, bets int) (status int, answer []byte) {
	chance := g.to.cloud.chance
	if wait(ctx, chance.about(gatewayMedian, gatewayP99)) != nil {
		return 0, nil
	}
	if !g.take() {
		return http.StatusTooManyRequests, nil
	}
	made, err := g.to.take()
	if err != nil {
		return http.StatusServiceUnavailable, nil
	}
	began := time.Now()
	defer func() { g.to.give(made, began) }()
	within, cancel := context.WithTimeout(ctx, g.to.spec.Timeout())
	defer cancel()
	made.work.compute(time.Duration(bets) * betWork.duration())
	request := httptest.NewRequestWithContext(within, method, target, bytes.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+key)
	if body == nil {
		request.Body = http.NoBody
	} else {
		request.Header.Set("Content-Type", "application/json")
	}
	written := httptest.NewRecorder()
	made.handler.(runtime.HTTPHandler).Serve.ServeHTTP(written, request)
	answer, _ = io.ReadAll(written.Body) // of memory
	return written.Code, answer
}

// bookmaker bets, and reads its reports.
type bookmaker struct {
	number int
	id     string
	key    string
	share  float64
	run    *run
	seen   int64 // entries of its feed
}

// bet is one that is to be placed.
type bet struct {
	play      *play
	reference string
}

// mostBets is how many bets a request may have.
const mostBets = 100

// bets sends bets until the last draw has closed.
func (b *bookmaker) bets(ctx context.Context, last time.Time) {
	r := b.run
	hold := r.load.rarer(holdTime)
	if wait(ctx, time.Duration(r.cloud.chance.below(int(hold)))) != nil {
		return
	}
	perDraw := float64(r.load.bets) * b.share * hold.Seconds() / (roundTime.duration() - 2*margin).Seconds()
	for n := 0; time.Now().Before(last); {
		open := open(r.ordinary, time.Now())
		list := make([]bet, r.cloud.chance.poisson(perDraw*float64(len(open))))
		for i := range list {
			n++
			list[i] = bet{play: open[r.cloud.chance.below(len(open))], reference: b.id + "-" + strconv.Itoa(n)}
		}
		for len(list) > 0 {
			some := list[:min(mostBets, len(list))]
			list = list[len(some):]
			r.running.Go(func() { b.place(ctx, some) })
		}
		if wait(ctx, hold) != nil {
			return
		}
	}
}

// hot sends the bets of the hot draw, in whole batches: each bookmaker a while after the one before it.
func (b *bookmaker) hot(ctx context.Context, p *play, bets int, within time.Duration) {
	if wait(ctx, time.Until(p.opens.Add(margin+within*time.Duration(b.number)/time.Duration(len(b.run.makers))))) != nil {
		return
	}
	within /= time.Duration(len(b.run.makers))
	began, batches := time.Now(), (bets+mostBets-1)/mostBets
	for i := range batches {
		if wait(ctx, time.Until(began.Add(within*time.Duration(i)/time.Duration(batches)))) != nil {
			return
		}
		some := make([]bet, min(mostBets, bets-i*mostBets))
		for n := range some {
			some[n] = bet{play: p, reference: b.id + "-hot-" + strconv.Itoa(i*mostBets+n)}
		}
		b.run.running.Go(func() { b.place(ctx, some) })
	}
}

// retryAfter is how long a bookmaker waits before it sends again what it is to send again.
const retryAfter = time.Second

// place places a batch, what has to be sent again included.
func (b *bookmaker) place(ctx context.Context, list []bet) {
	r, began := b.run, time.Now()
	for tries := 0; len(list) > 0; tries++ {
		if tries > 0 && wait(ctx, retryAfter) != nil {
			return
		}
		if !time.Now().Before(list[0].play.closes.Add(2 * time.Second)) { // it is too late for any
			r.note(func() { r.lost += len(list) })
			return
		}
		var body strings.Builder
		body.WriteString(`{"bets":[`)
		for i, each := range list {
			if i > 0 {
				body.WriteByte(',')
			}
			body.WriteString(betOf(each.play, each.reference))
		}
		body.WriteString(`]}`)
		r.note(func() { r.batches++ })
		status, answer := r.gateway.call(ctx, http.MethodPost, "/v1/bets", b.key, []byte(body.String()), len(list))
		list = b.answered(list, status, answer, began, tries)
	}
}

// answered notes what became of a batch, and returns what has to be sent again.
func (b *bookmaker) answered(list []bet, status int, answer []byte, began time.Time, tries int) (again []bet) {
	r, took := b.run, time.Since(began)
	if status != http.StatusOK {
		r.note(func() { r.answers[strconv.Itoa(status)] += len(list) })
		return list
	}
	all := bytes.Count(answer, []byte(`{"status":201,`)) + bytes.Count(answer, []byte(`{"status":200,`))
	var results v1.BatchResponse
	if all < len(list) {
		if err := json.Unmarshal(answer, &results); err != nil || len(results.Results) != len(list) {
			r.problem("a batch was answered %.200s", answer)
			return nil
		}
	}
	r.note(func() {
		for i, each := range list {
			if all < len(list) && results.Results[i].Status >= 300 {
				p := results.Results[i].Problem
				r.answers[p.Code]++
				if results.Results[i].Status >= 500 || results.Results[i].Status == http.StatusTooManyRequests {
					again = append(again, each)
				}
				continue
			}
			stage := stagePlaced
			if each.play.game == gameHot {
				stage = stagePlacedHot
			}
			r.stages[stage].add(took, each.play.measured)
			r.accepted(b.number, each, tries)
		}
	})
	return again
}

// reads reads the feed until the run ends.
func (b *bookmaker) reads(ctx context.Context) {
	every := b.run.load.rarer(feedEvery)
	if wait(ctx, time.Duration(b.run.cloud.chance.below(int(every)))) != nil {
		return
	}
	for {
		full := true
		for full && ctx.Err() == nil {
			full = b.readFeed(ctx)
		}
		if wait(ctx, every) != nil {
			return
		}
	}
}

// readFeed reads a page of the feed and its reports, and tells whether there may be more.
func (b *bookmaker) readFeed(ctx context.Context) (more bool) {
	r, began := b.run, time.Now()
	status, answer := r.gateway.call(ctx, http.MethodGet, fmt.Sprintf("/v1/feed?after=%d", b.seen), b.key, nil, 0)
	if status != http.StatusOK {
		return false
	}
	var feed v1.Feed
	if err := json.Unmarshal(answer, &feed); err != nil {
		r.problem("reading a feed: %v", err)
		return false
	}
	r.note(func() { r.stages[stageFeed].add(time.Since(began), true) })
	b.seen = feed.Next
	for _, entry := range feed.Entries {
		r.note(func() { r.reported(b, entry) })
		for _, page := range entry.Pages {
			r.running.Go(func() { b.readPage(ctx, page.Href, entry.Draw) })
		}
	}
	return feed.Next < feed.Newest && len(feed.Entries) > 0
}

// readPage reads a page of a report.
func (b *bookmaker) readPage(ctx context.Context, href, draw string) {
	status, answer := b.run.gateway.call(ctx, http.MethodGet, href, b.key, nil, 0)
	for status != http.StatusOK && wait(ctx, retryAfter) == nil {
		status, answer = b.run.gateway.call(ctx, http.MethodGet, href, b.key, nil, 0)
	}
	if !b.run.load.check {
		return
	}
	var page v1.ReportPage
	if err := json.Unmarshal(answer, &page); err != nil {
		b.run.problem("reading a report: %v", err)
		return
	}
	b.run.note(func() {
		for _, line := range page.Lines {
			b.run.lines[b.id+" "+draw+" "+line.Bet]++
		}
	})
}
