package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/bookmaker/keys"
	"tally/lib/draw/report"
	"tally/lib/lambda/runtime"
	"tally/lib/local/samtemplate"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// run is one run of the model.
type run struct {
	t         testing.TB
	load      *load
	cloud     *cloud
	gateway   *gateway
	makers    []*bookmaker
	began     time.Time
	ordinary  []*play
	plays     []*play
	byID      map[string]*play
	running   sync.WaitGroup
	following sync.WaitGroup // what goes on until the run is ended

	mutex    sync.Mutex
	stages   map[string]*samples
	answers  map[string]int // what was not accepted, by status or code
	lost     int            // bets that no answer ever accepted
	lines    map[string]int // of reports, by bookmaker, draw and reference
	placed   map[string]int // likewise
	problems []string
	batches  int // requests to place
	late     int // draws that reconcile was not done with
	stored   int // bytes of the table, in the end
}

func (r *run) note(do func()) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	do()
}

func (r *run) problem(format string, args ...any) {
	r.note(func() { r.problems = append(r.problems, fmt.Sprintf(format, args...)) })
}

// accepted notes a bet that was accepted.
func (r *run) accepted(maker int, b bet, tries int) {
	b.play.placed++
	b.play.makers[maker]++
	if r.load.check {
		r.placed[r.makers[maker].id+" "+b.play.id+" "+b.reference]++
	}
	if tries > 0 {
		r.answers["sent again"]++
	}
}

// reported notes a report that a bookmaker has read in its feed.
func (r *run) reported(b *bookmaker, entry report.FeedEntry) {
	if p := r.byID[entry.Draw]; p != nil {
		p.reported += entry.Lines
	}
}

// newRun sets a run up; it begins now.
func newRun(t testing.TB, l *load, s settings) (*run, error) {
	r := &run{t: t, load: l, stages: map[string]*samples{}, answers: map[string]int{}, byID: map[string]*play{}, began: time.Now()}
	for _, stage := range stages {
		r.stages[stage.name] = &samples{}
	}
	if l.check {
		r.lines, r.placed = map[string]int{}, map[string]int{}
	}
	var err error
	if r.cloud, err = newCloud(t, s); err != nil {
		return nil, err
	}
	api := r.cloud.functions["api"]
	rate, burst := s.number("ApiRate"), s.number("ApiBurst")
	r.gateway = &gateway{to: api, limit: burst, rate: bucket{rate: rate, units: burst, at: r.began}}
	r.plays = l.plan(r.began)
	r.ordinary = r.plays[:l.draws]
	for _, p := range r.plays {
		r.byID[p.id] = p
	}
	r.cloud.table.used.from, r.cloud.table.used.to = r.began.Add(l.from), r.began.Add(l.to)
	if err := r.makeBookmakers(); err != nil {
		return nil, err
	}
	r.watch()
	return r, nil
}

// makeBookmakers makes the bookmakers with their keys, before anything is counted.
func (r *run) makeBookmakers() error {
	owner := &keys.Registry{Table: store.New(r.cloud.db, r.cloud.stack.Tables[0].Name), Now: func() settlement.Instant { return settlement.Instant(time.Now().UnixMilli()) }}
	ctx := context.Background()
	for i, share := range r.load.shares() {
		b := &bookmaker{number: i, id: fmt.Sprintf("bookmaker-%03d", i+1), share: share, run: r}
		if _, err := owner.Set(ctx, b.id, func(s *keys.Settings) { s.RequestsPerSecond = 100_000 }); err != nil {
			return err
		}
		var err error
		if b.key, _, err = owner.Create(ctx, keys.KeyParams{Bookmaker: b.id, Scopes: keys.Scopes()}); err != nil {
			return err
		}
		r.makers = append(r.makers, b)
	}
	return nil
}

