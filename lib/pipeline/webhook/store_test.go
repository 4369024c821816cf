package webhook

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tally/internal/testkit/dynamotest"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/pipeline/settle"
	"tally/lib/store"
)

// Everything that operators do, and what a worker does with it, on both emulators.
func TestStore(t *testing.T) {
	dynamotest.Each(t, func(t *testing.T, db dynamotest.DB) {
		b := newBench(t, db.Client, db.Table(t))
		s := b.store()
		ctx := t.Context()
		b.report("acme", 3)
		made, secret, err := s.Set(ctx, Params{Bookmaker: "acme", URL: "https://acme.example/hook", Note: "settlement job", After: 1})
		if err != nil {
			t.Fatal(err)
		}
		if key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")); err != nil || len(key) != 32 || made.Secrets[0].Text != secret {
			t.Errorf("the secret has %d bytes, %v", len(key), err)
		}
		b.deliver("acme")
		equal(t, "notified", b.taken[made.ID], []int64{2, 3})
		b.pass(time.Minute)
		b.report("acme", 1)
		b.answer = func(*Endpoint, int64) Outcome {
			return Outcome{Status: 500, Failed: FailedServer, Detail: "it answers 500", Millis: 12}
		}
		b.deliver("acme")
		tries, err := s.Deliveries(ctx, "acme", made.ID, 10)
		if err != nil || len(tries) != 3 {
			t.Fatalf("%v, %v, want no error and len(tries) = 3", tries, err)
		}
		equal(t, "tries", []any{tries[0].Sequence, tries[0].Failed, tries[0].Detail, tries[0].Millis, tries[0].At, tries[1].Sequence, tries[2].Sequence},
			[]any{4, FailedServer, "it answers 500", 12, b.now, 3, 2})
		if tries, err := s.Deliveries(ctx, "acme", made.ID, 2); err != nil || len(tries) != 2 || tries[1].Sequence != 3 {
			t.Errorf("two of them: %v, %v", tries, err)
		}

		if _, err := s.Move(ctx, "acme", made.ID, "https://acme.example/other"); err != nil {
			t.Error(err)
		}
		second, other, err := s.Rotate(ctx, "acme", made.ID, time.Hour)
		if err != nil || other.URL != "https://acme.example/other" || second == secret {
			t.Errorf("%+v, %v, want no error and other.URL = \"https://acme.example/other\" and second other than %v", other, err, secret)
		}
		equal(t, "signing", len(other.Signing(b.now)), 2)
		b.pass(time.Hour)
		equal(t, "signing after the overlap", len(other.Signing(b.now)), 1)
		equal(t, "state", b.status("acme", made.ID).State(), "failing")
		if err := s.Disable(ctx, "acme", made.ID); err != nil {
			t.Error(err)
		}
		equal(t, "state", b.status("acme", made.ID).State(), "disabled")
		newest := int64(-1)
		if err := s.Enable(ctx, "acme", made.ID, &newest); err != nil {
			t.Error(err)
		}
		equal(t, "state", b.status("acme", made.ID).State(), "up to date")
		if feed, err := settle.ReadFeed(ctx, b.table, "acme"); err != nil || feed.Newest != 4 {
			t.Errorf("the feed ends at %+v, %v", feed, err)
		}

		two := b.set("acme", "https://acme.example/two")
		for i, id := range []string{made.ID, two} {
			t.Run(id, func(t *testing.T) {
				if err := s.Remove(ctx, "acme", id); err != nil {
					t.Error(err)
				}
				_, listed, err := b.table.Get(ctx, store.HooksKey, "acme")
				if err != nil || listed != (i == 0) || pushed(t, b) != (i == 0) {
					t.Errorf("after removing %d: listed %v, %v", i+1, listed, err)
				}
			})
		}
		list, err := s.List(ctx, "acme")
		if err != nil || len(list) != 0 {
			t.Errorf("%v, %v, want no error and len(list) = 0", list, err)
		}
		if tries, err := s.Deliveries(ctx, "acme", made.ID, 10); err != nil || len(tries) != 3 {
			t.Errorf("%v, %v, want no error and len(tries) = 3", tries, err)
		}
	})
}

// pushed tells whether settle asks for acme's reports to be pushed.
func pushed(t *testing.T, b *bench) bool {
	t.Helper()
	item, _, err := b.table.Get(t.Context(), store.FeedKey("acme"), store.CounterKey)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(item.Body, `"pushed":true`)
}

