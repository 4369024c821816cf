package sqsbatch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Message is one delivery of a message.
type Message struct {
	ID            string // the queue's own, the same at every delivery
	Body          string
	ReceiptHandle string            // of this delivery
	QueueARN      string            // the queue from which it came
	SenderID      string            // who sent it, as IAM knows them: not theirs to choose; empty where the queue does not say
	SentAt        time.Time         // when the queue took it, to the millisecond
	ReceiveCount  int               // deliveries so far, this one included: at least 1
	Attributes    map[string]string // the sender's, of the data types String and Number
}

// QueueName returns the last part of the queue's ARN.
func (m Message) QueueName() string {
	return m.QueueARN[strings.LastIndexByte(m.QueueARN, ':')+1:]
}

// messageOf reads a record of the event. The message's ID and QueueARN are set
// even where the error is not nil.
func messageOf(record events.SQSMessage) (Message, error) {
	message := Message{
		ID:            record.MessageId,
		Body:          record.Body,
		ReceiptHandle: record.ReceiptHandle,
		QueueARN:      record.EventSourceARN,
		SenderID:      record.Attributes["SenderId"],
		Attributes:    make(map[string]string, len(record.MessageAttributes)),
	}
	for name, attribute := range record.MessageAttributes {
		if attribute.StringValue != nil {
			message.Attributes[name] = *attribute.StringValue
		}
	}
	sent, err := strconv.ParseInt(record.Attributes["SentTimestamp"], 10, 64)
	if err != nil {
		return message, errors.New("its attribute SentTimestamp is not a number of milliseconds")
	}
	message.SentAt = time.UnixMilli(sent).UTC()
	message.ReceiveCount, err = strconv.Atoi(record.Attributes["ApproximateReceiveCount"])
	if err != nil || message.ReceiveCount < 1 {
		return message, errors.New("its attribute ApproximateReceiveCount is not a whole number of at least 1")
	}
	return message, nil
}

// checkIDs refuses an event that can't be answered by message.
func checkIDs(records []events.SQSMessage) error {
	for i, record := range records {
		if record.MessageId == "" {
			return fmt.Errorf("record %d of %d has no messageId", i, len(records))
		}
	}
	return nil
}
