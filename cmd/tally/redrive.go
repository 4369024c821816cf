//go:build !auditor

package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"tally/lib/lambda/sqsqueue"
)

const redriveHelp = `redrive sends the dead letters of a queue to that queue again: messages that
failed on every delivery. The log says why each did; redrive them once that is
fixed, or they come back.

The queue is studio-messages, operator-orders, sweeps, archive-entries,
webhooks, due-draws or studio-replies, or any queue by its full name or its URL.
Each message is sent before it is deleted, so that one may be on the queue twice
and none is lost.

` + targetHelp + `

Exit codes: 0; 1 when something failed; 2 for a misuse of the command.`

const redriveExample = `  tally redrive sweeps --local
  tally redrive studio-messages --limit 1 --stack prod`

func newRedriveCommand(app *app) *cobra.Command {
	var on target
	var limit int
	command := &cobra.Command{
		Use: "redrive queue", Short: "send the dead letters of a queue again",
		Long: redriveHelp, Example: redriveExample, ValidArgs: queueNames,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("name one queue, such as studio-messages")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			ctx := command.Context()
			with, err := on.connect(ctx)
			if err != nil {
				return err
			}
			url, err := with.queue(ctx, args[0])
			if err != nil {
				return failed("sending again", err)
			}
			redriver := sqsqueue.Redriver{Client: with.sqs}
			if app.errTerminal {
				redriver.Progress = func(moved, of int) { fmt.Fprintf(app.err, "%s%d of %d sent again", eraseLine, moved, of) }
			}
			moved, err := redriver.Redrive(ctx, url, limit)
			if app.errTerminal {
				fmt.Fprint(app.err, eraseLine)
			}
			if errors.Is(err, sqsqueue.ErrNoDeadLetters) {
				return fmt.Errorf("%s has no dead-letter queue; name the queue that its dead letters came from", sqsqueue.Name(url))
			}
			if writeErr := app.printf("%d messages of %s sent again\n", moved, sqsqueue.Name(url)); writeErr != nil {
				return errors.Join(failed("sending again", err), writeErr)
			}
			return failed("sending again", err)
		},
	}
	on.flags(app, command)
	command.Flags().Var(&whole{number: &limit, least: 0, most: math.MaxInt32}, "limit", "at most so `many` messages; 0 for all")
	return command
}
