package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"tally/lib/local/emulator"
)

// Region is the region that the emulator's ARNs name.
const Region = "us-east-1"

// front is the emulator of this process behind an address of our choosing: its own
// is another one each time. All fronts of a process share one state.
type front struct {
	server   *http.Server
	endpoint string
}

// startEmulator listens on an address such as 127.0.0.1:4566; port 0 takes any
// that is free.
func startEmulator(ctx context.Context, address string) (*front, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening for the emulator: %w", err)
	}
	target, err := url.Parse(emulator.Endpoint())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading the emulator's address: %w", err), listener.Close())
	}
	f := &front{endpoint: "http://" + listener.Addr().String()}
	f.server = &http.Server{Handler: proxyTo(target), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = f.server.Serve(listener) }() // ends with close
	return f, nil
}

// proxyTo passes requests on. An answer is passed back once all of it is there: clients
// of AWS try again after a 502, and fail of an answer that breaks off.
func proxyTo(target *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodHead {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return fmt.Errorf("reading the emulator's answer: %w", err)
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
}

// close stops listening. Answers under way are cut off.
func (f *front) close() {
	_ = f.server.Close() // nothing can be done about a listener that does not close
}

// Config returns an AWS configuration for clients of a local stack at an
// endpoint. The credentials in it are made up: the emulator checks none.
func Config(endpoint string) aws.Config {
	return aws.Config{
		Region:       Region,
		Credentials:  credentials.NewStaticCredentialsProvider("local", "local", ""),
		BaseEndpoint: aws.String(endpoint),
	}
}
