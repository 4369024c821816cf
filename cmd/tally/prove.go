package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"tally/lib/archive/commitment"
	"tally/lib/archive/entry"
	"tally/lib/archive/proof"
	"tally/lib/archive/verify"
)

const proveHelp = `prove writes a proof that an entry is in the public log, which anyone who
has the log's public key can check offline with ` + "`tally verify --proof`" + `.
LOG is its address or the folder of a copy.

With --draw it proves an entry of that draw: by default its newest state, and
with --entry its opening or the closings, state or settlement of --state. The
proof goes to standard output. It is what a .tlog-proof file has, which other
programs can check too.

With --disclosure and --lines a bookmaker proves what one of its bets was
settled to: --disclosure is the file that tally gives to the bookmaker alone,
--lines the whole report as it was read, a line for each bet, and --bet the
reference. The proof shows this one line. It shows nothing of the others, nor of
other bookmakers. A bet with side wagers has several lines; --wager names one.

Exit codes: 0; 1 when something could not be read or the log has no such entry;
2 for a misuse of the command.`

const proveExample = `  tally prove https://tally.example/log --key example.key --draw war-1.20261130.0512 > war.tlog-proof
  tally verify --proof war.tlog-proof --key example.key
  tally prove copy/log --key example.key --draw war-1.20261130.0512 --entry settlement --state 1
  tally prove copy/log --key example.key --disclosure d.json --lines report.jsonl --bet b-1 > b-1.proof`

// proveFlags are the flags of prove.
type proveFlags struct {
	logFlags
	draw, kind                    string
	state                         int
	disclosure, lines, bet, wager string
}

func newProveCommand(app *app) *cobra.Command {
	f := &proveFlags{}
	command := &cobra.Command{
		Use:   "prove LOG",
		Short: "write a proof of an entry of the log, or of a bet's settlement",
		Long:  proveHelp, Example: proveExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errNameLog
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			options, err := f.options()
			if err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			source, err := app.openLog(command.Context(), args[0])
			if err != nil {
				return failed("proving", err)
			}
			text, err := f.prove(command, source, options)
			if errors.Is(err, verify.ErrNoEntry) && f.draw != "" && f.state == 0 {
				return failed("proving", fmt.Errorf("draw %s has no %s in the log", f.draw, f.kind))
			}
			if err != nil {
				return failed("proving", err)
			}
			return write(app.out, text)
		},
	}
	f.add(command)
	flags := command.Flags()
	flags.StringVar(&f.draw, "draw", "", "the draw whose entry is proved")
	flags.StringVar(&f.kind, "entry", string(entry.KindState), "the kind of entry: opening, closings, state or settlement")
	flags.IntVar(&f.state, "state", 0, "the number of the state (default: the newest that has such an entry)")
	flags.StringVar(&f.disclosure, "disclosure", "", "the bookmaker's disclosure of a settlement")
	flags.StringVar(&f.lines, "lines", "", "the bookmaker's report, all its lines in their order")
	flags.StringVar(&f.bet, "bet", "", "the reference of the bet whose line is proved")
	flags.StringVar(&f.wager, "wager", "", "the side wager of the bet")
	return command
}

// check refuses flags that don't go together.
func (f *proveFlags) check() error {
	kind := entry.Kind(f.kind)
	switch {
	case (f.draw == "") == (f.disclosure == ""):
		return errors.New("name the draw with --draw, or a bookmaker's disclosure with --disclosure")
	case f.disclosure != "" && (f.lines == "" || f.bet == ""):
		return errors.New("--disclosure needs the report's lines with --lines and the bet with --bet")
	case kind != entry.KindOpening && kind != entry.KindClosings && kind != entry.KindState && kind != entry.KindSettlement:
		return fmt.Errorf("--entry is %q: it must be opening, closings, state or settlement", f.kind)
	case f.state < 0 || f.state > 0 && kind == entry.KindOpening:
		return errors.New("--state is the number of a state, which an opening has none of")
	}
	return nil
}

func (f *proveFlags) prove(command *cobra.Command, source verify.Source, options verify.Params) ([]byte, error) {
	if f.disclosure == "" {
		p, err := verify.Prove(command.Context(), source, options, entry.ID{Draw: f.draw, Kind: entry.Kind(f.kind), State: f.state})
		if err != nil {
			return nil, err
		}
		return p.Format(), nil
	}
	text, err := os.ReadFile(f.disclosure)
	if err != nil {
		return nil, err
	}
	var d commitment.Disclosure
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("reading the disclosure: %w", err)
	}
	if text, err = os.ReadFile(f.lines); err != nil {
		return nil, err
	}
	var lines [][]byte
	for line := range bytes.Lines(text) {
		lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
	}
	bet, err := proofOfBet(command.Context(), source, options, &d, lines, f.bet, f.wager)
	if err != nil {
		return nil, err
	}
	return bet.Format()
}

// proofOfBet proves the line of a bet, or of one of its side wagers, in the report
// that a disclosure belongs to.
func proofOfBet(ctx context.Context, source verify.Source, options verify.Params, d *commitment.Disclosure, lines [][]byte, bet, wager string) (*proof.Bet, error) {
	line, err := proveLine(d, lines, bet, wager)
	if err != nil {
		return nil, err
	}
	p, err := verify.Prove(ctx, source, options, entry.ID{Draw: d.Draw, Kind: entry.KindSettlement, State: d.State})
	if err != nil {
		return nil, err
	}
	proved := proof.NewBet(p, line)
	_, _, err = proved.Check(options.Origin, options.Known)
	return proved, err
}

// proveLine finds the bet's line in the report and proves it.
func proveLine(d *commitment.Disclosure, lines [][]byte, bet, wager string) (*commitment.LineProof, error) {
	at := -1
	for i, line := range lines {
		var named struct {
			Bet   string `json:"bet"`
			Wager string `json:"wager"`
		}
		if err := json.Unmarshal(line, &named); err != nil {
			return nil, fmt.Errorf("reading line %d of the report: %w", i+1, err)
		}
		if named.Bet == bet && named.Wager == wager {
			at = i
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("the report has no line of bet %s", bet)
	}
	return d.Prove(lines, at)
}
