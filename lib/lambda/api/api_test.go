package api_test

import (
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	lambdaevents "github.com/aws/aws-lambda-go/events"

	"tally/lib/lambda/api"
	"tally/lib/lambda/runtime"
	"tally/lib/local"
)

// TestPathsOfEvents hands the API requests for paths that were decoded on the way,
// or never were well-formed: each is answered by the API, as a path that it does
// not have or an identifier that is none, and by no fault.
func TestPathsOfEvents(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	made, err := api.New(api.Config{Common: runtime.Common{Table: "nowhere", Namespace: "test"}},
		runtime.Runtime{AWS: local.Config("http://127.0.0.1:1"), Log: quiet, Metrics: io.Discard, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path, query string
		status      int
	}{
		{"/v1/health", "", 200},
		{"/v1/health/", "", 404},
		{"//v1/health", "", 404},
		{"/V1/health", "", 404},
		{"/v1/%68ealth", "", 404},
		{"/v1/health%2f", "", 404},
		{"/v1/health%", "", 404},
		{"/v1/%zz", "", 404},
		{"/v1/a b", "", 404},
		{"/v1/é", "", 404},
		{"/v1/\xff", "", 404},
		{"/v1/\x00", "", 404},
		{"/v1/\r\nX-Evil: 1", "", 404},
		{"/v1/health#x", "", 404},
		{"/v1/health?x=1", "", 404},
		{"/v1/../v1/health", "", 404},
		{"", "", 404},
		{"v1/health", "", 200},
		{"@evil.example/v1/health", "", 404},
		{"/v1/draws/d/bets/b/wagers/double:1:1", "", 405},
		{"/v1/draws/%25", "", 401},
		{"/v1/draws/%", "", 401},
		{"/v1/draws/a?b", "", 401},
		{"/v1/draws/a/b/c/d/e/f/g", "", 404},
		{"/v1/health", "%zz", 400},
		{"/v1/health", "a=1;b=2", 400},
		{"/v1/health", "\x00", 400},
		{"/v1/health", "a b#c", 400},
	} {
		t.Run(test.path+" "+test.query, func(t *testing.T) {
			request := lambdaevents.APIGatewayV2HTTPRequest{RawPath: test.path, RawQueryString: test.query}
			request.RequestContext.HTTP.Method, request.RequestContext.DomainName, request.RequestContext.RequestID = "GET", "api.example.com", "gateway-1"
			answer, err := made.Invoke(t.Context(), request)
			if err != nil || answer.StatusCode != test.status || strings.Contains(answer.Body, "Evil: 1\n") {
				t.Errorf("%q?%q: %d %s, %v", test.path, test.query, answer.StatusCode, answer.Body, err)
			}
		})
	}
}
