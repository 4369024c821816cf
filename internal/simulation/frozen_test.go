package simulation

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/simulation/plans"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The first seeds end with the same table and queues as ever.
func TestFrozenSeeds(t *testing.T) {
	var got strings.Builder
	for seed := range uint64(20) {
		plan := plans.New(seed + 1)
		play(t, plan, newStorm(plan), func(w *world, _ *checker) {
			_, _ = fmt.Fprintf(&got, "seed %d: %d ops, %d steps, %d bets found, %d wrong, %s\n", plan.Seed, len(plan.Ops), w.step, len(w.late), len(w.problems), w.stored(t))
		})
	}
	const golden = "testdata/frozen.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the seeds end with\n%s\ninstead of\n%s", got.String(), want)
	}
}

// stored is a hash of what is in the table and the queues.
func (w *world) stored(t *testing.T) string {
	h, items := sha256.New(), 0
	for _, pk := range w.db.Partitions() {
		if strings.HasPrefix(pk, "BOOKMAKER#") || strings.HasPrefix(pk, "PUSHES#") {
			continue // keys, and names of endpoints, are random
		}
		input := &dynamodb.QueryInput{TableName: aws.String(tableName), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :pk"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: pk}}}
		for more := true; more; more = input.ExclusiveStartKey != nil {
			page, err := w.db.Query(t.Context(), input)
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range page.Items {
				items++
				for _, name := range slices.Sorted(maps.Keys(item)) {
					_, _ = fmt.Fprintf(h, "%s %+v\n", name, item[name])
				}
			}
			input.ExclusiveStartKey = page.LastEvaluatedKey
		}
	}
	messages := slices.Concat(w.archive.messages, w.replies.messages)
	for _, m := range messages {
		_, _ = fmt.Fprintln(h, m.body)
	}
	return fmt.Sprintf("%d items, %d messages, sha256 %x", items, len(messages), h.Sum(nil))
}
