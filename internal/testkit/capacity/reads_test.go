package capacity_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/capacity"
	"tally/internal/testkit/dynamotest"
)

func TestReadsByKey(t *testing.T) {
	get := func(consistent bool) func(table) (*capacity.HalfUnits, error) {
		return func(at table) (*capacity.HalfUnits, error) { return at.get("a", consistent) }
	}
	batch := func(consistent bool, sks ...string) func(table) (*capacity.HalfUnits, error) {
		return func(at table) (*capacity.HalfUnits, error) { return at.batchGet(consistent, sks...) }
	}
	nine := []item{sized("a", 9*kb)}
	two := []item{sized("a", 5*kb), sized("b", kb)}
	check(t, []row{
		{"consistent get of 4 KB", []item{sized("a", 4*kb)}, get(true), capacity.Count{Items: 1, Reads: unit}, asMetered},
		{"consistent get of 4 KB and a byte", []item{sized("a", 4*kb+1)}, get(true), capacity.Count{Items: 1, Reads: 2 * unit}, asMetered},
		{"consistent get", nine, get(true), capacity.Count{Items: 1, Reads: 3 * unit}, asMetered},
		{"eventually consistent get", nine, get(false), capacity.Count{Items: 1, Reads: 3 * half}, asMetered},
		{"consistent get of nothing", nil, get(true), capacity.Count{Reads: unit}, asMetered},
		{"eventually consistent get of nothing", nil, get(false), capacity.Count{Reads: half}, asMetered},

		// Each item is rounded up for itself.
		{"consistent batch", two, batch(true, "a", "b"), capacity.Count{Items: 2, Reads: 3 * unit}, asMetered},
		{"eventually consistent batch", two, batch(false, "a", "b"), capacity.Count{Items: 2, Reads: 3 * half}, asMetered},
		// The API reference: "requests for nonexistent items consume the minimum
		// read capacity units". DynamoDB Local reports none for them.
		{"consistent batch with one absent", two, batch(true, "a", "b", "c"), capacity.Count{Items: 2, Reads: 4 * unit}, 3 * unit},
		{"eventually consistent batch with one absent", two, batch(false, "a", "b", "c"), capacity.Count{Items: 2, Reads: 4 * half}, 3 * half},

		{"transaction with one absent", two, func(at table) (*capacity.HalfUnits, error) { return at.transactGet("a", "b", "c") },
			capacity.Count{Items: 2, Reads: 8 * unit}, asMetered},
	})
}

func TestQueries(t *testing.T) {
	all := func(consistent bool, change func(*dynamodb.QueryInput)) func(table) (*capacity.HalfUnits, error) {
		return func(at table) (*capacity.HalfUnits, error) { return at.all(consistent, change) }
	}
	// Ten items of 1,000 bytes are three blocks of 4 KB in sum, ten each for itself.
	var ten []item
	for i := range 10 {
		ten = append(ten, sized(fmt.Sprint(i), 1000))
	}
	check(t, []row{
		{"consistent query", ten, all(true, nil), capacity.Count{Items: 10, Reads: 3 * unit}, asMetered},
		{"eventually consistent query", ten, all(false, nil), capacity.Count{Items: 10, Reads: 3 * half}, asMetered},
		{"scan", ten, func(at table) (*capacity.HalfUnits, error) { return at.scan() },
			capacity.Count{Items: 10, Reads: 3 * half}, asMetered},
		// Pages of 4, 4 and 2 items are rounded up one by one.
		{"query by pages", ten, all(true, func(in *dynamodb.QueryInput) { in.Limit = aws.Int32(4) }),
			capacity.Count{Calls: 3, Attempts: 3, Items: 10, Reads: 3 * unit}, asMetered},
		// The API reference: "Queries that do not return results consume the minimum
		// number of read capacity units". DynamoDB Local reports none.
		{"consistent query of nothing", nil, all(true, nil), capacity.Count{Reads: unit}, 0},
		{"eventually consistent query of nothing", nil, all(false, nil), capacity.Count{Reads: half}, 0},
		// What the filter kept out was read all the same.
		{"query with a filter", ten, all(true, func(in *dynamodb.QueryInput) {
			in.FilterExpression = aws.String("filler = :p")
		}), capacity.Count{Reads: unit, Unseen: 1}, 3 * unit},
		{"query with a projection", ten, all(true, func(in *dynamodb.QueryInput) {
			in.ProjectionExpression = aws.String("sk")
		}), capacity.Count{Items: 10, Reads: unit, Unseen: 1}, 3 * unit},
	})
}

// A partition of more than 1 MB takes several calls, each rounded up for itself.
func TestQueryOfSeveralPages(t *testing.T) {
	var five []item
	for i := range 5 {
		five = append(five, sized(fmt.Sprint(i), 300*kb+1))
	}
	// DynamoDB ends a page with the item that reaches 1 MB: four, then one.
	pages := func(units capacity.HalfUnits) capacity.Count {
		return capacity.Count{Calls: 2, Attempts: 2, Items: 5, Reads: (301 + 76) * units}
	}
	db := dynamotest.DynamoDBLocal(t)
	for _, row := range []row{
		{"consistent", five, func(at table) (*capacity.HalfUnits, error) { return at.all(true, nil) }, pages(unit), asMetered},
		{"eventually consistent", five, func(at table) (*capacity.HalfUnits, error) { return at.all(false, nil) }, pages(half), asMetered},
	} {
		t.Run(row.name, func(t *testing.T) { row.check(t, db) })
	}
}

// Select COUNT reads all and answers nothing of it.
func TestCountIsUnseen(t *testing.T) {
	db := dynamotest.DynamoDBLocal(t)
	row{"count", []item{sized("a", 9*kb)}, func(at table) (*capacity.HalfUnits, error) {
		return at.all(true, func(in *dynamodb.QueryInput) { in.Select = types.SelectCount })
	}, capacity.Count{Reads: unit, Unseen: 1}, 3 * unit}.check(t, db)
}
