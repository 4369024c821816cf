package local

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"tally/lib/lambda/runtime"
)

// pollSeconds is how long a receive waits. The emulator ends it when a message
// is sent, but not when a delay or a visibility timeout ends: those are seen at
// the next receive.
const pollSeconds = 1

// pauseAfterFault is the pause after a receive that failed.
const pauseAfterFault = time.Second

// mostBatches bounds the batches of one queue that are worked on at once,
// whatever the template allows: they share this machine.
const mostBatches = 8

// source delivers the messages of one queue to one function, as an event source
// mapping does.
type source struct {
	client   *sqs.Client
	url, arn string
	batch    int  // messages at once
	batches  int  // worked on at once
	byItem   bool // the function's answer names what failed
	timeout  time.Duration
	function string
	handle   runtime.QueueHandler
	log      *slog.Logger
}

// run delivers until ctx ends, and returns when every batch is done. work is the
// context of the functions.
func (s *source) run(ctx, work context.Context) {
	var busy sync.WaitGroup
	defer busy.Wait()
	free := make(chan struct{}, max(1, min(s.batches, mostBatches)))
	for {
		select {
		case <-ctx.Done():
			return
		case free <- struct{}{}:
		}
		messages := s.receive(ctx)
		if len(messages) == 0 {
			<-free
			continue
		}
		busy.Go(func() {
			defer func() { <-free }()
			s.deliver(work, messages)
		})
	}
}

// receive waits a while for messages. One that is received when ctx ends comes
// back after its visibility timeout.
func (s *source) receive(ctx context.Context) []types.Message {
	out, err := s.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:                    &s.url,
		MaxNumberOfMessages:         int32(min(s.batch, 10)),
		WaitTimeSeconds:             pollSeconds,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
		MessageAttributeNames:       []string{"All"},
	})
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		s.log.ErrorContext(ctx, "receiving failed", "function", s.function, "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(pauseAfterFault):
		}
		return nil
	}
	return out.Messages
}

// deliver calls the function with a batch and deletes what is done.
func (s *source) deliver(work context.Context, messages []types.Message) {
	event := events.SQSEvent{Records: make([]events.SQSMessage, 0, len(messages))}
	for _, m := range messages {
		event.Records = append(event.Records, s.record(m))
	}
	response, err := s.invoke(work, event)
	if err != nil {
		s.log.ErrorContext(work, "invocation failed", "function", s.function, "messages", len(messages), "error", err)
		return
	}
	failed := failedOf(response, event)
	for _, m := range messages {
		if s.byItem && slices.Contains(failed, aws.ToString(m.MessageId)) {
			continue
		}
		// Before the deletion the message comes back and is worked on again; after
		// it, it is gone.
		if _, err := s.client.DeleteMessage(work, &sqs.DeleteMessageInput{QueueUrl: &s.url, ReceiptHandle: m.ReceiptHandle}); err != nil {
			s.log.ErrorContext(work, "deleting a message failed: it will be delivered again", "function", s.function, "error", err)
		}
	}
}

// failedOf returns the ids that an answer names. As in Lambda, one that names an
// empty or unknown id fails the whole batch.
func failedOf(response events.SQSEventResponse, event events.SQSEvent) (failed []string) {
	known := make([]string, 0, len(event.Records))
	for _, record := range event.Records {
		known = append(known, record.MessageId)
	}
	for _, failure := range response.BatchItemFailures {
		if !slices.Contains(known, failure.ItemIdentifier) {
			return known
		}
		failed = append(failed, failure.ItemIdentifier)
	}
	return failed
}

// invoke calls the function within its timeout. A panic, which would end a
// Lambda's process, fails the batch.
func (s *source) invoke(work context.Context, event events.SQSEvent) (response events.SQSEventResponse, err error) {
	ctx, cancel := context.WithTimeout(work, s.timeout)
	defer cancel()
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic: %v", value)
		}
	}()
	return s.handle(ctx, event)
}

// record is a message as it stands in an event.
func (s *source) record(m types.Message) events.SQSMessage {
	record := events.SQSMessage{
		MessageId:         aws.ToString(m.MessageId),
		ReceiptHandle:     aws.ToString(m.ReceiptHandle),
		Body:              aws.ToString(m.Body),
		Md5OfBody:         aws.ToString(m.MD5OfBody),
		Attributes:        m.Attributes,
		MessageAttributes: make(map[string]events.SQSMessageAttribute, len(m.MessageAttributes)),
		EventSource:       "aws:sqs",
		EventSourceARN:    s.arn,
		AWSRegion:         Region,
	}
	for name, value := range m.MessageAttributes {
		record.MessageAttributes[name] = events.SQSMessageAttribute{
			StringValue: value.StringValue, BinaryValue: value.BinaryValue, DataType: aws.ToString(value.DataType)}
	}
	return record
}
