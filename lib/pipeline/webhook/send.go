package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"code.dny.dev/ssrf"
	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tally/lib/rulebook/settlement"
)

// The limits of one request.
const (
	// tryFor is the most time that a try takes.
	tryFor = 15 * time.Second
	// maxResponse is how much of an answer is read, so that its connection can be used
	// again; a longer one costs the receiver a new connection.
	maxResponse = 64 << 10
	maxHeaders  = 16 << 10
	// maxShown is how much of an answer a test shows.
	maxShown = 500
)

// The kinds of failures.
const (
	FailedAddress  = "address"      // it leads to an address that may not be connected to
	FailedName     = "name"         // its name can't be resolved
	FailedConnect  = "connection"   // no connection, or it broke
	FailedTLS      = "tls"          // no certificate that holds, or no common version
	FailedTime     = "timeout"      // no answer in time
	FailedRedirect = "redirect"     // 3xx
	FailedGone     = "gone"         // 410
	FailedBusy     = "busy"         // 429 or 503: it asks to be left alone for a while
	FailedClient   = "client_error" // any other 4xx
	FailedServer   = "server_error" // any other 5xx
	FailedAnswer   = "no_answer"    // a status that is none of these
)

// Outcome is what came of a try.
type Outcome struct {
	Status int    `json:"status,omitempty"` // of the answer; zero for none
	Failed string `json:"failed,omitempty"` // the kind of failure; empty when it was taken
	Detail string `json:"detail,omitempty"` // the failure in words
	Millis int64  `json:"millis"`           // that it took
	// After is how long the receiver asked to be left alone.
	After time.Duration `json:"-"`
	// Answer is the beginning of the answer's body, as the receiver wrote it.
	Answer string `json:"-"`
}

// SenderOptions set up a sender. The zero value is for the public internet.
type SenderOptions struct {
	// Loopback allows endpoints on this machine, without TLS too: for trying.
	Loopback bool
	// Resolver resolves names; the system's by default.
	Resolver *net.Resolver
	// Roots are the certificates that are trusted; the system's by default.
	Roots *x509.CertPool
	// Timeout bounds a try, from resolving the name to the end of the answer; 15 s by
	// default and at most.
	Timeout time.Duration
}

// Sender sends messages to endpoints. It may be used by several goroutines.
type Sender struct {
	client *http.Client
	within time.Duration
}

// NewSender makes a sender.
func NewSender(options SenderOptions) *Sender {
	within := min(cmp.Or(options.Timeout, tryFor), tryFor)
	dialer := &net.Dialer{Resolver: options.Resolver, Control: guard(options.Loopback)}
	client := &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // it would connect in our place, unchecked
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: options.Roots},
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: maxHeaders,
			DisableCompression:     true, // a small answer could become a large one
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Sender{client: client, within: within}
}

// Send makes one try. An error says that ctx ended, and that it is not known
// whether the message was taken.
func (s *Sender) Send(ctx context.Context, e *Endpoint, m Message, at time.Time) (Outcome, error) {
	began := time.Now()
	within, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	request, err := sign(within, e, m, at)
	if err != nil {
		return Outcome{}, err
	}
	var outcome Outcome
	answer, err := s.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return Outcome{}, fmt.Errorf("sending %s: %w", m.ID, ctx.Err())
		}
		outcome = s.failure(err)
	} else {
		outcome = judge(answer, at)
	}
	outcome.Millis = time.Since(began).Milliseconds()
	return outcome, nil
}

