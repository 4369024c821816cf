//go:build !auditor

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tally/lib/pipeline/webhook"
)

const webhooksHelp = `webhooks sets where a bookmaker's reports are pushed to, as an option beside the
feed: each as a request that is signed by Standard Webhooks 1.0, in the feed's
order. What is not taken is tried again for a day; then the endpoint is
disabled. The feed has every report whatever happens here. docs/webhooks.md has
what is sent, and how to verify it.

  set         make an endpoint and show its secret, or give one another URL
  list        a bookmaker's endpoints and how they stand
  show        everything about one of them
  test        send it a test now and show the answer
  deliveries  the last tries to send to it
  rotate      make another secret; the old one signs, too, for a while
  enable      go on, within a minute, where it was or after another report
  disable     send nothing until it is enabled
  remove      end it for good

` + targetHelp + `

Exit codes: 0; 1 when something failed, also a test; 2 for a misuse of the
command.`

const webhooksExample = `  tally webhooks set acme https://acme.example/tally --note "settlement job"
  tally webhooks set acme http://127.0.0.1:9000/ --local
  tally webhooks list acme --local
  tally webhooks test acme k2v7mx4qhd3n6
  tally webhooks deliveries acme k2v7mx4qhd3n6 --limit 5
  tally webhooks rotate acme k2v7mx4qhd3n6 --overlap-hours 48
  tally webhooks enable acme k2v7mx4qhd3n6 --after newest
  tally webhooks set acme https://acme.example/v2 --id k2v7mx4qhd3n6
  tally webhooks remove acme k2v7mx4qhd3n6`

// webhooksFlags are the flags of all of webhooks' commands.
type webhooksFlags struct {
	target
	id           string // of an endpoint
	note         string
	after        *int64 // nil when it is not given
	overlapHours int
	limit        int
}

// reportNumber is a flag that takes the number of a report, or newest.
type reportNumber struct{ number **int64 }

var _ pflag.Value = reportNumber{}

// Set implements pflag.Value.
func (r reportNumber) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case text == "newest":
		n = -1
	case err != nil || n < 0:
		return errors.New("it must be the number of a report, 0 for before the first, or newest")
	}
	*r.number = &n
	return nil
}

func (r reportNumber) String() string { return "" }

// Type implements pflag.Value.
func (r reportNumber) Type() string { return "report" }

// webhooksRun is what one of the commands does.
type webhooksRun func(ctx context.Context, with *webhook.Store, flags *webhooksFlags, args []string) error

func newWebhooksCommand(app *app) *cobra.Command {
	flags := &webhooksFlags{overlapHours: 24, limit: 20}
	command := &cobra.Command{Use: "webhooks", Short: "push reports to bookmakers' own addresses", Long: webhooksHelp, Example: webhooksExample}
	flags.target.flags(app, command)
	const one = " bookmaker endpoint"
	set := app.webhooksCommand(flags, "set bookmaker url", "make an endpoint and show its secret",
		`set makes an endpoint and shows the secret that signs what is sent there. It
can't be shown again. The endpoint gets the reports after the newest one, or
after the one of --after. With --id an endpoint that is there gets another URL;
its secret stays, and it goes on where it was.

The URL begins with https:, its port is 443 or 8443, and it leads to an address
of the public internet; on the local stack it may be one of this machine.`, app.webhooksSet)
	set.Flags().StringVar(&flags.id, "id", "", "`id` of an endpoint that gets the URL")
	set.Flags().StringVar(&flags.note, "note", "", "`what` it is for, to be seen in the list")
	set.Flags().Var(reportNumber{number: &flags.after}, "after", "it gets every `report` after this one; newest by default")
	deliveries := app.webhooksCommand(flags, "deliveries"+one, "the last tries to send to an endpoint",
		"deliveries writes a line for each try to send a report, the newest first: what\nthe receiver answered and after how long. They are kept for thirty days. Tests\nare not among them.", app.webhooksDeliveries)
	deliveries.Flags().Var(&whole{number: &flags.limit, least: 1, most: 1000}, "limit", "at most so `many` tries")
	rotate := app.webhooksCommand(flags, "rotate"+one, "make another secret",
		"rotate makes another secret and shows it. The old one signs, too, for\n--overlap-hours, so that a receiver may verify with either meanwhile.", app.webhooksRotate)
	rotate.Flags().Var(&whole{number: &flags.overlapHours, least: 0, most: 24 * 90},
		"overlap-hours", "the old secret signs for so `many` hours more")
	enable := app.webhooksCommand(flags, "enable"+one, "go on, also after a failure",
		"enable has an endpoint notified again that was disabled, and one that is\nfailing tried again, both within a minute. It goes on after the last report that\nit took, or after the one of --after, which may be an earlier one.", app.webhooksEnable)
	enable.Flags().Var(reportNumber{number: &flags.after}, "after", "go on after this `report`; newest skips all that wait")
	return group(command, set,
		app.webhooksCommand(flags, "list bookmaker", "a bookmaker's endpoints", "list writes a line for each endpoint: its id, how it stands, the last report\nthat it took and how many wait, its URL and what it is for.", app.webhooksList),
		app.webhooksCommand(flags, "show"+one, "everything about an endpoint", "show writes everything about an endpoint but its secrets: how it stands, since\nwhen it fails and when it is tried again, and how many secrets sign.", app.webhooksShow),
		app.webhooksCommand(flags, "test"+one, "send a test now", "test sends a message of the type webhook.test from this machine, once, and shows\nwhat came of it. It changes nothing; a disabled endpoint may be tested.", app.webhooksTest),
		deliveries, rotate, enable,
		app.webhooksCommand(flags, "disable"+one, "send nothing more", "disable ends the sending to an endpoint, within a minute. Its position stays:\nenabled, it goes on there.", app.webhooksDisable),
		app.webhooksCommand(flags, "remove"+one, "end an endpoint for good", "remove ends an endpoint for good, with its secrets and its position. What is on\nits way arrives; the list of deliveries stays for thirty days.", app.webhooksRemove))
}

