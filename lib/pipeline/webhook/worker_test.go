package webhook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

func newFake(t *testing.T) (*bench, *fakedynamo.DB) {
	db := fakedynamo.New(t, "table")
	return newBench(t, db, "table"), db
}

// upTo is 1 … n.
func upTo(n int64) (list []int64) {
	for i := range n {
		list = append(list, i+1)
	}
	return list
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s: %s, not %s", what, g, w)
	}
}

// From the moment it is set an endpoint is notified of every report, once and in order,
// whatever messages come, come twice or don't.
func TestDeliver(t *testing.T) {
	b, _ := newFake(t)
	b.report("acme", 2)
	id := b.set("acme", "https://acme.example/hook")
	early := b.setAfter("acme", "https://acme.example/all", 0)
	other := b.set("borealis", "https://borealis.example/hook")
	if again := b.deliver("acme"); again != 0 {
		t.Errorf("again at %d", again)
	}
	b.report("acme", 47) // more than two batches
	for range 3 {
		b.deliver("acme")
	}
	equal(t, "notified from when it was set", b.taken[id], upTo(49)[2:])
	equal(t, "notified from the beginning", b.taken[early], upTo(49))
	equal(t, "notified of another bookmaker's", b.taken[other], []int64(nil))
	equal(t, "position", b.status("acme", id).Position.Sequence, 49)
	equal(t, "state", b.status("acme", id).State(), "up to date")
	equal(t, "counted", b.counts, map[string]int{"delivered": 47 + 49})
	b.deliver("nobody")
}

// The times of the tries of an endpoint that fails, and its end after a day.
func TestBackoff(t *testing.T) {
	b, _ := newFake(t)
	id := b.set("acme", "https://acme.example/hook")
	b.answer = func(*Endpoint, int64) Outcome { return Outcome{Status: 500, Failed: FailedServer} }
	b.report("acme", 3)
	started := b.now
	var waited []time.Duration
	for range 100 {
		before := b.now
		again := b.deliver("acme")
		if p := b.status("acme", id).Position; p.Disabled != nil {
			if p.Disabled.Reason != DisabledFailing || again != 0 {
				t.Errorf("%+v, again at %d", p.Disabled, again)
			}
			break
		}
		// Before its time nothing is tried, and no other message waits for it.
		b.now = again - 1
		if b.deliver("acme") != 0 {
			t.Error("another message waits")
		}
		b.now = again
		waited = append(waited, time.Duration(again-before)*time.Millisecond)
	}
	for i, d := range waited {
		if least := waits[min(i, len(waits)-1)]; d < least || d > least*11/10+time.Millisecond {
			t.Errorf("try %d came after %s", i+2, d)
		}
	}
	if failing := time.Duration(b.now-started) * time.Millisecond; failing < 24*time.Hour || failing > 26*time.Hour {
		t.Errorf("it was disabled after %s", failing)
	}
	equal(t, "counted", b.counts, map[string]int{FailedServer: len(waited) + 1, "disabled failing": 1})
	if n := len(waited); n < 25 || n > 31 {
		t.Errorf("%d tries", n)
	}

	// Nothing is sent to it, whatever comes; enabled it goes on where it was.
	b.answer = func(*Endpoint, int64) Outcome { return Outcome{Status: 200} }
	b.report("acme", 1)
	b.deliver("acme")
	if err := b.dispatcher().Wake(t.Context()); err != nil || len(b.hints) > 0 {
		t.Errorf("woken %v, %v", b.hints, err)
	}
	equal(t, "notified while disabled", b.taken[id], []int64(nil))
	if err := b.store().Enable(t.Context(), "acme", id, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.dispatcher().Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "woken", b.hints, []string{"acme"})
	b.deliver("acme")
	equal(t, "notified after it was enabled", b.taken[id], upTo(4))
	equal(t, "failing since", b.status("acme", id).Position.Since, 0)
}

