package simulation

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tally/lib/draw"
	"tally/lib/fakedynamo"
	"tally/lib/intake"
	"tally/lib/money"
	"tally/lib/placing"
	"tally/lib/reconcile"
	"tally/lib/settlement"
	"tally/lib/store"
	"tally/lib/sweep"
)

type instant = settlement.Instant

// tableName is the name of the one table.
const tableName = "tally"

// world is one run: the table, the queues, the handlers at work.
type world struct {
	plan   *Plan
	policy policy
	random *rand.Rand
	db     *fakedynamo.DB
	table  *store.Table // for the checker: not intercepted

	studio, orders, sweeps, entries *queue
	replies, archive                *queue // all that was ever sent
	log                             publicLog

	started   time.Time
	step      int
	active    []*task
	apis      []*api
	attempts  []*attempt
	handled   []handled
	heads     map[string][]headAt
	changed   []string    // draws whose head was written since it was last looked at
	landBy    []time.Time // when each late write has to arrive
	landing   bool
	mutex     sync.Mutex // of problems: handlers find some
	problems  []string
	trace     []string
	abandoned int            // states, as the checker has counted them
	found     map[string]int // stragglers that reconcile had settled, by kind
}

// headAt is a draw's head as it stood from a time on.
type headAt struct {
	from time.Time
	head *draw.Head
}

// handled is a studio message or order that was acknowledged.
type handled struct {
	body string
	from intake.Source
}

// api is a process that answers bookmakers, one request at a time. It keeps what
// it remembers until it crashes.
type api struct {
	placer *placing.Placer
	skew   time.Duration
	busy   bool
}

func newWorld(t testing.TB, plan *Plan, policy policy) *world {
	copied := *plan
	w := &world{plan: &copied, policy: policy, random: rand.New(rand.NewPCG(plan.Seed, 2)), started: time.Now(), heads: map[string][]headAt{}, found: map[string]int{}}
	w.log.world = w
	w.db = fakedynamo.New(t, tableName)
	w.db.PageBytes = plan.PageBytes
	w.db.Intercept = w.intercept
	w.db.Applied = w.applied
	w.db.Overwritten = w.overwritten
	if plan.Torn {
		w.db.Torn = w.torn
	}
	w.table = store.New(w.db, tableName)
	for name, q := range map[string]**queue{"studio": &w.studio, "orders": &w.orders, "sweeps": &w.sweeps, "replies": &w.replies, "archive": &w.archive, "entries": &w.entries} {
		*q = &queue{name: name}
	}
	for range plan.APIs {
		w.apis = append(w.apis, &api{skew: w.skew()})
	}
	for _, a := range w.apis {
		w.boot(a)
	}
	return w
}

// skew is how far a process's clock is from the true time.
func (w *world) skew() time.Duration {
	if w.plan.Skew == 0 {
		return 0
	}
	return time.Duration(w.random.Int64N(2*int64(w.plan.Skew))) - w.plan.Skew
}

func clock(skew time.Duration) func() instant {
	return func() instant { return instant(time.Now().Add(skew).UnixMilli()) }
}

// boot gives an API process an empty memory.
func (w *world) boot(a *api) {
	a.placer = &placing.Placer{Table: w.table, Settings: settingsOf, Now: clock(a.skew), Record: nothing{}}
}

// settingsOf are the settings of the bookmakers of all plans. The operator keeps
// changing one's.
func settingsOf(bookmaker string) placing.Settings {
	s := placing.Settings{MaxStake: map[string]money.Amount{"EUR": 100_000}}
	switch bookmaker {
	case "borealis":
		s.Rounding = money.HalfEven
	case "cresta":
		s.Rounding = money.Down
		if time.Now().Second()%4 == 0 {
			s.Rounding = money.HalfUp
			s.MaxStake["EUR"] = 3_000
		}
	}
	return s
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))

func (w *world) intake() *intake.Intake {
	return &intake.Intake{Table: w.table, Replies: sender{w, w.replies}, Sweeps: sender{w, w.sweeps}, Archive: sender{w, w.archive},
		Record: nothing{}, Settings: draw.Settings{Shards: w.plan.Shards, LagMillis: lagBound, RetainMillis: 400 * 24 * 3600 * 1000}, Now: clock(w.skew()), Log: quiet}
}

