package exploration

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/lib/draw/wire"
	"tally/lib/pipeline/settle"
	"tally/lib/store"
)

// plant is a fault in the protocol: what it leaves out, or does in another order, is made
// of the requests of the handlers as they are.
type plant struct {
	places, settles func(*probe) store.DynamoDB // instead of the client
	// stopsSilently has a settlement run that stops ask nobody to look.
	stopsSilently bool
	// dedupe drops a request to look that says the same as one that is being served.
	dedupe bool
	// looksFirst has a look not settle the draw before.
	looksFirst bool
	// forgetful deletes a request to look after one look, whatever that came to.
	forgetful bool
	// shared says that others touch what else only settling does.
	shared bool
}

func (p plant) placing(probe *probe) store.DynamoDB {
	if p.places == nil {
		return probe
	}
	return p.places(probe)
}

func (p plant) settling(probe *probe, looks bool) store.DynamoDB {
	if p.looksFirst && looks {
		return &unsettled{DynamoDB: probe}
	}
	if p.settles == nil {
		return probe
	}
	return p.settles(probe)
}

func (p plant) asking(s settle.Sender) settle.Sender {
	if p.stopsSilently {
		return onlySecond{s}
	}
	return s
}

// onlySecond sends second looks alone.
type onlySecond struct{ settle.Sender }

func (s onlySecond) Send(ctx context.Context, body string, delay time.Duration) error {
	if !isSecond(body) {
		return nil
	}
	return s.Sender.Send(ctx, body, delay)
}

// blind is a client of an API process that does not look, or not always: instead of HEAD
// it gives what it has read before.
type blind struct {
	store.DynamoDB
	head   *dynamodb.GetItemOutput
	pk     string // of the record that was written
	replay bool   // it was there
	skips  func(ctx context.Context, b *blind) (bool, error)
}

func (b *blind) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if textOf(in.Key, "sk") != store.HeadKey {
		return b.DynamoDB.GetItem(ctx, in, options...)
	}
	if b.head != nil && b.pk != "" {
		if skips, err := b.skips(ctx, b); skips || err != nil {
			return b.head, err
		}
	}
	out, err := b.DynamoDB.GetItem(ctx, in, options...)
	if b.head == nil {
		b.head = out
	}
	return out, err
}

func (b *blind) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	out, err := b.DynamoDB.PutItem(ctx, in, options...)
	if pk := textOf(in.Item, "pk"); strings.HasPrefix(pk, "BETS#") {
		b.pk, b.replay = pk, err != nil
	}
	return out, err
}

func blindly(skips func(ctx context.Context, b *blind) (bool, error)) func(*probe) store.DynamoDB {
	return func(p *probe) store.DynamoDB { return &blind{DynamoDB: p, skips: skips} }
}

func keyItem(pk, sk string) item {
	return item{"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: sk}}
}

// absent tells whether an item is not there.
func absent(ctx context.Context, db store.DynamoDB, pk, sk string) (bool, error) {
	out, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: keyItem(pk, sk), ConsistentRead: aws.Bool(true)})
	return err == nil && len(out.Item) == 0, err
}

// sealing writes a seal beside a partition before it reads it.
type sealing struct{ store.DynamoDB }

func (s sealing) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if pk := textOf(in.ExpressionAttributeValues, ":pk"); strings.HasPrefix(pk, "BETS#") {
		if _, err := s.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: keyItem("SEAL#"+pk, "SEAL")}); err != nil {
			return nil, err
		}
	}
	return s.DynamoDB.Query(ctx, in, options...)
}

// early reads the registry before HEAD.
type early struct {
	store.DynamoDB
	page *dynamodb.QueryOutput
}

func (e *early) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := e.DynamoDB.GetItem(ctx, in, options...)
	if err != nil || textOf(in.Key, "sk") != store.SweepKey {
		return out, err
	}
	e.page, err = e.DynamoDB.Query(ctx, &dynamodb.QueryInput{TableName: aws.String(tableName), ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk"), ExpressionAttributeValues: item{":pk": in.Key["pk"]}})
	return out, err
}

func (e *early) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if textOf(in.ExpressionAttributeValues, ":pk") == store.DrawKey(theDraw) {
		return e.page, nil
	}
	return e.DynamoDB.Query(ctx, in, options...)
}

// unsettled hides HEAD from the settling that comes before a look.
type unsettled struct {
	store.DynamoDB
	hidden bool
}

func (u *unsettled) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if !u.hidden && textOf(in.Key, "sk") == store.HeadKey {
		u.hidden = true
		return &dynamodb.GetItemOutput{}, nil
	}
	return u.DynamoDB.GetItem(ctx, in, options...)
}

// unwritten does not write refusals: it looks whether there is something else.
type unwritten struct{ store.DynamoDB }

