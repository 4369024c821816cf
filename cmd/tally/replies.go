//go:build !auditor

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/draw/wire"
)

const repliesHelp = `replies follows what tally answers to messages of the studio and to orders, on
studio-replies, until it is interrupted: what became of each, and what holds.

Each reply is taken from the queue, which has it once: where the studio's own
program reads it too, a reply goes to one of both. To send a message and see
its reply alone, use ` + "`tally send --wait`" + `.

` + targetHelp + `

Exit codes: 0 when it was interrupted; 1 when something failed; 2 for a misuse
of the command.`

const repliesExample = `  tally replies --local
  tally replies --local --json | jq .status`

// repliesFlags are the flags of replies.
type repliesFlags struct {
	on    target
	json  bool
	limit int
}

func newRepliesCommand(app *app) *cobra.Command {
	var flags repliesFlags
	command := &cobra.Command{
		Use: "replies", Short: "what tally answers to messages, as it comes",
		Long: repliesHelp, Example: repliesExample, Args: noMore,
		RunE: func(command *cobra.Command, _ []string) error {
			if flags.limit < 0 {
				return fmt.Errorf("--limit is \"%d\": give a whole number, or 0 for no limit", flags.limit)
			}
			ctx, stop := interruptible(command)
			defer stop()
			return app.replies(ctx, flags)
		},
	}
	flags.on.flags(app, command)
	command.Flags().BoolVar(&flags.json, "json", false, "print replies as they are, one a line")
	command.Flags().IntVar(&flags.limit, "limit", 0, "end after so `many` replies; 0 for no end")
	return command
}

// replies shows replies as they come.
func (app *app) replies(ctx context.Context, flags repliesFlags) error {
	with, err := flags.on.connect(ctx)
	if err != nil {
		return err
	}
	queue, err := with.replies(ctx)
	if err != nil {
		return failed("finding the replies", err)
	}
	for shown := 0; flags.limit == 0 || shown < flags.limit; {
		got, err := queue.receive(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return failed("reading replies", err)
		}
		for _, one := range got {
			if flags.limit > 0 && shown == flags.limit {
				break // the others come again
			}
			if err := app.showReply(one, flags.json); err != nil {
				return err
			}
			shown++
			if err := queue.remove(ctx, one); err != nil {
				return failed("taking a reply from its queue", err)
			}
		}
	}
	return nil
}

// replyQueue is the queue of a stack's replies.
type replyQueue struct {
	client *sqs.Client
	url    string
}

func (c *clients) replies(ctx context.Context) (*replyQueue, error) {
	url, err := c.queue(ctx, "studio-replies")
	return &replyQueue{client: c.sqs, url: url}, err
}

// gotReply is a reply as it was received.
type gotReply struct {
	wire.Reply
	body, receipt string
}

// receive waits some seconds for replies.
func (q *replyQueue) receive(ctx context.Context) (list []gotReply, err error) {
	got, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &q.url, MaxNumberOfMessages: 10, WaitTimeSeconds: 5})
	if err != nil {
		return nil, unreachable(err)
	}
	for _, m := range got.Messages {
		one := gotReply{body: aws.ToString(m.Body), receipt: aws.ToString(m.ReceiptHandle)}
		if err := json.Unmarshal([]byte(one.body), &one.Reply); err != nil {
			return nil, fmt.Errorf("reading a reply: %w", err)
		}
		list = append(list, one)
	}
	return list, nil
}

// remove takes a reply that was received from the queue.
func (q *replyQueue) remove(ctx context.Context, one gotReply) error {
	_, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.url, ReceiptHandle: &one.receipt})
	return err
}

// awaitReply returns the reply to a message, and leaves others in the queue.
func (q *replyQueue) awaitReply(ctx context.Context, id, draw string) (gotReply, error) {
	for ctx.Err() == nil {
		got, err := q.receive(ctx)
		if err != nil && ctx.Err() == nil {
			return gotReply{}, err
		}
		for _, one := range got {
			if one.ID == id && one.Draw == draw {
				return one, q.remove(ctx, one)
			}
		}
	}
	return gotReply{}, errors.New("there was no reply in time: the same message again does no harm")
}

// showReply prints a reply: what became of the message, and below what helps its sender.
func (app *app) showReply(one gotReply, asJSON bool) error {
	if asJSON {
		return write(app.out, []byte(one.body+"\n"))
	}
	r := one.Reply
	printer := pretty.Printer{Colour: app.colour("auto")}
	style := pretty.Green
	if r.Status == wire.Quarantined {
		style = pretty.Red
	}
	what := []string{orDash(string(r.Type))}
	for _, named := range []struct {
		name string
		n    int
	}{{"round", r.Round}, {"revision", r.Revision}} {
		if named.n > 0 {
			what = append(what, fmt.Sprintf("%s %d", named.name, named.n))
		}
	}
	if r.Order != "" {
		what = append(what, "order "+r.Order)
	}
	text := fmt.Appendf(nil, "%s  %s  %s\n", printer.Cell(r.Status, style), cellOf(printer, orDash(r.Draw)), cellOf(printer, strings.Join(what, ", ")))
	list := pretty.NewList("  ")
	for _, row := range replyRows(r) {
		list.Row(printer.Cell(row[0], pretty.Dim), cellOf(printer, row[1]))
	}
	return write(app.out, list.AppendTo(text))
}

// replyRows are what a reply says, by label.
func replyRows(r wire.Reply) (rows [][2]string) {
	add := func(label, text string) {
		if text != "" {
			rows = append(rows, [2]string{label, text})
		}
	}
	for _, f := range r.Errors {
		add(f.Code, f.Message)
	}
	add("message", r.Message)
	for _, c := range r.Closings {
		text := fmt.Sprintf("round %d at %s by %s", c.Round, c.Closing, c.Because)
		if c.Selections != nil {
			text = strings.Join(c.Selections, " ") + " of " + text
		}
		add("closed", text)
		add("because", c.Message)
	}
	add("note", r.Note)
	if r.Odds != nil {
		for _, w := range r.Odds.Warnings {
			add(w.Code, w.Message)
		}
	}
	return rows
}

// waitTime is how long `tally send --wait` waits for a reply unless told otherwise.
const waitTime = time.Minute
