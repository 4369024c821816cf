// Package api puts the Lambda api together, which answers bookmakers' requests. What it does
// is in lib/bookmaker/api.
package api

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/awslabs/aws-lambda-go-api-proxy/core"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	bookmaker "tally/lib/bookmaker/api"
	"tally/lib/lambda/dynamo"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsqueue"
)

// Main is the main function of the Lambda.
func Main() {
	runtime.Main(func(c Config, r runtime.Runtime) (any, error) {
		made, err := New(c, r)
		return made.Invoke, err
	})
}

// Config is the configuration of api.
type Config struct {
	runtime.Common
	SweepsURL string `env:"TALLY_SWEEPS_URL" doc:"URL of the queue sweeps, where a look at a draw is asked for"`
}

// New puts api together.
func New(c Config, r runtime.Runtime) (runtime.HTTPHandler, error) {
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "api", r.Now)
	table, check := dynamo.Clocked(r, c.Common, measured)
	made, err := bookmaker.New(bookmaker.Options{Table: table, Now: r.Instant, Clock: check, Looks: sqsqueue.New(sqs.NewFromConfig(r.AWS), c.SweepsURL),
		Record: recorder{measured: measured}, Log: r.Log, RequestID: requestID})
	if err != nil {
		return runtime.HTTPHandler{}, fmt.Errorf("putting api together: %w", err)
	}
	serve := http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		defer r.Flush(request.Context(), measured)
		made.ServeHTTP(w, request)
	})
	proxy := httpadapter.NewV2(serve)
	invoke := func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		return proxy.ProxyWithContext(ctx, wellFormed(event))
	}
	return runtime.HTTPHandler{Serve: serve, Invoke: invoke}, nil
}

// wellFormed returns an event whose path and query can be parsed as those of a URL.
// API Gateway's HTTP APIs hand over a path decoded, though its name is rawPath, so
// that a client's %25 comes as a %; the adapter would fail on it, and with it the
// function. The query comes as it was sent; what can't be read of it is escaped, so
// that the API says so.
func wellFormed(event events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPRequest {
	event.RawPath = (&url.URL{Path: "/" + strings.TrimPrefix(event.RawPath, "/")}).EscapedPath()
	if _, err := url.ParseRequestURI("/?" + event.RawQueryString); err != nil {
		event.RawQueryString = url.QueryEscape(event.RawQueryString)
	}
	return event
}

// requestID is API Gateway's, which its access log has too; without it the API
// makes its own.
func requestID(r *http.Request) string {
	if gateway, ok := core.GetAPIGatewayV2ContextFromContext(r.Context()); ok && gateway.RequestID != "" {
		return gateway.RequestID
	}
	return bookmaker.NewRequestID()
}

// recorder turns what the API tells into metrics.
type recorder struct{ measured *metrics.Metrics }

var _ bookmaker.Recorder = recorder{}

func (r recorder) Accepted(game string)   { r.measured.Add(metrics.Accepted, game, 1) }
func (r recorder) Unlooked(game string)   { r.measured.Add(metrics.Unlooked, game, 1) }
func (r recorder) Refused(_, code string) { r.measured.Add(metrics.RefusedBets, code, 1) }
func (r recorder) Denied(code string)     { r.measured.Add(metrics.Denied, code, 1) }
func (r recorder) Failed(code string)     { r.measured.Add(metrics.Failures, code, 1) }
