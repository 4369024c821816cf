package sqsqueue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"tally/internal/testkit/dynamotest"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/rulebook/settlement"
)

// queues counts the queues of this process, for their names.
var queues atomic.Int64

// makeQueue makes a queue in the emulator.
func makeQueue(t *testing.T, db dynamotest.DB, client *sqs.Client, attributes map[string]string) (url, arn string) {
	t.Helper()
	name := fmt.Sprintf("%squeue%d", db.Prefix, queues.Add(1))
	out, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(out.QueueUrl), "arn:aws:sqs:us-east-1:000000000000:" + name
}

func count(t *testing.T, client sqsqueue.CountClient, url string) sqsqueue.Counts {
	t.Helper()
	counts, err := sqsqueue.Count(t.Context(), client, url)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

// fakeSender notes what is sent and answers with an error.
type fakeSender struct {
	sent []*sqs.SendMessageInput
	err  error
}

func (f *fakeSender) SendMessage(_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	f.sent = append(f.sent, in)
	return &sqs.SendMessageOutput{}, f.err
}

func TestSend(t *testing.T) {
	for _, test := range []struct {
		delay   time.Duration
		seconds int32
		refused bool
	}{
		{0, 0, false},
		{time.Millisecond, 1, false},
		{time.Second, 1, false},
		{1001 * time.Millisecond, 2, false},
		{sqsqueue.MaxDelay, 900, false},
		{sqsqueue.MaxDelay + 1, 0, true},
		{-1, 0, true},
	} {
		t.Run(fmt.Sprint(test.delay), func(t *testing.T) {
			client := &fakeSender{}
			err := sqsqueue.New(client, "https://queue").Send(t.Context(), "body", test.delay)
			switch {
			case test.refused != (err != nil):
				t.Errorf("%s: %v, want test.refused = %v", test.delay, err, (err != nil))
			case test.refused && len(client.sent) > 0:
				t.Errorf("%s: it is sent all the same", test.delay)
			case !test.refused && (client.sent[0].DelaySeconds != test.seconds || *client.sent[0].QueueUrl != "https://queue" || *client.sent[0].MessageBody != "body"):
				t.Errorf("%s: %+v", test.delay, client.sent[0])
			}
		})
	}
	broken := errors.New("broken")
	if err := sqsqueue.New(&fakeSender{err: broken}, "https://queue").Send(t.Context(), "body", 0); !errors.Is(err, broken) || !strings.Contains(err.Error(), "https://queue") {
		t.Error(err)
	}
}

func TestDepths(t *testing.T) {
	db := dynamotest.Kumo(t)
	client := sqs.NewFromConfig(db.Config())
	one, _ := makeQueue(t, db, client, nil)
	two, _ := makeQueue(t, db, client, nil)
	queue := sqsqueue.New(client, one)
	for i := range 3 {
		if err := queue.Send(t.Context(), "body", time.Duration(i/2)*time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &one, MaxNumberOfMessages: 1}); err != nil {
		t.Fatal(err)
	}
	if counts := count(t, client, one); counts != (sqsqueue.Counts{Waiting: 1, Delayed: 1, Hidden: 1}) {
		t.Errorf("%+v, want counts = (sqsqueue.Counts{Waiting: 1, Delayed: 1, Hidden: 1})", counts)
	}
	depths, err := sqsqueue.NewCounter(client, map[string]string{"one": one, "two": two}).Depths(t.Context())
	if err != nil || depths["one"] != 3 || depths["two"] != 0 || len(depths) != 2 {
		t.Errorf("%v %v, want no error and depths[\"one\"] = 3 and depths[\"two\"] = 0 and len(depths) = 2", depths, err)
	}
	// A queue that can't be counted is an error that does not hide the others.
	depths, err = sqsqueue.NewCounter(client, map[string]string{"one": one, "none": one + "x"}).Depths(t.Context())
	if err == nil || !strings.Contains(err.Error(), "none") || depths["one"] != 3 {
		t.Errorf("%v %v, want an error and \"none\" in it and depths[\"one\"] = 3", depths, err)
	}
}

func TestFind(t *testing.T) {
	db := dynamotest.Kumo(t)
	client := sqs.NewFromConfig(db.Config())
	url, arn := makeQueue(t, db, client, nil)
	for _, name := range []string{url, sqsqueue.Name(url), sqsqueue.Name(arn)} {
		t.Run(name, func(t *testing.T) {
			if found, err := sqsqueue.Find(t.Context(), client, name); err != nil || found != url {
				t.Errorf("%s: %s %v, want no error and found = %v", name, found, err, url)
			}
		})
	}
	if _, err := sqsqueue.Find(t.Context(), client, "nonesuch"); !errors.Is(err, sqsqueue.ErrNoQueue) {
		t.Error(err)
	}
}

// withDeadLetters makes a queue and its dead-letter queue with so many messages.
func withDeadLetters(t *testing.T, db dynamotest.DB, client *sqs.Client, messages int) (url, letters string) {
	t.Helper()
	letters, arn := makeQueue(t, db, client, nil)
	policy, err := json.Marshal(map[string]any{"deadLetterTargetArn": arn, "maxReceiveCount": 3})
	if err != nil {
		t.Fatal(err)
	}
	url, _ = makeQueue(t, db, client, map[string]string{"RedrivePolicy": string(policy)})
	for i := range messages {
		_, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &letters, MessageBody: aws.String(fmt.Sprint(i)),
			MessageAttributes: map[string]types.MessageAttributeValue{"number": {DataType: aws.String("Number"), StringValue: aws.String(fmt.Sprint(i))}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return url, letters
}

func TestRedrive(t *testing.T) {
	db := dynamotest.Kumo(t)
	client := sqs.NewFromConfig(db.Config())
	url, letters := withDeadLetters(t, db, client, 25)
	last, total := 0, 0
	redriver := sqsqueue.Redriver{Client: client, Progress: func(moved, of int) { last, total = moved, of }}
	if moved, err := redriver.Redrive(t.Context(), url, 13); err != nil || moved != 13 || last != 13 || total != 13 {
		t.Fatalf("%d moved, progress %d of %d: %v", moved, last, total, err)
	}
	if moved, err := redriver.Redrive(t.Context(), url, 0); err != nil || moved != 12 || last != 12 || total != 12 {
		t.Fatalf("%d moved, progress %d of %d: %v", moved, last, total, err)
	}
	if there, left := count(t, client, url), count(t, client, letters); there.Waiting != 25 || left.All() != 0 {
		t.Errorf("%+v on the queue, %+v left", there, left)
	}
	out, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, MessageAttributeNames: []string{"All"}})
	if err != nil || aws.ToString(out.Messages[0].MessageAttributes["number"].StringValue) != aws.ToString(out.Messages[0].Body) {
		t.Errorf("its attributes are lost: %+v %v", out, err)
	}
	if moved, err := redriver.Redrive(t.Context(), url, 0); err != nil || moved != 0 {
		t.Errorf("%d moved of none: %v", moved, err)
	}
	if _, err := redriver.Redrive(t.Context(), letters, 0); !errors.Is(err, sqsqueue.ErrNoDeadLetters) {
		t.Error(err)
	}
}

// faultyClient fails at one of the writes, before or after it was carried out.
type faultyClient struct {
	*sqs.Client
	send, delete, after bool
}

var errFault = errors.New("fault")

func (f *faultyClient) SendMessage(ctx context.Context, in *sqs.SendMessageInput, options ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	if f.send && !f.after {
		return nil, errFault
	}
	out, err := f.Client.SendMessage(ctx, in, options...)
	if f.send {
		err = errFault
	}
	return out, err
}

func (f *faultyClient) DeleteMessage(ctx context.Context, in *sqs.DeleteMessageInput, options ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error) {
	if f.delete && !f.after {
		return nil, errFault
	}
	out, err := f.Client.DeleteMessage(ctx, in, options...)
	if f.delete {
		err = errFault
	}
	return out, err
}

// Whatever fails, no message is lost.
func TestRedriveLosesNothing(t *testing.T) {
	db := dynamotest.Kumo(t)
	client := sqs.NewFromConfig(db.Config())
	for _, fault := range []faultyClient{{send: true}, {send: true, after: true}, {delete: true}, {delete: true, after: true}} {
		t.Run(fmt.Sprint(fault.send), func(t *testing.T) {
			url, letters := withDeadLetters(t, db, client, 1)
			fault.Client = client
			redriver := sqsqueue.Redriver{Client: &fault}
			if _, err := redriver.Redrive(t.Context(), url, 1); !errors.Is(err, errFault) {
				t.Error(err)
			}
			there, left := count(t, client, url).All(), count(t, client, letters).All()
			if there+left < 1 {
				t.Errorf("%+v: the message is lost", fault)
			}
			if wantThere := fault.delete || fault.after; (there == 1) != wantThere {
				t.Errorf("%+v: %d on the queue", fault, there)
			}
		})
	}
}

// A message that is sent again, and again, keeps saying when it was sent first.
func TestSendAgainKeepsFirst(t *testing.T) {
	db := dynamotest.Kumo(t)
	client := sqs.NewFromConfig(db.Config())
	url, letters := withDeadLetters(t, db, client, 0)
	const first = settlement.Instant(1_796_040_000_123)
	if err := sqsqueue.New(client, letters).SendAgain(t.Context(), "body", first); err != nil {
		t.Fatal(err)
	}
	if moved, err := (&sqsqueue.Redriver{Client: client}).Redrive(t.Context(), url, 0); err != nil || moved != 1 {
		t.Fatalf("%d moved: %v", moved, err)
	}
	out, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, MessageAttributeNames: []string{"All"}})
	if err != nil || len(out.Messages) != 1 {
		t.Fatalf("received %+v, %v", out, err)
	}
	if said := aws.ToString(out.Messages[0].MessageAttributes[sqsqueue.FirstSent].StringValue); said != "1796040000123" {
		t.Errorf("it says that it was sent first at %q", said)
	}
}

// When a message was sent first is never later than its queue says.
func TestSentAt(t *testing.T) {
	queue := time.UnixMilli(2000)
	for said, want := range map[string]settlement.Instant{"": 2000, "1500": 1500, "2500": 2000, "soon": 2000, "-1": 2000, "0": 2000} {
		t.Run(said, func(t *testing.T) {
			if got := sqsqueue.SentAt(queue, map[string]string{sqsqueue.FirstSent: said}); got != want {
				t.Errorf("a message that says %q was sent at %d, want %d", said, got, want)
			}
		})
	}
}