// play carries the run out, and returns when nothing is left to do.
func (r *run) play() {
	ctx, stop := context.WithCancel(context.Background())
	for _, s := range r.cloud.sources {
		r.following.Go(func() { s.run(ctx, &r.following) })
	}
	for _, f := range r.cloud.functions {
		r.schedule(ctx, f)
	}
	studio := r.cloud.queue("StudioMessagesQueue")
	last := r.began
	for _, p := range r.plays {
		r.running.Go(func() { r.playDraw(ctx, studio, p) })
		if p.results.After(last) {
			last = p.results
		}
	}
	readers, stopReaders := context.WithCancel(ctx)
	hot := r.byID[drawHot]
	for _, b := range r.makers {
		r.running.Go(func() { b.bets(ctx, last) })
		if hot != nil {
			r.running.Go(func() { b.hot(ctx, hot, r.load.hot/len(r.makers), r.load.hotTime) })
		}
		if r.load.read {
			r.following.Go(func() { b.reads(readers) })
		}
	}
	time.Sleep(time.Until(r.began.Add(r.load.from)))
	r.cloud.mark(r.gateway)
	time.Sleep(time.Until(r.began.Add(min(r.load.to, last.Sub(r.began)))))
	for _, f := range r.cloud.functions {
		f.mutex.Lock()
		f.measured = f.billed - f.measured
		f.mutex.Unlock()
	}
	time.Sleep(time.Until(last))
	r.rest()
	time.Sleep(2*r.load.rarer(feedEvery) + time.Second)
	stopReaders()
	time.Sleep(time.Until(last.Add(r.load.looksAfter)))
	for _, f := range r.cloud.functions {
		if unscheduled[f.spec.Short] != "" && r.load.site {
			r.tick(ctx, f)
		}
	}
	stop()
	r.running.Wait()
	r.following.Wait()
	r.cloud.table.used.end()
	r.stored = r.cloud.db.Bytes()
	r.evaluate()
}

// patience is how long the queues have to become empty after the last result.
const patience = 10 * time.Minute

// rest waits until the queues are empty.
func (r *run) rest() {
	until := time.Now().Add(patience)
	time.Sleep(2 * time.Second) // which the last message takes into its queue
	for time.Now().Before(until) {
		busy := false
		for _, s := range r.cloud.sources {
			busy = busy || s.queue.holds() > 0
		}
		if !busy {
			return
		}
		time.Sleep(time.Second)
	}
	r.problem("the queues are not empty %s after the last result", patience)
}

// playDraw sends what the studio says of a draw.
func (r *run) playDraw(ctx context.Context, studio *queue, p *play) {
	send := func(at time.Time, text func(time.Time) string) {
		if wait(ctx, time.Until(at)) != nil {
			return
		}
		body := text(time.Now())
		_, _ = r.cloud.send(ctx, &sqs.SendMessageInput{QueueUrl: &studio.spec.URL, MessageBody: &body}) // the model of SQS fails nothing
	}
	send(p.opens.Add(-ahead), p.opened)
	send(p.opens, p.begun)
	send(p.closes, p.closed)
	send(p.results, func(now time.Time) string {
		r.note(func() { p.sent = now })
		return p.resulted(now)
	})
}

// unscheduled are functions that run once, in the end, and take no time, with why.
var unscheduled = map[string]string{"pages": "what it reads it reads side by side under one lock, on which the clock would wait"}

// schedule runs a function as often as the template says.
func (r *run) schedule(ctx context.Context, f *function) {
	if unscheduled[f.spec.Short] != "" {
		return
	}
	for _, event := range f.spec.Events {
		if event.Type != samtemplate.EventSchedule {
			continue
		}
		every := time.Minute
		if event.Properties.Schedule != "rate(1 minute)" {
			r.problem("%s runs by %q, which the model does not know", f.spec.Short, event.Properties.Schedule)
		}
		r.following.Go(func() {
			for wait(ctx, every) == nil {
				r.following.Go(func() { r.tick(ctx, f) })
			}
		})
	}
}

