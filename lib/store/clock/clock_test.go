package clock

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"tally/lib/rulebook/settlement"
)

// heard is an answer: its date in seconds, and how far from the beginning of that
// second the clock was before and after it, in milliseconds.
type heard struct {
	second    int64
	sent, got settlement.Instant
}

func TestHeard(t *testing.T) {
	const ahead, behind = 2001, -1001 // of the date: a second and more outside of its second
	for _, test := range []struct {
		name  string
		heard []heard
		wrong bool
	}{
		{"nothing", nil, false},
		{"right", []heard{{1, 0, 1}, {2, 999, 999}, {3, 500, 600}}, false},
		{"ahead", []heard{{1, ahead, ahead}, {2, ahead, ahead}, {3, ahead, ahead}}, true},
		{"behind", []heard{{1, behind, behind}, {2, behind, behind}, {3, behind, behind}}, true},
		{"ahead by a second at most", []heard{{1, ahead - 1, ahead}, {2, ahead - 1, ahead}, {3, ahead - 1, ahead}}, false},
		{"behind by a second at most", []heard{{1, behind, behind + 1}, {2, behind, behind + 1}, {3, behind, behind + 1}}, false},
		{"two of them", []heard{{1, ahead, ahead}, {2, ahead, ahead}}, false},
		{"three of two seconds", []heard{{1, ahead, ahead}, {2, ahead, ahead}, {2, ahead + 9, ahead + 9}}, false},
		{"one says right between", []heard{{1, ahead, ahead}, {2, ahead, ahead}, {3, 10, 20}, {4, ahead, ahead}}, false},
		{"a slow one between says nothing", []heard{{1, ahead, ahead}, {2, ahead, ahead}, {3, 10, 9000}, {4, ahead, ahead}}, true},
		{"slow ones alone", []heard{{1, -500, ahead + 5000}, {2, -500, ahead + 5000}, {3, -500, ahead + 5000}}, false},
		{"slow but wholly outside", []heard{{1, ahead, 9000}, {2, ahead, 9000}, {3, ahead, 9000}}, true},
		{"now ahead, now behind", []heard{{1, ahead, ahead}, {2, behind, behind}, {3, ahead, ahead}, {4, behind, behind}}, false},
		{"set while one was under way", []heard{{1, ahead, behind}, {2, ahead, behind}, {3, ahead, behind}}, false},
		{"a somewhat slow one between would fit", []heard{{1, ahead, ahead}, {2, ahead, ahead}, {3, 1500, 1601}, {4, ahead, ahead}}, true},
		{"right again", []heard{{1, ahead, ahead}, {2, ahead, ahead}, {3, ahead, ahead}, {4, ahead, ahead}, {5, 20, 30}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &Watch{}
			for _, h := range test.heard {
				w.Heard(h.second, settlement.Instant(h.second*1000)+h.sent, settlement.Instant(h.second*1000)+h.got)
			}
			err := w.Check(t.Context())
			if wrong := (*WrongError)(nil); errors.As(err, &wrong) != test.wrong {
				t.Errorf("%v", err)
			}
		})
	}
}

// A process that has nothing else to ask asks while its clock is wrong, once a second,
// and goes on as soon as it is right.
func TestAsksWhileWrong(t *testing.T) {
	now, ahead, asked, recorded := settlement.Instant(1_000_000), settlement.Instant(60_000), 0, 0
	w := &Watch{Now: func() settlement.Instant { return now + ahead }, Record: func() { recorded++ }}
	w.Ask = func(context.Context) error {
		asked++
		w.Heard(int64(now)/1000, w.Now(), w.Now())
		return errors.New("whatever came of it")
	}
	for range enough {
		_ = w.Ask(t.Context())
		now += 1000
	}
	asked = 0
	for range 5 {
		if w.Check(t.Context()) == nil {
			t.Fatal("it passes")
		}
		now += 100
	}
	if asked != 1 || recorded != 5 {
		t.Errorf("asked %d times, recorded %d", asked, recorded)
	}
	ahead, now = 0, now+2000
	if err := w.Check(t.Context()); err != nil {
		t.Errorf("right again: %v", err)
	}
}

// The dates are those of DynamoDB's answers as the client gets them, of errors too.
func TestAttach(t *testing.T) {
	date, status := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", date.Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"__type":"com.amazonaws.dynamodb.v20120810#ValidationException"}`))
	}))
	defer server.Close()
	now := date
	watch := &Watch{Now: func() settlement.Instant { return settlement.Instant(now.UnixMilli()) }}
	client := dynamodb.New(dynamodb.Options{Region: "eu-central-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("k", "s", ""),
		Retryer: aws.NopRetryer{}, DisableValidateResponseChecksum: true, APIOptions: []func(*middleware.Stack) error{watch.Attach}})
	ask := func() {
		_, _ = client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("t"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "x"}}})
	}
	for i := range 3 {
		if status = http.StatusOK; i == 1 {
			status = http.StatusBadRequest
		}
		if err := watch.Check(t.Context()); err != nil {
			t.Errorf("after %d answers: %v", i, err)
		}
		date = date.Add(time.Second)
		now = date.Add(-30 * time.Second)
		ask()
	}
	if err := watch.Check(t.Context()); err == nil || err.Error() != "this process's clock is at least 30000 ms behind DynamoDB's" {
		t.Errorf("%v, want an error and err.Error() = \"this process's clock is at least 30000 ms behind DynamoDB's\"", err)
	}
	now = date
	ask()
	if err := watch.Check(t.Context()); err != nil {
		t.Errorf("right again: %v", err)
	}
}
