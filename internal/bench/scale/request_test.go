package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// answered answers each request with the same text.
type answered string

func (a answered) Do(*http.Request) (*http.Response, error) {
	body := string(a)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func localClient(answer string) *dynamodb.Client {
	return dynamodb.NewFromConfig(aws.Config{Region: region, HTTPClient: answered(answer), Credentials: credentials.NewStaticCredentialsProvider("model", "model", "")})
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// stored is an item, as DynamoDB writes it.
func stored(bytes int) string {
	return `{"pk":{"S":"DRAW#draw-1"},"sk":{"S":"HEAD"},"b":{"S":"` + strings.Repeat("x", bytes) + `"},"v":{"N":"3"}}`
}

// BenchmarkRequest measures the processor time of a request that the SDK writes down and reads back,
// which the figure requestWork is from.
func BenchmarkRequest(b *testing.B) {
	client := localClient(`{"Item":` + stored(800) + `}`)
	name, pk, sk := "table", "DRAW#draw-1", "HEAD"
	for b.Loop() {
		if _, err := client.GetItem(b.Context(), &dynamodb.GetItemInput{TableName: &name, Key: item{partitionKey: text(pk), sortKey: text(sk)}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkItems measures the processor time of an item of a query, which the figure itemWork is from.
func BenchmarkItems(b *testing.B) {
	const items = 500
	client := localClient(`{"Items":[` + strings.Repeat(stored(100)+",", items-1) + stored(100) + `]}`)
	name, condition := "table", "pk = :pk"
	for b.Loop() {
		if _, err := client.Query(b.Context(), &dynamodb.QueryInput{TableName: &name, KeyConditionExpression: &condition, ExpressionAttributeValues: item{":pk": text("DRAW#draw-1")}}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/items, "ns/item")
}
