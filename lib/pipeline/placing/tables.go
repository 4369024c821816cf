package placing

import (
	"context"
	"sync"

	"tally/lib/pipeline/tables"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// tableFor is how long a table's state may be answered from memory, in milliseconds: so long
// a suspension may go unnoticed. What is stored meanwhile stands: a suspension is no closing.
const tableFor = 1000

// maxTables is the most tables that are remembered.
const maxTables = 4096

// Tables remembers for a moment which tables are suspended. The zero value is ready.
type Tables struct {
	mutex  sync.Mutex
	tables map[string]cachedTable
}

// cachedTable is a table as it was read at a time.
type cachedTable struct {
	tables.State
	readAt settlement.Instant
}

// get returns a table's state that was read at most tableFor ago. Where it is suspended it
// was read consistently: nobody is refused for what was over before that.
func (c *Tables) get(ctx context.Context, table *store.Table, id string, now settlement.Instant) (tables.State, error) {
	if c == nil {
		return tables.State{}, nil
	}
	c.mutex.Lock()
	known, is := c.tables[id]
	c.mutex.Unlock()
	if is && now-known.readAt < tableFor && now >= known.readAt {
		return known.State, nil
	}
	s, err := tables.ReadEventually(ctx, table, id)
	if err == nil && s.Suspended {
		s, _, err = tables.Read(ctx, table, id)
	}
	if err != nil {
		return s, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.tables == nil || len(c.tables) >= maxTables {
		c.tables = map[string]cachedTable{}
	}
	c.tables[id] = cachedTable{State: s, readAt: now}
	return s, nil
}
