package api_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/store"
)

// taking is a DynamoDB that takes every item at once and keeps none, but for what
// was written before it was told to.
type taking struct {
	*fakedynamo.DB
	all bool
}

func (d *taking) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if d.all {
		return &dynamodb.PutItemOutput{}, nil
	}
	return d.DB.PutItem(ctx, in, options...)
}

// BenchmarkPlace is what placing a bet takes without the network and the database:
// tally's own code.
func BenchmarkPlace(b *testing.B) {
	db := &taking{DB: fakedynamo.New(b, "table")}
	w := newWorldOn(b, store.New(db, "table"))
	w.open("roulette", "rou-1", "")
	w.allow(100_000)
	w.want(w.do(http.MethodPut, "/v1/draws/rou-1/bets/first", straight17), "201")
	db.all = true
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		request := httptest.NewRequestWithContext(b.Context(), http.MethodPut, fmt.Sprintf("/v1/draws/rou-1/bets/b-%d", n), strings.NewReader(straight17))
		request.Header.Set("Authorization", "Bearer "+w.acme)
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		if w.api.ServeHTTP(answer, request); answer.Code != http.StatusCreated && answer.Code != http.StatusTooManyRequests {
			b.Fatalf("answered %d: %s", answer.Code, answer.Body)
		}
	}
}