// sign makes the request, with a signature by each secret.
func sign(ctx context.Context, e *Endpoint, m Message, at time.Time) (*http.Request, error) {
	var signatures []string
	for _, secret := range e.Signing(settlement.Instant(at.UnixMilli())) {
		key, err := standard.NewWebhook(secret.Text)
		if err != nil {
			return nil, fmt.Errorf("a secret of endpoint %s can't be read", e.ID) // the cause would quote it
		}
		signature, err := key.Sign(m.ID, at, m.Body)
		if err != nil {
			return nil, fmt.Errorf("signing %s: %w", m.ID, err)
		}
		signatures = append(signatures, signature)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(m.Body))
	if err != nil {
		return nil, fmt.Errorf("the URL of endpoint %s can't be read", e.ID) // nor that of a URL with a key in it
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "tally-webhook/1")
	// Without a value this header is not sent. It says to net/http that the request may
	// be sent again where a connection that was kept open turns out to be dead, as they
	// are after a Lambda was frozen: receivers know it by its id.
	request.Header["Idempotency-Key"] = []string{}
	request.Header.Set(standard.HeaderWebhookID, m.ID)
	request.Header.Set(standard.HeaderWebhookTimestamp, strconv.FormatInt(at.Unix(), 10))
	request.Header.Set(standard.HeaderWebhookSignature, strings.Join(signatures, " "))
	return request, nil
}

// failure says why there was no answer.
func (s *Sender) failure(err error) Outcome {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL, which may have a key in it
	}
	var name *net.DNSError
	var timeout net.Error
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP):
		return Outcome{Failed: FailedAddress, Detail: "it leads to an address that is not of the public internet"}
	case errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrProhibitedNetwork), errors.Is(err, ssrf.ErrInvalidHostPort):
		return Outcome{Failed: FailedAddress, Detail: "it leads to a port that is not allowed"}
	case errors.As(err, &timeout) && timeout.Timeout():
		return Outcome{Failed: FailedTime, Detail: fmt.Sprintf("no answer within %s", s.within)}
	case errors.As(err, &name):
		return Outcome{Failed: FailedName, Detail: "its name can't be resolved: " + name.Err}
	case errors.Is(err, http.ErrSchemeMismatch):
		return Outcome{Failed: FailedTLS, Detail: "it answers without TLS"}
	case errors.As(err, &verification), errors.As(err, &record), errors.As(err, &alert), strings.HasPrefix(err.Error(), "tls: "), strings.HasPrefix(err.Error(), "remote error: tls: "):
		return Outcome{Failed: FailedTLS, Detail: short(err.Error())}
	}
	return Outcome{Failed: FailedConnect, Detail: short(err.Error())}
}

// judge says what an answer means.
func judge(response *http.Response, at time.Time) Outcome {
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxResponse)) // the status has said what counts
	_ = response.Body.Close()
	o := Outcome{Status: response.StatusCode, Answer: string(body[:min(len(body), maxShown)])}
	switch status := response.StatusCode; {
	case status >= 200 && status < 300:
		return o
	case status >= 300 && status < 400:
		o.Failed, o.Detail = FailedRedirect, "it answers with a redirect, which is not followed: set the address that it leads to"
		return o
	case status == http.StatusGone:
		o.Failed = FailedGone
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		o.Failed, o.After = FailedBusy, retryAfter(response.Header.Get("Retry-After"), at)
	case status >= 400 && status < 500:
		o.Failed = FailedClient
	case status >= 500 && status < 600:
		o.Failed = FailedServer
	default:
		o.Failed = FailedAnswer
	}
	o.Detail = strings.TrimSpace(fmt.Sprintf("it answers %d %s", response.StatusCode, http.StatusText(response.StatusCode)))
	return o
}

// retryAfter reads the header of that name: seconds or a date, at most
// maxAfter. Zero is for none.
func retryAfter(text string, at time.Time) time.Duration {
	seconds, err := strconv.ParseUint(text, 10, 31)
	if err == nil || errors.Is(err, strconv.ErrRange) { // too many are as many as there can be
		return min(time.Duration(seconds)*time.Second, maxAfter)
	}
	if date, err := http.ParseTime(text); err == nil {
		return min(max(0, date.Sub(at)), maxAfter)
	}
	return 0
}

// short cuts a text that came in part from outside.
func short(text string) string {
	const most = 200
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
