package functions

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/core"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"tally/lib/bookmaker/api"
	"tally/lib/lambda/metrics"
)

// APIConfig is the configuration of api.
type APIConfig struct {
	Common
}

// HTTPHandler is a function that API Gateway calls with requests. Serve is the
// same for an HTTP server: metrics are written after each request.
type HTTPHandler struct {
	Serve  http.Handler
	Invoke func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)
}

// NewAPI puts api together.
func NewAPI(c APIConfig, r Runtime) (HTTPHandler, error) {
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "api", r.Now)
	table, check := r.clocked(c.Common, measured)
	made, err := api.New(api.Options{Table: table, Now: r.instant, Clock: check, Record: apiRecorder{measured}, Log: r.Log, RequestID: requestID})
	if err != nil {
		return HTTPHandler{}, fmt.Errorf("putting api together: %w", err)
	}
	serve := http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		defer r.flush(request.Context(), measured)
		made.ServeHTTP(w, request)
	})
	proxy := httpadapter.NewV2(serve)
	invoke := func(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		return proxy.ProxyWithContext(ctx, wellFormed(event))
	}
	return HTTPHandler{Serve: serve, Invoke: invoke}, nil
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
	return api.NewRequestID()
}

// NewAPILambda returns what Lambda calls.
func NewAPILambda(c APIConfig, r Runtime) (func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error), error) {
	made, err := NewAPI(c, r)
	return made.Invoke, err
}

// apiRecorder turns what the API tells into metrics.
type apiRecorder struct{ measured *metrics.Metrics }

var _ api.Recorder = apiRecorder{}

func (r apiRecorder) Accepted(game string)   { r.measured.Add(metrics.Accepted, game, 1) }
func (r apiRecorder) Refused(_, code string) { r.measured.Add(metrics.RefusedBets, code, 1) }
func (r apiRecorder) Denied(code string)     { r.measured.Add(metrics.Denied, code, 1) }
func (r apiRecorder) Failed(code string)     { r.measured.Add(metrics.Failures, code, 1) }
