package sequencer

import (
	"context"
	"sync"
	"time"
)

// Batcher appends what several goroutines ask for at once in common batches: a
// batch takes as long with one entry as with a thousand. While a checkpoint waits for its
// witnesses, and is written, the next batches are appended; what was appended meanwhile is
// published next, with one checkpoint.
type Batcher struct {
	*Log
	// Window is how long a batch waits for more callers to come.
	Window time.Duration

	adding, publishing turn
	mutex              sync.Mutex // of what follows
	waiting            []*request
	unpublished        *applied // what was added last, until someone publishes it
}

// request is what one caller asks for, and what became of it. Its result is written
// and read by who has the turn of adding.
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
	if err := check(leaves); err != nil {
		return Appended{}, err
	}
	mine := &request{leaves: leaves}
	b.mutex.Lock()
	b.waiting = append(b.waiting, mine)
	b.mutex.Unlock()
	err := b.adding.with(ctx, func() error {
		if !mine.done {
			b.addAll(ctx)
		}
		return mine.err
	})
	if err == nil {
		// What this caller waits for was added by now: it is unpublished, or is being
		// published by who has the turn, or was.
		err = b.publishing.with(ctx, func() error { return b.publishNewest(ctx) })
	}
	if err != nil {
		return Appended{}, b.failed(err)
	}
	return mine.appended, nil
}

func (b *Batcher) addAll(ctx context.Context) {
	if b.Window > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(b.Window):
		}
	}
	b.mutex.Lock()
	all := b.waiting
	b.waiting = nil
	b.mutex.Unlock()
	var leaves []Leaf
	for _, one := range all {
		leaves = append(leaves, one.leaves...)
	}
	appended, at, err := b.add(ctx, leaves)
	if err == nil {
		b.mutex.Lock()
		b.unpublished = &at
		b.mutex.Unlock()
	}
	for _, one := range all {
		one.done, one.err, one.appended = true, err, Appended{Tree: appended.Tree, Conflicts: conflictsOf(one, appended.Conflicts)}
	}
	all[0].appended.New = appended.New
}

// publishNewest publishes what was added last, unless someone has since.
func (b *Batcher) publishNewest(ctx context.Context) error {
	b.mutex.Lock()
	newest := b.unpublished
	b.unpublished = nil
	b.mutex.Unlock()
	if newest == nil {
		return nil
	}
	err := b.publish(ctx, *newest)
	if err != nil {
		b.mutex.Lock()
		if b.unpublished == nil {
			b.unpublished = newest // for the next caller
		}
		b.mutex.Unlock()
	}
	return err
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

// turn lets one caller at a time do something. Those that wait give up when their
// context ends. The zero value is free.
type turn struct {
	once sync.Once
	free chan struct{}
}

func (t *turn) with(ctx context.Context, do func() error) error {
	t.once.Do(func() { t.free = make(chan struct{}, 1) })
	select {
	case <-ctx.Done():
		return ctx.Err()
	case t.free <- struct{}{}:
	}
	defer func() { <-t.free }()
	return do()
}
