package simulation

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"tally/internal/simulation/plans"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/clock"
)

// A process whose clock is wrong does nothing by it, whatever it is given to do: all
// comes out as if it were not there. What it is given and gives back is done elsewhere.
func TestWrongClock(t *testing.T) {
	refused := 0
	for n, wrong := range []time.Duration{30 * time.Second, -30 * time.Second, 2100 * time.Millisecond, -2100 * time.Millisecond, time.Hour, -time.Hour} {
		t.Run(fmt.Sprint(wrong), func(t *testing.T) {
			for k := range 3 {
				plan := plans.New(uint64(3*n + k + 1))
				plan.WrongClock = wrong
				o := Run(t, plan)
				if refused += o.Refused; len(o.Problems) > 0 {
					t.Errorf("off by %v:\n%s", wrong, Report(t, plan))
				}
			}
		})
	}
	if refused < 20 {
		t.Errorf("only %d messages and requests were refused", refused)
	}
}

// Each that decides by time refuses at once: it asks for nothing and writes nothing.
func TestRefusesByAWrongClock(t *testing.T) {
	db := fakedynamo.New(t, tableName)
	db.Intercept = func(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
		t.Errorf("asked for %s", call)
		return fakedynamo.Proceed
	}
	now := func() settlement.Instant { return settlement.Instant(time.Now().UnixMilli()) }
	table := store.New(db, tableName)
	check := func(context.Context) error { return &clock.WrongError{Off: 5000} }
	in := &intake.Intake{Table: table, Now: now, Clock: check, Record: discard{}, Log: quiet}
	settler := &settle.Settler{Table: table, Now: now, Clock: check, Record: discard{}, Log: quiet}
	reconciler := &reconcile.Reconciler{Table: table, Intake: in, Settler: settler, Now: now, Clock: check, Log: quiet}
	cursor := &reconcile.Cursor{Table: table, Depths: discard{}, Record: discard{}, Now: now, Clock: check, Log: quiet}
	acceptor := &placing.Acceptor{Table: table, Now: now, Clock: check, Terms: termsOf, Record: discard{}}
	for name, try := range map[string]func() error{
		"intake": func() error {
			return in.Handle(t.Context(), intake.Delivery{Body: []byte(`not even a message: quarantine is by time, too`)})
		},
		"settle":    func() error { return settler.Handle(t.Context(), "rou-1") },
		"reconcile": func() error { return cursor.Run(t.Context()) },
		"look": func() error {
			return reconciler.Look(t.Context(), wire.Due{Minute: store.DueKey(now(), 0), Draw: "rou-1#1"})
		},
		"placing": func() error {
			_, err := acceptor.Place(t.Context(), placing.Request{Bookmaker: "acme", Draw: "rou-1", Reference: "b-1", Selection: "red", Stake: "1.00", Currency: "EUR"})
			return err
		},
		"cancelling": func() error {
			_, err := acceptor.Cancel(t.Context(), "acme", "rou-1", "b-1")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			if wrong := (*clock.WrongError)(nil); !errors.As(try(), &wrong) {
				t.Errorf("%s does not refuse", name)
			}
		})
	}
}
