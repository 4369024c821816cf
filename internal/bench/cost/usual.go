package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"tally/lib/draw/wire"
	"tally/lib/rulebook/games/roulette"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// usual is one of the ways in which bets are usually settled: each is read,
// settled, and written. It exists only here, to compare with. It is given the
// advantages: it reads pages of 1 MB as tally does, it writes only the bets that
// change, it tells no bookmaker, and it keeps no totals.
type usual struct {
	name  string
	table string
	// write settles one bet, unless it was settled under the state already.
	write func(ctx context.Context, client *dynamodb.Client, table string, s settled) error
}

// The two usual ways.
var usuals = []usual{
	{"update", "costbench-update", updateBet},
	{"transact", "costbench-transact", transactBet},
}

// settled is a bet with what becomes of it.
type settled struct {
	pk, sk string
	settlement.Settlement
	state, base int
	stake       money.Amount
}

// writing is how many bets are written at once.
const writing = 4 * parallel

// The update that both ways make: the result, on condition that the bet is still
// settled under the state before.
const (
	updateExpression = "SET sv = :state, st = :status, py = :payout"
	firstCondition   = "attribute_not_exists(sv)"
	laterCondition   = "sv = :base"
)

func (s settled) key() attributes { return attributes{partitionKey: text(s.pk), sortKey: text(s.sk)} }

func (s settled) condition() *string {
	if s.base == 0 {
		return aws.String(firstCondition)
	}
	return aws.String(laterCondition)
}

func (s settled) values() attributes {
	values := attributes{":state": number(int64(s.state)), ":status": text(s.Result.String()), ":payout": number(int64(s.Payout))}
	if s.base != 0 {
		values[":base"] = number(int64(s.base))
	}
	return values
}

// updateBet marks a bet as settled by a conditional update.
func updateBet(ctx context.Context, client *dynamodb.Client, table string, s settled) error {
	_, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &table, Key: s.key(), UpdateExpression: aws.String(updateExpression),
		ConditionExpression: s.condition(), ExpressionAttributeValues: s.values()})
	return err
}

// transactBet marks a bet as settled and enters it in a ledger, in one
// transaction.
func transactBet(ctx context.Context, client *dynamodb.Client, table string, s settled) error {
	entry := attributes{partitionKey: text("LEDGER#" + s.pk), sortKey: text(s.sk + "#" + strconv.Itoa(s.state)),
		"k": number(int64(s.stake)), "y": number(int64(s.Payout)), "t": number(int64(resultAt))}
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Update: &types.Update{TableName: &table, Key: s.key(), UpdateExpression: aws.String(updateExpression),
			ConditionExpression: s.condition(), ExpressionAttributeValues: s.values()}},
		{Put: &types.Put{TableName: &table, Item: entry, ConditionExpression: aws.String("attribute_not_exists(" + partitionKey + ")")}},
	}})
	return err
}

type attributes = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func textOf(a attributes, name string) string {
	s, _ := a[name].(*types.AttributeValueMemberS)
	if s == nil {
		return ""
	}
	return s.Value
}

func numberOf(a attributes, name string) int64 {
	n, _ := a[name].(*types.AttributeValueMemberN)
	if n == nil {
		return 0
	}
	value, _ := strconv.ParseInt(n.Value, 10, 64) // DynamoDB has only numbers there
	return value
}

// measureUsual settles and corrects the bets of tally's table, copied to a table
// of the way's own.
func measureUsual(ctx context.Context, d *database, u usual, bets int) (costs []cost, err error) {
	if err := d.createTable(ctx, u.table); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.deleteTable(ctx, u.table)) }()
	if err := copyBets(ctx, d.client, u.table); err != nil {
		return nil, err
	}
	for i, r := range revisions() {
		state, err := usualState(r.message, i+1)
		if err != nil {
			return nil, err
		}
		var lines atomic.Int64
		c, err := d.measure(r.name, bets, func() (int, error) {
			err := u.settle(ctx, d.client, state, &lines)
			return int(lines.Load()), err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", u.name, err)
		}
		costs = append(costs, c)
	}
	return costs, nil
}

