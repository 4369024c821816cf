package capacity_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tally/internal/testkit/capacity"
)

// script is an endpoint that gives its answers in turn, and ends a connection
// where one is empty.
type script struct {
	mu      sync.Mutex
	answers []answer
}

type answer struct {
	status int
	body   string
}

func (s *script) Do(request *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.answers) == 0 {
		return nil, errors.New("the script has no more answers")
	}
	next := s.answers[0]
	s.answers = s.answers[1:]
	if next == (answer{}) {
		return nil, io.ErrUnexpectedEOF
	}
	return &http.Response{
		StatusCode: next.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:          io.NopCloser(strings.NewReader(next.body)),
		ContentLength: int64(len(next.body)), Request: request,
	}, nil
}

func (s *script) client(counted *capacity.Meter) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region:       "eu-central-1",
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		BaseEndpoint: aws.String("http://dynamodb.invalid"),
		HTTPClient:   s,
	}, counted.Attach)
}

var (
	done      = answer{http.StatusOK, `{}`}
	throttled = answer{http.StatusBadRequest, `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"slow"}`}
	invalid   = answer{http.StatusBadRequest, `{"__type":"com.amazon.coral.validate#ValidationException","message":"no"}`}
	lost      = answer{}
)

func TestAttempts(t *testing.T) {
	tests := []struct {
		name    string
		answers []answer
		fails   bool
		want    capacity.Count
	}{
		{"at once", []answer{done}, false, capacity.Count{Calls: 1, Attempts: 1, Items: 1, Writes: unit}},
		{"after throttling, which costs nothing", []answer{throttled, done}, false,
			capacity.Count{Calls: 1, Attempts: 2, Items: 1, Writes: unit}},
		{"after an answer lost, whose cost is unseen", []answer{lost, done}, false,
			capacity.Count{Calls: 1, Attempts: 2, Items: 1, Writes: unit, Unseen: 1}},
		{"refused", []answer{invalid}, true, capacity.Count{Calls: 1, Attempts: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			counted := capacity.New("pk", "sk")
			client := (&script{answers: test.answers}).client(counted)
			_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{
				TableName: aws.String("t"), Item: key("a"), ConditionExpression: aws.String(ifAbsent),
			})
			if (err != nil) != test.fails {
				t.Errorf("error %v, want one: %t", err, test.fails)
			}
			if got := counted.Snapshot()["PutItem"]; got != test.want {
				t.Errorf("counted %+v\n   want %+v", got, test.want)
			}
		})
	}
}

// What a batch left undone is not counted until it is sent again.
func TestUnprocessed(t *testing.T) {
	counted := capacity.New()
	client := (&script{answers: []answer{
		{http.StatusOK, `{"UnprocessedItems":{"t":[{"PutRequest":{"Item":{"pk":{"S":"b"}}}}]}}`},
		{http.StatusOK, `{"Responses":{"t":[]},"UnprocessedKeys":{"t":{"Keys":[{"pk":{"S":"b"}}]}}}`},
	}}).client(counted)
	one, other := item{"pk": text("a")}, item{"pk": text("b")}
	_, err := client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
		"t": {{PutRequest: &types.PutRequest{Item: one}}, {PutRequest: &types.PutRequest{Item: other}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"t": {Keys: []map[string]types.AttributeValue{one, other}, ConsistentRead: aws.Bool(true)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := capacity.Count{Calls: 2, Attempts: 2, Items: 1, Writes: unit, Reads: unit, Unseen: 1}
	if got := counted.Snapshot().Total(); got != want {
		t.Errorf("counted %+v\n   want %+v", got, want)
	}
}

// Only attribute_not_exists of a key shows that a write replaced nothing.
func TestProofOfAbsence(t *testing.T) {
	for condition, unseen := range map[string]int64{
		"attribute_not_exists(pk)":               0,
		" attribute_not_exists ( #k ) ":          0,
		"attribute_not_exists(pk) AND a = :v":    0,
		"attribute_not_exists(pk) OR a = :v":     1,
		"attribute_not_exists(a)":                1,
		"attribute_not_exists(pk":                1,
		"NOT attribute_not_exists(pk)":           1,
		"a = :v AND attribute_not_exists(pk)":    1,
		"attribute_not_exists(pk) and b or c":    1,
		"attribute_exists(pk)":                   1,
		"attribute_not_exists(pk) AND (a OR :v)": 1,
		"":                                       1,
	} {
		t.Run(condition, func(t *testing.T) {
			counted := capacity.New("pk")
			client := (&script{answers: []answer{done}}).client(counted)
			_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{
				TableName: aws.String("t"), Item: key("a"), ConditionExpression: &condition,
				ExpressionAttributeNames: map[string]string{"#k": "pk"},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := counted.Snapshot().Total().Unseen; got != unseen {
				t.Errorf("%q: Unseen is %d, want %d", condition, got, unseen)
			}
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	const clients, calls = 8, 20
	counted := capacity.New("pk", "sk")
	var running sync.WaitGroup
	for range clients {
		answers := make([]answer, calls)
		for i := range answers {
			answers[i] = done
		}
		client := (&script{answers: answers}).client(counted)
		running.Go(func() {
			for range calls {
				_, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("t"), Key: key("a")})
				if err != nil {
					t.Error(err)
				}
				_ = counted.String()
			}
		})
	}
	running.Wait()
	want := capacity.Count{Calls: clients * calls, Attempts: clients * calls, Reads: clients * calls * half}
	if got := counted.Snapshot()["GetItem"]; got != want {
		t.Errorf("counted %+v\n   want %+v", got, want)
	}
}
