package sequencer

import (
	"context"
	"sync"
)

// Batcher appends what several goroutines ask for at once in common batches: a
// batch takes as long with one entry as with ninety-nine.
type Batcher struct {
	*Log
	turn    sync.Mutex // of appending
	mutex   sync.Mutex // of waiting
	waiting []*request
}

// request is what one caller asks for, and what became of it. Its result is written
// and read by who has the turn.
type request struct {
	leaves   []Leaf
	done     bool
	appended Appended
	err      error
}

// Append appends leaves as Log.Append does. When its turn comes it appends what all
// others wait for too: if that fails it has failed for all of them. Leaves that are
// new are counted for one of the callers.
func (b *Batcher) Append(ctx context.Context, leaves []Leaf) (Appended, error) {
	mine := &request{leaves: leaves}
	b.mutex.Lock()
	b.waiting = append(b.waiting, mine)
	b.mutex.Unlock()
	b.turn.Lock()
	defer b.turn.Unlock()
	if !mine.done {
		b.appendAll(ctx)
	}
	return mine.appended, mine.err
}

func (b *Batcher) appendAll(ctx context.Context) {
	b.mutex.Lock()
	all := b.waiting
	b.waiting = nil
	b.mutex.Unlock()
	var leaves []Leaf
	for _, one := range all {
		leaves = append(leaves, one.leaves...)
	}
	appended, err := b.Log.Append(ctx, leaves)
	for _, one := range all {
		one.done, one.err, one.appended = true, err, Appended{Tree: appended.Tree, Conflicts: conflictsOf(one, appended.Conflicts)}
	}
	all[0].appended.New = appended.New
}

// conflictsOf returns those of the conflicts that one caller asked for.
func conflictsOf(one *request, conflicts []Leaf) (own []Leaf) {
	for _, conflict := range conflicts {
		for _, leaf := range one.leaves {
			if leaf.Group == conflict.Group && leaf.Key == conflict.Key {
				own = append(own, conflict)
			}
		}
	}
	return own
}
