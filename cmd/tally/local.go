//go:build !auditor

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tally"
	"tally/internal/pretty"
	"tally/lib/archive/tiles"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/local"
)

const localHelp = `local runs tally on this machine until it is interrupted: DynamoDB and SQS
are an emulator in this process, with the table and the queues of
template.yaml, and the functions get messages as they would from Lambda: in
batches, again when they failed, and into the dead letters after too many
tries. reconcile runs every minute, and so does pages, which makes the
public site. Everything is in memory and gone at the end. The public log and
the site are in folders, temporary too unless --log and --site-folder name
some, which must be empty.

What happens is logged, for people or, with --json, as Lambda would log it,
with the metrics.

Exit codes: 0 when it was interrupted; 1 when something failed; 2 for a
misuse of the command.`

const localExample = `  tally local
  tally local --address 127.0.0.1:5000 --parameter AutoCancelAfter=2m
  tally local --json 2> log.jsonl`

// localFlags are the flags of local.
type localFlags struct {
	address    string
	api        string
	stack      string
	template   string
	parameters []string
	log        string
	site       string
	siteFolder string
	json       bool
	verbose    bool
}

func newLocalCommand(app *app) *cobra.Command {
	var flags localFlags
	command := &cobra.Command{
		Use: "local", Short: "run tally on this machine",
		Long: localHelp, Example: localExample, Args: noMore,
		RunE: func(command *cobra.Command, _ []string) error {
			options, err := app.localOptions(flags)
			if err != nil {
				return err
			}
			ctx, stop := interruptible(command)
			defer stop()
			context.AfterFunc(ctx, stop) // a second signal ends the process at once
			return failed("running tally", app.local(ctx, options))
		},
	}
	command.Flags().StringVar(&flags.address, "address", localAddress, "`address` to listen at; port 0 takes any that is free")
	command.Flags().StringVar(&flags.api, "api", localAPI, "`address` of the bookmakers' API; port 0 takes any that is free")
	command.Flags().StringVar(&flags.stack, "stack", "tally", "`name` of the stack, which begins its queues' names")
	command.Flags().StringVar(&flags.template, "template", "", "`file` to read instead of the built-in template.yaml")
	command.Flags().StringArrayVar(&flags.parameters, "parameter", nil, "set a parameter of the template: `name=value`")
	command.Flags().StringVar(&flags.log, "log", "", "`folder` for the public log, which tally verify reads (default: a temporary one)")
	command.Flags().StringVar(&flags.site, "site", siteAddress, "`address` of the public site; port 0 takes any that is free")
	command.Flags().StringVar(&flags.siteFolder, "site-folder", "", "`folder` for the public site (default: a temporary one)")
	command.Flags().BoolVar(&flags.json, "json", false, "log as JSON, with metrics")
	command.Flags().BoolVarP(&flags.verbose, "verbose", "v", false, "log every message and request that went well, too")
	return command
}

// localOptions reads the flags.
func (app *app) localOptions(flags localFlags) (local.Options, error) {
	options := local.Options{Template: tally.Template, Stack: flags.stack, Address: flags.address, APIAddress: flags.api, LogFolder: flags.log,
		SiteAddress: flags.site, SiteFolder: flags.siteFolder, Parameters: map[string]string{}}
	if flags.template == "" {
		options.Parameters["WebhookLoopback"] = "true" // receivers to try are on this machine, too
	}
	for _, pair := range flags.parameters {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return options, fmt.Errorf("--parameter is %q: write name=value", pair)
		}
		options.Parameters[name] = value
	}
	if flags.template != "" {
		text, err := os.ReadFile(flags.template)
		if err != nil {
			return options, failed("reading the template", err)
		}
		options.Template = text
	}
	level, metrics := slog.LevelInfo, io.Discard
	if flags.verbose {
		level = slog.LevelDebug
	}
	options.Log = slog.New(pretty.NewLogHandler(app.err, level, app.errTerminal && app.getenv("NO_COLOR") == "" && app.getenv("TERM") != "dumb"))
	if flags.json {
		metrics = app.err
		options.Log = slog.New(slog.NewJSONHandler(app.err, &slog.HandlerOptions{Level: level}))
	}
	options.Build = local.Tally(runtime.Runtime{Log: options.Log, Metrics: metrics, Now: time.Now})
	return options, nil
}

// local runs a stack until ctx ends.
func (app *app) local(ctx context.Context, options local.Options) error {
	stack, err := local.Start(ctx, options)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("an address is taken, perhaps by another `tally local`; choose another --address, --api or --site: %w", err)
	}
	if errors.Is(err, local.ErrNotEmpty) {
		return fmt.Errorf("%w; every run begins with an empty table, and so with an empty log and site: name a new folder, or remove what an earlier run has left there", err)
	}
	if err != nil {
		return err
	}
	defer stack.Close()
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() { stack.Run(ctx) })
	running.Go(func() { // the site is there from the start, not after a minute
		if err := stack.RunScheduled(ctx, "pages"); err != nil && ctx.Err() == nil {
			options.Log.Error("the site is not there yet", "error", err)
		}
	})
	// What is printed can be pasted at once.
	try, err := tryAPI(ctx, stack)
	if errors.Is(err, context.Canceled) {
		return nil // interrupted before it was ready
	}
	if err != nil {
		return err
	}
	if err := write(app.out, append(app.banner(stack), try...)); err != nil {
		return err
	}
	running.Wait()
	return app.printf("stopped; all that was stored is gone\n")
}

// banner says what runs where and what to do first.
func (app *app) banner(stack *local.Stack) []byte {
	printer := pretty.Printer{Colour: app.colour("auto")}
	table := pretty.NewList("  ")
	table.Row(printer.Cell("endpoint", pretty.Dim), cellOf(printer, stack.Endpoint))
	table.Row(printer.Cell("API", pretty.Dim), cellOf(printer, stack.API+"/docs"))
	table.Row(printer.Cell("site", pretty.Dim), cellOf(printer, stack.Site+"/"))
	table.Row(printer.Cell("table", pretty.Dim), cellOf(printer, stack.Table))
	table.Row(printer.Cell("log", pretty.Dim), cellOf(printer, stack.LogFolder))
	table.Row(printer.Cell("log key", pretty.Dim), cellOf(printer, filepath.Join(stack.LogFolder, tiles.KeysPath)+", which signs the log and opens nothing"))
	urls := stack.QueueURLs()
	for i, name := range stack.QueueNames() {
		label := ""
		if i == 0 {
			label = "queues"
		}
		table.Row(printer.Cell(label, pretty.Dim), cellOf(printer, urls[name]))
	}
	on := "--local"
	if stack.Endpoint != "http://"+localAddress {
		on = "--endpoint " + stack.Endpoint
	}
	name := strings.TrimSuffix(sqsqueue.Name(stack.Resolved.Outputs["StudioMessagesUrl"]), "-studio-messages")
	if name != "tally" {
		on += " --stack " + name
	}
	if stack.Table != name {
		on += " --table " + stack.Table
	}
	text := fmt.Appendf(nil, "%s\n%s", printer.Cell("tally runs on this machine; end it with Ctrl-C", pretty.Bold), table)
	return fmt.Appendf(text, `
In another terminal:
  tally send events/baccarat/01-draw.opened.json %[1]s
  tally send events/baccarat/08-draw.resulted.impossible.json %[1]s
  tally quarantine list %[1]s

`, on)
}
