// Package client is a bookmaker's client of tally's API. It sends a request again,
// the same one, whenever its answer is lost or says that it could not be answered
// now: what it writes has an identity that the caller chose, so again is safe.
//
//	c, err := client.New("https://tally.example", key)
//	bet, err := c.PlaceBet(ctx, "rou-1.0042", "b-1", v1.BetRequest{Selection: "red", Stake: "5.00", Currency: "EUR"})
//	switch {
//	case client.Undecided(err): // keep the reference, and call it again later
//	case client.Code(err) == "odds_changed": // not stored, and will not be
//	}
//
//	for report, err := range c.Follow(ctx, client.Acknowledged, time.Second) {
//		…
//		for line, err := range report.Lines(ctx) { … }
//		err = c.Acknowledge(ctx, report.Sequence)
//	}
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	v1 "tally/lib/bookmaker/apitype"
)

// Client asks one API with one key. It may be used by several goroutines.
type Client struct {
	base string
	key  string
	// HTTP makes the requests; by default one with a timeout of 30 seconds.
	HTTP *http.Client
	// Tries is how often a request is sent at most; by default six times, which
	// takes up to half a minute.
	Tries int
	// Backoff is the longest wait before the second try; it doubles with each. By
	// default 200 ms.
	Backoff time.Duration
}

// New returns a client of the API at a URL.
func New(base, key string) (*Client, error) {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("%q is no URL of an API: write https://… or http://…", base)
	}
	return &Client{base: strings.TrimSuffix(base, "/"), key: key, HTTP: &http.Client{Timeout: 30 * time.Second}, Tries: 6, Backoff: 200 * time.Millisecond}, nil
}

// Error is an answer that says that a request was not carried out.
type Error struct {
	v1.Problem
	RetryAfter time.Duration // zero where the answer names none
}

func (e *Error) Error() string {
	text := e.Code + ": " + e.Detail
	for _, problem := range e.Errors {
		text += fmt.Sprintf("; %s: %s", problem.At, problem.Detail)
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// PositionAheadError says that the feed ends before the number that was asked for:
// it is of another feed, or this one was set back by a restore.
type PositionAheadError struct {
	Newest   int64 // the newest report that there is
	Response *Error
}

func (e *PositionAheadError) Error() string { return e.Response.Error() }

// Unwrap returns the answer.
func (e *PositionAheadError) Unwrap() error { return e.Response }

// Code returns the code of an error that is an answer of the API; empty for any
// other.
func Code(err error) string {
	var problem *Error
	if errors.As(err, &problem) {
		return problem.Code
	}
	return ""
}

// Undecided reports whether it is not known after an error if the request was carried
// out: there was no answer, or one that says nothing of an earlier try whose answer
// was lost. The same call again decides it; where the key is refused, with another
// key. After any other error nothing is stored, and nothing will be.
func Undecided(err error) bool {
	var problem *Error
	if !errors.As(err, &problem) {
		return err != nil
	}
	switch problem.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	}
	return problem.Code == "" || problem.Status >= http.StatusInternalServerError && problem.Code != "outcome_unknown"
}

// maxResponse bounds an answer, in bytes.
const maxResponse = 16 << 20

// do sends a request until it is answered, and decodes the answer, which a *[]byte
// takes as it is.
func (c *Client) do(ctx context.Context, method, path string, body, into any) (status int, err error) {
	var text []byte
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return 0, fmt.Errorf("encoding a request: %w", err)
		}
	}
	for try := 1; ; try++ {
		status, err = c.once(ctx, method, path, text, into)
		if err == nil || ctx.Err() != nil || !again(err) || try >= c.Tries {
			return status, err
		}
		if err := c.wait(ctx, try, err); err != nil {
			return 0, err
		}
	}
}

// again reports whether the same request may be answered otherwise: its answer was
// lost, or said so.
func again(err error) bool {
	var problem *Error
	return !errors.As(err, &problem) || problem.Status == http.StatusTooManyRequests || problem.Status >= http.StatusInternalServerError
}

// wait waits before the next try: as long as the answer says, and a random while
// besides, for others got the same.
func (c *Client) wait(ctx context.Context, try int, cause error) error {
	wait := rand.N(c.Backoff<<min(try-1, 10)) + 1
	var problem *Error
	if errors.As(cause, &problem) {
		wait += problem.RetryAfter
	}
	select {
	case <-ctx.Done():
		return errors.Join(ctx.Err(), cause)
	case <-time.After(wait):
		return nil
	}
}

func (c *Client) once(ctx context.Context, method, path string, body []byte, into any) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("making a request: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return 0, fmt.Errorf("asking %s: %w", path, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err != nil {
		return 0, fmt.Errorf("reading the answer of %s: %w", path, err)
	}
	if len(text) > maxResponse {
		return 0, fmt.Errorf("the answer of %s has more than %d bytes", path, maxResponse)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return response.StatusCode, failure(response, text)
	}
	if plain, asText := into.(*[]byte); asText {
		*plain = text
		return response.StatusCode, nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return 0, fmt.Errorf("reading the answer of %s: %w", path, err)
	}
	return response.StatusCode, nil
}

// failure is the error of an answer. One that is not the API's own, such as API
// Gateway's, has no code.
func failure(response *http.Response, text []byte) error {
	e := &Error{}
	if err := json.Unmarshal(text, &e.Problem); err != nil || e.Code == "" {
		e.Problem = v1.Problem{Detail: fmt.Sprintf("answered %s: %.200s", response.Status, text)}
	}
	e.Status = response.StatusCode
	if seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		e.RetryAfter = time.Duration(min(seconds, 60)) * time.Second
	}
	if e.Code == "position_ahead" && e.Newest != nil {
		return &PositionAheadError{Newest: *e.Newest, Response: e}
	}
	return e
}

// get asks for a value.
func get[T any](ctx context.Context, c *Client, path string, query ...string) (*T, error) {
	values := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			values.Set(query[i], query[i+1])
		}
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	value := new(T)
	if _, err := c.do(ctx, http.MethodGet, path, nil, value); err != nil {
		return nil, err
	}
	return value, nil
}

// put writes a value.
func put[T any](ctx context.Context, c *Client, path string, body any) (*T, error) {
	value := new(T)
	if _, err := c.do(ctx, http.MethodPut, path, body, value); err != nil {
		return nil, err
	}
	return value, nil
}

// at writes a path whose parts are escaped.
func at(parts ...string) string {
	path := "/v1"
	for _, part := range parts {
		path += "/" + url.PathEscape(part)
	}
	return path
}