func (u unwritten) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if textOf(in.Item, "x") == "" {
		return u.DynamoDB.PutItem(ctx, in, options...)
	}
	out, err := u.GetItem(ctx, &dynamodb.GetItemInput{TableName: in.TableName, Key: keyItem(textOf(in.Item, "pk"), textOf(in.Item, "sk")), ConsistentRead: aws.Bool(true)})
	if err == nil && len(out.Item) > 0 {
		err = &types.ConditionalCheckFailedException{Item: out.Item}
	}
	return &dynamodb.PutItemOutput{}, err
}

// ownClock hides when the newest message was stored, so that the process goes by its own
// clock alone.
type ownClock struct{ store.DynamoDB }

func (o ownClock) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := o.DynamoDB.GetItem(ctx, in, options...)
	if err != nil || textOf(in.Key, "sk") != store.HeadKey {
		return out, err
	}
	var head map[string]json.RawMessage
	if err := json.Unmarshal([]byte(textOf(out.Item, "b")), &head); err != nil {
		return nil, err
	}
	delete(head, "stored_at")
	changed := maps.Clone(out.Item)
	changed["b"] = &types.AttributeValueMemberS{Value: store.Encode(head)}
	return &dynamodb.GetItemOutput{Item: changed}, nil
}

// Each fault of the protocol that was found when it was made, or in drafts of it, is
// found again when the handlers have it. The names are those of the table in decision 43.
func TestPlanted(t *testing.T) {
	tests := []struct {
		wrong string // what is found
		scope
	}{
		{"is not reported before a later look", scope{name: "nobody looks", processes: each(bet), revisions: 1, workers: 1,
			plant: plant{places: blindly(func(context.Context, *blind) (bool, error) { return true, nil })}}},
		{"is not reported before a later look", scope{name: "X1 seals of partitions", processes: each(first), revisions: 1, workers: 1,
			plant: plant{settles: func(p *probe) store.DynamoDB { return sealing{p} },
				places: blindly(func(ctx context.Context, b *blind) (bool, error) {
					return absent(ctx, b.DynamoDB, "SEAL#"+b.pk, "SEAL")
				})}}},
		{"was refused", scope{name: "X4 a refusal that is not written", processes: each(bet, bet), revisions: 1, workers: 1,
			plant: plant{places: func(p *probe) store.DynamoDB { return unwritten{p} }}}},
		{"was refused", scope{name: "X5 a refused cancellation that is not written", before: []op{bet}, processes: each(cancel, cancel), revisions: 1, workers: 1,
			plant: plant{places: func(p *probe) store.DynamoDB { return unwritten{p} }}}},
		{"is not reported before a later look", scope{name: "X6 SWEEP as the seal", before: []op{stored}, processes: each(first), revisions: 1, workers: 1,
			plant: plant{shared: true, places: blindly(func(ctx context.Context, b *blind) (bool, error) {
				return absent(ctx, b.DynamoDB, store.DrawKey(theDraw), store.SweepKey)
			})}}},
		{"is not reported before a later look", scope{name: "X7 the registry is read before HEAD", before: []op{stored}, processes: each(first), revisions: 1, workers: 1,
			waiting: []string{run}, plant: plant{settles: func(p *probe) store.DynamoDB { return &early{DynamoDB: p} }}}},
		{"is not reported before a later look", scope{name: "X8 replays do not look", before: []op{stored}, processes: each(bet, bet), revisions: 1, workers: 1,
			budget: budget{writers: 1}, plant: plant{places: blindly(func(_ context.Context, b *blind) (bool, error) { return b.replay, nil })}}},
		{"accepts after it has read the result", scope{name: "X9 the own clock alone", processes: each(bet), revisions: 1, workers: 1,
			plant: plant{places: func(p *probe) store.DynamoDB { return ownClock{p} }}}},
		{"is not reported before a later look", scope{name: "XA a second request is dropped", before: []op{stored}, processes: each(bet, second), revisions: 1, workers: 1,
			plant: plant{dedupe: true, shared: true}}},
		{"is not reported before a later look", scope{name: "XB a request is deleted after one look", before: []op{stored}, processes: each(bet, first), settled: true, revisions: 2, workers: 2,
			plant: plant{forgetful: true, looksFirst: true, stopsSilently: true}}},
		{"the settled end can't be reached", scope{name: "XC a stop asks nobody to look", before: []op{stored}, processes: each(bet, first), settled: true, revisions: 2, workers: 1,
			budget: budget{writers: 1}, plant: plant{stopsSilently: true}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x, wrong := test.run(t)
				if !strings.Contains(wrong, test.wrong) {
					t.Errorf("%d states were gone through, and found was %q instead of %q", len(x.states), wrong, test.wrong)
				}
			})
		})
	}
}

// run is the message that asks for the draw to be settled.
var run = wire.Encode(wire.Run{Draw: theDraw})
