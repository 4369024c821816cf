//go:build !auditor

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"tally/lib/draw/wire"
	"tally/lib/lambda/sqsqueue"
)

const sendHelp = `send sends messages to tally as a studio or an operator would: each file is one
message, - is standard input. Orders (bets.voided, order.revoked) go to
operator-orders, everything else to studio-messages, whether tally will take it
or not.

` + targetHelp + `

Exit codes: 0; 1 when something failed; 2 for a misuse of the command.`

const sendExample = `  tally send events/baccarat/01-draw.opened.json --local
  tally send events/baccarat/*.opened*.json events/baccarat/*.resulted*.json --local`

func newSendCommand(app *app) *cobra.Command {
	var on target
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
			with, err := on.connect(command.Context())
			if err != nil {
				return err
			}
			for _, name := range args {
				body, err := app.readMessage(name)
				if err != nil {
					return failed("reading "+name, err)
				}
				_, partial, _ := wire.Parse(body)
				queue := "studio-messages"
				if partial.Type.IsOrder() {
					queue = "operator-orders"
				}
				url, err := with.queue(command.Context(), queue)
				if err != nil {
					return failed("sending "+name, err)
				}
				if err := sqsqueue.New(with.sqs, url).Send(command.Context(), string(body), 0); err != nil {
					return failed("sending "+name, err)
				}
				if err := app.printf("sent %s to %s: %s of draw %s\n", name, sqsqueue.Name(url), orDash(string(partial.Type)), orDash(partial.Draw)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	on.flags(app, command)
	return command
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
