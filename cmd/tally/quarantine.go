//go:build !auditor

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/draw/instant"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/pipeline/quarantine"
	"tally/lib/rulebook/settlement"
)

const quarantineHelp = `quarantine works on the messages that tally has put aside because they can never
become valid: malformed, impossible or conflicting ones. They block nothing; the
studio was answered with every reason and may send a right message under the
same revision. An operator looks at each and releases or drops it.

A settlement that moves more money than HoldCorrectionsAbove allows waits here,
too: show says how much and of how many bookmakers, release has it reported to
them.

  list     what is in quarantine, the newest first
  show     everything about one message, and the message itself
  release  send it to its queue again, when the reason of its refusal is fixed
  drop     take it out for good, with a reason for the log

` + targetHelp + `

Exit codes: 0; 1 when something failed; 2 for a misuse of the command.`

const quarantineExample = `  tally quarantine list --local
  tally quarantine list --days 30 --stack prod
  tally quarantine show 2fd4de62 --local
  tally quarantine release 2fd4de62 --local
  tally quarantine drop 2fd4de62 --reason "sent right as revision 1" --local`

// quarantineFlags are the flags of all of quarantine's commands.
type quarantineFlags struct {
	target
	day  string
	days int
}

func newQuarantineCommand(app *app) *cobra.Command {
	flags := quarantineFlags{days: 7}
	command := &cobra.Command{Use: "quarantine", Short: "list, show, release and drop messages that were quarantined", Long: quarantineHelp, Example: quarantineExample}
	flags.target.flags(app, command)
	command.PersistentFlags().StringVar(&flags.day, "day", "", "newest `day` (UTC) to look at, such as 2026-11-30\n(default today)")
	command.PersistentFlags().Var(&whole{number: &flags.days, least: 1, most: maxQuarantineDays}, "days", "look at so `many` days")
	return group(command,
		&cobra.Command{Use: "list", Short: "what is in quarantine", Args: noMore,
			Long: "list writes a line for each message in quarantine, the newest first: its id,\nwhen it was quarantined, its draw and type, and the first of its faults.",
			RunE: func(command *cobra.Command, _ []string) error { return app.quarantineList(command.Context(), flags) }},
		app.quarantineOne(&flags, "show", "everything about one message",
			"show writes everything about a message: when and from which queue it came, every\nfault, and the message itself.", app.quarantineShow),
		app.quarantineOne(&flags, "release", "send a message to its queue again",
			"release sends the message to its queue again and then takes it out of\nquarantine. If it dies in between, the message is in both places; release it\nonce more. A message that tally refuses again is in quarantine again.", app.quarantineRelease),
		app.newDropCommand(&flags))
}

// quarantineOne is a command that works on one message.
func (app *app) quarantineOne(flags *quarantineFlags, name, short, long string, run func(context.Context, *quarantine.Quarantine, *quarantine.Message) error) *cobra.Command {
	return &cobra.Command{Use: name + " id", Short: short, Long: long + "\n\nThe id may be shortened to its first digits, four or more.",
		Args: oneID,
		RunE: func(command *cobra.Command, args []string) error {
			q, m, err := app.find(command.Context(), *flags, args[0])
			if err != nil {
				return err
			}
			return run(command.Context(), q, m)
		}}
}

func oneID(command *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name one message by its id; `tally quarantine list` shows them")
	}
	return nil
}

func (app *app) newDropCommand(flags *quarantineFlags) *cobra.Command {
	var reason string
	command := app.quarantineOne(flags, "drop", "take a message out for good",
		"drop takes a message out of quarantine for good. The reason goes to the log,\nwhich is all that remains of it.",
		func(ctx context.Context, q *quarantine.Quarantine, m *quarantine.Message) error {
			if err := q.Drop(ctx, m, reason); err != nil {
				return failed("dropping", err)
			}
			return app.printf("dropped %s: %s of draw %s\n", m.ShortID(), m.Type, m.Draw)
		})
	command.Flags().StringVar(&reason, "reason", "", "`why`, for the log; required")
	command.PreRunE = func(*cobra.Command, []string) error {
		if reason == "" {
			return errors.New("give a --reason: it is all that remains of the message")
		}
		return nil
	}
	return command
}

// open connects to the quarantine.
func (app *app) open(ctx context.Context, flags quarantineFlags) (*quarantine.Quarantine, *clients, time.Time, error) {
	last := time.Now()
	if flags.day != "" {
		var err error
		if last, err = time.Parse(time.DateOnly, flags.day); err != nil {
			return nil, nil, last, fmt.Errorf("--day is %q: write it as 2026-11-30", flags.day)
		}
	}
	with, err := flags.connect(ctx)
	if err != nil {
		return nil, nil, last, err
	}
	log := slog.New(pretty.NewLogHandler(app.err, slog.LevelInfo, app.errTerminal && app.colour("auto")))
	return &quarantine.Quarantine{Table: with.table, Log: log}, with, last, nil
}

// maxQuarantineDays bounds what --days asks for; each day is a query.
const maxQuarantineDays = 400

