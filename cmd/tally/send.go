//go:build !auditor

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"tally/lib/draw/wire"
	"tally/lib/lambda/sqsqueue"
)

const sendHelp = `send sends messages to tally as a studio or an operator would: each file is one
message, - is standard input. Orders (bets.voided, order.revoked) go to
operator-orders, everything else to studio-messages, whether tally will take it
or not. With --wait the reply to each is awaited before the next is sent, and
shown; replies to others stay in the queue.

` + targetHelp + `

Exit codes: 0; 1 when something failed, such as a reply that did not come, or
when a message that was waited for was put into quarantine; 2 for a misuse of
the command.`

const sendExample = `  tally send events/war/01-draw.opened.json --local --wait
  tally send events/baccarat/01-draw.opened.json --local
  tally send events/baccarat/*.opened*.json events/baccarat/*.resulted*.json --local`

func newSendCommand(app *app) *cobra.Command {
	var on target
	wait, patience := false, waitTime
	command := &cobra.Command{
		Use: "send file...", Short: "send messages as a studio or an operator would",
		Long: sendHelp, Example: sendExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("name a file with a message, or - for standard input")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			if patience <= 0 {
				return fmt.Errorf("--patience is %q: give a time such as 1m", patience)
			}
			with, err := on.connect(command.Context())
			if err != nil {
				return err
			}
			for _, name := range args {
				body, err := app.readMessage(name)
				if err != nil {
					return failed("reading "+name, err)
				}
				sent, err := app.send(command.Context(), with, name, body)
				if err != nil {
					return failed("sending "+name, err)
				}
				if wait {
					if err := app.await(command.Context(), with, sent, patience); err != nil {
						return failed("waiting for the reply to "+name, err)
					}
				}
			}
			return nil
		},
	}
	command.Flags().BoolVar(&wait, "wait", false, "wait for the reply to each message, and show it")
	command.Flags().DurationVar(&patience, "patience", waitTime, "how `long` to wait for a reply")
	on.flags(app, command)
	return command
}

// send sends a message that is named on the command line and returns what could be read of it.
func (app *app) send(ctx context.Context, with *clients, name string, body []byte) (wire.Partial, error) {
	_, partial, _ := wire.Parse(body)
	queue := "studio-messages"
	if partial.Type.IsOrder() {
		queue = "operator-orders"
	}
	url, err := with.queue(ctx, queue)
	if err != nil {
		return partial, err
	}
	if err := sqsqueue.New(with.sqs, url).Send(ctx, string(body), 0); err != nil {
		return partial, err
	}
	return partial, app.printf("sent %s to %s: %s of draw %s\n", name, sqsqueue.Name(url), orDash(string(partial.Type)), orDash(partial.Draw))
}

// await shows the reply to a message that was sent.
func (app *app) await(ctx context.Context, with *clients, sent wire.Partial, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	queue, err := with.replies(ctx)
	if err != nil {
		return err
	}
	reply, err := queue.awaitReply(ctx, sent.ID, sent.Draw)
	if err != nil {
		return err
	}
	if err := app.showReply(reply, false); err != nil {
		return err
	}
	if reply.Status == wire.Quarantined {
		return errors.New("nothing of it holds: send what is right under a new id")
	}
	return nil
}

// readMessage reads a message from a file or standard input.
func (app *app) readMessage(name string) ([]byte, error) {
	body, err := []byte(nil), error(nil)
	if name == "-" {
		body, err = io.ReadAll(io.LimitReader(app.in, wire.MaxBody+1))
	} else {
		body, err = os.ReadFile(name)
	}
	if err == nil {
		err = sendable(body)
	}
	return body, err
}

// sendable refuses what no queue takes: SQS would in words of its own.
func sendable(body []byte) error {
	// Of the characters of Unicode it takes those that XML 1.0 has.
	refused := func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
	}
	switch {
	case len(body) == 0:
		return errors.New("it is empty; a message is JSON")
	case len(body) > wire.MaxBody:
		return fmt.Errorf("it is too large: a queue takes messages of up to %d bytes", wire.MaxBody)
	case !utf8.Valid(body) || bytes.ContainsFunc(body, refused):
		return errors.New("it is no text in UTF-8, which a queue takes; a message is JSON")
	}
	return nil
}
