package cost

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
)

// cost is what one phase of a draw's life took.
type cost struct {
	phase    string
	bets     int   // of the draw
	lines    int   // placed, or settled anew
	requests int64 // to DynamoDB, each once however often the SDK tried
	writes   capacity.HalfUnits
	reads    capacity.HalfUnits
}

func (c cost) writesPerBet() float64   { return units(c.writes) / float64(c.bets) }
func (c cost) readsPerBet() float64    { return units(c.reads) / float64(c.bets) }
func (c cost) betsPerRequest() float64 { return float64(c.bets) / float64(c.requests) }

func units(halves capacity.HalfUnits) float64 { return float64(halves) / float64(capacity.Unit) }

// counted returns a client of DynamoDB Local whose requests are counted.
func counted(t testing.TB, options ...func(*dynamodb.Options)) (dynamotest.DB, *capacity.Meter) {
	db, meter := dynamotest.DynamoDBLocal(t), capacity.New(dynamotest.PartitionKey, dynamotest.SortKey)
	db.Client = db.NewClient(append(options, meter.Attach)...)
	return db, meter
}

// measure places so many bets on a draw, settles them and corrects them twice.
func measure(t testing.TB, bets int) (costs []cost) {
	t.Helper()
	db, meter := counted(t)
	p := newPipeline(db.Client, db.Table(t))
	phase := func(name string, do func() error) {
		before, lines := meter.Snapshot(), p.lines.n.Load()
		if err := do(); err != nil {
			t.Fatalf("%s, %d bets: %v", name, bets, err)
		}
		total := meter.Snapshot().Minus(before).Total()
		costs = append(costs, cost{phase: name, bets: bets, lines: int(p.lines.n.Load() - lines), requests: total.Calls, writes: total.Writes, reads: total.Reads})
	}
	ctx := t.Context()
	if err := p.open(ctx); err != nil {
		t.Fatal(err)
	}
	placed := newBettor().bets(bets)
	phase("place", func() error { return p.place(ctx, placed) })
	costs[0].lines = bets
	if err := p.handle(ctx, closesAt, bettingClosed()); err != nil {
		t.Fatal(err)
	}
	for _, r := range revisions() {
		phase(r.name, func() error { return p.revise(ctx, r) })
	}
	return costs
}

// Cost is behaviour: what a draw of 200 bets asks of DynamoDB is pinned, request
// by request. A change here has to be meant.
//
// Settling writes a page, DONE and a transaction of three items for each bookmaker
// (1 + 1 + 6 units; a page of more than 1 KB takes 2), and for the draw the
// result's transaction and SWEEP twice.
const wantCosts = `
phase        lines  requests  writes  reads
place          200       422     220  201.5
settle         200       109     179     48
correct few      8        83      92     38
correct all    200       110     191     54
`

func TestCosts(t *testing.T) {
	var got strings.Builder
	fmt.Fprintf(&got, "\n%-11s  %5s  %8s  %6s  %5s\n", "phase", "lines", "requests", "writes", "reads")
	for _, c := range measure(t, 200) {
		fmt.Fprintf(&got, "%-11s  %5d  %8d  %6v  %5v\n", c.phase, c.lines, c.requests, c.writes, c.reads)
	}
	if got.String() != wantCosts {
		t.Errorf("got%swant%s", got.String(), wantCosts)
	}
}

// What a draw may cost, in units of capacity and by the bet unless it says otherwise.
// Small draws are measured by the bookmaker: each has a registry entry and a report,
// however few its bets.
const (
	maxPlaceWrites     = 1.05
	maxSettleWrites    = 0.06 // from mediumDraw on
	maxSettleReads     = 0.15 // from mediumDraw on
	maxBookmakerWrites = 12   // of a bookmaker, in smaller draws
	mediumDraw         = 10_000
	maxLargeWrites     = 0.03 // settling, from largeDraw on
	minBetsPerRequest  = 500  // from largeDraw on
	largeDraw          = 100_000
)

