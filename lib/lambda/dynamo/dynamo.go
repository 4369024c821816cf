// Package dynamo opens the DynamoDB table of those functions that have it.
package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/store"
	"tally/lib/store/clock"
)

// Table is the table of a function that decides nothing by time.
func Table(r runtime.Runtime, c runtime.Common) *store.Table {
	return store.New(dynamodb.NewFromConfig(r.AWS), c.Table)
}

// Clocked is the table of a function that decides by time, with the check of its
// clock, which hears all that the table is asked.
func Clocked(r runtime.Runtime, c runtime.Common, measured *metrics.Metrics) (*store.Table, clock.Check) {
	if r.TrustClock {
		return Table(r, c), nil
	}
	watch := &clock.Watch{Now: r.Instant, Record: func() { measured.Add(metrics.ClockWrong, "", 1) }}
	table := store.New(dynamodb.NewFromConfig(r.AWS, func(o *dynamodb.Options) { o.APIOptions = append(o.APIOptions, watch.Attach) }), c.Table)
	watch.Ask = func(ctx context.Context) error {
		_, _, err := table.Get(ctx, store.ReconcileKey, store.ReconcileKey)
		return err
	}
	return table, watch.Check
}
