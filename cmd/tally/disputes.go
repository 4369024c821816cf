//go:build !auditor

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/draw/ids"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/disputes"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

const disputesHelp = `disputes decides what bookmakers ask to be voided, with evidence, by
PUT /v1/disputes/{dispute}. A dispute changes nothing until an operator decides;
a decision is final.

  list    what waits for a decision, of all bookmakers, the oldest first
  show    everything about one dispute
  uphold  void its bets: an order that names the dispute goes to operator-orders
  reject  leave its bets as they are; the bookmaker reads why

` + targetHelp + `

Exit codes: 0; 1 when something failed; 2 for a misuse of the command.`

const disputesExample = `  tally disputes list --local
  tally disputes list --bookmaker acme --local
  tally disputes show acme d-1 --local
  tally disputes uphold acme d-1 --local
  tally disputes reject acme d-1 --reason "the recording shows pocket 17" --local`

const disputesListHelp = `list writes a line for each dispute that waits: whose it is, how long it waits,
on which draw, how many bets, and the bookmaker's reason. One that was upheld
stays, as ordered, until its order is stored; if it stays longer than a minute,
look for the order in ` + "`tally quarantine list`" + ` or uphold it again. With
--bookmaker it lists that bookmaker's disputes, the decided ones too.`

const disputesUpholdHelp = `uphold decides for the bookmaker: an order to void the dispute's bets (all of
the bookmaker's on the draw, where it names none) goes to operator-orders. Its
id is the one that the dispute names, and its evidence names the dispute. The
refunds come in the bookmaker's feed when the draw is settled anew. Again is the
same: no second order is stored.`

// disputesFlags are the flags of all of disputes' commands.
type disputesFlags struct {
	target
	bookmaker string
	reason    string
}

func newDisputesCommand(app *app) *cobra.Command {
	flags := &disputesFlags{}
	command := &cobra.Command{Use: "disputes", Short: "decide what bookmakers ask to be voided", Long: disputesHelp, Example: disputesExample}
	flags.target.flags(app, command)
	list := &cobra.Command{Use: "list", Short: "what waits for a decision", Args: noMore,
		Long: disputesListHelp,
		RunE: func(command *cobra.Command, _ []string) error { return app.disputesList(command.Context(), flags) }}
	list.Flags().StringVar(&flags.bookmaker, "bookmaker", "", "all disputes of one `bookmaker`")
	uphold := app.disputeCommand(flags, "uphold", "void the bets of a dispute",
		disputesUpholdHelp, app.disputesUphold)
	uphold.Flags().StringVar(&flags.reason, "reason", "", "`why`, for the order and the bookmaker (default: the\nbookmaker's own reason)")
	reject := app.disputeCommand(flags, "reject", "leave the bets of a dispute as they are",
		"reject decides against the bookmaker, who reads the reason with the dispute.\nNothing is settled anew. Again is the same.", app.disputesReject)
	reject.Flags().StringVar(&flags.reason, "reason", "", "`why`, for the bookmaker; required")
	return group(command, list, app.disputeCommand(flags, "show", "everything about one dispute",
		"show writes all that is known of a dispute, with its evidence and its decision.", app.disputesShow), uphold, reject)
}

// disputeCommand is a command about one dispute.
func (app *app) disputeCommand(flags *disputesFlags, name, short, long string, run func(context.Context, *disputes.Service, *disputesFlags, []string) error) *cobra.Command {
	return &cobra.Command{Use: name + " bookmaker dispute", Short: short, Long: long,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("name a bookmaker and a dispute of it; `tally disputes list` shows them")
			}
			for _, id := range args {
				if !ids.Valid(id) {
					return fmt.Errorf("%.80q is no id: write 1 to 64 of A-Z a-z 0-9 . _ -", id)
				}
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			service, err := flags.service(command.Context())
			if err != nil {
				return err
			}
			return run(command.Context(), service, flags, args)
		}}
}

func (f *disputesFlags) service(ctx context.Context) (*disputes.Service, error) {
	with, err := f.connect(ctx)
	if err != nil {
		return nil, err
	}
	return &disputes.Service{Table: with.table, Orders: lazyQueue{clients: with, name: "operator-orders"},
		Now: now}, nil
}

// disputesList writes a line for each dispute.
func (app *app) disputesList(ctx context.Context, flags *disputesFlags) error {
	if flags.bookmaker != "" && !ids.Valid(flags.bookmaker) {
		return fmt.Errorf("--bookmaker is %.80q: write 1 to 64 of A-Z a-z 0-9 . _ -", flags.bookmaker)
	}
	service, err := flags.service(ctx)
	if err != nil {
		return err
	}
	list, err := listed(ctx, service, flags.bookmaker)
	if err != nil {
		return failed("listing the disputes", unreachable(err))
	}
	if len(list) == 0 && flags.bookmaker != "" {
		return app.printf("%s has no disputes\n", flags.bookmaker)
	}
	if len(list) == 0 {
		return app.printf("no dispute waits for a decision\n")
	}
	printer := pretty.Printer{Colour: app.colour("auto")}
	table := pretty.NewTable(printer, "", "bookmaker", "dispute", "", "opened", "waits", "draw", "bets", "reason")
	for _, d := range list {
		style, waits := pretty.Yellow, age(service.Now()-d.CreatedAt)
		if d.Status.Decided() {
			style, waits = pretty.Dim, "-"
		}
		table.Row(cellOf(printer, d.Bookmaker), printer.Cell(d.ID, pretty.Bold), printer.Cell(string(d.Status), style), cellOf(printer, instant.Format(d.CreatedAt)), cellOf(printer, waits),
			cellOf(printer, d.Draw), cellOf(printer, countOf(d.Bets)), cellOf(printer, d.Reason))
	}
	return write(app.out, table.AppendTo(nil))
}

