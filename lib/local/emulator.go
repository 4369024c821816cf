package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/sivchari/kumo"
)

// Region is the region that the emulator's ARNs name.
const Region = "us-east-1"

// emulator is kumo in this process, behind an address of our choosing: its own
// is another one each time. All emulators of a process share one state.
type emulator struct {
	kumo     *kumo.Server
	front    *http.Server
	endpoint string
}

// making is held while a kumo is made: it connects parts of the state that all
// share.
var making sync.Mutex

func newKumo() *kumo.Server {
	making.Lock()
	defer making.Unlock()
	return kumo.NewServer()
}

// startEmulator listens on an address such as 127.0.0.1:4566; port 0 takes any
// that is free.
func startEmulator(ctx context.Context, address string) (*emulator, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listening for the emulator: %w", err)
	}
	server := newKumo()
	target, err := url.Parse(server.URL)
	if err != nil {
		server.Close()
		return nil, errors.Join(fmt.Errorf("reading the emulator's address: %w", err), listener.Close())
	}
	e := &emulator{kumo: server, endpoint: "http://" + listener.Addr().String()}
	proxy := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	e.front = &http.Server{Handler: proxy, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = e.front.Serve(listener) }() // ends with close
	return e, nil
}

// close ends the emulator. Requests under way are cut off.
func (e *emulator) close() {
	_ = e.front.Close() // nothing can be done about a listener that does not close
	e.kumo.Close()
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
