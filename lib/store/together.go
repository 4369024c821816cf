package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A transaction is seen whole by one transactional read only. Several plain reads, or
// a query, may see one item of it and another one as it was before, for as long as it
// is being committed: DynamoDB promises them read-committed isolation. So whoever
// reads two items of a transaction either gets along with each of them alone, or reads
// them together, or reads the second for sure.

// Together reads items of a partition as they are at one moment, none of a
// transaction under way or all; one that is not there has no keys. ErrChanged says
// that there was always one under way.
func (t *Table) Together(ctx context.Context, pk string, sks ...string) ([]Item, error) {
	gets := make([]types.TransactGetItem, len(sks))
	for i, sk := range sks {
		gets[i] = types.TransactGetItem{Get: &types.Get{TableName: &t.name, Key: key(pk, sk)}}
	}
	var out *dynamodb.TransactGetItemsOutput
	var cancelled *types.TransactionCanceledException
	passing := func(err error) bool {
		return errors.As(err, &cancelled) && only(cancelled, conflicting, throttling, overThroughput)
	}
	err := again(ctx, passing, func() (err error) {
		out, err = t.client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: gets})
		return err
	})
	if err != nil && passing(err) && ctx.Err() == nil {
		return nil, fmt.Errorf("reading %s / %s: %w: %w", pk, sks[0], ErrChanged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s / %s: %w", pk, sks[0], err)
	}
	items := make([]Item, len(sks))
	for i, answer := range out.Responses {
		if len(answer.Item) > 0 {
			items[i] = decode(answer.Item)
		}
	}
	return items, nil
}

// Sure reads an item that was written together with one that was seen: where a plain
// read does not find it, its transaction may still be under way. Items that are
// replaced are to be read together instead.
func (t *Table) Sure(ctx context.Context, pk, sk string) (item Item, found bool, err error) {
	item, found, err = t.Get(ctx, pk, sk)
	if err != nil || found {
		return item, found, err
	}
	items, err := t.Together(ctx, pk, sk)
	if err != nil {
		return Item{}, false, err
	}
	return items[0], items[0].PK != "", nil
}