// tick runs a scheduled function once.
func (r *run) tick(ctx context.Context, f *function) {
	made, err := f.take()
	if err != nil {
		return // which is not tried again
	}
	began := time.Now()
	defer func() { f.give(made, began) }()
	within, cancel := context.WithTimeout(ctx, f.spec.Timeout())
	defer cancel()
	if err := made.handler.(runtime.ScheduledHandler)(within); err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
		r.note(func() { r.answers[f.spec.Short+" failed"]++ })
		r.problem("%s: %v", f.spec.Short, err)
	}
}

// evaluate looks through what became of each draw.
func (r *run) evaluate() {
	for _, p := range r.plays {
		stage := stageLastReport
		if p.game == gameHot {
			stage = stageHotReport
		}
		switch {
		case p.fed < len(p.makers):
			r.problem("%s: %d of %d bookmakers have a report", p.id, p.fed, len(p.makers))
		case p.fed > 0:
			r.stages[stage].add(p.fedAt.Sub(p.sent), p.measured)
		}
		if r.load.read && p.reported != p.placed {
			r.problem("%s: of %d bets %d are reported", p.id, p.placed, p.reported)
		}
		if p.lookedAt.IsZero() {
			r.late++
		}
	}
	if !r.load.check {
		return
	}
	for name, times := range r.placed {
		if times != 1 || r.lines[name] != 1 {
			r.problem("%s: accepted %d times, reported %d times", name, times, r.lines[name])
		}
	}
	if len(r.lines) != len(r.placed) {
		r.problem("%d lines of %d bets", len(r.lines), len(r.placed))
	}
}

// watch notes what happens in the table and in the queues.
func (r *run) watch() {
	r.cloud.db.Applied = r.applied
	r.cloud.db.Removed = r.removed
	for _, q := range r.cloud.queues {
		switch q.spec.ID {
		case "ArchiveEntriesQueue":
			q.done = func(m *message) {
				r.note(func() { r.stages[stagePublished].add(time.Since(m.sent), r.within(m.sent)) })
			}
		case "SweepsQueue":
			q.done = func(m *message) {
				if strings.Contains(m.body, `"look"`) {
					r.note(func() { r.stages[stageSecondLook].add(time.Since(m.due), true) })
				}
			}
		}
	}
}

// within reports whether what begins at a time is measured.
func (r *run) within(at time.Time) bool {
	since := at.Sub(r.began)
	return since >= r.load.from && since < r.load.to
}

// dueLater is how long after its result a draw's item has to be due for reconcile's look at
// what was settled.
const dueLater = 5 * time.Minute

// removed notes that reconcile is done with an item of a draw that was due.
func (r *run) removed(key string) {
	pk, sk, _ := strings.Cut(key, " / ")
	minute, isDue := strings.CutPrefix(pk, store.DueKey(0, 0)[:4])
	if !isDue {
		return
	}
	minute, _, _ = strings.Cut(minute, "#") // its part
	due, err := time.Parse("200601021504", minute)
	id, _, _ := strings.Cut(sk, "#")
	r.note(func() {
		p := r.byID[id]
		if p == nil || err != nil || due.Sub(p.results) < dueLater {
			return
		}
		p.lookedAt = time.Now()
		r.stages[stageReconcile].add(time.Since(due), true)
	})
}

// applied notes what is written: when a result is stored, and when a bookmaker has its report.
func (r *run) applied(call fakedynamo.Call) {
	if !call.Write {
		return
	}
	for _, key := range call.Keys {
		id, isDraw := strings.CutPrefix(key, store.DrawKey(""))
		if !isDraw {
			continue
		}
		id, sk, _ := strings.Cut(id, " / ")
		switch {
		case strings.HasPrefix(sk, store.RevisionPrefix):
			r.note(func() {
				p := r.byID[id]
				r.stages[stageStored].add(time.Since(p.sent), p.measured)
			})
		case strings.HasPrefix(sk, "FED#"):
			r.note(func() {
				p := r.byID[id]
				p.fed++
				p.fedAt = time.Now()
				r.stages[stageReport].add(time.Since(p.sent), p.measured && p.game != gameHot)
			})
		}
	}
}
