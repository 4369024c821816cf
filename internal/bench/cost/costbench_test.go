package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// Cost is behaviour: what a draw of 200 bets asks of DynamoDB is pinned, request
// by request. A change here has to be meant.
//
// Settling writes a page, DONE and a transaction of three items for each bookmaker
// (1 + 1 + 6 units; a page of more than 1 KB takes 2), and for the draw the
// result's transaction and SWEEP twice.
const wantCosts = `
phase        lines  requests  writes  reads
place          200       250     220     30
settle         200       108     179     47
correct few      8        82      92     37
correct all    200       109     191     53
update
settle         200       220     200     20
correct few      8        28       8     20
correct all    200       220     200     20
transact
settle         200       220     800     20
correct few      8        28      32     20
correct all    200       220     800     20
`

func TestCosts(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	d, err := measureDraws(t.Context(), newDatabase(db.Endpoint()), 200)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	fmt.Fprintf(&got, "\n%-11s  %5s  %8s  %6s  %5s\n", "phase", "lines", "requests", "writes", "reads")
	for _, c := range d.tally {
		fmt.Fprint(&got, pinned(c))
	}
	for i, costs := range d.usual {
		fmt.Fprintln(&got, usuals[i].name)
		for _, c := range costs {
			fmt.Fprint(&got, pinned(c))
		}
	}
	if got.String() != wantCosts {
		t.Errorf("got%swant%s", got.String(), wantCosts)
	}
}

func pinned(c cost) string {
	return fmt.Sprintf("%-11s  %5d  %8d  %6v  %5v\n", c.phase, c.lines, c.requests, c.writes, c.reads)
}

// What the meter counts of a draw is what DynamoDB Local says that it took, for
// the items too of which the meter can't see every size. Transactions are left out:
// AWS charges for each item of one, DynamoDB Local reports less for several items
// of one partition.
func TestMeterAgreesWithDynamoDBLocal(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	reported := &reportedUnits{}
	database := newDatabase(db.Endpoint(), reported.attach)
	if err := database.createTable(t.Context(), "costbench-agrees"); err != nil {
		t.Fatal(err)
	}
	p := newPipeline(database.client, "costbench-agrees")
	err := errors.Join(p.open(t.Context()), p.place(t.Context(), newBettor().bets(60)))
	for _, r := range revisions() {
		err = errors.Join(err, p.revise(t.Context(), r))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range []string{"GetItem", "PutItem", "Query"} {
		counted := database.meter.Snapshot()[operation]
		if got, want := counted.Reads+counted.Writes, reported.of(operation); got != want || want == 0 {
			t.Errorf("%s: the meter counts %v units, DynamoDB Local says %v", operation, got, want)
		}
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
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("costbench.Reported", u.call), middleware.Before)
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

// The made-up pages are pages of 1 MB, of bets of the size that placing writes.
func TestFabricatedPages(t *testing.T) {
	const perBookmaker = 20_000
	f := &fabricated{betsPerBookmaker: perBookmaker}
	counted := capacity.New(partitionKey, sortKey)
	client := dynamodb.NewFromConfig(f.config(), counted.Attach)
	var pages []int
	last := ""
	err := eachPage(t.Context(), client, tallyTable, "BETS#"+drawID+"#bookmaker-01#0", func(items []attributes) error {
		size := 0
		for _, item := range items {
			size += capacity.ItemSize(item)
			sk := textOf(item, sortKey)
			if sk <= last {
				return fmt.Errorf("%s comes after %s", sk, last)
			}
			last = sk
		}
		pages = append(pages, size)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, size := range pages[:len(pages)-1] {
		if size < pageBytes*99/100 || size > pageBytes*101/100 {
			t.Errorf("page %d has %d bytes, want about %d", i, size, pageBytes)
		}
	}
	if got := counted.Snapshot()["Query"].Items; got != perBookmaker {
		t.Errorf("%d bets are made up, want %d", got, perBookmaker)
	}
}

// The settle function settles every made-up bet, whatever page it is on.
func TestSettleFabricated(t *testing.T) {
	const bets = 20 * 9000 // more than a page for each bookmaker
	g, err := settleFabricated(t.Context(), bets)
	if err != nil {
		t.Fatal(err)
	}
	if g.Settled != bets {
		t.Errorf("%d bets are settled, want %d", g.Settled, bets)
	}
}

func TestMissedTargets(t *testing.T) {
	var out strings.Builder
	r := &report{out: &out}
	r.atMost(2, 2, "reached")
	r.atMost(2, 2.1, "too much")
	r.atLeast(500, 499, "too little")
	if missed := r.verdict(); missed != 2 {
		t.Errorf("%d are missed, want 2", missed)
	}
	const want = `TARGETS
        figure      measured  target
  pass  reached         2.00  at most 2.00
  FAIL  too much        2.10  at most 2.00
  FAIL  too little       499  at least 500

`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestFlags(t *testing.T) {
	o, err := parse([]string{"-n", "200,4000", "-growth", "1000"}, io.Discard)
	if err != nil || o.draws.String() != "200,4000" || o.growth.String() != "1000" {
		t.Errorf("got %+v, %v", o, err)
	}
	for _, arguments := range [][]string{{"-n", "210"}, {"-n", "0"}, {"-growth", "many"}, {"-starts", "0"}, {"more"}} {
		if _, err := parse(arguments, io.Discard); err == nil {
			t.Errorf("%q is taken", arguments)
		}
	}
}
