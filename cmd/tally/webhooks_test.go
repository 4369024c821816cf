package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// What an operator does with webhooks, from setting one to removing it.
func TestWebhooks(t *testing.T) {
	o := newOperator(t, "webhooks")
	status := make(chan int, 1)
	requests := make(chan *http.Request, 1)
	bodies := make(chan []byte, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- r
		bodies <- body
		w.WriteHeader(<-status)
		_, _ = io.WriteString(w, "thanks\x1b[31m")
	}))
	defer receiver.Close()
	o.types(0, "acme has no webhooks\n", "webhooks", "list", "acme")
	made := o.types(0, "whsec_…\nendpoint … of acme gets the reports to come; the secret is not shown again\n", "webhooks", "set", "acme", receiver.URL, "--note", "settlement job")
	secret, id := strings.Fields(made)[0], strings.Fields(made)[2]
	shown := o.types(0, "endpoint  "+id+"\nurl       "+receiver.URL+"\nnote      settlement job\nmade      …\nstate     up to date\ntaken     every report up to 0 of 0\nsecrets   signs\n", "webhooks", "show", "acme", id)
	list := o.types(0, "endpoint …"+id+"…up to date…settlement job\n", "webhooks", "list", "acme")
	if strings.Contains(shown+list, secret[6:]) {
		t.Error("a secret is shown again")
	}

	status <- 200
	o.types(0, "test    taken with 200 after …\nanswer  thanks\\u{1b}[31m\n", "webhooks", "test", "acme", id)
	verifier, err := standard.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	request, body := <-requests, <-bodies
	var message struct {
		Type, Bookmaker string
		Data            struct{ Endpoint string }
	}
	if err := json.Unmarshal(body, &message); err != nil || message.Type != "webhook.test" || message.Bookmaker != "acme" || message.Data.Endpoint != id {
		t.Errorf("%s, %v, want no error and message.Type = \"webhook.test\" and message.Bookmaker = \"acme\" and message.Data.Endpoint = %v",
			body, err, id)
	}
	if err := verifier.Verify(body, request.Header); err != nil {
		t.Error(err)
	}
	status <- 404
	o.types(1, "test    it answers 404 Not Found, after …\nanswer  thanks…\ntally: testing the webhook: it was not taken (client_error)\n", "webhooks", "test", "acme", id)

	o.types(0, "nothing was sent to endpoint "+id+" in the last thirty days; tests are not listed\n", "webhooks", "deliveries", "acme", id)
	o.types(0, "whsec_…\nendpoint "+id+" of acme signs with it, too, within a minute, and with the old one for 1 hours; the secret is not shown again\n", "webhooks", "rotate", "acme", id, "--overlap-hours", "1")
	o.types(0, "…secrets   signs\n          signs until …\n", "webhooks", "show", "acme", id)
	o.types(0, "endpoint "+id+" of acme is disabled within a minute\n", "webhooks", "disable", "acme", id)
	o.types(0, "…state     disabled\ndisabled  …: by an operator\n…", "webhooks", "show", "acme", id)
	o.types(0, "endpoint "+id+" of acme is notified again within a minute\n", "webhooks", "enable", "acme", id, "--after", "newest")
	o.types(0, "endpoint "+id+" of acme is notified at "+receiver.URL+"/v2 within a minute\n", "webhooks", "set", "acme", receiver.URL+"/v2", "--id", id)

	o.types(2, "tally: the newest report is 0: reports after 5 are not there yet\n…", "webhooks", "enable", "acme", id, "--after", "5")
	o.types(2, "tally: 10.0.0.1 is no address of the public internet\n…", "webhooks", "set", "acme", "https://10.0.0.1/")
	o.types(2, "tally: the URL begins with http: write https:\n…", "webhooks", "set", "acme", "http://acme.example/")
	o.types(2, "tally: --id changes the URL alone: leave out --after and --note\n…", "webhooks", "set", "acme", receiver.URL, "--id", id, "--note", "x")
	o.types(2, "tally: --after is \"soon\": it must be the number of a report…", "webhooks", "enable", "acme", id, "--after", "soon")
	o.types(2, "tally: give a bookmaker and a URL\n…", "webhooks", "set", "acme")
	o.types(2, "tally: give a bookmaker and an endpoint\n…", "webhooks", "rotate", "acme")
	o.types(2, "tally: \"a b\" is no bookmaker…", "webhooks", "list", "a b")
	o.types(2, "tally: there is no \"delete\" in webhooks; it has …", "webhooks", "delete")
	o.types(2, "…name one of …", "webhooks")
	unknown := "tally: endpoint \"nosuch\" of acme: there is no such endpoint: `tally webhooks list acme` shows all\n"
	for _, command := range []string{"show", "test", "rotate", "enable", "disable", "remove", "deliveries"} {
		o.types(1, unknown, "webhooks", command, "acme", "nosuch")
	}
	o.types(1, unknown, "webhooks", "set", "acme", receiver.URL, "--id", "nosuch")
	o.types(0, "removed endpoint "+id+" of acme\n", "webhooks", "remove", "acme", id)
	o.types(0, "acme has no webhooks\n", "webhooks", "list", "acme")
	o.observed.compare(t, "webhooks")
}