// usualState is what a message says, without the closings: all bets are in time.
func usualState(body []byte, number int) (*settlement.State, error) {
	m, _, faults := wire.Parse(body)
	if len(faults) > 0 {
		return nil, fmt.Errorf("the workload's message is wrong: %s", faults[0].Message)
	}
	return &settlement.State{Game: roulette.Game, Number: number, Outcome: m.Resolution.Outcome, Void: m.Resolution.Void, Cancelled: m.Reason}, nil
}

// settle settles every bet of the draw under a state.
func (u usual) settle(ctx context.Context, client *dynamodb.Client, state *settlement.State, lines *atomic.Int64) error {
	writers, ctx := errgroup.WithContext(ctx)
	writers.SetLimit(writing)
	readers, reading := errgroup.WithContext(ctx)
	readers.SetLimit(parallel)
	for i := range bookmakers {
		readers.Go(func() error {
			return eachPage(reading, client, u.table, store.BetsKey(drawID, bookmaker(i), 0), func(items []attributes) error {
				for _, item := range items {
					s, changed, err := settleItem(item, state)
					if err != nil {
						return err
					}
					if !changed {
						continue
					}
					lines.Add(1)
					writers.Go(func() error { return u.write(ctx, client, u.table, s) })
				}
				return nil
			})
		})
	}
	return errors.Join(readers.Wait(), writers.Wait())
}

// settleItem settles a stored bet; changed is false when it is settled so
// already.
func settleItem(item attributes, state *settlement.State) (s settled, changed bool, err error) {
	selection, err := roulette.Game.Parse(textOf(item, "s"))
	if err != nil {
		return settled{}, false, err
	}
	bet := settlement.Bet{Selection: selection, Stake: money.Amount(numberOf(item, "k")), Rounding: money.Rounding(numberOf(item, "m"))}
	result, err := settlement.Settle(&bet, state)
	if err != nil {
		return settled{}, false, err
	}
	s = settled{pk: textOf(item, partitionKey), sk: textOf(item, sortKey), Settlement: result,
		state: state.Number, base: int(numberOf(item, "sv")), stake: bet.Stake}
	same := s.base != 0 && textOf(item, "st") == result.Result.String() && numberOf(item, "py") == int64(result.Payout)
	return s, !same, nil
}

// eachPage reads a partition by pages of 1 MB.
func eachPage(ctx context.Context, client *dynamodb.Client, table, pk string, page func([]attributes) error) error {
	pages := dynamodb.NewQueryPaginator(client, &dynamodb.QueryInput{TableName: &table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String(partitionKey + " = :pk"), ExpressionAttributeValues: attributes{":pk": text(pk)}})
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("reading %s: %w", pk, err)
		}
		if err := page(out.Items); err != nil {
			return err
		}
	}
	return nil
}

// The most items of one BatchWriteItem, and how long to wait before what was left
// undone is sent again.
const (
	batchItems = 25
	batchPause = 10 * time.Millisecond
)

// copyBets copies the draw's bets from tally's table.
func copyBets(ctx context.Context, client *dynamodb.Client, table string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i := range bookmakers {
		group.Go(func() error {
			return eachPage(ctx, client, tallyTable, store.BetsKey(drawID, bookmaker(i), 0), func(items []attributes) error {
				for first := 0; first < len(items); first += batchItems {
					if err := writeBatch(ctx, client, table, items[first:min(first+batchItems, len(items))]); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	return group.Wait()
}

func writeBatch(ctx context.Context, client *dynamodb.Client, table string, items []attributes) error {
	requests := make([]types.WriteRequest, len(items))
	for i, item := range items {
		requests[i] = types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}
	}
	for len(requests) > 0 {
		out, err := client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: requests}})
		if err != nil {
			return fmt.Errorf("copying bets: %w", err)
		}
		if requests = out.UnprocessedItems[table]; len(requests) > 0 {
			time.Sleep(batchPause)
		}
	}
	return nil
}
