package main

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
)

// cost is what one phase of a draw's life took.
type cost struct {
	phase    string
	bets     int   // of the draw
	lines    int   // placed, or settled anew
	requests int64 // to DynamoDB, each once however often the SDK tried
	messages int64 // sent to queues
	writes   capacity.HalfUnits
	reads    capacity.HalfUnits
	wall     time.Duration
}

func (c cost) writesPerBet() float64   { return units(c.writes) / float64(c.bets) }
func (c cost) readsPerBet() float64    { return units(c.reads) / float64(c.bets) }
func (c cost) betsPerRequest() float64 { return float64(c.bets) / float64(c.requests) }
func (c cost) betsPerSecond() float64  { return float64(c.bets) / c.wall.Seconds() }

func units(halves capacity.HalfUnits) float64 { return float64(halves) / float64(capacity.Unit) }

// database is an endpoint that speaks DynamoDB, and a meter of what is asked of
// it.
type database struct {
	client *dynamodb.Client
	meter  *capacity.Meter
}

// The names of the key attributes.
const (
	partitionKey = "pk"
	sortKey      = "sk"
)

func newDatabase(endpoint string, options ...func(*dynamodb.Options)) *database {
	m := capacity.New(partitionKey, sortKey)
	config := aws.Config{Region: region, BaseEndpoint: &endpoint, Credentials: credentials.NewStaticCredentialsProvider("none", "none", "")}
	return &database{client: dynamodb.NewFromConfig(config, append(options, dynamotest.Patient, m.Attach)...), meter: m}
}

// createTable makes a table as template.yaml has it.
func (d *database) createTable(ctx context.Context, name string) error {
	_, err := d.client.CreateTable(ctx, &dynamodb.CreateTableInput{TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(partitionKey), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(sortKey), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String(partitionKey), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(sortKey), KeyType: types.KeyTypeRange}}})
	if err != nil {
		return fmt.Errorf("making table %s: %w", name, err)
	}
	return nil
}

func (d *database) deleteTable(ctx context.Context, name string) error {
	if _, err := d.client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
		return fmt.Errorf("deleting table %s: %w", name, err)
	}
	return nil
}

// measure counts what a phase asks of the database.
func (d *database) measure(phase string, bets int, do func() (lines int, err error)) (cost, error) {
	before, start := d.meter.Snapshot(), time.Now()
	lines, err := do()
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w", phase, err)
	}
	total := d.meter.Snapshot().Minus(before).Total()
	return cost{phase: phase, bets: bets, lines: lines, requests: total.Calls,
		writes: total.Writes, reads: total.Reads, wall: time.Since(start)}, nil
}

// tallyTable is tally's own table.
const tallyTable = "costbench-tally"

// measureTally places so many bets on a draw, settles them and corrects them
// twice.
func measureTally(ctx context.Context, d *database, bets int) (costs []cost, err error) {
	p := newPipeline(d.client, tallyTable)
	if err := p.open(ctx); err != nil {
		return nil, err
	}
	placed := newBettor().bets(bets)
	place, err := d.measure("place", bets, func() (int, error) { return bets, p.place(ctx, placed) })
	if err != nil {
		return nil, err
	}
	if err := p.take(ctx, closesAt, bettingClosed()); err != nil {
		return nil, err
	}
	costs = append(costs, place)
	for _, r := range revisions() {
		lines, sent := p.lines.n.Load(), p.queue.n.Load()
		c, err := d.measure(r.name, bets, func() (int, error) {
			err := p.revise(ctx, r)
			return int(p.lines.n.Load() - lines), err
		})
		if err != nil {
			return nil, err
		}
		c.messages = p.queue.n.Load() - sent
		costs = append(costs, c)
	}
	return costs, nil
}
