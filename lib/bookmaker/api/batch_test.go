package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw"
	"tally/lib/store"
)

// The bets of a batch are all stored before any draw is looked at, and each draw is looked at once.
func TestBatchLooksOnce(t *testing.T) {
	db := fakedynamo.New(t, "table")
	w := newWorldOn(t, store.New(db, "table"))
	w.intake.Settings = draw.Settings{Shards: 1, Looks: true}
	var bets []string
	for _, id := range []string{"rou-1", "rou-2"} {
		w.open("roulette", id, "")
		w.want(w.do(http.MethodPut, "/v1/draws/"+id+"/bets/first", straight17), "201") // which enters the bookmaker
		for n := range 20 {
			bets = append(bets, fmt.Sprintf(`{"draw":%q,"reference":"b-%d","selection":"red","stake":"10.00","currency":"EUR"}`, id, n))
		}
	}
	for _, step := range []struct {
		name  string
		later time.Duration
		heads int // readings of both
	}{
		{"in memory", 0, 2},
		{"the same again, not in memory", time.Second, 4},
	} {
		t.Run(step.name, func(t *testing.T) {
			w.pass(step.later)
			var order []string
			db.Applied = func(call fakedynamo.Call) {
				if call.Write || strings.HasSuffix(call.Keys[0], store.HeadKey) {
					order = append(order, call.Operation)
				}
			}
			w.want(w.do(http.MethodPost, "/v1/bets", `{"bets":[`+strings.Join(bets, ",")+`]}`), "200")
			db.Applied = nil
			made := strings.Join(order, " ")
			if heads := strings.Count(made, "GetItem"); heads != step.heads || !strings.HasSuffix(made, "PutItem GetItem GetItem") && step.later == 0 {
				t.Errorf("%s: HEAD is read %d times, want %d, those of the looks at the end: %s", step.name, heads, step.heads, made)
			}
		})
	}
}