// listed are a bookmaker's disputes, or those of all that wait.
func listed(ctx context.Context, service *disputes.Service, bookmaker string) (list []*disputes.Case, err error) {
	if bookmaker == "" {
		for d, err := range service.Pending(ctx) {
			if err != nil {
				return nil, err
			}
			list = append(list, d)
		}
		return list, nil
	}
	for from := store.DisputeKey(""); from != ""; {
		page, next, err := disputes.List(ctx, service.Table, bookmaker, from, store.DisputeKey("~"), 100)
		if err != nil {
			return nil, err
		}
		list, from = append(list, page...), next
	}
	return list, nil
}

// countOf says how many bets a dispute names.
func countOf(bets []string) string {
	if len(bets) == 0 {
		return "all"
	}
	return fmt.Sprint(len(bets))
}

// age writes how long ago something was, in its largest unit.
func age(millis settlement.Instant) string {
	passed := time.Duration(millis) * time.Millisecond
	switch {
	case passed < time.Minute:
		return fmt.Sprintf("%d s", max(0, passed/time.Second))
	case passed < time.Hour:
		return fmt.Sprintf("%d min", passed/time.Minute)
	case passed < 48*time.Hour:
		return fmt.Sprintf("%d h", passed/time.Hour)
	}
	return fmt.Sprintf("%d days", passed/(24*time.Hour))
}

// disputesShow writes everything about a dispute.
func (app *app) disputesShow(ctx context.Context, service *disputes.Service, _ *disputesFlags, args []string) error {
	d, err := disputes.Get(ctx, service.Table, args[0], args[1])
	if err != nil {
		return undecided("reading the dispute", err)
	}
	printer := pretty.Printer{Colour: app.colour("auto")}
	list := pretty.NewList("")
	row := func(name, text string) { list.Row(printer.Cell(name, pretty.Dim), cellOf(printer, text)) }
	row("dispute", d.ID)
	row("bookmaker", d.Bookmaker)
	row("status", string(d.Status))
	row("opened", instant.Format(d.CreatedAt))
	row("draw", d.Draw)
	if row("bets", countOf(d.Bets)); len(d.Bets) > 0 {
		row("", strings.Join(d.Bets, " "))
	}
	row("reason", d.Reason)
	row("evidence", d.Evidence)
	if err := showVideo(ctx, service, d.Draw, row); err != nil {
		return failed("looking for the draw's recording", unreachable(err))
	}
	row("order", d.Order)
	if d.Decision != nil {
		row("decided", instant.Format(d.Decision.At))
		row("because", d.Decision.Reason)
	}
	return write(app.out, list.AppendTo(nil))
}

// showVideo shows where the recording of a draw's newest result is, where one is named.
func showVideo(ctx context.Context, service *disputes.Service, draw string, row func(name, text string)) error {
	d, err := record.Open(ctx, service.Table, draw)
	if err != nil || !d.Opened() || d.Head.Revision < 1 {
		return err
	}
	m, err := d.Message(ctx, store.RevisionKey(d.Head.Revision))
	if err != nil || m.Video == nil {
		return err
	}
	row("recording", m.Video.URL)
	row("", "SHA-256 "+m.Video.SHA256)
	if m.Video.KeptUntil != 0 {
		row("", "kept until "+instant.Format(m.Video.KeptUntil))
	}
	return nil
}

func (app *app) disputesUphold(ctx context.Context, service *disputes.Service, flags *disputesFlags, args []string) error {
	d, err := service.Uphold(ctx, args[0], args[1], flags.reason)
	if err != nil {
		return undecided("upholding the dispute", err)
	}
	if d.Status == disputes.Upheld {
		return app.printf("%s of %s is upheld: order %s is stored\n", d.ID, d.Bookmaker, d.Order)
	}
	return app.printf("%s of %s is upheld: order %s is on its way, the refunds follow in the feed\n", d.ID, d.Bookmaker, d.Order)
}

func (app *app) disputesReject(ctx context.Context, service *disputes.Service, flags *disputesFlags, args []string) error {
	d, err := service.Reject(ctx, args[0], args[1], flags.reason)
	if err != nil {
		return undecided("rejecting the dispute", err)
	}
	return app.printf("%s of %s is rejected: %s\n", d.ID, d.Bookmaker, d.Decision.Reason)
}

// undecided is the error of a decision that was not made.
func undecided(doing string, err error) error {
	if misuse := (*disputes.ReasonError)(nil); errors.As(err, &misuse) {
		return fmt.Errorf("--reason: %w", misuse)
	}
	if errors.Is(err, disputes.ErrUnknown) {
		err = fmt.Errorf("%w: `tally disputes list` shows those that wait, --bookmaker all of one", err)
	}
	return failed(doing, unreachable(err))
}
