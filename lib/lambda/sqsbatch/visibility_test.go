package sqsbatch_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/lambda/sqsbatch"
)

// The ceiling doubles with each delivery up to the maximum, and the whole range
// below it is used.
func TestBackoff(t *testing.T) {
	tests := []struct {
		receives int
		random   float64
		want     time.Duration
	}{
		{1, 0, 0},
		{1, 0.5, time.Second},
		{1, 0.9999, 2 * time.Second}, // rounded up
		{2, 0.5, 2 * time.Second},
		{3, 0.5, 4 * time.Second},
		{4, 0.25, 4 * time.Second},
		{8, 0.5, 128 * time.Second},
		{9, 0.5, 256 * time.Second},
		{10, 0.5, 450 * time.Second}, // at most 15 minutes
		{1000, 0.5, 450 * time.Second},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.receives), func(t *testing.T) {
			b := newBench(t)
			b.options.Random = func() float64 { return test.random }
			event := eventOf("m")
			event.Records[0].Attributes["ApproximateReceiveCount"] = strconv.Itoa(test.receives)
			b.handle(t.Context(), func(context.Context, sqsbatch.Message) error { return errors.New("no") }, event)
			if got := b.changes["m"]; got != test.want {
				t.Errorf("delivery %d with %v: back after %s, want %s", test.receives, test.random, got, test.want)
			}
		})
	}
}

// By default the numbers come from math/rand: two of many differ.
func TestBackoffIsRandom(t *testing.T) {
	b := newBench(t)
	b.options.Random = nil
	var ids []string
	for i := range 20 {
		ids = append(ids, fmt.Sprint(i))
	}
	event := eventOf(ids...)
	for _, record := range event.Records {
		record.Attributes["ApproximateReceiveCount"] = "20" // up to 15 minutes
	}
	b.handle(t.Context(), func(context.Context, sqsbatch.Message) error { return errors.New("no") }, event)
	different := make(map[time.Duration]bool)
	for _, after := range b.changes {
		different[after] = true
	}
	if len(different) < 2 {
		t.Errorf("20 messages come back at once: %v", b.changes)
	}
}

type fakeSQS struct {
	calls []string
	err   error
}

func (f *fakeSQS) ChangeMessageVisibility(_ context.Context, in *sqs.ChangeMessageVisibilityInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error) {
	f.calls = append(f.calls, fmt.Sprint(*in.QueueUrl, " ", *in.ReceiptHandle, " ", in.VisibilityTimeout))
	return nil, f.err
}

func TestSQSVisibility(t *testing.T) {
	fake := new(fakeSQS)
	visibility, err := sqsbatch.NewSQSVisibility(fake, "https://sqs.example/1/tally-sweeps", "https://sqs.example/1/tally-sweeps", "http://localhost:4566/1/other")
	if err != nil {
		t.Fatal(err)
	}
	message := sqsbatch.Message{QueueARN: queueARN, ReceiptHandle: "receipt"}
	if err := visibility.ChangeVisibility(t.Context(), message, 90*time.Second); err != nil {
		t.Error(err)
	}
	if want := "[https://sqs.example/1/tally-sweeps receipt 90]"; fmt.Sprint(fake.calls) != want {
		t.Errorf("got %v, want %s", fake.calls, want)
	}
	message.QueueARN = "arn:aws:sqs:eu-central-1:1:unknown"
	if err := visibility.ChangeVisibility(t.Context(), message, 0); err == nil || len(fake.calls) != 1 {
		t.Errorf("an unknown queue: %v, %v", err, fake.calls)
	}
	fake.err = errors.New("throttled")
	message.QueueARN = queueARN
	if err := visibility.ChangeVisibility(t.Context(), message, 0); !errors.Is(err, fake.err) {
		t.Errorf("got %v", err)
	}
}

func TestSQSVisibilityRefusesURLs(t *testing.T) {
	for url, want := range map[string]string{
		"":                          "does not end in a queue's name",
		"https://sqs.example/":      "does not end in a queue's name",
		"tally-sweeps":              "does not end in a queue's name",
		"https://sqs.example/%zz":   "reading the queue URL",
		"https://sqs.example/2/one": "end in one name",
	} {
		t.Run(url, func(t *testing.T) {
			if _, err := sqsbatch.NewSQSVisibility(new(fakeSQS), "https://sqs.example/1/one", url); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v, want an error with %q", url, err, want)
			}
		})
	}
}
