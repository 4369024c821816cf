package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"tally/lib/rulebook/games"
	"tally/lib/rulebook/rules"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "latency:", err)
		os.Exit(1)
	}
}

// options are what is measured.
type options struct {
	games      []*rules.Game
	closings   []string
	draws      int // of each game and closing
	bookmakers int
	bets       int    // of each bookmaker on a draw
	dynamo     string // URL of a DynamoDB in place of the emulator's
}

// The ways in which betting is closed.
const (
	byPlan    = "plan"
	byMessage = "message"
	byResult  = "result"
)

// ahead is how long before the result betting is closed by plan or by message, and roundLasts
// how long a round takes bets that its plan closes.
const (
	ahead      = time.Second
	roundLasts = 2500 * time.Millisecond
)

// patience is how long anything of a draw may take.
const patience = 5 * time.Minute

// command measures what the arguments ask for, and prints it.
func command(ctx context.Context, arguments []string, out, progress io.Writer) error {
	o, err := parse(arguments, progress)
	if err != nil {
		return err
	}
	var all []result
	for i, game := range o.games {
		began := time.Now()
		results, err := o.measure(ctx, fmt.Sprintf("latency-%d", i+1), game, progress)
		if err != nil {
			return errors.Join(show(out, all), fmt.Errorf("%s: %w", game.ID, err))
		}
		all = append(all, results...)
		fmt.Fprintf(progress, "%s: %d draws in %s\n", game.ID, len(results), time.Since(began).Round(time.Second))
	}
	return show(out, all)
}

// parse reads the arguments.
func parse(arguments []string, usage io.Writer) (*options, error) {
	var o options
	flags := flag.NewFlagSet("latency", flag.ContinueOnError)
	flags.SetOutput(usage)
	named := flags.String("games", "all", "`games` to measure, with commas between them")
	closings := flags.String("closings", strings.Join([]string{byPlan, byMessage, byResult}, ","), "what closes betting")
	flags.IntVar(&o.draws, "draws", 50, "so `many` draws of each game and closing")
	flags.IntVar(&o.bookmakers, "bookmakers", 3, "so `many` bookmakers bet on each draw")
	flags.IntVar(&o.bets, "bets", 3, "so `many` bets of each bookmaker on a draw")
	flags.StringVar(&o.dynamo, "dynamodb", "", "`URL` of a DynamoDB Local to use instead of the emulator's, such as http://127.0.0.1:8000")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	if o.draws < 1 || o.bookmakers < 1 || o.bets < 1 {
		return nil, fmt.Errorf("%d draws, %d bookmakers, %d bets: at least one of each is needed", o.draws, o.bookmakers, o.bets)
	}
	o.games = games.All()
	if *named != "all" {
		o.games = nil
		for _, id := range strings.Split(*named, ",") {
			game, known := games.Find(id)
			if !known {
				return nil, fmt.Errorf("there is no game %q", id)
			}
			o.games = append(o.games, game)
		}
	}
	for _, closing := range strings.Split(*closings, ",") {
		if !slices.Contains([]string{byPlan, byMessage, byResult}, closing) {
			return nil, fmt.Errorf("%q closes no betting: write %s, %s or %s", closing, byPlan, byMessage, byResult)
		}
		o.closings = append(o.closings, closing)
	}
	return &o, nil
}

// quiet drops what goes well; errors of the stack belong to the figures.
func quiet() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
}
