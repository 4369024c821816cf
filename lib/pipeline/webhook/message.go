package webhook

import (
	"encoding/json"
	"fmt"
	"strconv"

	"tally/lib/draw/instant"
	"tally/lib/draw/report"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/tables"
	"tally/lib/rulebook/settlement"
)

// The types of messages.
const (
	ReportCreated = "report.created"
	Test          = "webhook.test"
)

// Message is what is sent, under the id that it keeps through all tries.
type Message struct {
	ID   string
	Body []byte
}

// reportMessage is the message of a report: at every try the same bytes.
func reportMessage(e *Endpoint, entry report.Entry) (Message, error) {
	shown, kind := report.FeedEntryOf(entry), ReportCreated
	switch {
	case shown.Table != nil && shown.Table.Status == tables.StatusSuspended:
		kind = string(wire.TableSuspended)
	case shown.Table != nil:
		kind = string(wire.TableResumed)
	}
	return newMessage(reportID(e.ID, entry.Sequence), report.Created{Type: kind, Timestamp: shown.At, Bookmaker: e.Bookmaker, Data: shown})
}

// reportID is the webhook-id of a report at an endpoint. Endpoints' ids are random:
// no two of them, of whatever bookmaker, are alike.
func reportID(endpoint string, sequence int64) string {
	return "msg_" + endpoint + "_" + strconv.FormatInt(sequence, 10)
}

// testMessage is the message of a test.
func testMessage(e *Endpoint, at settlement.Instant, unique string) (Message, error) {
	return newMessage("msg_"+e.ID+"_test_"+unique, report.WebhookTest{Type: Test, Timestamp: instant.Format(at), Bookmaker: e.Bookmaker, Data: report.WebhookTestData{Endpoint: e.ID}})
}

func newMessage[M report.Created | report.WebhookTest](id string, m M) (Message, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return Message{}, fmt.Errorf("encoding message %s: %w", id, err)
	}
	return Message{ID: id, Body: body}, nil
}