// BenchmarkDraw measures draws of several sizes: go test -bench Draw/^200 runs one.
// The capacity is what AWS would charge for; the time is the emulator's.
func BenchmarkDraw(b *testing.B) {
	for _, bets := range []int{10, 200, mediumDraw, largeDraw} {
		b.Run(fmt.Sprint(bets), func(b *testing.B) {
			var costs []cost
			for b.Loop() {
				costs = measure(b, bets)
			}
			for _, c := range costs {
				name := strings.ReplaceAll(c.phase, " ", "-")
				b.ReportMetric(c.writesPerBet(), name+"-writes/bet")
				b.ReportMetric(c.readsPerBet(), name+"-reads/bet")
			}
			b.ReportMetric(costs[1].betsPerRequest(), "settled-bets/request")
			checkTargets(b, bets, costs[0], costs[1])
		})
	}
}

func checkTargets(b *testing.B, bets int, place, settle cost) {
	b.Helper()
	atMost := func(what string, got, limit float64) {
		b.Helper()
		if got > limit {
			b.Errorf("%s: got %.4f, want at most %v", what, got, limit)
		}
	}
	if bets < mediumDraw {
		atMost("write units a bet, placing, without the bookmakers' one each", (units(place.writes)-bookmakers)/float64(bets), maxPlaceWrites)
		atMost("write units a bookmaker, registering and settling", 1+units(settle.writes)/bookmakers, maxBookmakerWrites)
		return
	}
	atMost("write units a bet, placing", place.writesPerBet(), maxPlaceWrites)
	atMost("write units a bet, settling", settle.writesPerBet(), maxSettleWrites)
	atMost("read units a bet, settling", settle.readsPerBet(), maxSettleReads)
	if bets >= largeDraw {
		atMost("write units a bet, settling a large draw", settle.writesPerBet(), maxLargeWrites)
	}
	if got := settle.betsPerRequest(); bets >= largeDraw && got < minBetsPerRequest {
		b.Errorf("bets a request, settling: got %.0f, want at least %d", got, minBetsPerRequest)
	}
}

// What the meter counts of a draw is what DynamoDB Local says that it took, for
// the items too of which the meter can't see every size. Transactions are left out:
// AWS charges for each item of one, DynamoDB Local reports less for several items
// of one partition.
func TestMeterAgreesWithDynamoDBLocal(t *testing.T) {
	reported := &reportedUnits{}
	db, meter := counted(t, reported.attach)
	p := newPipeline(db.Client, db.Table(t))
	err := errors.Join(p.open(t.Context()), p.place(t.Context(), newBettor().bets(60)))
	for _, r := range revisions() {
		err = errors.Join(err, p.revise(t.Context(), r))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range []string{"GetItem", "PutItem", "Query"} {
		t.Run(operation, func(t *testing.T) {
			counted := meter.Snapshot()[operation]
			if got, want := counted.Reads+counted.Writes, reported.of(operation); got != want || want == 0 {
				t.Errorf("%s: the meter counts %v units, DynamoDB Local says %v", operation, got, want)
			}
		})
	}
}

// reportedUnits adds up what DynamoDB says that requests took, by operation.
type reportedUnits struct {
	mutex sync.Mutex
	units map[string]float64
}

func (u *reportedUnits) of(operation string) capacity.HalfUnits {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	return capacity.HalfUnits(u.units[operation] * float64(capacity.Unit))
}

func (u *reportedUnits) attach(options *dynamodb.Options) {
	options.APIOptions = append(options.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Reported", u.call), middleware.Before)
	})
}

func (u *reportedUnits) call(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
	const total = types.ReturnConsumedCapacityTotal
	switch input := in.Parameters.(type) {
	case *dynamodb.GetItemInput:
		input.ReturnConsumedCapacity = total
	case *dynamodb.PutItemInput:
		input.ReturnConsumedCapacity = total
	case *dynamodb.QueryInput:
		input.ReturnConsumedCapacity = total
	}
	out, metadata, err := next.HandleInitialize(ctx, in)
	switch output := out.Result.(type) {
	case *dynamodb.GetItemOutput:
		u.add("GetItem", output.ConsumedCapacity)
	case *dynamodb.PutItemOutput:
		u.add("PutItem", output.ConsumedCapacity)
	case *dynamodb.QueryOutput:
		u.add("Query", output.ConsumedCapacity)
	}
	return out, metadata, err
}

func (u *reportedUnits) add(operation string, consumed *types.ConsumedCapacity) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.units == nil {
		u.units = map[string]float64{}
	}
	u.units[operation] += aws.ToFloat64(consumed.CapacityUnits)
}
