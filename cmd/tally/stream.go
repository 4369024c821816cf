package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"tally/internal/pretty"
	"tally/lib/rulebook/replay"
)

const resolveHelp = `resolve reads what was seen on the table, one draw a line, and writes what the
rules make of it, one line each, in order.

A line is a JSON object with "game" and "facts". Members that tally doesn't
know, such as an "id", are copied to the answer. The answer's "status" is
  resolved   with the "outcome"
  void       the facts make the draw void: "reason" and "rule"
  invalid    the rules make the facts impossible: "errors", all of them
  malformed  the line is not what resolve reads: "errors"
A blank line is a malformed one, so that the answers match the lines.

Exit codes: 0 when every line was answered, whatever the answers; 1 when reading
or writing failed; 2 for a misuse of the command.`

const resolveExample = `  $ echo '{"id":7,"game":"roulette","facts":{"spins":[{"revolutions":6,"pocket":0}]}}' | tally resolve
  {"id":7,"status":"resolved","game":"roulette","outcome":{"pocket":0,"colour":"green"}}

  $ echo '{"game":"baccarat","facts":{"player":["2S","AD"],"banker":["9H","7C"]}}' | tally resolve --pretty
  Baccarat · invalid
    seen
      player  2♠ A♦
      banker  9♥ 7♣
    errors
      code                rule       what is wrong
      third_card_missing  BAC-2.6.1  Player has 3 and must draw a third card

  $ echo 'not JSON' | tally resolve > /dev/null; echo "exit code $?"
  exit code 0`

const settleHelp = `settle reads draws with the bets on them, one draw a line, and writes what
becomes of each bet, one line for each draw, in order.

A line is a JSON object with "game", with "facts" or "cancelled" (a reason),
with "bets" and, if need be, "rounding": half_up (the default), half_even or
down. A bet has "bet" (its reference), "selection", "stake", "currency" and, in
a game without a paytable, "odds"; amounts and odds are strings, amounts with
exactly the decimals of their currency. What there is to bet on, and the reasons
to cancel a draw, are listed by ` + "`tally games`" + `.

The answer has what resolve answers, then "settlements" in the order of the bets
and "totals" by currency. A bet is
  won        "payout" is stake times odds, rounded once
  lost       "payout" is zero
  refunded   "payout" is the stake; "reason" says why
  rejected   it could never have been accepted; "code" says why
A line that is invalid or malformed settles nothing.

Exit codes: 0 when every line was answered, whatever the answers; 1 when reading
or writing failed; 2 for a misuse of the command.`

const settleExample = `  $ echo '{"game":"war","facts":{"player":"KS","dealer":"AD"},"bets":[{"bet":"b1","selection":"dealer","odds":"1.95","stake":"10.00","currency":"EUR"}]}' | tally settle
  {"status":"resolved","game":"war","outcome":{"winner":"dealer"},"settlements":[{"bet":"b1","status":"won","payout":"19.50","rule":"WAR-2.3.1"}],"totals":{"EUR":{"bets":1,"stake":"10.00","payout":"19.50","won":1,"lost":0,"refunded":0}}}

  $ echo '{"game":"wheel","cancelled":"wheel_touched","bets":[{"bet":"b1","selection":"fortune","stake":"500","currency":"JPY"}]}' | tally settle --pretty
  Wheel of Fortune · void
    void
      reason   wheel touched
      that is  someone touched the turning wheel
      rule     WHEEL-4.1
    bets
      bet  selection  stake  currency  status    payout  rule       why
      b1   fortune      500  JPY       refunded     500  WHEEL-4.1  draw cancelled
    totals
      currency  bets  stake  payout  won  lost  refunded
      JPY          1    500     500    0     0         1`

func newResolveCommand(app *app) *cobra.Command {
	return app.streaming(&cobra.Command{
		Use: "resolve", Short: "what the rules make of what was seen: facts in, outcomes out",
		Long: resolveHelp, Example: resolveExample,
	}, `one draw a line, such as {"game":"war","facts":{"player":"KS","dealer":"AD"}}`,
		func() replay.Responder { return &replay.Resolver{} })
}

func newSettleCommand(app *app) *cobra.Command {
	return app.streaming(&cobra.Command{
		Use: "settle", Short: "what becomes of bets: facts and bets in, settlements out",
		Long: settleHelp, Example: settleExample,
	}, `one draw a line, with "game", "facts" or "cancelled", and "bets"`,
		func() replay.Responder { return &replay.Settler{} })
}

// streamFlags are the flags of a command that answers line by line.
type streamFlags struct {
	pretty  bool
	colour  string
	workers int
}

// streaming completes a command that answers the lines of standard input on
// standard output. expects says what a line is.
func (app *app) streaming(command *cobra.Command, expects string, newAnswerer func() replay.Responder) *cobra.Command {
	var flags streamFlags
	command.Flags().BoolVar(&flags.pretty, "pretty", false, "write text for people instead of JSON")
	flags.colour = "auto"
	command.Flags().Var(&choice{chosen: &flags.colour, words: []string{"auto", "always", "never"}},
		"color", "`when` to colour pretty text: auto, always or never;\nauto, the default, is on a terminal without NO_COLOR")
	command.Flags().Lookup("color").DefValue = ""
	flags.workers = runtime.GOMAXPROCS(0)
	command.Flags().Var(&whole{number: &flags.workers, least: 1, most: maxWorkers},
		"workers", "the `number` of blocks of lines answered at the same\ntime (default one for each core)")
	command.Flags().Lookup("workers").DefValue = "" // the help is the same on every machine
	command.Args = noArguments
	command.RunE = func(command *cobra.Command, _ []string) error {
		if app.inTerminal {
			fmt.Fprintf(app.err, "%s reads standard input: %s; end with Ctrl-D\n", command.CommandPath(), expects)
		}
		return app.stream(flags, newAnswerer)
	}
	return command
}

// maxWorkers bounds what --workers asks for.
const maxWorkers = 1024

// stream answers standard input until it ends.
func (app *app) stream(flags streamFlags, newAnswerer func() replay.Responder) error {
	answerer := newAnswerer
	if flags.pretty {
		printer := pretty.Printer{Colour: app.colour(flags.colour)}
		answerer = func() replay.Responder { return pretty.New(newAnswerer(), printer) }
	}
	out, onLines, stop := app.withProgress()
	defer stop()
	if err := replay.Stream(out, app.in, flags.workers, answerer, onLines); err != nil {
		return &failedError{err: err} // which says whether it was reading or writing
	}
	return nil
}

// colour reports whether to write colour: https://no-color.org asks for none
// when NO_COLOR is set to anything.
func (app *app) colour(flag string) bool {
	if flag != "auto" {
		return flag == "always"
	}
	return app.outTerminal && app.getenv("NO_COLOR") == "" && app.getenv("TERM") != "dumb"
}

// withProgress returns where to write answers and whom to notify of them so that
// the progress is shown to a person who waits; stop takes it off the screen.
func (app *app) withProgress() (out io.Writer, onLines func(lines, bytes int), stop func()) {
	if !app.errTerminal || app.inTerminal {
		return app.out, nil, func() {}
	}
	p := startProgress(app.err, app.patience)
	out = app.out
	if app.outTerminal {
		out = p.around(out)
	}
	return out, p.add, p.stop
}
