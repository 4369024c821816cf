package webhook

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/rulebook/settlement"
)

// reports answers tally's webhooks. It hands each report to store, which keeps it
// under its sequence number: the same one may come again.
func reports(secret string, store func(context.Context, v1.FeedEntry) error) (http.Handler, error) {
	tally, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || tally.Verify(body, r.Header) != nil {
			http.Error(w, "this is not from tally", http.StatusUnauthorized)
			return
		}
		var message v1.ReportCreated
		if err := json.Unmarshal(body, &message); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if message.Type == "report.created" {
			if err := store(r.Context(), message.Data); err != nil {
				http.Error(w, "not stored: send it again", http.StatusInternalServerError)
				return
			}
		}
		w.WriteHeader(http.StatusNoContent) // only now: it is stored
	}), nil
}

const documentation = "../../../docs/webhooks.md"

// block returns the first block of a language in the documentation.
func block(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile(documentation)
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```"+language+"\n")
	inside, _, closed := strings.Cut(after, "```")
	if !found || !closed {
		t.Fatalf("there is no block of %s", language)
	}
	return inside
}

// The receiver that the documentation shows is the one above. It takes what a
// worker sends, with either secret while they are rotated, and nothing else.
func TestDocumentedReceiver(t *testing.T) {
	source, err := os.ReadFile("receiver_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if shown := block(t, "go"); !strings.Contains(string(source), shown) {
		t.Errorf("the documentation shows another receiver:\n%s", shown)
	}
	b, _ := newFake(t)
	b.now = settlement.Instant(time.Now().UnixMilli()) // the library compares it with the clock
	hooks := b.store()
	hooks.Loopback = true
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	defer server.Close()
	e, secret, err := hooks.Set(t.Context(), Params{Bookmaker: "acme", URL: server.URL, After: -1})
	if err != nil {
		t.Fatal(err)
	}
	var got []v1.FeedEntry
	failing := true
	use := func(secret string) {
		t.Helper()
		if handler, err = reports(secret, func(_ context.Context, entry v1.FeedEntry) error {
			if failing {
				return errors.New("no space left")
			}
			got = append(got, entry)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	worker := b.worker()
	sender := NewSender(SenderOptions{Loopback: true})
	worker.Sender = sender
	deliver := func(wantFailed string) {
		t.Helper()
		if _, err := worker.Deliver(t.Context(), "acme"); err != nil {
			t.Fatal(err)
		}
		last := b.status("acme", e.ID).Position.Last
		if last.Failed != wantFailed {
			t.Errorf("%+v, want last.Failed = %v", last, wantFailed)
		}
		if err := hooks.Enable(t.Context(), "acme", e.ID, nil); err != nil {
			t.Fatal(err)
		}
	}
	use(secret)
	b.report("acme", 2)
	deliver(FailedServer)
	failing = false
	deliver("")
	second, _, err := hooks.Rotate(t.Context(), "acme", e.ID, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	b.report("acme", 1)
	deliver("") // still with the first one
	use(second)
	b.report("acme", 1)
	deliver("")
	use(newSecret())
	b.report("acme", 1)
	deliver(FailedClient)
	if len(got) != 4 || got[3].Sequence != 4 || got[3].Lines != 3 || got[3].Pages[0].Href != "/v1/draws/war-1.7/reports/1/0/1" {
		t.Errorf("got %+v", got)
	}
	use(second)
	if came, err := hooks.Test(t.Context(), sender, "acme", e.ID); err != nil || came.Status != 204 || len(got) != 4 {
		t.Errorf("a test: %+v, %v", came, err)
	}
}

// The request that the documentation shows is signed with the secret that it shows.
func TestDocumentedRequest(t *testing.T) {
	request, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.ReplaceAll(block(t, "http"), "\n", "\r\n"))))
	if err != nil {
		t.Fatal(err)
	}
	rest, err := os.ReadFile(documentation)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(rest), "`whsec_")
	secret, _, _ := strings.Cut(after, "`")
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(block(t, "http"), "\n\n")
	body = strings.TrimSpace(body)
	if err := verifier.VerifyIgnoringTimestamp([]byte(body), request.Header); err != nil {
		t.Error(err)
	}
	if err := verifier.VerifyIgnoringTimestamp([]byte(strings.Replace(body, "10.00", "20.00", 1)), request.Header); err == nil {
		t.Error("another body is verified, too")
	}
	var message v1.ReportCreated
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&message); err != nil || message.Data.Sequence != 1043 || request.Header.Get("webhook-id") != reportID("k2v7mx4qhd3n6", 1043) {
		t.Errorf("%+v, %v, want no error and message.Data.Sequence = 1043 and request.Header.Get(\"webhook-id\") = reportID(\"k2v7mx4qhd3n6\", 1043)",
			message, err)
	}
	again, err := json.Marshal(message)
	if err != nil || string(again) != body {
		t.Errorf("the body is not as it is written:\n%s\n%s", body, again)
	}
}