// find finds a message by the beginning of its id, and the queues that it may go
// back to.
func (app *app) find(ctx context.Context, flags quarantineFlags, id string) (*quarantine.Quarantine, *quarantine.Message, error) {
	q, with, last, err := app.open(ctx, flags)
	if err != nil {
		return nil, nil, err
	}
	m, err := q.Find(ctx, id, last, flags.days)
	if errors.Is(err, quarantine.ErrNotFound) {
		err = fmt.Errorf("%w in the last %d days: `tally quarantine list` shows them, --days looks further back", err, flags.days)
	}
	if err != nil {
		return nil, nil, failed("finding the message", unreachable(err))
	}
	q.Studio, q.Orders, q.Sweeps = lazyQueue{clients: with, name: "studio-messages"},
		lazyQueue{clients: with, name: "operator-orders"}, lazyQueue{clients: with, name: "sweeps"}
	return q, m, nil
}

// lazyQueue is a queue that is looked for when something is sent to it.
type lazyQueue struct {
	clients *clients
	name    string
}

// Send implements intake.Sender.
func (q lazyQueue) Send(ctx context.Context, body string, delay time.Duration) error {
	url, err := q.clients.queue(ctx, q.name)
	if err != nil {
		return err
	}
	return sqsqueue.New(q.clients.sqs, url).Send(ctx, body, delay)
}

// SendAgain implements quarantine.Sender.
func (q lazyQueue) SendAgain(ctx context.Context, body string, first settlement.Instant) error {
	url, err := q.clients.queue(ctx, q.name)
	if err != nil {
		return err
	}
	return sqsqueue.New(q.clients.sqs, url).SendAgain(ctx, body, first)
}

// quarantineList writes a line for each message.
func (app *app) quarantineList(ctx context.Context, flags quarantineFlags) error {
	q, _, last, err := app.open(ctx, flags)
	if err != nil {
		return err
	}
	printer := pretty.Printer{Colour: app.colour("auto")}
	table := pretty.NewTable(printer, "", "id", "quarantined", "draw", "type", "fault", "")
	type row struct {
		at    settlement.Instant
		cells []pretty.Cell
	}
	var rows []row
	for m, err := range q.Days(ctx, last, flags.days) {
		if err != nil {
			return failed("listing the quarantine", unreachable(err))
		}
		more := ""
		if n := len(m.Faults); n > 1 {
			more = fmt.Sprintf("and %d more", n-1)
		}
		rows = append(rows, row{
			at: m.StoredAt,
			cells: []pretty.Cell{printer.Cell(m.ShortID(), pretty.Bold), cellOf(printer, instant.Format(m.StoredAt)), cellOf(printer, orDash(m.Draw)),
				cellOf(printer, orDash(string(m.Type))), printer.Cell(m.Faults[0].Code, pretty.Red), printer.Cell(more, pretty.Dim)},
		})
	}
	if len(rows) == 0 {
		return app.printf("nothing is in quarantine, of %d days up to %s\n", flags.days, last.UTC().Format(time.DateOnly))
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.at, a.at) })
	for _, row := range rows {
		table.Row(row.cells...)
	}
	return write(app.out, table.AppendTo(nil))
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// quarantineShow writes everything about a message.
func (app *app) quarantineShow(_ context.Context, _ *quarantine.Quarantine, m *quarantine.Message) error {
	printer := pretty.Printer{Colour: app.colour("auto")}
	about := pretty.NewList("")
	for _, row := range [][2]string{{"id", m.ID()}, {"quarantined", instant.Format(m.StoredAt)}, {"from", m.Queue}, {"message", m.Quarantined.ID}, {"type", string(m.Type)}, {"draw", m.Draw}} {
		about.Row(printer.Cell(row[0], pretty.Dim), cellOf(printer, row[1]))
	}
	faults := pretty.NewTable(printer, "  ", "code", "rule", "what is wrong")
	for _, f := range m.Faults {
		faults.Row(printer.Cell(f.Code, pretty.Red), cellOf(printer, f.Rule), cellOf(printer, f.Message))
	}
	text := about.AppendTo(nil)
	text = append(text, "faults\n"...)
	text = faults.AppendTo(text)
	text = append(text, "message\n"...)
	if !m.Whole() {
		text = append(text, fmt.Sprintf("  (only its first %d bytes were kept)\n", len(m.Body))...)
	}
	return write(app.out, append(text, indented(printer, m.Body)...))
}

// indented is a message, indented; JSON on one line is laid out. What could do
// something to a terminal is escaped.
func indented(printer pretty.Printer, body []byte) (text []byte) {
	if laidOut, err := json.MarshalIndent(json.RawMessage(body), "", "  "); err == nil && bytes.IndexByte(body, '\n') < 0 {
		body = laidOut
	}
	for line := range bytes.Lines(body) {
		line = bytes.ReplaceAll(bytes.TrimRight(line, "\r\n"), []byte{'\t'}, []byte("  "))
		text = fmt.Appendf(text, "  %s\n", cellOf(printer, string(line)))
	}
	return text
}

// quarantineRelease sends a message again.
func (app *app) quarantineRelease(ctx context.Context, q *quarantine.Quarantine, m *quarantine.Message) error {
	if err := q.Release(ctx, m); err != nil {
		return failed("releasing", err)
	}
	return app.printf("released %s: %s of draw %s is on its queue again\n", m.ShortID(), orDash(string(m.Type)), orDash(m.Draw))
}
