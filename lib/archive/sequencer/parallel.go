package sequencer

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// maxParallel is how many requests of one batch are under way at once.
const maxParallel = 32

// parallel does something for each number below n, side by side, and returns the first
// error. What was begun is waited for.
func parallel(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for i := range n {
		group.Go(func() error { return do(ctx, i) })
	}
	return group.Wait()
}

// sideBySide does several things side by side.
func sideBySide(ctx context.Context, all ...func(ctx context.Context) error) error {
	return parallel(ctx, len(all), func(ctx context.Context, i int) error { return all[i](ctx) })
}
