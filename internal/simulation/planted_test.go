package simulation

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/simulation/plans"
	"tally/lib/draw"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// settleFrom is when a draw may be settled first, with the faults that a draft of it had:
// a closing counts from when it was stored although it takes effect later, and a round is
// left out that opens soon after its end could be known and so may take bets.
func settleFrom(h *draw.Head, announced, soon bool) (from settlement.Instant) {
	from = h.ResultAt
	const pace = 250
	for _, round := range h.Rounds {
		known := min(round.ClosesAt, h.ResultAt)
		switch {
		case round.ClosedStored != 0 && announced:
			known = min(known, round.ClosedStored)
		case round.ClosedStored != 0:
			known = min(known, max(round.Closed, round.ClosedStored))
		}
		for _, later := range h.Rounds {
			if later.Number > round.Number && later.OpenedAt != 0 {
				known = min(known, later.OpenedAt)
			}
		}
		shut := known + draw.SettleGrace
		if soon {
			shut = known + 2_000
		}
		switch {
		case round.OpensAt == 0 || round.OpensAt >= shut:
		case round.LookFrom == 0:
			from = max(from, known+draw.SettleGrace)
		case round.LookFrom > round.OpensAt:
			from = max(from, known+pace, min(known, round.LookFrom)+draw.SettleGrace)
		default:
			from = max(from, known+pace)
		}
	}
	return from
}

// unwritten is a database in which refusals are not put under their keys once a draw may be
// settled: nothing is in flight any more, it takes for granted.
type unwritten struct {
	store.DynamoDB
	world *world
	now   func() settlement.Instant
	over  func(item map[string]types.AttributeValue, h *draw.Head, now settlement.Instant) bool
}

func (u unwritten) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	pk, ofBet := strings.CutPrefix(in.Item["pk"].(*types.AttributeValueMemberS).Value, ofBets)
	id, _, _ := strings.Cut(pk, "#")
	heads := u.world.heads[id]
	if _, refusal := in.Item[refusedBy]; !ofBet || !refusal || len(heads) == 0 || !u.over(in.Item, heads[len(heads)-1].head, u.now()) {
		return u.DynamoDB.PutItem(ctx, in, o...)
	}
	consistent := true
	there, err := u.GetItem(ctx, &dynamodb.GetItemInput{TableName: in.TableName, ConsistentRead: &consistent,
		Key: map[string]types.AttributeValue{"pk": in.Item["pk"], "sk": in.Item["sk"]}})
	if err != nil {
		return nil, err
	}
	if _, refused := there.Item[refusedBy]; there.Item != nil && !refused {
		return nil, &types.ConditionalCheckFailedException{Item: there.Item}
	}
	return &dynamodb.PutItemOutput{}, nil
}

// unconditional is a database in which pages of reports are put over others.
type unconditional struct{ store.DynamoDB }

func (u unconditional) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if strings.HasPrefix(in.Item["pk"].(*types.AttributeValueMemberS).Value, "REPORT#") {
		copied := *in
		copied.ConditionExpression, copied.ReturnValuesOnConditionCheckFailure = nil, ""
		in = &copied
	}
	return u.DynamoDB.PutItem(ctx, in, o...)
}

// faulty are faults that the product had, or nearly had: runs have to find each.
var faulty = []struct {
	name  string
	plan  func(seed uint64) *plans.Plan
	fault *planted
}{
	{"a closing counts before it takes effect", unlooked, &planted{settleFrom: func(h *draw.Head) settlement.Instant { return settleFrom(h, true, false) }}},
	{"a round that opens soon is left out", unlooked, &planted{settleFrom: func(h *draw.Head) settlement.Instant { return settleFrom(h, false, true) }}},
	{"a refusal is not written once the draw may be settled", plans.NewCrowded, refusing(func(_ map[string]types.AttributeValue, h *draw.Head, now settlement.Instant) bool {
		return h.ResultAt != 0 && now >= h.SettleFrom()
	})},
	{"the refusal of a cancellation is not written", plans.NewCrowded, refusing(func(item map[string]types.AttributeValue, _ *draw.Head, _ settlement.Instant) bool {
		return strings.HasSuffix(item["sk"].(*types.AttributeValueMemberS).Value, "#cancel")
	})},
	{"a page is put over another one", plans.New, &planted{settle: func(db store.DynamoDB) store.DynamoDB { return unconditional{db} }}},
}

func refusing(over func(map[string]types.AttributeValue, *draw.Head, settlement.Instant) bool) *planted {
	return &planted{placing: func(w *world, db store.DynamoDB, now func() settlement.Instant) store.DynamoDB {
		return unwritten{db, w, now, over}
	}}
}

// unlooked is a plan of processes that do not look at a draw after a bet.
func unlooked(seed uint64) *plans.Plan {
	plan := plans.NewCrowded(seed)
	plan.Looks, plan.Rollout, plan.LateRecords, plan.LateWithin, plan.Lossy = false, nil, false, inTime, true
	return plan
}

// Runs find what they are there to find: with each fault planted some seed fails, and the
// same seed holds without it.
func TestPlantedFaults(t *testing.T) {
	const enough = 2000
	for _, row := range faulty {
		t.Run(row.name, func(t *testing.T) {
			for seed := range uint64(enough) {
				plan, found := row.plan(seed+1), ""
				playWith(t, plan, newStorm(plan), row.fault, func(w *world, _ *checker) { found = strings.Join(w.problems, "\n") })
				if found == "" {
					continue
				}
				t.Logf("seed %d: %s", plan.Seed, found)
				if o := Run(t, row.plan(plan.Seed)); len(o.Problems) > 0 {
					t.Errorf("seed %d fails without the fault: %v", plan.Seed, o.Problems)
				}
				return
			}
			t.Errorf("no seed of %d finds it", enough)
		})
	}
}

// The draft without its faults is what the product has.
func TestSettleFromAsPlanted(t *testing.T) {
	for seed := range uint64(50) {
		plan := plans.NewCrowded(seed + 1)
		play(t, plan, newStorm(plan), func(w *world, _ *checker) {
			for id, heads := range w.heads {
				for _, h := range heads {
					if got := settleFrom(h.head, false, false); h.head.ResultAt != 0 && got != h.head.SettleFrom() {
						t.Errorf("seed %d: %s may be settled from %d, and not %d", plan.Seed, id, h.head.SettleFrom(), got)
					}
				}
			}
		})
	}
}
