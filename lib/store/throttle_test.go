package store_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tally/lib/store"
)

// The answers of a server, each to one attempt.
const (
	taken     = `{}`
	throttle  = `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException"}`
	exceeded  = `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}`
	conflict  = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException"}`
	failed    = `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","Item":{"pk":{"S":"p"},"sk":{"S":"1"}}}`
	fault     = `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}`
	cancelled = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[{"Code":"None"},{"Code":"ThrottlingError"}]}`
	lost      = "" // the connection is closed
)

// answering is a table whose server answers one attempt after the other, the last one for ever.
func answering(t *testing.T, answers ...string) *store.Table {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		if answer == lost {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		switch {
		case strings.Contains(answer, "InternalServerError"):
			w.WriteHeader(http.StatusInternalServerError)
		case answer != taken:
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	at := retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
	return store.New(dynamodb.New(dynamodb.Options{Region: "eu-central-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("k", "s", ""),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) { o.Backoff = at }), DisableValidateResponseChecksum: true}), "table")
}

// A write is throttled, and so not made, only where each of its attempts was answered so. The client
// makes three, and tells of the last.
func TestThrottled(t *testing.T) {
	for _, row := range []struct {
		name      string
		answers   []string
		throttled bool
		stored    bool
	}{
		{"each", []string{throttle}, true, false},
		{"each, of two kinds", []string{exceeded, throttle, exceeded}, true, false},
		{"the first lost", []string{lost, throttle}, false, false},
		{"the second lost", []string{throttle, lost, throttle}, false, false},
		{"the last lost", []string{throttle, throttle, lost}, false, false},
		{"a fault before", []string{fault, throttle}, false, false},
		{"none", []string{taken}, false, true},
		{"the first two", []string{throttle, throttle, taken}, false, true},
		{"after a transaction under way", []string{conflict, throttle}, true, false},
		{"after a lost one, and a transaction under way", []string{lost, conflict, throttle}, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			existing, err := answering(t, row.answers...).CreateBet(t.Context(), "p", store.StoredBet{SK: "1"})
			if errors.Is(err, store.ErrThrottled) != row.throttled || existing != nil || (err == nil) != row.stored {
				t.Errorf("the write of a bet: %+v, %v, want it throttled: %v, stored: %v", existing, err, row.throttled, row.stored)
			}
		})
	}
	t.Run("it is there", func(t *testing.T) {
		existing, err := answering(t, throttle, failed).CreateBet(t.Context(), "p", store.StoredBet{SK: "1"})
		if err != nil || existing == nil {
			t.Errorf("the write of a bet: %+v, %v, want what is there", existing, err)
		}
	})
}

// So is a transaction, which is cancelled for it.
func TestThrottledTransaction(t *testing.T) {
	for _, row := range []struct {
		name      string
		answers   []string
		throttled bool
	}{
		{"each", []string{cancelled}, true},
		{"the first lost", []string{lost, cancelled}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := answering(t, row.answers...).Transact(t.Context(), store.Creating(store.Item{PK: "p", SK: "1"}), store.Creating(store.Item{PK: "p", SK: "2"}))
			if err == nil || errors.Is(err, store.ErrThrottled) != row.throttled {
				t.Errorf("the transaction: %v, want it throttled: %v", err, row.throttled)
			}
		})
	}
}