// webhooksCommand is a command whose arguments are those that its use names.
func (app *app) webhooksCommand(flags *webhooksFlags, use, short, long string, run webhooksRun) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: long,
		Args: ofBookmaker,
		RunE: func(command *cobra.Command, args []string) error {
			with, err := flags.connect(command.Context())
			if err != nil {
				return err
			}
			err = run(command.Context(), &webhook.Store{Table: with.table, Now: now, Loopback: flags.loopback()}, flags, args)
			if misuse := (*webhook.ParamsError)(nil); errors.As(err, &misuse) {
				return misuse
			}
			if errors.Is(err, webhook.ErrUnknown) {
				id := cmp.Or(flags.id, args[1])
				return failed(fmt.Sprintf("endpoint %.80q of %s", id, args[0]), fmt.Errorf("%w: `tally webhooks list %s` shows all", webhook.ErrUnknown, args[0]))
			}
			return err
		}}
}

// loopback tells whether endpoints on this machine are allowed: those of a stack
// that runs on it.
func (f *webhooksFlags) loopback() bool { return f.local || f.endpoint != "" }

func (app *app) webhooksSet(ctx context.Context, with *webhook.Store, flags *webhooksFlags, args []string) error {
	if flags.id != "" {
		if flags.after != nil || flags.note != "" {
			return errors.New("--id changes the URL alone: leave out --after and --note")
		}
		e, err := with.Move(ctx, args[0], flags.id, args[1])
		if err != nil {
			return failed("setting the webhook", unreachable(err))
		}
		return app.printf("endpoint %s of %s is notified at %s within a minute\n", e.ID, e.Bookmaker, e.URL)
	}
	params := webhook.Params{Bookmaker: args[0], URL: args[1], Note: flags.note, After: -1}
	if flags.after != nil {
		params.After = *flags.after
	}
	e, secret, err := with.Set(ctx, params)
	if err != nil {
		return failed("setting the webhook", unreachable(err))
	}
	return app.showSecret(secret, e, "gets the reports to come")
}

// showSecret writes a new secret: on a line of its own, so that a script can take it.
func (app *app) showSecret(secret string, e *webhook.Endpoint, what string) error {
	if err := app.printf("%s\n", secret); err != nil {
		return err
	}
	_, err := fmt.Fprintf(app.err, "endpoint %s of %s %s; the secret is not shown again\n", e.ID, e.Bookmaker, what)
	return failed("writing", err)
}

func (app *app) webhooksRotate(ctx context.Context, with *webhook.Store, flags *webhooksFlags, args []string) error {
	secret, e, err := with.Rotate(ctx, args[0], args[1], time.Duration(flags.overlapHours)*time.Hour)
	if err != nil {
		return failed("rotating the secret", unreachable(err))
	}
	return app.showSecret(secret, e, fmt.Sprintf("signs with it, too, within a minute, and with the old one for %d hours", flags.overlapHours))
}

func (app *app) webhooksEnable(ctx context.Context, with *webhook.Store, flags *webhooksFlags, args []string) error {
	if err := with.Enable(ctx, args[0], args[1], flags.after); err != nil {
		return failed("enabling the webhook", unreachable(err))
	}
	return app.printf("endpoint %s of %s is notified again within a minute\n", args[1], args[0])
}

func (app *app) webhooksDisable(ctx context.Context, with *webhook.Store, _ *webhooksFlags, args []string) error {
	if err := with.Disable(ctx, args[0], args[1]); err != nil {
		return failed("disabling the webhook", unreachable(err))
	}
	return app.printf("endpoint %s of %s is disabled within a minute\n", args[1], args[0])
}

func (app *app) webhooksRemove(ctx context.Context, with *webhook.Store, _ *webhooksFlags, args []string) error {
	if err := with.Remove(ctx, args[0], args[1]); err != nil {
		return failed("removing the webhook", unreachable(err))
	}
	return app.printf("removed endpoint %s of %s\n", args[1], args[0])
}
