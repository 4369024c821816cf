package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tally/lib/rulebook/settlement"
)

// receiver is a server with TLS that bookmakers could run, and a sender that trusts
// its certificate.
func receiver(t *testing.T, handle http.HandlerFunc, change ...func(*httptest.Server)) (*httptest.Server, *Sender) {
	t.Helper()
	server := httptest.NewUnstartedServer(handle)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	for _, c := range change {
		c(server)
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return server, NewSender(SenderOptions{Loopback: true, Roots: roots, Timeout: 10 * time.Second})
}

func endpointAt(url string, secrets ...Secret) *Endpoint {
	return &Endpoint{ID: "e", Bookmaker: "acme", URL: url, Secrets: secrets}
}

// try sends a message and wants no error.
func try(t *testing.T, s *Sender, e *Endpoint, at time.Time) Outcome {
	t.Helper()
	came, err := s.Send(t.Context(), e, Message{ID: "msg_e_7", Body: []byte(`{"type":"report.created"}`)}, at)
	if err != nil {
		t.Fatal(err)
	}
	return came
}

// What arrives is what the library of Standard Webhooks verifies: by each secret
// that signs, and by no other.
func TestSigned(t *testing.T) {
	now := time.Now()
	instantAfter := func(d time.Duration) settlement.Instant { return settlement.Instant(now.Add(d).UnixMilli()) }
	secrets := []Secret{{Text: newSecret()}, {Text: newSecret(), Until: instantAfter(time.Hour)}, {Text: newSecret(), Until: instantAfter(-time.Second)}}
	var header http.Header
	var body []byte
	server, sender := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		if r.Method != http.MethodPost || r.Proto != "HTTP/2.0" || r.URL.Path != "/hook" || r.URL.RawQuery != "shop=7" {
			t.Errorf("%s %s %s, want r.Method = http.MethodPost and r.Proto = \"HTTP/2.0\" and r.URL.Path = \"/hook\" and r.URL.RawQuery = \"shop=7\"",
				r.Method, r.URL, r.Proto)
		}
		w.WriteHeader(http.StatusNoContent)
	})
	if came := try(t, sender, endpointAt(server.URL+"/hook?shop=7", secrets...), now); came.Failed != "" || came.Status != 204 {
		t.Fatalf("%+v, want came.Failed = \"\" and came.Status = 204", came)
	}
	if header.Get("webhook-id") != "msg_e_7" || header.Get("Content-Type") != "application/json" || header.Get("webhook-timestamp") != fmt.Sprint(now.Unix()) {
		t.Errorf("headers %v", header)
	}
	for i, verifies := range []bool{true, true, false} {
		t.Run(fmt.Sprint(verifies), func(t *testing.T) {
			verifier, err := standard.NewWebhook(secrets[i].Text)
			if err != nil {
				t.Fatal(err)
			}
			if err := verifier.Verify(body, header); (err == nil) != verifies {
				t.Errorf("secret %d: %v", i, err)
			}
			if err := verifier.Verify(bytes.Replace(body, []byte("report"), []byte("repost"), 1), header); err == nil {
				t.Errorf("secret %d verifies another body", i)
			}
		})
	}
	if signature := header.Get("webhook-signature"); strings.Count(signature, "v1,") != 2 || strings.Count(signature, " ") != 1 {
		t.Errorf("signatures %q", signature)
	}
}

// What receivers answer, and what it counts as.
func TestAnswers(t *testing.T) {
	at := time.Now()
	for _, test := range []struct {
		name   string
		handle http.HandlerFunc
		failed string
		after  time.Duration
		detail string
	}{
		{"200", status(200), "", 0, ""},
		{"202", status(202), "", 0, ""},
		{"204", status(204), "", 0, ""},
		{"a long answer", func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return // as it should: nobody reads all of it
				}
			}
		}, "", 0, ""},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, FailedRedirect, 0, "set the address that it leads to"},
		{"a redirect that keeps the method", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusPermanentRedirect)
		}, FailedRedirect, 0, "set the address"},
		{"304", status(304), FailedRedirect, 0, ""},
		{"400", status(400), FailedClient, 0, "it answers 400 Bad Request"},
		{"401", status(401), FailedClient, 0, "it answers 401 Unauthorized"},
		{"404", status(404), FailedClient, 0, ""},
		{"410", status(410), FailedGone, 0, "it answers 410 Gone"},
		{"429", status(429), FailedBusy, 0, ""},
		{"429 for two minutes", status(429, "120"), FailedBusy, 2 * time.Minute, ""},
		{"503 until a date", status(503, at.Add(time.Hour).UTC().Format(http.TimeFormat)), FailedBusy, time.Hour, ""},
		{"503 until a past date", status(503, "Mon, 02 Jan 2006 15:04:05 GMT"), FailedBusy, 0, ""},
		{"503 for a negative time", status(503, "-5"), FailedBusy, 0, ""},
		{"503 for ever", status(503, "99999999999999999999"), FailedBusy, maxAfter, ""},
		{"500 for a while", status(500, "120"), FailedServer, 0, "it answers 500 Internal Server Error"},
		{"599", status(599), FailedServer, 0, "it answers 599"},
		{"600", status(600), FailedAnswer, 0, "it answers 600"},
		{"endless headers", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Long", strings.Repeat("x", 1<<20)) }, FailedConnect, 0, ""},
		{"no answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, FailedConnect, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, sender := receiver(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/" {
					t.Errorf("a redirect to %s was followed", r.URL)
				}
				test.handle(w, r)
			})
			came := try(t, sender, endpointAt(server.URL+"/"), at)
			if came.Failed != test.failed || (came.After-test.after).Abs() > 2*time.Second || !strings.Contains(came.Detail, test.detail) {
				t.Errorf("%+v, want came.Failed = %v and (came.After - test.after).Abs() of at most 2 * time.Second and %q in came.Detail",
					came, test.failed, test.detail)
			}
			if came.Failed == "" && came.Detail != "" || came.Failed != "" && came.Detail == "" || len(came.Answer) > maxShown {
				t.Errorf("%+v", came)
			}
		})
	}
}