// What is refused, and why.
func TestRefused(t *testing.T) {
	b, _ := newFake(t)
	s, ctx := b.store(), t.Context()
	id := b.set("acme", "https://acme.example/1")
	b.report("acme", 5)
	set := func(bookmaker, url, note string, after int64) error {
		_, _, err := s.Set(ctx, Params{bookmaker, url, note, after})
		return err
	}
	move := func(id, url string) error {
		_, err := s.Move(ctx, "acme", id, url)
		return err
	}
	rotate := func(id string, overlap time.Duration) error {
		_, _, err := s.Rotate(ctx, "acme", id, overlap)
		return err
	}
	six := int64(6)
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"no bookmaker":       {set("a b", "https://acme.example/2", "", -1), "is no bookmaker"},
		"a URL inside":       {set("acme", "https://10.0.0.1/", "", -1), "no address of the public internet"},
		"a URL of this one":  {set("acme", "http://127.0.0.1:80/", "", -1), "write https:"},
		"a long note":        {set("acme", "https://acme.example/2", strings.Repeat("n", 201), -1), "201 bytes"},
		"the same URL":       {set("acme", "https://acme.example/1", "", -1), "has this URL"},
		"after the newest":   {set("acme", "https://acme.example/2", "", 6), "the newest report is 5"},
		"moved inside":       {move(id, "https://10.0.0.1/"), "no address of the public internet"},
		"enabled after":      {s.Enable(ctx, "acme", id, &six), "the newest report is 5"},
		"moved, unknown":     {move("nosuch", "https://acme.example/2"), ErrUnknown.Error()},
		"rotated, unknown":   {rotate("nosuch", 0), ErrUnknown.Error()},
		"enabled, unknown":   {s.Enable(ctx, "acme", "nosuch", nil), ErrUnknown.Error()},
		"disabled, unknown":  {s.Disable(ctx, "acme", "nosuch"), ErrUnknown.Error()},
		"removed, unknown":   {s.Remove(ctx, "acme", "nosuch"), ErrUnknown.Error()},
		"of other bookmaker": {s.Remove(ctx, "borealis", id), ErrUnknown.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
				t.Errorf("%s: %v, want %q", name, test.err, test.want)
			}
		})
	}
	for range maxSecrets - 1 {
		if err := rotate(id, time.Hour); err != nil {
			t.Error(err)
		}
	}
	if err := rotate(id, time.Hour); err == nil || !strings.Contains(err.Error(), "3 secrets") {
		t.Errorf("a fourth secret: %v", err)
	}
	if err := rotate(id, 0); err != nil || len(b.status("acme", id).Secrets) != 1 {
		t.Errorf("without an overlap: %v", err)
	}
	b.set("acme", "https://acme.example/2")
	b.set("acme", "https://acme.example/3")
	if err := set("acme", "https://acme.example/4", "", -1); err == nil || !strings.Contains(err.Error(), "has 3 endpoints") {
		t.Errorf("a fourth endpoint: %v", err)
	}
	if err := move(id, "https://acme.example/3"); err == nil || !strings.Contains(err.Error(), "has this URL") {
		t.Errorf("moved to another's: %v", err)
	}
	local := b.store()
	local.Loopback = true
	if _, _, err := local.Set(ctx, Params{Bookmaker: "borealis", URL: "http://127.0.0.1:9000/", After: -1}); err != nil {
		t.Errorf("on this machine: %v", err)
	}
}

// Operators at once, and reports meanwhile: never more endpoints than are allowed,
// and no report's number is lost.
func TestOperatorsAtOnce(t *testing.T) {
	b, _ := newFake(t)
	var group sync.WaitGroup
	made := make([]error, 8)
	for i := range made {
		group.Go(func() {
			_, _, made[i] = b.store().Set(t.Context(), Params{Bookmaker: "acme", URL: "https://acme.example/" + string(rune('a'+i)), After: -1})
		})
	}
	group.Go(func() {
		for range 50 {
			for errors.Is(b.append("acme"), store.ErrChanged) {
				time.Sleep(time.Millisecond)
			}
		}
	})
	group.Wait()
	refused := len(slices.DeleteFunc(made, func(err error) bool { return err == nil }))
	list, err := b.store().List(t.Context(), "acme")
	if err != nil || len(list) != maxEndpoints || refused != 8-maxEndpoints || list[0].Newest != 50 || !pushed(t, b) {
		t.Errorf("%d endpoints, %d refused, %d reports, %v", len(list), refused, list[0].Newest, err)
	}
}

// An answer that is lost changes nothing: the same change again is that change.
func TestLostAnswers(t *testing.T) {
	b, db := newFake(t)
	b.report("acme", 1)
	twice := func(call fakedynamo.Call) fakedynamo.Verdict {
		if call.Operation == "TransactWriteItems" {
			return fakedynamo.SendTwice
		}
		return fakedynamo.Proceed
	}
	once := func() {
		sent := false
		db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
			if v := twice(call); !sent {
				sent = v == fakedynamo.SendTwice
				return v
			}
			return fakedynamo.Proceed
		}
	}
	once()
	id := b.set("acme", "https://acme.example/hook")
	once()
	secret, e, err := b.store().Rotate(t.Context(), "acme", id, time.Hour)
	if err != nil || len(e.Secrets) != 2 || e.Secrets[0].Text != secret {
		t.Errorf("rotated: %+v, %v", e, err)
	}
	once()
	if err := b.store().Disable(t.Context(), "acme", id); err != nil {
		t.Error(err)
	}
	once()
	if err := b.store().Remove(t.Context(), "acme", id); err != nil {
		t.Error(err)
	}
	if list, err := b.store().List(t.Context(), "acme"); err != nil || len(list) > 0 {
		t.Errorf("%v, %v, want no error and len(list) = 0", list, err)
	}
}
