package main

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/aws/aws-lambda-go/events"

	"tally/lib/draw/wire"
)

// Where the functions are told to be.
const (
	region  = "eu-central-1"
	account = "000000000000"
)

func queueURL(name string) string { return "http://fabricated.invalid/" + account + "/" + name }

// queueEvent is what Lambda hands to a function for one message of a queue.
func queueEvent(queue string, body []byte) events.SQSEvent {
	return events.SQSEvent{Records: []events.SQSMessage{{
		MessageId: "00000000-0000-4000-8000-000000000001", ReceiptHandle: "1", Body: string(body),
		EventSource: "aws:sqs", EventSourceARN: "arn:aws:sqs:" + region + ":" + account + ":" + queue, AWSRegion: region,
		Attributes: map[string]string{"SentTimestamp": strconv.FormatInt(int64(opensAt), 10), "ApproximateReceiveCount": "1"},
	}}}
}

// sweepMessage asks for a draw to be swept.
func sweepMessage(draw string) []byte {
	body, err := wire.Encode(wire.Sweep{Draw: draw})
	if err != nil {
		panic(fmt.Sprintf("a sweep message can't be encoded: %v", err)) // it is two texts
	}
	return []byte(body)
}

// encoded is an event as the Runtime API hands it over.
func encoded(event any) []byte {
	text, err := json.Marshal(event)
	if err != nil {
		panic(fmt.Sprintf("an event can't be encoded: %v", err)) // it is made of texts
	}
	return text
}
