package local_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"tally/lib/draw/instant"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/local"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/webhook"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

type ignored struct{}

func (ignored) Accepted(string)        {}
func (ignored) Unlooked(string)        {}
func (ignored) Refused(string, string) {}

// From a bet to its report at a bookmaker's own address, through the queues and
// functions of the template.
func TestWebhook(t *testing.T) {
	t.Parallel()
	stack := start(t, local.Options{Parameters: map[string]string{"WebhookLoopback": "true"}})
	table := store.New(dynamodb.NewFromConfig(local.Config(stack.Endpoint)), stack.Table)
	now := func() settlement.Instant { return settlement.Instant(time.Now().UnixMilli()) }
	got := make(chan string, 10)
	var verifier *standard.Webhook
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := verifier.Verify(body, r.Header); err != nil {
			t.Error(err)
		}
		got <- string(body)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	hooks := &webhook.Store{Table: table, Now: now, Loopback: true}
	_, secret, err := hooks.Set(t.Context(), webhook.Params{Bookmaker: "acme", URL: receiver.URL, After: -1})
	if err != nil {
		t.Fatal(err)
	}
	if verifier, err = standard.NewWebhook(secret); err != nil {
		t.Fatal(err)
	}
	studio := sqsqueue.New(sqs.NewFromConfig(local.Config(stack.Endpoint)), queueOf(stack, "StudioMessagesQueue"))
	say := func(kind, rest string) {
		t.Helper()
		body := fmt.Sprintf(`{"schema":1,"id":"%s","type":"%[1]s","game":"roulette","table":"hook","draw":"hook-1","at":%q,%s}`, kind, instant.Format(now()), rest)
		if err := studio.Send(t.Context(), body, 0); err != nil {
			t.Fatal(err)
		}
	}
	say("draw.opened", fmt.Sprintf(`"sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, instant.Format(now()), instant.Format(now()+3_600_000)))
	acceptor := &placing.Acceptor{Table: table, Terms: func(string) money.Terms { return money.Terms{} }, Now: now, Record: ignored{}}
	eventually(t, "the bet is accepted", func() bool {
		_, err := acceptor.Place(t.Context(), placing.Request{Bookmaker: "acme", Draw: "hook-1", Reference: "b-1", Selection: "straight:17", Stake: "10.00", Currency: "EUR"})
		return err == nil
	})
	say("draw.resulted", `"revision":1,"facts":{"spins":[{"revolutions":6,"pocket":17}]}`)
	select {
	case body := <-got:
		if !strings.Contains(body, `"bookmaker":"acme"`) || !strings.Contains(body, `"sequence":1,"draw":"hook-1"`) || !strings.Contains(body, `"payout":"360.00"`) {
			t.Errorf("got %s", body)
		}
	case <-time.After(patience):
		t.Fatal("no report came")
	}
	eventually(t, "it counts as taken", func() bool {
		list, err := hooks.List(t.Context(), "acme")
		if err != nil {
			t.Fatal(err)
		}
		return len(list) == 1 && list[0].Position.Sequence == 1
	})
}