// A success in between begins the day anew.
func TestFailingIsForgotten(t *testing.T) {
	b, _ := newFake(t)
	id := b.set("acme", "https://acme.example/hook")
	fails := true
	b.answer = func(*Endpoint, int64) Outcome {
		if fails {
			return Outcome{Failed: FailedTime}
		}
		return Outcome{Status: 200}
	}
	for day := range 5 {
		b.report("acme", 1)
		fails = true
		b.deliver("acme")
		b.pass(20 * time.Hour)
		b.deliver("acme")
		equal(t, "tries", b.status("acme", id).Position.Tries, 2)
		fails = false
		b.pass(time.Hour)
		b.deliver("acme")
		equal(t, "notified", b.taken[id], upTo(int64(day+1)))
	}
}

// A report that fails keeps those after it back; those before it were taken.
func TestInOrder(t *testing.T) {
	b, _ := newFake(t)
	id := b.set("acme", "https://acme.example/hook")
	b.answer = func(_ *Endpoint, sequence int64) Outcome {
		if sequence == 7 {
			return Outcome{Status: 400, Failed: FailedClient}
		}
		return Outcome{Status: 200}
	}
	b.report("acme", 12)
	for range 5 {
		b.now = max(b.now, b.deliver("acme"))
	}
	equal(t, "notified", b.taken[id], upTo(6))
	equal(t, "tries", b.status("acme", id).Position.Tries, 5)
	equal(t, "state", b.status("acme", id).State(), "failing")
	equal(t, "last", b.status("acme", id).Position.Last.Status, 400)
}

func TestGone(t *testing.T) {
	b, _ := newFake(t)
	id := b.set("acme", "https://acme.example/hook")
	b.answer = func(_ *Endpoint, sequence int64) Outcome {
		if sequence == 2 {
			return Outcome{Status: 410, Failed: FailedGone}
		}
		return Outcome{Status: 200}
	}
	b.report("acme", 5)
	b.deliver("acme")
	b.pass(48 * time.Hour)
	b.deliver("acme")
	equal(t, "notified", b.taken[id], []int64{1})
	equal(t, "disabled", b.status("acme", id).Position.Disabled.Reason, DisabledGone)
	equal(t, "counted", b.counts, map[string]int{"delivered": 1, FailedGone: 1, "disabled gone": 1})
}

// A receiver may say when to come back, within bounds.
func TestRetryAfter(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{time.Second: minAfter, 40 * time.Second: 40 * time.Second, 48 * time.Hour: maxAfter} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			b, _ := newFake(t)
			b.set("acme", "https://acme.example/hook")
			b.answer = func(*Endpoint, int64) Outcome { return Outcome{Status: 429, Failed: FailedBusy, After: after} }
			b.report("acme", 1)
			if again := b.deliver("acme"); again != b.now+settlement.Instant(want.Milliseconds()) {
				t.Errorf("asked for %s: %d ms", after, again-b.now)
			}
		})
	}
}

// A worker that dies after the receiver's answer and before the position is written
// has the same reports come again under the same ids, once its claim is over.
func TestCrashBeforeThePosition(t *testing.T) {
	b, db := newFake(t)
	id := b.set("acme", "https://acme.example/hook")
	b.report("acme", 3)
	died := false
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		if died || call.Write && strings.HasPrefix(call.Keys[0], "PUSHES#") {
			died = true
			return fakedynamo.FailBefore
		}
		return fakedynamo.Proceed
	}
	if _, err := b.worker().Deliver(t.Context(), "acme"); err == nil {
		t.Fatal("it did not die")
	}
	db.Intercept = nil
	equal(t, "position", b.status("acme", id).Position.Sequence, 0)
	if again := b.deliver("acme"); again != 0 {
		t.Errorf("again at %d", again)
	}
	equal(t, "notified while it was claimed", b.taken[id], upTo(3))
	if err := b.dispatcher().Wake(t.Context()); err != nil || len(b.hints) > 0 {
		t.Errorf("woken while it was claimed: %v, %v", b.hints, err)
	}
	b.pass(claimFor)
	if err := b.dispatcher().Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "woken", b.hints, []string{"acme"})
	b.deliver("acme")
	equal(t, "notified", b.taken[id], append(upTo(3), upTo(3)...))
	equal(t, "ids", len(b.bodies), 3)
	equal(t, "position", b.status("acme", id).Position.Sequence, 3)
}

