package simulation

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/simulation/plans"
	"tally/lib/draw"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/clock"
)

// settings are those of an intake process. While they are being changed, processes with the
// old and the new ones are at work side by side.
func (w *world) settings() draw.Settings {
	s := draw.Settings{Shards: w.plan.Shards, LagMillis: lagBound, RetainMillis: 400 * 24 * 3600 * 1000, Looks: w.plan.Looks}
	within := w.plan.Within
	if r := w.plan.Rollout; r != nil && w.since(r.Looks) && !(r.Ordered() && w.olds()) {
		s.Looks, within = true, r.Within
	}
	if within > 0 {
		s.LookMillisByGame = map[string]int64{}
		for _, game := range games.All() {
			s.LookMillisByGame[game.ID] = within.Milliseconds()
		}
	}
	return s
}

// olds reports whether an old process takes bets.
func (w *world) olds() bool {
	return slices.ContainsFunc(w.apis, func(a *api) bool { return a.old })
}

// since tells whether a process that starts now has what was deployed at a time: each more
// likely, the longer ago that was.
func (w *world) since(deployed time.Duration) bool {
	ago := time.Since(w.started) - deployed
	return ago >= plans.RolloutTakes || ago > 0 && w.random.Int64N(int64(plans.RolloutTakes)) < int64(ago)
}

// older is a database as a version of before there were looks sees it: what that version does
// not know of heads it neither reads nor keeps.
type older struct{ store.DynamoDB }

var lookFrom = regexp.MustCompile(`,"look_from":\d+`)

func (o older) GetItem(ctx context.Context, in *dynamodb.GetItemInput, f ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := o.DynamoDB.GetItem(ctx, in, f...)
	if err == nil {
		forget(out.Item)
	}
	return out, err
}

func (o older) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, f ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	out, err := o.DynamoDB.TransactGetItems(ctx, in, f...)
	if err == nil {
		for _, response := range out.Responses {
			forget(response.Item)
		}
	}
	return out, err
}

// forget takes from a head, which is a copy, what an old version does not know.
func forget(item map[string]types.AttributeValue) {
	if body, is := item["b"].(*types.AttributeValueMemberS); is && lookFrom.MatchString(body.Value) {
		item["b"] = &types.AttributeValueMemberS{Value: lookFrom.ReplaceAllString(body.Value, "")}
	}
}

// process is one that takes messages or requests: its clock, with the watch over it,
// and the table as it asks it.
type process struct {
	now   func() settlement.Instant
	watch *clock.Watch
	table *store.Table
	old   bool // of a version that knows of no looks
}

// dated is a database whose answers have a date, as DynamoDB's have over HTTP.
type dated struct {
	store.DynamoDB
	watch *clock.Watch
}

func (d dated) heard(sent settlement.Instant) { d.watch.Heard(time.Now().Unix(), sent, d.watch.Now()) }

func (d dated) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	defer d.heard(d.watch.Now())
	return d.DynamoDB.GetItem(ctx, in, o...)
}

func (d dated) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	defer d.heard(d.watch.Now())
	return d.DynamoDB.PutItem(ctx, in, o...)
}

func (d dated) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	defer d.heard(d.watch.Now())
	return d.DynamoDB.Query(ctx, in, o...)
}

func (d dated) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	defer d.heard(d.watch.Now())
	return d.DynamoDB.TransactWriteItems(ctx, in, o...)
}

// processOf starts a process whose clock is off by a while.
func (w *world) processOf(skew time.Duration) *process {
	p := &process{now: w.clockOf(skew)}
	p.watch = &clock.Watch{Now: p.now, Record: func() { w.problem("a clock that is off by %v is taken for wrong", skew) }}
	p.table = store.New(dated{DynamoDB: w.db, watch: p.watch}, tableName)
	return p
}

// clockOf returns a clock that is off by a while. Where clocks jump, it is set to others of
// the times that clocks may have, again and again.
func (w *world) clockOf(skew time.Duration) func() settlement.Instant {
	steps, every := []time.Duration{skew}, time.Hour
	if w.plan.Jumps && skew.Abs() <= w.plan.Skew { // a wrong one stays wrong
		steps = append(steps, w.skew(), w.skew())
		every = time.Duration(200+w.random.IntN(5000)) * time.Millisecond
	}
	return func() settlement.Instant {
		ahead := steps[int(time.Since(w.started)/every)%len(steps)]
		return settlement.Instant(time.Now().Add(ahead).UnixMilli())
	}
}

// aged makes a process one of an old version, or of a new one, by how far a rollout has come.
func (w *world) aged(p *process) *process {
	if r := w.plan.Rollout; r != nil && !w.since(r.Code) {
		p.old, p.table = true, store.New(older{DynamoDB: dated{DynamoDB: w.db, watch: p.watch}}, tableName)
	}
	return p
}

// wrongProcess starts a process whose clock is wrong, which three answers have shown.
func (w *world) wrongProcess() *process {
	p := w.processOf(w.plan.WrongClock)
	p.watch.Record = func() {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		w.refused++
	}
	p.watch.Ask = func(ctx context.Context) error {
		_, _, err := p.table.Get(ctx, store.ReconcileKey, store.ReconcileKey)
		return err
	}
	for ago := range int64(3) {
		p.watch.Heard(time.Now().Unix()-ago, p.now()-settlement.Instant(1000*ago), p.now()-settlement.Instant(1000*ago))
	}
	return p
}

// process is what takes the next message. Where one's clock is wrong it gets half of
// them, until all has to come to its end.
func (w *world) process() *process {
	if _, ending := w.policy.(*calm); !ending && w.wrong != nil && w.random.IntN(2) == 0 {
		return w.wrong
	}
	return w.aged(w.processOf(w.skew()))
}

// skew is how far a process's clock is from the true time.
func (w *world) skew() time.Duration {
	if w.plan.Skew == 0 {
		return 0
	}
	return time.Duration(w.random.Int64N(2*int64(w.plan.Skew))) - w.plan.Skew
}

// boot gives an API process an empty memory.
func (w *world) boot(a *api) {
	p := w.wrong
	if !a.wrong {
		p = w.processOf(a.skew)
	}
	if r := w.plan.Rollout; r != nil {
		if a.old = time.Since(w.started) < w.newFrom(a); a.old {
			p.table = store.New(older{DynamoDB: dated{DynamoDB: w.db, watch: p.watch}}, tableName)
		}
	}
	a.now = p.now
	a.acceptor = &placing.Acceptor{Table: p.table, Terms: termsOf, Now: p.now, Clock: p.watch.Check, Record: discard{}, Looks: sender{world: w, queue: w.sweeps}}
	if w.plan.Tables {
		a.acceptor.Tables = &placing.Tables{}
	}
}

// newFrom is when an API process is replaced by one of the new version.
func (w *world) newFrom(a *api) time.Duration {
	return w.plan.Rollout.Code + plans.RolloutTakes*time.Duration(a.number+1)/time.Duration(w.plan.APIs+1)
}

// replace replaces API processes that are free by those of the new version, when their time
// has come.
func (w *world) replace() {
	if w.plan.Rollout == nil {
		return
	}
	for _, a := range w.apis {
		if a.old && !a.busy && time.Since(w.started) >= w.newFrom(a) {
			w.note("process %d is of the new version", a.number)
			w.boot(a)
		}
	}
}
