package reconcile_test

import (
	"testing"
	"testing/synctest"
	"time"

	"tally/lib/draw/wire"
	"tally/lib/pipeline/tables"
)

// A table that has said that it is alive, and then nothing for a minute, is counted.
func TestSilentTables(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNight(t)
		beats := func(table string, kind wire.Type) {
			s, version, err := tables.Read(t.Context(), n.table, table)
			if err != nil {
				t.Fatal(err)
			}
			s.Apply(&wire.Message{ID: "m", Type: kind, Table: table, Reason: "r", At: 1}, now())
			if err := tables.Save(t.Context(), n.table, s, version, 0); err != nil {
				t.Fatal(err)
			}
		}
		counted := -1
		r := n.cursor()
		r.SilentTables = func(tables int) { counted = tables }
		runs := func(want int) {
			t.Helper()
			if err := r.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if counted != want {
				t.Errorf("%d tables are silent, want %d", counted, want)
			}
		}
		runs(0)
		beats("rou-1", wire.TableAlive)
		beats("rou-2", wire.TableAlive)
		beats("rou-3", wire.TableSuspended) // which has never said that it is alive
		time.Sleep(50 * time.Second)
		beats("rou-2", wire.TableAlive)
		runs(0)
		time.Sleep(11 * time.Second)
		runs(1)
		time.Sleep(time.Minute)
		runs(2)
		beats("rou-1", wire.TableAlive)
		runs(1)
	})
}
