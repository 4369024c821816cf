package tables_test

import (
	"fmt"
	"testing"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/tables"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// said are messages about a table: at 1 it is suspended, at 2 both suspended and resumed, at
// 3 resumed.
var said = []*wire.Message{
	{ID: "a", Type: wire.TableSuspended, Table: "t", At: 1, Reason: "equipment_error"},
	{ID: "b", Type: wire.TableResumed, Table: "t", At: 2},
	{ID: "c", Type: wire.TableSuspended, Table: "t", At: 2, Reason: "shift"},
	{ID: "d", Type: wire.TableResumed, Table: "t", At: 3},
	{ID: "e", Type: wire.TableAlive, Table: "t", At: 9},
}

// orders calls then with every order of the first n messages.
func orders(n int, then func([]*wire.Message)) {
	var place func(taken []*wire.Message, left []*wire.Message)
	place = func(taken, left []*wire.Message) {
		if len(left) == 0 {
			then(taken)
			return
		}
		for i := range left {
			rest := append(append([]*wire.Message{}, left[:i]...), left[i+1:]...)
			place(append(append([]*wire.Message{}, taken...), left[i]), rest)
		}
	}
	place(nil, said[:n])
}

// What holds of a table does not depend on the order in which its messages come, nor on how
// often each does.
func TestOrders(t *testing.T) {
	for n, want := range map[int]string{1: "a true equipment_error", 2: "b false ", 3: "c true shift", 4: "d false ", 5: "d false "} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			orders(n, func(list []*wire.Message) {
				var s tables.State
				names := ""
				for _, m := range append(list, list...) {
					s.Apply(m, 10)
					names += m.ID
				}
				if got := fmt.Sprintf("%s %v %s", s.By, s.Suspended, s.Reason); got != want {
					t.Errorf("after %s it is %s, want %s", names, got, want)
				}
			})
		})
	}
}

// What is answered: what is known, and which message holds instead.
func TestApply(t *testing.T) {
	var s tables.State
	for _, step := range []struct {
		message *wire.Message
		known   bool
		holds   string
	}{{said[1], false, ""}, {said[1], true, ""}, {said[0], false, "b"}, {said[2], false, ""}, {said[1], false, "c"}, {said[3], false, ""}, {said[2], false, "d"}, {said[4], false, ""}} {
		t.Run(step.holds, func(t *testing.T) {
			if known, holds := s.Apply(step.message, 10); known != step.known || holds != step.holds {
				t.Errorf("%s is known %v, and %q holds; want %v, %q", step.message.ID, known, holds, step.known, step.holds)
			}
		})
	}
}

// A table is silent when it has once said that it is alive, and then nothing for a minute.
func TestSilent(t *testing.T) {
	var s tables.State
	silent := func(at settlement.Instant, want bool) {
		t.Helper()
		if s.Silent(at) != want {
			t.Errorf("at %d it is silent: %v, want %v", at, !want, want)
		}
	}
	s.Apply(said[0], 1000)
	silent(1000+tables.SilentAfter+1, false) // it has never said so
	s.Apply(said[4], 2000)
	silent(2000+tables.SilentAfter, false)
	silent(2000+tables.SilentAfter+1, true)
	s.Apply(said[3], 5000) // anything is a sign of life
	silent(2000+tables.SilentAfter+1, false)
	s.Apply(said[4], 3000) // which was under way for long
	silent(5000+tables.SilentAfter+1, true)
}

// Tables are listed once they were written, once each.
func TestList(t *testing.T) {
	table := store.New(fakedynamo.New(t, "table"), "table")
	for _, id := range []string{"b", "a", "b"} {
		s, version, err := tables.Read(t.Context(), table, id)
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(&wire.Message{ID: "m", Type: wire.TableAlive, Table: id}, settlement.Instant(version+1))
		if err := tables.Save(t.Context(), table, s, version, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Put(t.Context(), store.Item{PK: store.TablesKey, SK: "gone"}); err != nil { // its state has expired
		t.Fatal(err)
	}
	list, err := tables.List(t.Context(), table)
	if err != nil || len(list) != 2 || list[0].Table != "a" || list[1].Table != "b" || list[1].HeardAt != 2 {
		t.Errorf("listed are %+v, %v; want a and b, heard of at 1 and 2", list, err)
	}
}
