package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tally/lib/pipeline/reconcile"
)

// TestLogUnreadable: a run that can't look at the public log says so, and still looks at
// the queues.
func TestLogUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		time.Sleep(time.Hour)
		r := n.cursor()
		r.Watch = func(context.Context) (reconcile.PublicLog, error) { return nil, errors.New("the bucket is gone") }
		err := r.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), "looking at the public log: the bucket is gone") || len(n.depths) != 1 {
			t.Errorf("the run says %v and looked %d times at the queues; want that the log can't be read, and one look", err, len(n.depths))
		}
	})
}
