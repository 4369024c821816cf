package sqsbatch

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// maxVisibility is the longest time for which SQS hides a message.
const maxVisibility = 12 * time.Hour

// Visibility changes when a delivered message comes back.
//
// It is called at most once for a delivery, with whole seconds from 0 to 12
// hours. Its failure is logged and has no other effect: the message then comes
// back when the queue's own visibility timeout ends. It must be safe for use by
// several goroutines.
type Visibility interface {
	ChangeVisibility(ctx context.Context, message Message, after time.Duration) error
}

// SQSClient is what [SQSVisibility] needs of the SDK's client.
type SQSClient interface {
	ChangeMessageVisibility(ctx context.Context, in *sqs.ChangeMessageVisibilityInput, options ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error)
}

var (
	_ Visibility = (*SQSVisibility)(nil)
	_ SQSClient  = (*sqs.Client)(nil)
)

// SQSVisibility changes the visibility of messages in SQS.
type SQSVisibility struct {
	client SQSClient
	urls   map[string]string // by queue name
}

// NewSQSVisibility takes the URLs of the queues from which messages come: an
// event has only their ARNs, and SQS asks for URLs. They are matched by the
// queue's name, with which both end.
func NewSQSVisibility(client SQSClient, urls ...string) (*SQSVisibility, error) {
	byName := make(map[string]string, len(urls))
	for _, text := range urls {
		parsed, err := url.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("reading the queue URL %q: %w", text, err)
		}
		name := path.Base(parsed.Path)
		if !parsed.IsAbs() || name == "." || name == "/" {
			return nil, fmt.Errorf("reading the queue URL %q: it does not end in a queue's name", text)
		}
		if other, twice := byName[name]; twice && other != text {
			return nil, fmt.Errorf("the queue URLs %q and %q end in one name", other, text)
		}
		byName[name] = text
	}
	return &SQSVisibility{client: client, urls: byName}, nil
}

// ChangeVisibility implements [Visibility].
func (v *SQSVisibility) ChangeVisibility(ctx context.Context, message Message, after time.Duration) error {
	queue, known := v.urls[message.QueueName()]
	if !known {
		return fmt.Errorf("no URL is configured for the queue %q", message.QueueName())
	}
	_, err := v.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl:          &queue,
		ReceiptHandle:     &message.ReceiptHandle,
		VisibilityTimeout: int32(after / time.Second),
	})
	if err != nil {
		return fmt.Errorf("changing the visibility of a message of %q: %w", message.QueueName(), err)
	}
	return nil
}

// wholeSeconds rounds up to what SQS takes.
func wholeSeconds(after time.Duration) time.Duration {
	rounded := (max(after, 0) + time.Second - 1) / time.Second * time.Second
	return min(rounded, maxVisibility)
}

const (
	minBackoff = 2 * time.Second
	maxBackoff = 15 * time.Minute
)

// backoff is exponential with full jitter: a delivery that failed comes back after a
// random time between nothing and minBackoff doubled for each delivery before it, at
// most maxBackoff. Randomness over the whole range keeps messages that failed together
// from coming back together. random is from 0 up to 1.
func backoff(deliveries int, random float64) time.Duration {
	ceiling := minBackoff
	for range deliveries - 1 {
		ceiling = min(2*ceiling, maxBackoff)
	}
	return time.Duration(random * float64(ceiling))
}
