package functions_test

import (
	"net/http"
	"strings"

	lambdaevents "github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tally/lib/bookmaker/keys"
	"tally/lib/local"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// ask makes requests of the API as API Gateway hands them over.
func (d *day) ask() {
	d.t.Helper()
	owner := &keys.Registry{Table: store.New(dynamodb.NewFromConfig(local.Config(d.stack.Endpoint)), d.stack.Table),
		Now: func() settlement.Instant { return settlement.Instant(d.clock.UnixMilli()) }}
	token, _, err := owner.Create(d.t.Context(), keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes()})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, test := range []struct {
		method, path, query, body string
		status                    int
	}{
		{http.MethodGet, "/v1/draws/rou-1.20261130.1001/bets/b1", "", "", 200},
		{http.MethodGet, "/v1/feed", "after=0&limit=10", "", 200},
		{http.MethodPut, "/v1/draws/rou-1.20261130.1001/bets/b1", "", `{"selection":"straight:17","stake":"1.00","currency":"EUR"}`, 200}, // it asks for a look
		{http.MethodPut, "/v1/feed/position", "", `{"sequence":1}`, 200},
		{http.MethodGet, "/v1/feed", "after=x", "", 400},
	} {
		request := lambdaevents.APIGatewayV2HTTPRequest{RawPath: test.path, RawQueryString: test.query, Body: test.body,
			Headers: map[string]string{"authorization": "Bearer " + token, "content-type": "application/json"}}
		request.RequestContext.HTTP.Method, request.RequestContext.DomainName, request.RequestContext.RequestID = test.method, "api.example.com", "gateway-1"
		answer, err := d.api.Invoke(d.t.Context(), request)
		if err != nil || answer.StatusCode != test.status || answer.Headers["X-Request-Id"]+strings.Join(answer.MultiValueHeaders["X-Request-Id"], "") != "gateway-1" {
			d.t.Errorf("%s %s: %+v, %v, want no error and answer.StatusCode = %v and answer.Headers[\"X-Request-Id\"] + strings.Join(answer.MultiValueHeaders[\"X-Request-Id\"], \"\") = \"gateway-1\"",
				test.method, test.path, answer, err, test.status)
		}
	}
}
