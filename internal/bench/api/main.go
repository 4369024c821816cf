// Apibench measures what the bookmakers' API adds to the write that a bet is.
//
//	go run ./internal/bench/api                    # on the embedded emulator
//	go run ./internal/bench/api --dynamodb-local   # on AWS's own
//	go run ./internal/bench/api --quick            # seconds instead of a minute
//
// It ends with status 1 when the target is missed: what tally's own code adds to the
// median of a placement, over one connection, is below 35% of the bare write's.
//
// # What is measured
//
// Processes of their own on this machine: the local stack, as `tally local` starts
// it, for its emulator; the API, as functions/api puts it together, behind a port;
// and this one, which makes the load over real HTTP. One
// bet is placed. Its item is read back, and then written, under other references, in
// the same way: one conditional PutItem each, which has to succeed.
//
//   - bare: this process calls PutItem with the SDK.
//   - hop: the same call by a process that reads an HTTP request, looks at nothing
//     in it and answers a fixed text: what any API costs that is not the program
//     which wants the write.
//   - place: PUT /v1/draws/{draw}/bets/{reference} of the API, with its key, its
//     form, its metrics and its log, at the level that template.yaml sets.
//
// So place less hop is tally's own code, which the table gives as a share of bare,
// and place over bare is everything. Neither has a Lambda's translation from API
// Gateway's events and back: that is the platform's, whatever a function does. They
// take turns of a second, so that what else the machine does meets all of them. All
// share the machine's cores: with as many connections as cores or more, a second
// is divided by what each spends of them, and percentiles are mostly waiting in
// line. In a Lambda an instance answers one request at a time, which is the first
// row.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := bench
	if len(os.Args) > 1 {
		if role, known := roles[os.Args[1]]; known {
			run = role
		}
	}
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "apibench:", err)
		os.Exit(1)
	}
}

// target is what tally's own code may add to the median of a placement, over one
// connection, as a share of the bare write's.
const target = 0.35

// options are the benchmark's flags.
type options struct {
	local  bool
	rounds int
	turn   time.Duration
}

func parse(arguments []string) (options, error) {
	var o options
	var quick bool
	flags := flag.NewFlagSet("apibench", flag.ContinueOnError)
	flags.BoolVar(&o.local, "dynamodb-local", false, "write to DynamoDB Local (scripts/dynamodb-local) instead of the local stack's emulator")
	flags.BoolVar(&quick, "quick", false, "two short turns of each instead of five")
	if err := flags.Parse(arguments); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		return options{}, fmt.Errorf("it takes no arguments, only flags: %q", flags.Args())
	}
	o.rounds, o.turn = 5, time.Second
	if quick {
		o.rounds, o.turn = 2, 300*time.Millisecond
	}
	return o, nil
}

// connections are how many requests are under way at a time.
var connections = []int{1, 16, 64}

func bench(ctx context.Context, arguments []string) error {
	o, err := parse(arguments)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	field, err := prepare(ctx, o.local)
	if err != nil {
		return err
	}
	defer field.close()
	var rows []row
	for _, n := range connections {
		fmt.Fprintf(os.Stderr, "apibench: %d connections\n", n)
		measured, err := field.measure(ctx, n, o)
		if err != nil {
			return fmt.Errorf("%d connections: %w", n, err)
		}
		rows = append(rows, measured)
	}
	if err := report(os.Stdout, field.emulator, rows); err != nil {
		return err
	}
	if own := rows[0].own(); own >= target {
		return fmt.Errorf("the target is missed: tally's own code adds %.0f%% of a bare write to the median of a placement, over one connection", 100*own)
	}
	return nil
}
