//go:build !auditor

package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"tally/internal/pretty"
	"tally/lib/draw/instant"
	"tally/lib/pipeline/webhook"
)

func (app *app) webhooksList(ctx context.Context, with *webhook.Store, _ *webhooksFlags, args []string) error {
	list, err := with.List(ctx, args[0])
	if err != nil {
		return failed("listing the webhooks", unreachable(err))
	}
	if len(list) == 0 {
		return app.printf("%s has no webhooks\n", args[0])
	}
	printer := pretty.Printer{Colour: app.colour("auto")}
	table := pretty.NewTable(printer, "", "endpoint", "", "taken", "waiting", "url", "note")
	for _, e := range list {
		table.Row(printer.Cell(e.ID, pretty.Bold), stateOf(printer, e), cellOf(printer, number(e.Position.Sequence)),
			cellOf(printer, number(max(0, e.Newest-e.Position.Sequence))), cellOf(printer, e.URL), cellOf(printer, orDash(e.Note)))
	}
	return write(app.out, table.AppendTo(nil))
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func stateOf(printer pretty.Printer, e *webhook.Status) pretty.Cell {
	style := map[string]pretty.Style{"disabled": pretty.Red, "failing": pretty.Yellow}[e.State()]
	return printer.Cell(e.State(), style)
}

// disabledFor says why an endpoint is disabled.
var disabledFor = map[string]string{
	webhook.DisabledGone:     "it answered 410",
	webhook.DisabledFailing:  "it failed for a day",
	webhook.DisabledOperator: "by an operator",
	webhook.DisabledAhead:    "it got more reports than the feed has: enable it with --after",
}

func (app *app) webhooksShow(ctx context.Context, with *webhook.Store, _ *webhooksFlags, args []string) error {
	e, err := with.Get(ctx, args[0], args[1])
	if err != nil {
		return failed("reading the webhook", unreachable(err))
	}
	printer := pretty.Printer{Colour: app.colour("auto")}
	list := pretty.NewList("")
	row := func(name string, value pretty.Cell) { list.Row(printer.Cell(name, pretty.Dim), value) }
	text := func(name, value string) { row(name, cellOf(printer, value)) }
	row("endpoint", printer.Cell(e.ID, pretty.Bold))
	text("url", e.URL)
	text("note", orDash(e.Note))
	text("made", instant.Format(e.CreatedAt))
	row("state", stateOf(printer, e))
	p := e.Position
	if d := p.Disabled; d != nil {
		text("disabled", fmt.Sprintf("%s: %s", instant.Format(d.At), disabledFor[d.Reason]))
	}
	text("taken", fmt.Sprintf("every report up to %d of %d", p.Sequence, e.Newest))
	if p.Tries > 0 {
		text("failing", fmt.Sprintf("since %s, %d tries", instant.Format(p.Since), p.Tries))
	}
	if p.Tries > 0 && p.Disabled == nil {
		text("next try", instant.Format(p.Next))
	}
	if p.Last != nil {
		text("last try", fmt.Sprintf("report %d at %s: %s", p.Last.Sequence, instant.Format(p.Last.At), saysOf(p.Last.Outcome)))
	}
	for i, secret := range e.Signing(with.Now()) {
		name, until := "", "signs"
		if i == 0 {
			name = "secrets"
		}
		if secret.Until != 0 {
			until = "signs until " + instant.Format(secret.Until)
		}
		text(name, until)
	}
	return write(app.out, list.AppendTo(nil))
}

// saysOf says what came of a try.
func saysOf(o webhook.Outcome) string {
	took := (time.Duration(o.Millis) * time.Millisecond).String()
	if o.Failed == "" {
		return fmt.Sprintf("taken with %d after %s", o.Status, took)
	}
	return fmt.Sprintf("%s, after %s", o.Detail, took)
}

func (app *app) webhooksDeliveries(ctx context.Context, with *webhook.Store, flags *webhooksFlags, args []string) error {
	e, err := with.Get(ctx, args[0], args[1])
	if err != nil {
		return failed("reading the deliveries", unreachable(err))
	}
	tries, err := with.Deliveries(ctx, args[0], args[1], flags.limit)
	if err != nil {
		return failed("reading the deliveries", unreachable(err))
	}
	if len(tries) == 0 {
		return app.printf("nothing was sent to endpoint %s in the last thirty days; tests are not listed\n", e.ID)
	}
	printer := pretty.Printer{Colour: app.colour("auto")}
	table := pretty.NewTable(printer, "", "report", "at", "", "status", "ms", "why")
	for _, try := range tries {
		outcome, style, status := "taken", pretty.Green, "-"
		if try.Failed != "" {
			outcome, style = try.Failed, pretty.Red
		}
		if try.Status != 0 {
			status = strconv.Itoa(try.Status)
		}
		table.Row(cellOf(printer, number(try.Sequence)), cellOf(printer, instant.Format(try.At)), printer.Cell(outcome, style), cellOf(printer, status),
			cellOf(printer, number(try.Millis)), cellOf(printer, try.Detail))
	}
	text := table.AppendTo(nil)
	if p := e.Position; p.Tries > 0 && p.Disabled == nil {
		text = fmt.Appendf(text, "next try at %s\n", instant.Format(p.Next))
	}
	return write(app.out, text)
}

func (app *app) webhooksTest(ctx context.Context, with *webhook.Store, _ *webhooksFlags, args []string) error {
	sender := webhook.NewSender(webhook.SenderOptions{Loopback: with.Loopback})
	came, err := with.Test(ctx, sender, args[0], args[1])
	if err != nil {
		return failed("testing the webhook", unreachable(err))
	}
	printer := pretty.Printer{Colour: app.colour("auto")}
	list := pretty.NewList("")
	list.Row(printer.Cell("test", pretty.Dim), cellOf(printer, saysOf(came)))
	list.Row(printer.Cell("answer", pretty.Dim), cellOf(printer, orDash(came.Answer)))
	if err := write(app.out, list.AppendTo(nil)); err != nil {
		return err
	}
	if came.Failed != "" {
		return failed("testing the webhook", fmt.Errorf("it was not taken (%s)", came.Failed))
	}
	return nil
}