// Of two workers at once one sends; a report that comes meanwhile is seen by it
// though its message found the endpoint claimed.
func TestTwoWorkers(t *testing.T) {
	b, _ := newFake(t)
	id := b.set("acme", "https://acme.example/hook")
	b.answer = func(_ *Endpoint, sequence int64) Outcome {
		if sequence == 2 {
			b.report("acme", 1)
			b.deliver("acme")
		}
		return Outcome{Status: 200}
	}
	b.report("acme", 2)
	b.deliver("acme")
	equal(t, "notified", b.taken[id], upTo(3))
}

// Of many workers at once, each report is sent by one.
func TestManyWorkers(t *testing.T) {
	b, _ := newFake(t)
	id := b.set("acme", "https://acme.example/hook")
	b.report("acme", 100)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 5 {
				if _, err := b.worker().Deliver(t.Context(), "acme"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	equal(t, "notified", b.taken[id], upTo(100))
}

// What operators do while a worker sends holds.
func TestOperatorsMeanwhile(t *testing.T) {
	first := int64(1)
	for _, test := range []struct {
		name  string
		do    func(b *bench, id string) error
		taken []int64
		check func(b *bench, id string)
	}{
		{"disabled", func(b *bench, id string) error { return b.store().Disable(b.t.Context(), "acme", id) }, upTo(3), func(b *bench, id string) {
			p := b.status("acme", id).Position
			equal(b.t, "position", p.Sequence, 3)
			equal(b.t, "disabled", p.Disabled.Reason, DisabledOperator)
		}},
		{"set back", func(b *bench, id string) error { return b.store().Enable(b.t.Context(), "acme", id, &first) }, []int64{1, 2, 3, 2, 3}, func(b *bench, id string) {
			equal(b.t, "position", b.status("acme", id).Position.Sequence, 3)
		}},
		{"removed", func(b *bench, id string) error { return b.store().Remove(b.t.Context(), "acme", id) }, upTo(3), func(b *bench, id string) {
			if _, err := b.store().Get(b.t.Context(), "acme", id); err != ErrUnknown {
				b.t.Errorf("%v, want err = %v", err, ErrUnknown)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, _ := newFake(t)
			id := b.set("acme", "https://acme.example/hook")
			done := false
			b.answer = func(_ *Endpoint, sequence int64) Outcome {
				if sequence == 2 && !done {
					done = true
					if err := test.do(b, id); err != nil {
						t.Error(err)
					}
				}
				return Outcome{Status: 200}
			}
			b.report("acme", 3)
			b.deliver("acme")
			b.deliver("acme")
			equal(t, "notified", b.taken[id], test.taken)
			test.check(b, id)
		})
	}
}

// Reports that have expired are gone past, the others are not: what is missing has
// expired when it must have been written long ago.
func TestExpired(t *testing.T) {
	b, _ := newFake(t)
	id := b.setAfter("acme", "https://acme.example/hook", 0)
	b.report("acme", 30)
	for _, sequence := range append(upTo(24), 30) {
		if err := b.table.Delete(t.Context(), store.FeedKey("acme"), store.EntryKey(sequence)); err != nil {
			t.Fatal(err)
		}
	}
	b.deliver("acme")
	equal(t, "notified at once", b.taken[id], []int64(nil))
	b.pass(time.Hour)
	b.deliver("acme")
	equal(t, "notified", b.taken[id], upTo(29)[24:])
	equal(t, "position", b.status("acme", id).Position.Sequence, 30)
	// A new report at once, though the one before it is gone: it says when that was.
	b.report("acme", 2)
	if err := b.table.Delete(t.Context(), store.FeedKey("acme"), store.EntryKey(31)); err != nil {
		t.Fatal(err)
	}
	b.deliver("acme")
	equal(t, "notified while 31 is missing", b.taken[id], upTo(29)[24:])
	b.pass(time.Hour)
	b.report("acme", 1)
	b.deliver("acme")
	equal(t, "notified in the end", b.taken[id], append(upTo(29)[24:], 32, 33))
}

// A report's transaction is being committed while workers look, for any other report
// or by themselves. Whatever of it is visible first, every report is notified, in order.
func TestTornReports(t *testing.T) {
	for order := range 6 {
		b, db := newFake(t)
		id := b.set("acme", "https://acme.example/hook")
		db.Torn = func(_ context.Context, call fakedynamo.Call, left []string) (next int) {
			if call.Keys[0] != store.FeedKey("acme")+" / "+store.CounterKey {
				return 0
			}
			b.deliver("acme")
			if err := b.dispatcher().Wake(t.Context()); err != nil {
				t.Error(err)
			}
			return order % len(left)
		}
		b.report("acme", 3)
		b.deliver("acme")
		equal(t, "notified", b.taken[id], upTo(3))
	}
}

// While an endpoint is being set, or removed, a part of it can be seen. Nobody fails of
// that, and nothing is sent to it before all of it is there.
func TestTornEndpoint(t *testing.T) {
	for order := range 24 {
		b, db := newFake(t)
		b.report("acme", 2)
		db.Torn = func(_ context.Context, _ fakedynamo.Call, left []string) (next int) {
			b.deliver("acme")
			if err := b.dispatcher().Wake(t.Context()); err != nil {
				t.Error(err)
			}
			return (order / len(left)) % len(left)
		}
		id := b.setAfter("acme", "https://acme.example/hook", 1)
		b.deliver("acme")
		equal(t, "notified", b.taken[id], []int64{2})
		if err := b.store().Remove(t.Context(), "acme", id); err != nil {
			t.Error(err)
		}
	}
}

// A position beyond the newest report, as after a restore, is reported to operators at
// once, and the endpoint is disabled: it would skip what comes, without a word.
func TestPositionAhead(t *testing.T) {
	b, _ := newFake(t)
	id := b.set("acme", "https://acme.example/hook")
	b.report("acme", 1)
	b.deliver("acme")
	list, err := load(t.Context(), b.table, "acme")
	if err != nil {
		t.Fatal(err)
	}
	list[0].Position.Sequence = 5
	if err := list[0].replacePosition(t.Context(), b.table); err != nil {
		t.Fatal(err)
	}
	if err := b.dispatcher().Wake(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "asked for", b.hints, []string{"acme"})
	b.deliver("acme")
	b.deliver("acme")
	equal(t, "disabled", b.status("acme", id).Position.Disabled.Reason, DisabledAhead)
	equal(t, "counted", b.counts["disabled "+DisabledAhead], 1)
	err = b.store().Enable(t.Context(), "acme", id, nil)
	if refused := (*ParamsError)(nil); !errors.As(err, &refused) || !strings.Contains(err.Error(), "--after") {
		t.Errorf("enabled where it was: %v", err)
	}
	b.report("acme", 1)
	after := int64(1)
	if err := b.store().Enable(t.Context(), "acme", id, &after); err != nil {
		t.Fatal(err)
	}
	b.deliver("acme")
	equal(t, "notified", b.taken[id], []int64{1, 2})
}

// A worker begins no try that could last longer than its time, and says that it is
// not done.
func TestTimeIsUp(t *testing.T) {
	b, _ := newFake(t)
	id := b.set("acme", "https://acme.example/hook")
	b.report("acme", 1)
	ctx, cancel := context.WithTimeout(t.Context(), tryFor)
	defer cancel()
	again, err := b.worker().Deliver(ctx, "acme")
	if err != nil || again != b.now {
		t.Errorf("again at %d, %v", again, err)
	}
	equal(t, "notified", b.taken[id], []int64(nil))
	// Nor one that could outlast its claim.
	b.report("acme", 9)
	b.answer = func(*Endpoint, int64) Outcome {
		b.pass(tryFor)
		return Outcome{Status: 200}
	}
	b.deliver("acme")
	equal(t, "notified", b.taken[id], upTo(10))
	tries, err := b.store().Deliveries(t.Context(), "acme", id, 100)
	if err != nil || len(tries) != 10 {
		t.Errorf("%d tries, %v", len(tries), err)
	}
	batches := 0
	for range b.table.Query(t.Context(), store.PushesKey("acme", id), "") {
		batches++
	}
	equal(t, "batches", batches, 2)
}

// An endpoint's fault leaves the others alone.
func TestOneFaultAlone(t *testing.T) {
	b, _ := newFake(t)
	one := b.set("acme", "https://acme.example/one")
	two := b.set("acme", "https://acme.example/two")
	b.report("acme", 1)
	item, _, err := b.table.Get(t.Context(), store.FeedKey("acme"), store.EntryKey(1))
	if err != nil {
		t.Fatal(err)
	}
	b.answer = func(e *Endpoint, _ int64) Outcome {
		if e.ID == one {
			return Outcome{Failed: FailedTime}
		}
		return Outcome{Status: 200}
	}
	if again := b.deliver("acme"); again <= b.now {
		t.Errorf("again at %d", again)
	}
	equal(t, "notified", b.taken[two], upTo(1))
	equal(t, "notified", b.taken[one], []int64(nil))
	// A record that can't be read is a fault of tally's, not of the receiver's.
	b.pass(time.Hour)
	item.Body = "{"
	if err := b.table.Put(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	if _, err := b.worker().Deliver(t.Context(), "acme"); err == nil {
		t.Error("a record that can't be read was sent")
	}
	equal(t, "tries", b.status("acme", one).Position.Tries, 1)
}

// What is written, in order: a claim, the tries, the position.
func TestKeysWritten(t *testing.T) {
	b, db := newFake(t)
	id := b.set("acme", "https://acme.example/hook")
	b.report("acme", 1)
	var wrote []string
	db.Applied = func(call fakedynamo.Call) {
		if call.Write {
			wrote = append(wrote, call.Operation+" "+call.Keys[0])
		}
	}
	b.deliver("acme")
	if len(wrote) != 3 || wrote[0] != "PutItem BOOKMAKER#acme / HOOK#"+id+"#POSITION" || !strings.HasPrefix(wrote[1], "PutItem PUSHES#acme#"+id+" / 1796040000000#") || wrote[2] != wrote[0] {
		t.Errorf("%q, want len(wrote) = 3 and wrote[0] = %v and wrote[1] to begin with %q and wrote[2] = %v", wrote, "PutItem BOOKMAKER#acme / HOOK#"+id+"#POSITION", "PutItem PUSHES#acme#"+id+" / 1796040000000#", wrote[0])
	}
}

// What a delivery costs, and what looking costs reconcile for a bookmaker with
// webhooks each minute.
func TestCost(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	counts := capacity.New(dynamotest.PartitionKey, dynamotest.SortKey)
	b := newBench(t, db.NewClient(counts.Attach), db.Table(t))
	b.set("acme", "https://acme.example/hook")
	for _, test := range []struct {
		what          string
		reports       int
		do            func() error
		reads, writes int
	}{
		{"delivering a report", 1, func() error { b.deliver("acme"); return nil }, 4, 3},
		{"delivering 20 at once", 20, func() error { b.deliver("acme"); return nil }, 4, 4},
		{"a message for nothing", 0, func() error { b.deliver("acme"); return nil }, 2, 0},
		{"looking", 0, func() error { return b.dispatcher().Wake(t.Context()) }, 3, 0},
	} {
		t.Run(test.what, func(t *testing.T) {
			b.report("acme", test.reports)
			counts.Reset()
			if err := test.do(); err != nil {
				t.Fatal(err)
			}
			if total := counts.Snapshot().Total(); total.Reads != capacity.HalfUnits(2*test.reads) || total.Writes != capacity.HalfUnits(2*test.writes) {
				t.Errorf("%s costs\n%s", test.what, counts)
			}
		})
	}
}
