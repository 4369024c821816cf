package sequencer

import (
	"slices"
	"sync"

	"golang.org/x/mod/sumdb/tlog"
)

// maxLineage bounds how many trees are remembered. What is forgotten is verified again.
const maxLineage = 1000

// lineage is a list of trees of which this process knows that each begins with the one
// before, and that the files and index items of all are there: nobody has to verify or
// write them again. The zero value knows none.
type lineage struct {
	mutex sync.Mutex
	trees []tlog.Tree
}

// add adds a tree that was applied, which begins with another.
func (g *lineage) add(old, now tlog.Tree) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if len(g.trees) == 0 || g.trees[len(g.trees)-1] != old {
		g.trees = []tlog.Tree{old}
	}
	g.trees = append(g.trees, now)
	g.trees = g.trees[max(0, len(g.trees)-maxLineage):]
}

// has reports whether a tree is known to be applied and to begin with another.
func (g *lineage) has(old, now tlog.Tree) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	at := slices.Index(g.trees, now)
	return at >= 0 && (old.N == 0 || slices.Contains(g.trees[:at+1], old))
}
