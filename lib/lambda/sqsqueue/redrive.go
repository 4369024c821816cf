package sqsqueue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// RedriveClient is what [Redrive] needs of the SDK's client.
type RedriveClient interface {
	CountClient
	SendClient
	FindClient
	ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput, options ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessage(ctx context.Context, in *sqs.DeleteMessageInput, options ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error)
}

var _ RedriveClient = (*sqs.Client)(nil)

// ErrNoDeadLetters says that a queue has no dead-letter queue: it may be one
// itself.
var ErrNoDeadLetters = errors.New("it has no dead-letter queue")

// Redriver brings dead letters back to the queue that they came from.
type Redriver struct {
	Client RedriveClient
	// Progress gets how many messages are back so far, and how many there are
	// to bring back, about. It may be nil.
	Progress func(moved, of int)
}

// Redrive brings back the dead letters of the queue of that URL, at most limit
// of them, 0 for all, and returns how many. Messages that come to the dead-letter
// queue meanwhile may be among them.
//
// Each message is received, sent and then deleted. The service has tasks that move
// messages, but these don't keep when one was sent first.
func (r *Redriver) Redrive(ctx context.Context, url string, limit int) (moved int, err error) {
	letters, err := r.deadLetters(ctx, url)
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
	for limit == 0 || moved < limit {
		most := int32(10)
		if limit > 0 {
			most = int32(min(10, limit-moved))
		}
		out, err := r.Client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &letters, MaxNumberOfMessages: most,
			VisibilityTimeout: hiddenSeconds, WaitTimeSeconds: 1, MessageAttributeNames: []string{"All"},
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameSentTimestamp}})
		if err != nil {
			return moved, fmt.Errorf("receiving from %s: %w", letters, err)
		}
		if len(out.Messages) == 0 {
			return moved, nil
		}
		for i := range out.Messages {
			if err := r.move(ctx, letters, url, &out.Messages[i]); err != nil {
				return moved, err
			}
			moved++
			if r.Progress != nil {
				r.Progress(moved, max(of, moved))
			}
		}
	}
	return moved, nil
}

// hiddenSeconds is how long a message that is being moved stays hidden.
const hiddenSeconds = 60

// deadLetters returns the URL of a queue's dead-letter queue.
func (r *Redriver) deadLetters(ctx context.Context, url string) (string, error) {
	out, err := r.Client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: &url,
		AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameRedrivePolicy}})
	if err != nil {
		return "", fmt.Errorf("reading the redrive policy of %s: %w", url, err)
	}
	text, has := out.Attributes[string(types.QueueAttributeNameRedrivePolicy)]
	if !has {
		return "", fmt.Errorf("%s: %w", url, ErrNoDeadLetters)
	}
	var policy struct {
		Target string `json:"deadLetterTargetArn"`
	}
	if err := json.Unmarshal([]byte(text), &policy); err != nil {
		return "", fmt.Errorf("reading the redrive policy of %s: %w", url, err)
	}
	return Find(ctx, r.Client, Name(policy.Target))
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
