// Costbench measures what a draw costs to place, to settle and to correct, and
// compares that with the two usual ways of settling bets.
//
//	go run ./internal/bench/cost            # 200, 10,000 and 100,000 bets; takes minutes
//	go run ./internal/bench/cost --quick    # 200 and 2,000 bets; takes seconds
//	go run ./internal/bench/cost -n 5000 -growth 1000,50000
//
// It needs DynamoDB Local (scripts/dynamodb-local) and, for the peak of memory,
// Linux. It ends with status 1 when a target of the last table is missed.
//
// # What is measured
//
// TALLY is one draw of roulette with bets of 20 bookmakers, through the same
// packages as in the Lambdas: every bet by lib/pipeline/placing, every message by lib/pipeline/intake,
// every state by lib/pipeline/settle, on DynamoDB Local with its pages of 1 MB. Requests and
// capacity units are counted by internal/testkit/capacity from what the client asks, by DynamoDB's
// published rules, so they are what AWS would charge for; the seconds are the
// emulator's and this machine's and only good for comparing. (Of an item that is
// replaced the meter sees only the new size; here none was a unit larger before, as
// a test holds against what DynamoDB Local says.) The phases are
//
//   - place: all bets, spread over a betting round of 30 s by a clock of the
//     benchmark's own, with the bookmakers' entries in the registry and a reading
//     of the draw's head each second;
//   - settle: the result's message and the first sweep. Lines are those reported;
//   - correct few: a corrected result that changes the bets on two pockets;
//   - correct all: the draw is cancelled, every bet is refunded.
//
// A bet's reference has 20 random characters, which compress badly; a real one
// makes smaller pages.
//
// THE USUAL WAYS settle the same bets, copied to tables of their own, by a
// conditional update for each bet, and by a transaction of an update and a ledger
// entry for each bet. Their placing costs the same put as tally's and is left out.
//
// GROWTH is the settle function as lib/lambda/functions puts it together, in a process of
// its own, with the answers of AWS made up in that process as they are read: the
// SDK decodes real pages of 1 MB, and no store is in the way. CPU is that of the
// process with the making up; the peak is what the kernel says that the process has
// held at most.
//
// COLD START builds the functions as they ship, for this machine, starts each and
// hands it its first event over the Lambda Runtime API. The time is that from the
// start of the process to the answer.
//
// THROUGHPUT is how many bets are settled in a second: by the pure function, by
// `tally settle`, by the settle function, and with DynamoDB Local behind it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"tally/internal/testkit/dynamotest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	run := bench
	if len(os.Args) > 1 && os.Args[1] == childCommand {
		run = child
	}
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "costbench:", err)
		os.Exit(1)
	}
}

// sizes is a flag of numbers of bets, separated by commas.
type sizes []int

// String returns the flag's text.
func (s *sizes) String() string {
	texts := make([]string, len(*s))
	for i, n := range *s {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ",")
}

// Set implements flag.Value. Bookmakers have equal parts of the made-up bets.
func (s *sizes) Set(value string) error {
	*s = nil
	for part := range strings.SplitSeq(value, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < bookmakers || n%bookmakers != 0 {
			return fmt.Errorf("%q is no multiple of %d", part, bookmakers)
		}
		*s = append(*s, n)
	}
	return nil
}

// options are the benchmark's flags.
type options struct {
	draws  sizes // with DynamoDB Local behind
	growth sizes // made up
	starts int   // of each function
	memory int   // bets settled in memory
}

func parse(arguments []string, usage io.Writer) (options, error) {
	o := options{draws: sizes{200, 10_000, 100_000}, growth: sizes{1_000, 10_000, 100_000, 1_000_000}, starts: 10, memory: 5_000_000}
	quick := options{draws: sizes{200, 2_000}, growth: sizes{1_000, 100_000}, starts: 3, memory: 500_000}
	flags := flag.NewFlagSet("costbench", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.Var(&o.draws, "n", "`bets` of the draws that are placed and settled, separated by commas")
	flags.Var(&o.growth, "growth", "`bets` of the draws that are made up, separated by commas")
	flags.IntVar(&o.starts, "starts", o.starts, "cold starts of each function")
	isQuick := flags.Bool("quick", false, "small sizes; the other flags are ignored")
	if err := flags.Parse(arguments); err != nil {
		return options{}, err
	}
	switch {
	case flags.NArg() > 0:
		return options{}, fmt.Errorf("it takes no arguments, only flags: %q", flags.Args())
	case o.starts < 1:
		return options{}, errors.New("-starts: at least 1")
	case *isQuick:
		return quick, nil
	}
	return o, nil
}

// draws is what one size of a draw took.
type draws struct {
	bets  int
	tally []cost
	usual [][]cost // by entry of usuals
}

func bench(ctx context.Context, arguments []string, out io.Writer) error {
	o, err := parse(arguments, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	r := &report{out: out}
	measured, err := r.benchDraws(ctx, o)
	if err != nil {
		return err
	}
	grown, err := r.benchGrowth(ctx, o)
	if err != nil {
		return err
	}
	progress("cold starts")
	starts, err := measureColdStarts(o.starts)
	if err != nil {
		return err
	}
	r.coldStarts(starts)
	if err := r.benchThroughput(o, measured, grown); err != nil {
		return err
	}
	if missed := r.verdict(); missed > 0 {
		return fmt.Errorf("%d of %d targets are missed", missed, len(r.targets))
	}
	return nil
}

// progress tells whoever waits what is going on.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, "costbench: "+format+"\n", args...) }

func (r *report) benchDraws(ctx context.Context, o options) (all []draws, err error) {
	endpoint, err := dynamotest.StartLocal()
	if err != nil {
		return nil, fmt.Errorf("DynamoDB Local: %w", err)
	}
	database := newDatabase(endpoint)
	for _, bets := range o.draws {
		progress("a draw of %d bets", bets)
		d, err := measureDraws(ctx, database, bets)
		if err != nil {
			return nil, fmt.Errorf("a draw of %d bets: %w", bets, err)
		}
		all = append(all, d)
	}
	r.tally(all)
	r.usual(all)
	return all, nil
}

func measureDraws(ctx context.Context, database *database, bets int) (d draws, err error) {
	if err := database.createTable(ctx, tallyTable); err != nil {
		return draws{}, err
	}
	defer func() { err = errors.Join(err, database.deleteTable(ctx, tallyTable)) }()
	d.bets = bets
	if d.tally, err = measureTally(ctx, database, bets); err != nil {
		return draws{}, err
	}
	for _, u := range usuals {
		costs, err := measureUsual(ctx, database, u, bets)
		if err != nil {
			return draws{}, err
		}
		d.usual = append(d.usual, costs)
	}
	return d, nil
}

func (r *report) benchGrowth(ctx context.Context, o options) (all []growth, err error) {
	for _, bets := range o.growth {
		progress("the settle function on %d bets", bets)
		g, err := measureGrowth(ctx, bets)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	r.growth(all)
	return all, nil
}

func (r *report) benchThroughput(o options, measured []draws, grown []growth) error {
	pure, err := measurePure(o.memory)
	if err != nil {
		return err
	}
	lines, err := measureLines(o.memory)
	if err != nil {
		return err
	}
	largest, local := grown[len(grown)-1], measured[len(measured)-1].tally[1]
	r.throughputs([]throughput{pure, lines,
		{"the settle function, made-up pages", largest.Bets, largest.Wall},
		{"intake and sweep, DynamoDB Local", local.bets, local.wall}})
	return nil
}
