package settle_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/rulebook/games"
	"tally/lib/store"
)

// raise releases a second version of roulette until the test ends.
func raise(t *testing.T) {
	t.Helper()
	first, _ := games.Find("roulette")
	second := *first
	second.Version++
	t.Cleanup(games.Release(&second))
}

// catalogue is the newest version of roulette as states say it.
func catalogue() string {
	newest, _ := games.Find("roulette")
	return fmt.Sprintf(`"catalogue":%d`, newest.Version)
}

// A draw that began before a version was raised is settled, corrected and counted by
// its own.
func TestCatalogueRaised(t *testing.T) {
	for _, test := range []struct {
		name  string
		steps []string
	}{
		{"before the result", []string{"raise", "result", "settle", "correct", "settle"}},
		{"before the run", []string{"result", "raise", "settle", "correct", "settle"}},
		{"before the correction", []string{"result", "settle", "raise", "correct", "settle"}},
		{"before its run", []string{"result", "settle", "correct", "raise", "settle"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
			began := catalogue()
			p.open(t, 1)
			for _, step := range test.steps {
				switch step {
				case "raise":
					raise(t)
				case "result":
					p.result(t, 1, 34)
				case "correct":
					p.result(t, 2, 17)
				case "settle":
					p.settle(t)
				}
			}
			p.stands(t, 2, true)
			p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;", "2 after 1: b00000 lost 0.00 for 1;")
			if missed := p.found(t); len(missed) > 0 {
				t.Errorf("the recount finds %v", missed)
			}
			history, err := p.history(t)
			if err != nil {
				t.Fatal(err)
			}
			if accounts, err := history.Accounts([]store.StoredBet{bet("b00000")}); err != nil || len(accounts[0].Lines) != 2 {
				t.Errorf("the history is %+v, %v", accounts, err)
			}
			for state := range 2 {
				if item, _, err := p.table.Get(t.Context(), store.DrawKey(theDraw), store.StateKey(state+1)); err != nil || !strings.Contains(item.Body, began) {
					t.Errorf("state %d is %s, %v", state+1, item.Body, err)
				}
			}
		})
	}
}

// A draw that begins once the version is raised has the new one, and waits for a program
// that knows it: with what an earlier program says of it, and nothing reported.
func TestUnknownVersionWaits(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	first, _ := games.Find("roulette")
	second := *first
	second.Version = 99
	withdraw := games.Release(&second)
	p.open(t, 1)
	p.result(t, 1, 34)
	withdraw()
	for range 2 {
		if err := p.settler().Handle(t.Context(), theDraw); !errors.Is(err, games.ErrUnknown) || !strings.Contains(err.Error(), "version 99 of roulette") {
			t.Errorf("it goes on: %v", err)
		}
	}
	if status, err := p.settler().Status(t.Context(), theDraw); err != nil || !errors.Is(status.Unknown, games.ErrUnknown) {
		t.Errorf("it stands at %+v, %v", status, err)
	}
	if _, err := p.history(t); !errors.Is(err, games.ErrUnknown) {
		t.Errorf("the history: %v", err)
	}
	p.wantReports(t, "acme")
	t.Cleanup(games.Release(&second))
	p.settle(t)
	p.wantReports(t, "acme", "1 after 0: b00000 won 20.00;")
}

// A state that names another version than its draw is an error of that draw, also where
// the program knows neither.
func TestStateOfAnotherVersion(t *testing.T) {
	p := &pipeline{table: store.New(fakedynamo.New(t, "table"), "table")}
	p.open(t, 1)
	p.result(t, 1, 34)
	item, _, err := p.table.Get(t.Context(), store.DrawKey(theDraw), store.StateKey(1))
	if err != nil {
		t.Fatal(err)
	}
	item.Body = strings.Replace(item.Body, catalogue(), `"catalogue":99`, 1)
	if err := p.table.Put(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	if err := p.settler().Handle(t.Context(), theDraw); !errors.Is(err, games.ErrUnknown) {
		t.Errorf("it goes on: %v", err)
	}
	p.wantReports(t, "acme")
}
