package functions_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/permissions"
	"tally/lib/lambda/config"
	"tally/lib/lambda/functions"
	"tally/lib/lambda/runtime"
)

// complete are variables with which every function can be put together.
var complete = map[string]string{
	"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
	"TALLY_TABLE": "tally", "TALLY_STUDIO_URL": "https://sqs/1/studio", "TALLY_ORDERS_URL": "https://sqs/1/orders", "TALLY_ORDERS_ARN": "arn:orders",
	"TALLY_SWEEPS_URL": "https://sqs/1/sweeps", "TALLY_ARCHIVE_URL": "https://sqs/1/archive", "TALLY_REPLIES_URL": "https://sqs/1/replies",
	"TALLY_STUDIO_DLQ_URL": "https://sqs/1/a", "TALLY_ORDERS_DLQ_URL": "https://sqs/1/b", "TALLY_SWEEPS_DLQ_URL": "https://sqs/1/c",
	"TALLY_ARCHIVE_DLQ_URL": "https://sqs/1/d", "TALLY_REPLIES_DLQ_URL": "https://sqs/1/e",
	"TALLY_WEBHOOKS_URL": "https://sqs/1/webhooks", "TALLY_WEBHOOKS_DLQ_URL": "https://sqs/1/f",
	"TALLY_DUE_URL": "https://sqs/1/due", "TALLY_DUE_DLQ_URL": "https://sqs/1/g",
	"TALLY_LOG_ORIGIN": "example.com/tally", "TALLY_LOG_BUCKET": "log", "TALLY_LOG_KEY": "alias/log", "TALLY_PAGES_BUCKET": "pages",
}

// witnessKey is the verifier key of a witness.
const witnessKey = "witness.example/w1+e42b2f2c+BDtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"

// with returns the complete variables with others in their place.
func with(changed map[string]string) config.Lookup {
	all := maps.Clone(complete)
	maps.Copy(all, changed)
	return func(name string) (string, bool) {
		value, set := all[name]
		return value, set
	}
}

func quiet() runtime.Runtime {
	return runtime.Runtime{Log: slog.New(slog.DiscardHandler), Metrics: io.Discard, Now: time.Now}
}

func TestNew(t *testing.T) {
	for _, described := range permissions.OfFunctions() {
		if _, err := functions.New(described.Name, with(nil), quiet()); err != nil {
			t.Errorf("%s: %v", described.Name, err)
		}
		first := described.Uses[0].Variable
		_, err := functions.New(described.Name, with(map[string]string{first: ""}), quiet())
		var environment *config.Error
		if !errors.As(err, &environment) {
			t.Errorf("%s without %s: %v", described.Name, first, err)
		}
	}
	if _, err := functions.New("other", with(nil), quiet()); err == nil {
		t.Error("a function that does not exist was put together")
	}
}

func TestUnusableVariables(t *testing.T) {
	for _, test := range []struct{ function, variable, value, want string }{
		{"intake", "TALLY_SHARDS_BY_GAME", "roulette", `"roulette"`},
		{"intake", "TALLY_SHARDS_BY_GAME", "roulette=4,chess=2", `"chess=2"`},
		{"intake", "TALLY_SHARDS_BY_GAME", "roulette=257", `"roulette=257"`},
		{"intake", "TALLY_SHARDS_BY_GAME", "roulette=0", `"roulette=0"`},
		{"settle", "TALLY_HOLD_CORRECTIONS_ABOVE", "EUR=1000", `"EUR=1000"`},
		{"intake", "TALLY_STUDIO_URL", "studio", "does not end in a queue's name"},
		{"settle", "TALLY_SWEEPS_URL", "sweeps", "does not end in a queue's name"},
		{"archive", "TALLY_LOG_ORIGIN", "a#b", "a log's name has no #"},
		{"archive", "TALLY_LOG_WITNESSES", "w1", "is no verifier key and URL of a witness"},
		{"archive", "TALLY_LOG_WITNESSES", "w1 https://w1.example", "is no verifier key of a witness"},
		{"archive", "TALLY_LOG_WITNESSES", witnessKey + " http://w1.example", "is no URL of a witness"},
		{"archive", "TALLY_LOG_WITNESSES", witnessKey + " https://w1.example," + witnessKey + " https://w2.example", "is there twice"},
	} {
		t.Run(test.function, func(t *testing.T) {
			_, err := functions.New(test.function, with(map[string]string{test.variable: test.value}), quiet())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s=%s: got %v, want an error with %s", test.variable, test.value, err, test.want)
			}
		})
	}
}

// failing is an output that takes nothing.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// Metrics that can't be written are logged and fail nothing; a run of reconcile
// that fails is logged and counted.
func TestReconcileFails(t *testing.T) {
	var log, out bytes.Buffer
	given := runtime.Runtime{Log: slog.New(slog.NewTextHandler(&log, nil)), Metrics: &out, Now: time.Now}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that no request is made
	for range 2 {
		made, err := functions.New("reconcile", with(nil), given)
		if err != nil {
			t.Fatal(err)
		}
		if err := made.(runtime.ScheduledHandler)(ctx); err == nil {
			t.Error("a run without time did not fail")
		}
		given.Metrics = failing{}
	}
	if !strings.Contains(out.String(), `"kind":"error","failures":1}`) {
		t.Errorf("metrics: %s", out.String())
	}
	if !strings.Contains(log.String(), "reconcile failed in part") || !strings.Contains(log.String(), "metrics are lost") {
		t.Errorf("log: %s", log.String())
	}
}