func (w *world) sweeper() *sweep.Sweeper {
	return &sweep.Sweeper{Table: w.table, Archive: sender{w, w.archive}, Record: nothing{}, Now: clock(w.skew()), Log: quiet,
		Parallel: 1, PageLines: w.plan.PageLines}
}

func (w *world) reconciler() *reconcile.Reconciler {
	return &reconcile.Reconciler{Table: w.table, Intake: w.intake(), Sweeper: w.sweeper(), Sweeps: sender{w, w.sweeps}, Depths: nothing{}, Studio: waiting{w},
		Record: found{world: w}, Now: clock(w.skew()), Log: quiet, ResultWithin: 20 * time.Second, CancelAfter: w.plan.CancelAfter}
}

// waiting counts the studio's messages that intake has not taken up.
type waiting struct{ world *world }

func (w waiting) Depths(context.Context) (map[string]int, error) {
	return map[string]int{"studio": len(w.world.studio.messages), "dead": len(w.world.studio.dead)}, nil
}

// queues are those that handlers work on.
func (w *world) queues() []*queue { return []*queue{w.studio, w.orders, w.sweeps, w.entries} }

// found is what reconcile finds: nothing that needs a repair may be among it.
type found struct {
	nothing
	world *world
}

func (found) Stuck(string, string) {}
func (found) Depth(string, int)    {}
func (found) InQuarantine(int)     {}

func (f found) Unequal(game string) { f.world.problem("reconcile finds a draw of %s unequal", game) }
func (f found) Straggled(game string, bets int) {
	if !f.world.plan.Stragglers {
		f.world.problem("reconcile finds %d bets of %s that no sweep has seen", bets, game)
	}
}

// nothing records nothing.
type nothing struct{}

func (nothing) Quarantined(string)                            {}
func (nothing) Stored(string, time.Duration, string)          {}
func (nothing) Accepted(string)                               {}
func (nothing) Refused(string, string)                        {}
func (nothing) Settled(string, int, int, bool, time.Duration) {}
func (nothing) Appended(string, int)                          {}
func (nothing) Unequal(string)                                {}

func (nothing) Depths(context.Context) (map[string]int, error) { return nil, nil }

// once begins the keys that are written once: what is there is never replaced by
// anything else.
var once = regexp.MustCompile(`^(REPORT#\S+ / |FEED#\S+ / [0-9]|DRAW#\S+ / (DONE|FED|STATE|REV|OPENED|ROUND|CLOSED|ORDER|COMMITMENT)#?)`)

// overwritten is told of each item put over another one; it runs inside the database.
func (w *world) overwritten(key string, alike bool) {
	if !alike && once.MatchString(key) {
		w.problem("%s was written twice, with other bytes", key)
	}
}

func (w *world) problem(format string, args ...any) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// stamp is the length of what a step begins with: its number and time.
const stamp = len("   1    0.000s  ")

func (w *world) note(format string, args ...any) {
	line := fmt.Sprintf("%4d %8.3fs  ", w.step, time.Since(w.started).Seconds()) + fmt.Sprintf(format, args...)
	w.trace = append(w.trace, line)
}

// applied is told of each request carried out; it runs inside the database.
func (w *world) applied(call fakedynamo.Call) {
	if !call.Write {
		return
	}
	for _, key := range call.Keys {
		if id, isHead := strings.CutSuffix(key, " / "+store.HeadKey); isHead {
			w.changed = append(w.changed, strings.TrimPrefix(id, store.DrawKey("")))
		}
	}
}

// settle lets all handlers go on until each waits for the scheduler or for time,
// and sees to those that have ended.
func (w *world) settle() {
	synctest.Wait()
	for _, id := range w.changed {
		head, _, err := intake.LoadHead(context.Background(), w.table, id)
		if err != nil {
			w.problem("reading the head of %s: %v", id, err)
			continue
		}
		w.heads[id] = append(w.heads[id], headAt{time.Now(), head})
	}
	w.changed = nil
	for _, t := range slices.Clone(w.active) {
		if t.done {
			w.active = slices.DeleteFunc(w.active, func(other *task) bool { return other == t })
			t.finish()
		}
	}
}
