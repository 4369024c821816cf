package reconcile_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"tally/lib/pipeline/reconcile"
	"tally/lib/store/record"
)

// A draw is not cancelled while a message of the studio is not taken up, of whatever
// draw it may be, or while nobody can tell.
func TestNotCancelledWhileMessagesWait(t *testing.T) {
	for _, test := range []struct {
		name    string
		waiting map[string]int
		err     error
		cancels bool
	}{
		{"none waits", map[string]int{"studio-messages": 0, "dead letters": 0}, nil, true},
		{"one waits", map[string]int{"studio-messages": 1, "dead letters": 0}, nil, false},
		{"a dead letter", map[string]int{"studio-messages": 0, "dead letters": 1}, nil, false},
		{"not counted", nil, errors.New("throttled"), false},
		{"one not counted", map[string]int{"studio-messages": 0}, errors.New("throttled"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNight(t)
				n.waiting, n.uncounted = test.waiting, test.err
				n.pass(1)
				n.open()
				n.pass(45) // it is cancelled half an hour after it closed
				head, _, err := record.LoadHead(t.Context(), n.table, "rou-1.7")
				if err != nil || (head.State == 1) != test.cancels {
					t.Errorf("it has state %d, %v", head.State, err)
				}
				if !test.cancels && n.stuck[reconcile.StuckResult] < 30 {
					t.Errorf("it is counted as overdue %d times", n.stuck[reconcile.StuckResult])
				}
				n.waiting, n.uncounted = nil, nil
				time.Sleep(time.Minute)
				n.pass(3)
				if head, _, err := record.LoadHead(t.Context(), n.table, "rou-1.7"); err != nil || head.State != 1 {
					t.Errorf("once they are taken up it has state %d, %v", head.State, err)
				}
			})
		})
	}
}
