//go:build !auditor

package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"tally"
	"tally/internal/pretty"
	"tally/internal/studio"
	"tally/lib/lambda/runtime"
	"tally/lib/local"
	"tally/lib/site/pages"
)

const demoHelp = `demo starts tally on this machine, plays a studio day in some ten seconds,
and shows what becomes of it: draws of all ten games on fourteen tables, bets of
three bookmakers, an impossible result, a correction, a cancelled draw, a Lucky
5 with a ball too few, an order to void a shop's bets, and a storm of repeated
messages. At the end it adds up the bookmakers' feeds and compares every bet
with what ` + "`tally settle`" + ` makes of the same draw, offline.

Nothing leaves this machine: DynamoDB and SQS are an emulator in this process,
and the functions are those that run on AWS. Time is real: betting rounds take
about a second, and a draw is settled as soon as its result is there, as it is
in a studio. A round is closed when its bets are answered, so that a slow
machine takes longer and comes to the same: bets, money and refusals depend on
--seed and --bets alone.

One bet is followed by its reference, from its placing to the proof that it is
in the public log. The log, the public site and that proof stay in a folder,
that of --keep, until the next demo; how to look at them is said at the end.

Exit codes: 0; 1 when something failed or the money did not add up; 2 for a
misuse of the command.`

// demoKept names where the demo leaves its log and its site.
const demoKept = "tally/demo"

const demoExample = `  $ tally help demo | sed -n 1p
  demo starts tally on this machine, plays a studio day in some ten seconds,`

// demoFlags are the flags of demo.
type demoFlags struct {
	seed  uint64
	bets  int
	keep  string
	stack string
}

func newDemoCommand(app *app) *cobra.Command {
	flags := demoFlags{bets: 10, stack: "demo"}
	command := &cobra.Command{
		Use: "demo", Short: "a studio day on this machine, settled and checked",
		Long: demoHelp, Example: demoExample, Args: noMore,
		RunE: func(command *cobra.Command, _ []string) error {
			printer := pretty.Printer{Colour: app.colour("auto")}
			if flags.keep == "" {
				folder, err := os.UserCacheDir()
				if err != nil {
					folder = os.TempDir() // there is no home
				}
				flags.keep = filepath.Join(folder, filepath.FromSlash(demoKept))
			}
			ctx, stop := interruptible(command)
			defer stop()
			err := app.demo(ctx, printer, flags)
			if ctx.Err() != nil {
				err = errors.New("it was interrupted")
			}
			return failed("playing the demo", err)
		},
	}
	command.Flags().Uint64Var(&flags.seed, "seed", 1, "make up draws and bets from this `number`")
	command.Flags().Var(&whole{number: &flags.bets, least: 1, most: maxDemoBets},
		"bets", "so `many` bets of each bookmaker in each betting round")
	command.Flags().StringVar(&flags.keep, "keep", "", "`folder` for the log, the site and a proof (default: one among your caches)")
	return command
}

// maxDemoBets bounds what --bets asks for.
const maxDemoBets = 200

// demo plays a studio day and reports it.
func (app *app) demo(ctx context.Context, printer pretty.Printer, flags demoFlags) error {
	day, stop, err := app.studioDay(ctx, printer, flags)
	if err != nil {
		return err
	}
	defer stop()
	if err := day.play(ctx); err != nil {
		return err
	}
	return day.report(ctx)
}

// studioDay writes a script and starts a stack of its own for it; stop ends the
// stack.
func (app *app) studioDay(ctx context.Context, printer pretty.Printer, flags demoFlags) (day *demoDay, stop func(), err error) {
	began := time.Now()
	words, err := pages.English()
	if err != nil {
		return nil, nil, err
	}
	out := &demoOut{out: app.out, last: began}
	show := &demoShow{out: out, printer: printer, words: words, began: began, what: func() string { return "starting, and making up draws and bets" }}
	running, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { show.keepTalking(running, out) })
	defer func() {
		if err != nil {
			cancel()
			work.Wait()
		}
	}()
	options := local.Options{Template: tally.Template, Stack: flags.stack}
	if flags.keep != "" {
		if err := emptied(flags.keep); err != nil {
			return nil, nil, err
		}
		options.LogFolder, options.SiteFolder = filepath.Join(flags.keep, logFolder), filepath.Join(flags.keep, siteFolder)
	}
	log := slog.New(pretty.NewLogHandler(app.err, slog.LevelError, printer.Colour))
	options.Log, options.Build = log, local.Tally(runtime.Runtime{Log: log, Metrics: io.Discard, Now: time.Now})
	stack, err := local.Start(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	script, err := studio.New(flags.seed, flags.bets)
	if err != nil {
		stack.Close()
		return nil, nil, err
	}
	work.Go(func() { stack.Run(running) })
	show.line("stack", "in this process run a table, %d queues and %d functions, as template.yaml describes them; a studio day takes some ten seconds",
		len(stack.Resolved.Queues), len(stack.Resolved.Functions))
	day = newDemoDay(script, stack, show)
	day.kept = flags.keep
	return day, func() {
		cancel()
		work.Wait()
		stack.Close()
	}, nil
}
