package functions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"tally/lib/lambda/config"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/sqsbatch"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
)

// complete are variables with which every function can be put together.
var complete = map[string]string{
	"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
	"TALLY_TABLE": "tally", "TALLY_STUDIO_URL": "https://sqs/1/studio", "TALLY_ORDERS_URL": "https://sqs/1/orders", "TALLY_ORDERS_ARN": "arn:orders",
	"TALLY_SWEEPS_URL": "https://sqs/1/sweeps", "TALLY_ARCHIVE_URL": "https://sqs/1/archive", "TALLY_REPLIES_URL": "https://sqs/1/replies",
	"TALLY_STUDIO_DLQ_URL": "https://sqs/1/a", "TALLY_ORDERS_DLQ_URL": "https://sqs/1/b", "TALLY_SWEEPS_DLQ_URL": "https://sqs/1/c",
	"TALLY_ARCHIVE_DLQ_URL": "https://sqs/1/d", "TALLY_REPLIES_DLQ_URL": "https://sqs/1/e",
	"TALLY_WEBHOOKS_URL": "https://sqs/1/webhooks", "TALLY_WEBHOOKS_DLQ_URL": "https://sqs/1/f",
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

func quiet() Runtime {
	return Runtime{Log: slog.New(slog.DiscardHandler), Metrics: io.Discard, Now: time.Now}
}

func TestNew(t *testing.T) {
	for _, described := range Describe() {
		if _, err := New(described.Name, with(nil), quiet()); err != nil {
			t.Errorf("%s: %v", described.Name, err)
		}
		first := described.Uses[0].Variable
		_, err := New(described.Name, with(map[string]string{first: ""}), quiet())
		var environment *config.Error
		if !errors.As(err, &environment) {
			t.Errorf("%s without %s: %v", described.Name, first, err)
		}
	}
	if _, err := New("other", with(nil), quiet()); err == nil {
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
		_, err := New(test.function, with(map[string]string{test.variable: test.value}), quiet())
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s=%s: got %v, want an error with %s", test.variable, test.value, err, test.want)
		}
	}
}

func TestSettings(t *testing.T) {
	settings, err := IntakeConfig{Shards: 2, ShardsByGame: "roulette=4,poker=256", RetentionDays: 30}.settings()
	if err != nil {
		t.Fatal(err)
	}
	if settings.Shards != 2 || settings.RetainMillis != 30*24*3600*1000 ||
		!maps.Equal(settings.ShardsByGame, map[string]int{"roulette": 4, "poker": 256}) {
		t.Errorf("got %+v", settings)
	}
}

func TestEnvironment(t *testing.T) {
	made := Environment{Region: "eu-west-1", KeyID: "key", Secret: "secret", SessionToken: "token"}.AWS()
	credentials, err := made.Credentials.Retrieve(t.Context())
	if err != nil || credentials.AccessKeyID != "key" || credentials.SecretAccessKey != "secret" || credentials.SessionToken != "token" {
		t.Errorf("%v: %+v", err, credentials)
	}
	if made.Region != "eu-west-1" || made.BaseEndpoint != nil {
		t.Errorf("got %+v", made)
	}
	if made := (Environment{Endpoint: "http://localhost:4566"}).AWS(); made.BaseEndpoint == nil || *made.BaseEndpoint != "http://localhost:4566" {
		t.Errorf("the endpoint is %v", made.BaseEndpoint)
	}
}

func TestAssemble(t *testing.T) {
	if _, err := assemble(with(nil), quiet().Log, NewSettle); err != nil {
		t.Error(err)
	}
	for _, missing := range []string{"AWS_REGION", "TALLY_SWEEPS_URL"} {
		if _, err := assemble(with(map[string]string{missing: ""}), quiet().Log, NewSettle); err == nil || !strings.Contains(err.Error(), missing+" is not set") {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}

// What becomes of the message that asked for a sweep.
func TestAfterSweep(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	fault := errors.New("no connection")
	tests := []struct {
		name string
		ctx  context.Context
		err  error
		back *sqsbatch.GiveBack
		want error
	}{
		{"swept", t.Context(), nil, nil, nil},
		{"swept as time ran out", over, nil, nil, nil},
		{"too early", t.Context(), fmt.Errorf("sweeping: %w", &settle.NotYetError{After: 7 * time.Second}), &sqsbatch.GiveBack{After: 7 * time.Second}, nil},
		{"stopped", t.Context(), fmt.Errorf("sweeping: %w", &settle.UnequalError{}), nil, nil},
		{"out of time", over, fmt.Errorf("reading: %w", context.Canceled), &sqsbatch.GiveBack{}, nil},
		{"failed", t.Context(), fault, nil, fault},
	}
	for _, test := range tests {
		got := afterSweep(test.ctx, test.err)
		var back sqsbatch.GiveBack
		switch given := errors.As(got, &back); {
		case given != (test.back != nil), given && back.After != test.back.After:
			t.Errorf("%s: got %v", test.name, got)
		case !given && !errors.Is(got, test.want):
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// Everything that the packages tell becomes a metric, with the numbers told.
func TestRecorder(t *testing.T) {
	var out bytes.Buffer
	measured := metrics.NewMetrics(&out, "tally", "test", time.Now)
	r := recorder{measured}
	r.Quarantined("")
	r.Quarantined("poker")
	r.Settled("war", 10, 3, false, 12*time.Second)
	r.Settled("war", 4, 1, true, time.Hour)
	r.Unequal("dice")
	r.Stuck("", reconcile.StuckResult)
	r.Stuck("wheel", reconcile.StuckSweep)
	r.Straggled("wheel", 2)
	r.Depth("sweeps", 5)
	r.InQuarantine(6)
	r.Delivered(20)
	r.NotDelivered("timeout")
	r.WebhookDisabled("gone")
	if err := measured.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"game":"unknown","overdue":1,"quarantined":1}`,
		`"game":"poker","quarantined":1}`,
		`"game":"war","corrected":4,"refunded":3,"settled":7,"settlement_delay":[12000]}`,
		`"game":"dice","unequal":1}`,
		`"game":"wheel","stragglers":2,"stuck":1}`,
		`"kind":"sweeps","dead_letter_depth":5}`,
		`"function":"test","delivered":20,"quarantine_depth":6}`,
		`"kind":"timeout","not_delivered":1}`,
		`"kind":"gone","webhooks_disabled":1}`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line ends in %s:\n%s", want, out.String())
		}
	}
}

// failing is an output that takes nothing.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// Metrics that can't be written are logged and fail nothing; a run of reconcile
// that fails is logged and counted.
func TestReconcileFails(t *testing.T) {
	var log, out bytes.Buffer
	runtime := Runtime{Log: slog.New(slog.NewTextHandler(&log, nil)), Metrics: &out, Now: time.Now}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that no request is made
	for range 2 {
		made, err := New("reconcile", with(nil), runtime)
		if err != nil {
			t.Fatal(err)
		}
		if err := made.(ScheduledHandler)(ctx); err == nil {
			t.Error("a run without time did not fail")
		}
		runtime.Metrics = failing{}
	}
	if !strings.Contains(out.String(), `"kind":"error","failures":1}`) {
		t.Errorf("metrics: %s", out.String())
	}
	if !strings.Contains(log.String(), "reconcile failed in part") || !strings.Contains(log.String(), "metrics are lost") {
		t.Errorf("log: %s", log.String())
	}
	if err := (noReplies{}).Send(ctx, "", 0); err != nil {
		t.Error(err)
	}
}
