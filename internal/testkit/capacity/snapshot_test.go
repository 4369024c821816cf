package capacity_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tally/internal/testkit/capacity"
)

var counts = capacity.Snapshot{
	"PutItem": {Calls: 2, Attempts: 3, Items: 2, Writes: 2 * unit},
	"Query":   {Calls: 1, Attempts: 1, Items: 40, Reads: 5 * half},
}

func TestTable(t *testing.T) {
	const want = `operation  calls  attempts  items  reads  writes  unseen
PutItem        2         3      2      0       2       0
Query          1         1     40    2.5       0       0
total          3         4     42    2.5       2       0
`
	if got := counts.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestMinus(t *testing.T) {
	earlier := capacity.Snapshot{"PutItem": counts["PutItem"], "Query": {Items: 10, Reads: half}}
	want := capacity.Snapshot{"Query": {Calls: 1, Attempts: 1, Items: 30, Reads: 4 * half}}
	if got := counts.Minus(earlier); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A snapshot is a copy, and Reset forgets.
func TestReset(t *testing.T) {
	counted := capacity.New("pk", "sk")
	client := (&script{answers: []answer{done, done}}).client(counted)
	get := func() {
		t.Helper()
		_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("t"), Key: key("a")})
		if err != nil {
			t.Fatal(err)
		}
	}
	get()
	first := counted.Snapshot()
	counted.Reset()
	if left := counted.Snapshot(); len(left) != 0 {
		t.Errorf("after Reset: %v", left)
	}
	get()
	if second := counted.Snapshot(); !maps.Equal(first, second) || first["GetItem"].Calls != 1 {
		t.Errorf("first %v, second %v, want one call each", first, second)
	}
}

func TestHalfUnits(t *testing.T) {
	for units, want := range map[capacity.HalfUnits]string{0: "0", 1: "0.5", 2: "1", 5: "2.5", -1: "-0.5", -4: "-2"} {
		t.Run(fmt.Sprint(units), func(t *testing.T) {
			if got := units.String(); got != want {
				t.Errorf("HalfUnits(%d) is %q, want %q", int64(units), got, want)
			}
		})
	}
}
