// Package sqsqueue is tally's queues in SQS: sending, counting and bringing back
// dead letters. What a message says, and when one is sent again, is the
// caller's; deliveries to Lambdas are lambdaqueue's.
//
// # What SQS promises, and what not
//
// A message that was sent is kept on several machines before SendMessage
// answers. After a lost answer it may be there or not, and the SDK sends it
// again: queues hold messages twice, and receivers must bear that. A standard
// queue has no order, and its counts are approximate: they settle about a minute
// after the last change.
package sqsqueue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"tally/lib/rulebook/settlement"
)

// MaxDelay is the longest time for which SQS holds a message back.
const MaxDelay = 15 * time.Minute

// SendClient is what [Queue] needs of the SDK's client.
type SendClient interface {
	SendMessage(ctx context.Context, in *sqs.SendMessageInput, options ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
}

// CountClient is what [Counter] needs of the SDK's client.
type CountClient interface {
	GetQueueAttributes(ctx context.Context, in *sqs.GetQueueAttributesInput, options ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error)
}

// BatchClient is what [Batches] needs of the SDK's client.
type BatchClient interface {
	CountClient
	SendMessageBatch(ctx context.Context, in *sqs.SendMessageBatchInput, options ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error)
}

var (
	_ SendClient  = (*sqs.Client)(nil)
	_ CountClient = (*sqs.Client)(nil)
	_ BatchClient = (*sqs.Client)(nil)
)

// Queue sends messages to one queue. It may be used by several goroutines.
type Queue struct {
	client SendClient
	url    string
}

// New returns the queue of that URL.
func New(client SendClient, url string) *Queue { return &Queue{client: client, url: url} }

// Send sends a message that is delivered after a delay, rounded up to whole
// seconds; at most [MaxDelay]. When it returns nil the message is durable. After
// an error it may be there or not.
func (q *Queue) Send(ctx context.Context, body string, delay time.Duration) error {
	if delay < 0 || delay > MaxDelay {
		return fmt.Errorf("sending to %s: a delay of %s is not within 0 to %s", q.url, delay, MaxDelay)
	}
	seconds := (delay + time.Second - 1) / time.Second
	_, err := q.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: &body, DelaySeconds: int32(seconds)})
	if err != nil {
		return fmt.Errorf("sending to %s: %w", q.url, err)
	}
	return nil
}

// Batches sends messages to one queue, several in a request. It may be used by several goroutines.
type Batches struct {
	client BatchClient
	url    string
}

// NewBatches returns the queue of that URL.
func NewBatches(client BatchClient, url string) *Batches { return &Batches{client: client, url: url} }

// SendAll sends messages, at most ten. When it returns nil all are durable. After an error some may
// be there or not.
func (b *Batches) SendAll(ctx context.Context, bodies []string) error {
	entries := make([]types.SendMessageBatchRequestEntry, len(bodies))
	for i := range bodies {
		entries[i] = types.SendMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), MessageBody: &bodies[i]}
	}
	out, err := b.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &b.url, Entries: entries})
	if err != nil {
		return fmt.Errorf("sending to %s: %w", b.url, err)
	}
	if len(out.Failed) > 0 {
		return fmt.Errorf("sending to %s: %d of %d messages were not taken: %s", b.url, len(out.Failed), len(bodies), aws.ToString(out.Failed[0].Code))
	}
	return nil
}

// Waiting returns how many messages can be received now, about.
func (b *Batches) Waiting(ctx context.Context) (int, error) {
	counts, err := Count(ctx, b.client, b.url)
	return counts.Waiting, err
}

// FirstSent is the attribute of a message that is sent again: when it was sent first,
// in milliseconds since 1970. SQS gives it a new time.
const FirstSent = "tally_first_sent"

// SendAgain sends a message that was sent before, with when that was first.
func (q *Queue) SendAgain(ctx context.Context, body string, first settlement.Instant) error {
	_, err := q.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &q.url, MessageBody: &body,
		MessageAttributes: withFirst(nil, strconv.FormatInt(int64(first), 10))})
	if err != nil {
		return fmt.Errorf("sending again to %s: %w", q.url, err)
	}
	return nil
}

// withFirst returns attributes that say when a message was sent first, unless they do.
func withFirst(attributes map[string]types.MessageAttributeValue, first string) map[string]types.MessageAttributeValue {
	if _, said := attributes[FirstSent]; said || first == "" {
		return attributes
	}
	with := map[string]types.MessageAttributeValue{FirstSent: {DataType: aws.String("Number"), StringValue: &first}}
	maps.Copy(with, attributes)
	return with
}

// SentAt returns when a message was sent first, by the time that its queue has and
// the attributes that it came with: never later than the queue says.
func SentAt(queue time.Time, attributes map[string]string) settlement.Instant {
	sent := settlement.Instant(queue.UnixMilli())
	if first, err := strconv.ParseInt(attributes[FirstSent], 10, 64); err == nil && first > 0 {
		sent = min(sent, settlement.Instant(first))
	}
	return sent
}

// Counter counts the messages of queues.
type Counter struct {
	client CountClient
	urls   map[string]string
}

// NewCounter takes the queues' URLs by a name for people.
func NewCounter(client CountClient, urls map[string]string) *Counter {
	return &Counter{client: client, urls: urls}
}

// Depths returns how many messages each queue holds: those waiting, those held
// back and those being worked on. With an error it returns the queues that could
// be counted.
func (c *Counter) Depths(ctx context.Context) (map[string]int, error) {
	depths := make(map[string]int, len(c.urls))
	var failed error
	for name, url := range c.urls {
		count, err := Count(ctx, c.client, url)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("counting %s: %w", name, err))
			continue
		}
		depths[name] = count.All()
	}
	return depths, failed
}

// Counts are the messages of a queue, about.
type Counts struct {
	Waiting int // to be received now
	Delayed int // held back by their delay
	Hidden  int // received and not deleted
}

// All returns the messages that the queue holds.
func (c Counts) All() int { return c.Waiting + c.Delayed + c.Hidden }

// Count counts the messages of the queue of that URL.
func Count(ctx context.Context, client CountClient, url string) (Counts, error) {
	var counts Counts
	into := map[types.QueueAttributeName]*int{
		types.QueueAttributeNameApproximateNumberOfMessages:           &counts.Waiting,
		types.QueueAttributeNameApproximateNumberOfMessagesDelayed:    &counts.Delayed,
		types.QueueAttributeNameApproximateNumberOfMessagesNotVisible: &counts.Hidden,
	}
	names := make([]types.QueueAttributeName, 0, len(into))
	for name := range into {
		names = append(names, name)
	}
	slices.Sort(names)
	out, err := client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: aws.String(url), AttributeNames: names})
	if err != nil {
		return counts, fmt.Errorf("reading the attributes of %s: %w", url, err)
	}
	for name, count := range into {
		if *count, err = strconv.Atoi(out.Attributes[string(name)]); err != nil {
			return counts, fmt.Errorf("reading the attribute %s of %s: %w", name, url, err)
		}
	}
	return counts, nil
}
