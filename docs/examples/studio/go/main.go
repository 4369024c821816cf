// Command go plays one draw of each game, as a studio does: every message is sent, and
// its reply awaited before the next.
//
//	go run ./docs/examples/studio/go DRAWS NUMBER
//
// DRAWS is a file of what happens in the draws, NUMBER their running number at their tables:
// 1 at first, and one more each time. Replies are printed, one a line. docs/studio.md says
// how to run it. It knows tally by docs/message-reference.md alone, and imports nothing of it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// patience is how long there may be no reply before a message is sent again.
const patience = 20 * time.Second

// message is what is sent; its fields depend on its type.
type message map[string]any

// reply is what a studio needs of the answer to a message.
type reply struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	text   string
}

// script is what happens in a draw.
type script struct {
	Game   string
	Rounds []struct {
		Visible, Odds json.RawMessage // what lies open when the round opens, and the odds
		Stop          []string        // wagers that end before the round does
	}
	Facts json.RawMessage
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("name a file of draws, and their running number")
	}
	number, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var scripts []script
	if err := json.Unmarshal(text, &scripts); err != nil {
		return err
	}
	configuration, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	q := &queues{client: sqs.NewFromConfig(configuration), messages: os.Getenv("STUDIO_MESSAGES_URL"), replies: os.Getenv("STUDIO_REPLIES_URL")}
	for _, s := range scripts {
		table := "go-" + s.Game
		d := &draw{queues: q, of: message{"schema": 1, "game": s.Game, "table": table,
			"draw": fmt.Sprintf("%s.%s.%d", table, time.Now().UTC().Format("20060102"), number)}}
		if err := d.play(ctx, s, number); err != nil {
			return fmt.Errorf("draw %s: %w", d.of["draw"], err)
		}
	}
	return nil
}

// queues are the two that a studio knows.
type queues struct {
	client            *sqs.Client
	messages, replies string // their URLs
}

// send sends a message until there is a reply to it, and returns the reply.
func (q *queues) send(ctx context.Context, m message) (reply, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return reply{}, err
	}
	body := string(text)
	for range 10 {
		if _, err := q.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &q.messages, MessageBody: &body}); err != nil {
			return reply{}, err
		}
		for until := time.Now().Add(patience); time.Now().Before(until); {
			replies, err := q.receive(ctx)
			if err != nil {
				return reply{}, err
			}
			for _, r := range replies {
				if r.ID == m["id"] {
					return r, nil
				}
				// Else it answers an earlier message a second time: queues do so.
			}
		}
		// The same message, with the same id: if tally has it, it says "replay".
	}
	return reply{}, fmt.Errorf("no reply to %s", m["id"])
}

func (q *queues) receive(ctx context.Context) (replies []reply, err error) {
	got, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &q.replies, MaxNumberOfMessages: 10, WaitTimeSeconds: 5})
	if err != nil {
		return nil, err
	}
	for _, one := range got.Messages {
		r := reply{text: *one.Body}
		if err := json.Unmarshal([]byte(r.text), &r); err != nil {
			return nil, err
		}
		replies = append(replies, r)
		if _, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.replies, ReceiptHandle: one.ReceiptHandle}); err != nil {
			return nil, err
		}
	}
	return replies, nil
}

// draw is one draw, from its opening to its result.
type draw struct {
	queues *queues
	of     message // what all its messages say
	sent   int
}

// say sends a message about the draw, and prints the reply to it.
func (d *draw) say(ctx context.Context, kind string, fields message) error {
	d.sent++
	m := message{"id": fmt.Sprintf("%s.%d", d.of["draw"], d.sent), "type": kind, "at": at(0)}
	maps.Copy(m, d.of)
	maps.Copy(m, fields)
	r, err := d.queues.send(ctx, m)
	if err != nil {
		return err
	}
	fmt.Println(r.text)
	if r.Status == "quarantined" {
		// Nothing of it holds. A person reads the errors; what is right is sent under a new id.
		return fmt.Errorf("refused: %v", m)
	}
	return nil
}

func (d *draw) play(ctx context.Context, s script, number int) error {
	for i, seen := range s.Rounds {
		round := i + 1
		planned := message{"round": round, "opens_at": at(0), "closes_at": at(30 * time.Second)}
		if round == 1 {
			if err := d.say(ctx, "draw.opened", message{"sequence": number, "rounds": []message{planned}}); err != nil {
				return err
			}
		}
		opened := maps.Clone(planned)
		if seen.Visible != nil {
			opened["visible"] = seen.Visible
		}
		if seen.Odds != nil {
			opened["odds"] = seen.Odds
		}
		if err := d.say(ctx, "betting.opened", opened); err != nil {
			return err
		}
		if seen.Stop != nil {
			if err := d.say(ctx, "betting.closed", message{"round": round, "closed_at": at(0), "selections": seen.Stop}); err != nil {
				return err
			}
		}
		if err := d.say(ctx, "betting.closed", message{"round": round, "closed_at": at(0)}); err != nil {
			return err
		}
	}
	return d.say(ctx, "draw.resulted", message{"revision": 1, "facts": s.Facts})
}

// at is a time as tally wants it: RFC 3339 in UTC, with milliseconds.
func at(later time.Duration) string {
	return time.Now().Add(later).UTC().Format("2006-01-02T15:04:05.000Z")
}