func status(code int, retryAfter ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, text := range retryAfter {
			w.Header().Set("Retry-After", text)
		}
		w.WriteHeader(code)
	}
}

// Receivers that can't be reached, or that TLS has no trust in.
func TestUnreachable(t *testing.T) {
	trusted, sender := receiver(t, status(204))
	closed := httptest.NewServer(status(204))
	closed.Close()
	plain := httptest.NewServer(status(204))
	defer plain.Close()
	old, oldSender := receiver(t, status(204), func(s *httptest.Server) { s.TLS = &tls.Config{MaxVersion: tls.VersionTLS11} })
	slow, _ := receiver(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	impatient := NewSender(SenderOptions{Loopback: true, Roots: rootsOf(slow), Timeout: 100 * time.Millisecond})
	dripping, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200) // taken, whatever becomes of the body
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	patient := NewSender(SenderOptions{Loopback: true, Roots: rootsOf(dripping), Timeout: 500 * time.Millisecond})
	_, port, _ := net.SplitHostPort(trusted.Listener.Addr().String())
	for _, test := range []struct {
		name, url string
		sender    *Sender
		failed    string
	}{
		{"a closed port", closed.URL, sender, FailedConnect},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), sender, FailedTLS},
		{"an unknown certificate", trusted.URL, NewSender(SenderOptions{Loopback: true, Roots: x509.NewCertPool()}), FailedTLS},
		{"a certificate of another name", "https://localhost:" + port, sender, FailedTLS},
		{"an old version of TLS", old.URL, oldSender, FailedTLS},
		{"no answer in time", slow.URL, impatient, FailedTime},
		{"a body that does not end", dripping.URL, patient, ""},
		{"this machine", trusted.URL, NewSender(SenderOptions{}), FailedAddress},
	} {
		t.Run(test.name, func(t *testing.T) {
			if came := try(t, test.sender, endpointAt(test.url), time.Now()); came.Failed != test.failed {
				t.Errorf("%s: %+v, want came.Failed = %v", test.name, came, test.failed)
			}
		})
	}
	nowhere := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no network") }}
	if came := try(t, NewSender(SenderOptions{Resolver: nowhere}), endpointAt("https://bookmaker.example"), time.Now()); came.Failed != FailedName {
		t.Errorf("a name that can't be resolved: %+v", came)
	}
}

func rootsOf(server *httptest.Server) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return roots
}

// A connection that was kept open and is dead, as after a Lambda was frozen, is no
// failure of the receiver's.
func TestStaleConnection(t *testing.T) {
	first, requests := "", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.Header["Idempotency-Key"] != nil {
			t.Error("the header is sent")
		}
		switch first {
		case "":
			first = r.RemoteAddr
		case r.RemoteAddr:
			connection, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				err = connection.Close()
			}
			if err != nil {
				t.Error(err)
			}
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	sender := NewSender(SenderOptions{Loopback: true})
	for range 2 {
		if came := try(t, sender, endpointAt(server.URL), time.Now()); came.Failed != "" {
			t.Errorf("%+v, want came.Failed = \"\"", came)
		}
	}
	if requests != 3 {
		t.Errorf("%d requests", requests)
	}
}

// No proxy connects in the sender's place: it would resolve names itself.
func TestNoProxy(t *testing.T) {
	asked := false
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	server, sender := receiver(t, status(204))
	if came := try(t, sender, endpointAt(server.URL), time.Now()); came.Failed != "" || asked {
		t.Errorf("%+v, by a proxy: %v", came, asked)
	}
}

// When the time of the caller ends, it is not known what became of the message: that
// is no failure of the receiver's.
func TestCutOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server, sender := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if came, err := sender.Send(ctx, endpointAt(server.URL), Message{ID: "m"}, time.Now()); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v, want context.Canceled", came, err)
	}
}

// Nothing that is secret is in an error: neither a key nor a URL.
func TestErrorsQuoteNothing(t *testing.T) {
	sender := NewSender(SenderOptions{})
	for _, e := range []*Endpoint{endpointAt("https://bookmaker.example/?key=hidden", Secret{Text: "whsec_hidden!"}), endpointAt("https://hidden\x7f/")} {
		t.Run(e.ID, func(t *testing.T) {
			if _, err := sender.Send(t.Context(), e, Message{ID: "m"}, time.Now()); err == nil || strings.Contains(err.Error(), "hidden") {
				t.Errorf("%v", err)
			}
		})
	}
}

// What a receiver asks to wait is bounded, however large.
func TestRetryAfterSaturates(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{"": 0, "soon": 0, "-5": 0, "7": 7 * time.Second, "Mon, 30 Nov 2026 12:01:00 GMT": time.Minute, "Mon, 30 Nov 2026 11:00:00 GMT": 0} {
		t.Run(text, func(t *testing.T) {
			if got := retryAfter(text, at); got != want {
				t.Errorf("%q: %v, want %v", text, got, want)
			}
		})
	}
	for _, text := range []string{"2147483647", "2147483648", "9223372036854775807", strings.Repeat("9", 100), "Fri, 31 Dec 9999 23:59:59 GMT"} {
		t.Run(fmt.Sprintf("%.40q", text), func(t *testing.T) {
			if got := retryAfter(text, at); got != maxAfter {
				t.Errorf("%q: %v, want %v", text, got, maxAfter)
			}
		})
	}
}
