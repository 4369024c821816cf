package sqsqueue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
)

// RedriveClient is what [Redrive] needs of the SDK's client.
type RedriveClient interface {
	CountClient
	SendClient
	FindClient
	ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput, options ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessage(ctx context.Context, in *sqs.DeleteMessageInput, options ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error)
	StartMessageMoveTask(ctx context.Context, in *sqs.StartMessageMoveTaskInput, options ...func(*sqs.Options)) (*sqs.StartMessageMoveTaskOutput, error)
	ListMessageMoveTasks(ctx context.Context, in *sqs.ListMessageMoveTasksInput, options ...func(*sqs.Options)) (*sqs.ListMessageMoveTasksOutput, error)
}

var _ RedriveClient = (*sqs.Client)(nil)

// ErrNoDeadLetters says that a queue has no dead-letter queue: it may be one
// itself.
var ErrNoDeadLetters = errors.New("it has no dead-letter queue")

// Redriver brings dead letters back to the queue that they came from.
type Redriver struct {
	Client RedriveClient
	// Progress is told how many messages are back so far, and how many there are
	// to bring back, about. It may be nil.
	Progress func(moved, of int)
	// Every is how often a task of the service is asked how far it is; 1 s by
	// default.
	Every time.Duration
	// KeepSent has each message say when it was sent first, which a task of the service
	// does not keep.
	KeepSent bool
}

// Redrive brings back the dead letters of the queue of that URL, at most limit
// of them, 0 for all, and returns how many. Messages that come to the dead-letter
// queue meanwhile may be among them.
//
// All of them are moved by a task of the service where it has such tasks. With a
// limit, where it has none (an emulator), or with KeepSent, each message is received,
// sent and then deleted.
func (r *Redriver) Redrive(ctx context.Context, url string, limit int) (moved int, err error) {
	letters, arn, err := r.deadLetters(ctx, url)
	if err != nil {
		return 0, err
	}
	counts, err := Count(ctx, r.Client, letters)
	if err != nil {
		return 0, err
	}
	of := counts.All()
	if limit > 0 {
		of = min(of, limit)
	}
	if limit == 0 && !r.KeepSent {
		moved, err = r.task(ctx, arn, of)
		if !lacks(err) {
			return moved, err
		}
	}
	return r.oneByOne(ctx, letters, url, limit, of)
}

// deadLetters returns the URL and the ARN of a queue's dead-letter queue.
func (r *Redriver) deadLetters(ctx context.Context, url string) (letters, arn string, err error) {
	out, err := r.Client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &url,
		AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameRedrivePolicy}})
	if err != nil {
		return "", "", fmt.Errorf("reading the redrive policy of %s: %w", url, err)
	}
	text, has := out.Attributes[string(types.QueueAttributeNameRedrivePolicy)]
	if !has {
		return "", "", fmt.Errorf("%s: %w", url, ErrNoDeadLetters)
	}
	var policy struct {
		Target string `json:"deadLetterTargetArn"`
	}
	if err := json.Unmarshal([]byte(text), &policy); err != nil {
		return "", "", fmt.Errorf("reading the redrive policy of %s: %w", url, err)
	}
	name := Name(policy.Target)
	letters, err = Find(ctx, r.Client, name)
	return letters, policy.Target, err
}

// task has the service move all messages of a dead-letter queue to where they
// came from, and waits for it. When ctx ends first the task goes on.
func (r *Redriver) task(ctx context.Context, arn string, of int) (moved int, err error) {
	if of == 0 {
		return 0, nil
	}
	if _, err := r.Client.StartMessageMoveTask(ctx, &sqs.StartMessageMoveTaskInput{SourceArn: &arn}); err != nil {
		return 0, fmt.Errorf("starting to move the messages of %s: %w", Name(arn), err)
	}
	every := r.Every
	if every == 0 {
		every = time.Second
	}
	for {
		select {
		case <-ctx.Done():
			return moved, fmt.Errorf("waiting for the messages of %s, which go on moving: %w", Name(arn), ctx.Err())
		case <-time.After(every):
		}
		out, err := r.Client.ListMessageMoveTasks(ctx, &sqs.ListMessageMoveTasksInput{SourceArn: &arn, MaxResults: aws.Int32(1)})
		if err != nil {
			return moved, fmt.Errorf("asking how far the messages of %s are moved: %w", Name(arn), err)
		}
		if len(out.Results) == 0 {
			continue
		}
		task := out.Results[0]
		moved = int(task.ApproximateNumberOfMessagesMoved)
		r.progress(moved, max(of, moved))
		switch status := aws.ToString(task.Status); status {
		case "RUNNING", "CANCELLING":
		case "COMPLETED":
			return moved, nil
		default:
			return moved, fmt.Errorf("moving the messages of %s ended as %s after %d: %s", Name(arn), status, moved, aws.ToString(task.FailureReason))
		}
	}
}

// lacks reports that a service does not know the operation.
func lacks(err error) bool {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode() {
	case "InvalidAction", "UnsupportedOperation", "AWS.SimpleQueueService.UnsupportedOperation":
		return true
	}
	return false
}

// hiddenSeconds is how long a message that is being moved stays hidden.
const hiddenSeconds = 60

// oneByOne moves messages itself.
func (r *Redriver) oneByOne(ctx context.Context, from, to string, limit, of int) (moved int, err error) {
	for limit == 0 || moved < limit {
		most := int32(10)
		if limit > 0 {
			most = int32(min(10, limit-moved))
		}
		out, err := r.Client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &from, MaxNumberOfMessages: most,
			VisibilityTimeout: hiddenSeconds, WaitTimeSeconds: 1, MessageAttributeNames: []string{"All"},
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameSentTimestamp}})
		if err != nil {
			return moved, fmt.Errorf("receiving from %s: %w", from, err)
		}
		if len(out.Messages) == 0 {
			return moved, nil
		}
		for i := range out.Messages {
			if err := r.move(ctx, from, to, &out.Messages[i]); err != nil {
				return moved, err
			}
			moved++
			r.progress(moved, max(of, moved))
		}
	}
	return moved, nil
}

// move sends a message and deletes it where it was. Before the send the message
// is only hidden, and comes back to the dead letters by itself; after a crash
// between the two it is on both queues, so that it is worked on once more than
// it needs to be, which every receiver bears. The other order could lose it.
func (r *Redriver) move(ctx context.Context, from, to string, m *types.Message) error {
	attributes := withFirst(m.MessageAttributes, m.Attributes[string(types.MessageSystemAttributeNameSentTimestamp)])
	if _, err := r.Client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &to, MessageBody: m.Body, MessageAttributes: attributes}); err != nil {
		return fmt.Errorf("sending to %s: %w", to, err)
	}
	if _, err := r.Client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &from, ReceiptHandle: m.ReceiptHandle}); err != nil {
		return fmt.Errorf("deleting from %s a message that was sent to %s: %w", from, to, err)
	}
	return nil
}

func (r *Redriver) progress(moved, of int) {
	if r.Progress != nil {
		r.Progress(moved, of)
	}
}
