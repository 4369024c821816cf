package settle_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/pipeline/settle"
	"tally/lib/store"
)

// queue notes what was sent, and may fail.
type queue struct {
	bodies []string
	failed error
}

func (q *queue) Send(_ context.Context, body string, _ time.Duration) error {
	q.bodies = append(q.bodies, body)
	return q.failed
}

// A settlement run asks for a report to be pushed where its bookmaker has webhooks, and
// nowhere else. A message that can't be sent fails no settlement run: reconcile finds what it
// was about. The feed goes on saying that there are webhooks.
func TestPushed(t *testing.T) {
	db := fakedynamo.New(t, "table")
	p := &pipeline{table: store.New(db, "table")}
	p.open(t, 3)
	asked := &queue{}
	settled := func(revision, pocket int) []string {
		t.Helper()
		p.result(t, revision, pocket)
		settler := p.settler()
		settler.Webhooks, asked.bodies = asked, nil
		for range 2 { // the second time nothing is reported
			if err := settler.Handle(t.Context(), theDraw); err != nil {
				t.Fatal(err)
			}
		}
		return asked.bodies
	}
	set := func(pushed bool) {
		t.Helper()
		feed, err := settle.ReadFeed(t.Context(), p.table, "acme")
		if err != nil {
			t.Fatal(err)
		}
		write := feed.SetPushed(pushed)
		if err := p.table.Transact(t.Context(), write); err != nil {
			t.Fatal(err)
		}
		if err := p.table.Transact(t.Context(), write); !errors.Is(err, store.ErrChanged) {
			t.Errorf("a feed that has changed: %v", err)
		}
	}
	if got := settled(1, 34); len(got) != 0 {
		t.Errorf("without webhooks it sent %q", got)
	}
	set(true)
	for revision, pocket := range []int{17, 34} {
		t.Run(fmt.Sprint(pocket), func(t *testing.T) {
			asked.failed = []error{nil, errors.New("no connection")}[revision]
			if got := settled(revision+2, pocket); len(got) != 1 || got[0] != `{"bookmaker":"acme"}` {
				t.Errorf("with webhooks it sent %q", got)
			}
		})
	}
	set(false)
	if got := settled(4, 17); len(got) != 0 {
		t.Errorf("without webhooks again it sent %q", got)
	}
	if feed, err := settle.ReadFeed(t.Context(), p.table, "acme"); err != nil || feed.Newest != 4 {
		t.Errorf("the newest report is %d, %v", feed.Newest, err)
	}
}
