package dynamotest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"tally/internal/testkit/dynamotest"
)

// Kumo's queues hide a message for its visibility timeout, count its receipts,
// and move it to the dead-letter queue after the last: what the pipeline needs.
func TestKumoQueues(t *testing.T) {
	db := dynamotest.Kumo(t)
	client := sqs.NewFromConfig(db.Config())
	ctx := t.Context()

	dead := makeQueue(t, client, db.Prefix+"dead", nil)
	arn := queueARN(t, client, dead)
	queue := makeQueue(t, client, db.Prefix+"queue", map[string]string{
		"VisibilityTimeout": "3600",
		"RedrivePolicy":     fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":"2"}`, arn),
	})
	if _, err := client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &queue, MessageBody: aws.String("hello")}); err != nil {
		t.Fatal(err)
	}
	for want := 1; want <= 2; want++ {
		message := await(ctx, t, client, queue)
		if got := message.Attributes["ApproximateReceiveCount"]; got != fmt.Sprint(want) {
			t.Errorf("receipt %d: ApproximateReceiveCount is %q", want, got)
		}
		if again := receive(ctx, t, client, queue, 0); again != nil {
			t.Errorf("receipt %d: the message is not hidden", want)
		}
		_, err := client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{QueueUrl: &queue, ReceiptHandle: message.ReceiptHandle})
		if err != nil {
			t.Fatal(err)
		}
	}
	if message := receive(ctx, t, client, queue, 0); message != nil {
		t.Error("the message is still there after its last receipt")
	}
	if message := await(ctx, t, client, dead); aws.ToString(message.Body) != "hello" {
		t.Errorf("the dead-letter queue holds %q, want hello", aws.ToString(message.Body))
	}
}

// A message that becomes visible does not end a long poll, as it does in SQS: the
// receiver learns of it at its next call.
func TestKumoLongPoll(t *testing.T) {
	db := dynamotest.Kumo(t)
	client := sqs.NewFromConfig(db.Config())
	ctx := t.Context()
	// On a busy machine a short delay is over before the poll begins.
	for delay := int32(1); delay <= 32; delay *= 2 {
		queue := makeQueue(t, client, fmt.Sprintf("%squeue%d", db.Prefix, delay), nil)
		_, err := client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &queue, MessageBody: aws.String("hello"), DelaySeconds: delay})
		if err != nil {
			t.Fatal(err)
		}
		if receive(ctx, t, client, queue, delay+1) != nil {
			continue
		}
		if receive(ctx, t, client, queue, 0) == nil {
			t.Error("the next call does not see it")
		}
		return
	}
	t.Error("a long poll saw the message when its delay ended")
}

// Kumo takes a message larger than the queue's MaximumMessageSize, which SQS
// refuses.
func TestKumoMessageSize(t *testing.T) {
	db := dynamotest.Kumo(t)
	client := sqs.NewFromConfig(db.Config())
	queue := makeQueue(t, client, db.Prefix+"queue", map[string]string{"MaximumMessageSize": "1024"})
	_, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: &queue, MessageBody: aws.String(strings.Repeat("x", 1025))})
	if err != nil {
		t.Errorf("it was refused: %v", err)
	}
}

// await polls for a message until one is visible, for at most five minutes.
func await(ctx context.Context, t *testing.T, client *sqs.Client, queue string) *types.Message {
	t.Helper()
	for range 3000 {
		if message := receive(ctx, t, client, queue, 0); message != nil {
			return message
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatal("no message within five minutes")
	return nil
}

func makeQueue(t *testing.T, client *sqs.Client, name string, attributes map[string]string) string {
	t.Helper()
	out, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
	if err != nil {
		t.Fatalf("making queue %s: %v", name, err)
	}
	return *out.QueueUrl
}

func queueARN(t *testing.T, client *sqs.Client, queue string) string {
	t.Helper()
	out, err := client.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: &queue, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.Attributes["QueueArn"]
}

// receive waits up to some seconds for one message.
func receive(ctx context.Context, t *testing.T, client *sqs.Client, queue string, seconds int32) *types.Message {
	t.Helper()
	out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &queue, WaitTimeSeconds: seconds, MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Messages) == 0 {
		return nil
	}
	return &out.Messages[0]
}

// The Lambda Runtime API holds a handler's request for its next event, and S3
// answers by path.
func TestKumoEndpoint(t *testing.T) {
	db := dynamotest.Kumo(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second/4)
	defer cancel()
	if status, err := send(ctx, http.MethodGet, db.Endpoint()+"/_runtime/"+db.Prefix+"f/2018-06-01/runtime/invocation/next", ""); err == nil {
		t.Errorf("the runtime answered %d without an event", status)
	} else if ctx.Err() == nil {
		t.Errorf("the runtime did not hold the request: %v", err)
	}
	bucket := db.Endpoint() + "/" + db.Prefix + "bucket"
	for _, call := range []struct{ method, url string }{
		{http.MethodPut, bucket}, {http.MethodPut, bucket + "/object"}, {http.MethodGet, bucket + "/object"},
	} {
		t.Run(call.method, func(t *testing.T) {
			if status, err := send(t.Context(), call.method, call.url, "content"); err != nil || status != http.StatusOK {
				t.Errorf("%s: status %d, error %v", call.method, status, err)
			}
		})
	}
}

func send(ctx context.Context, method, url, body string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	if method == http.MethodPut && strings.HasSuffix(url, "bucket") {
		request.Body, request.ContentLength = http.NoBody, 0
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
