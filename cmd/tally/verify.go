package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
	"tally/lib/archive/proof"
	"tally/lib/archive/verify"
)

const verifyHelp = `verify checks the public log of results, trusting nothing but its public key and
what was seen of it before. LOG is its address, the folder of a copy, or its
bucket (s3://bucket, by your AWS credentials).

It reads every file of the newest tree: the checkpoint must be signed by the
key, every entry must be in the tree under it, every tile must be what its
entries come to, and the tree must begin with the one that was verified last,
which it remembers in a file (--state). The next run reads what is new since,
also after one that was interrupted; with --all, with --reports, or where
something is wrong it reads everything. Then it reads what the entries say, and
resolves every result again by the rules. Draws without a result and numbers
that a table has skipped are listed; so are cards that lay open in a betting
round and are not in the result. With --thorough every completion of such cards
is gone through again, too: some ten milliseconds for a betting round.

With --witness the checkpoint must be cosigned by that witness, and with several
by each, or by as many as --witnesses-needed says.

With --draw it verifies the entries of one draw alone: DRAW is its name, or
the address or file of its results (results/<game>/<day>/<draw>.json of the
public site). By name it looks for that file beside the log; without one, or
with --site none, or where it is wrong, it reads the log backwards to the
draw's opening, and so sees every later entry about the draw. Of other draws
it says nothing.

With --reports it compares what was reported to bookmakers with what the log
commits to. REPORTS is the address of the API, by a key with the scope feed:read
in the variable TALLY_API_KEY or in the file --api-key; a folder of reports that
--keep-reports has kept; or dynamodb://TABLE, by your AWS credentials, which has
the reports of all bookmakers, so that their totals are compared as well.

With --proof it checks one proof file instead, offline: a .tlog-proof, or the
proof of a bet's settlement that ` + "`tally prove`" + ` has written. A result is
resolved again by the rules here, too. A proof that does not show its entry is
one of the file --entry, by default the .json of the same name beside it.

It says which draws have a newest state that was never settled; with --strict
that has an exit code. Of a log in use it may be a moment's: run it again. In a
folder it names the files that are no part of the log and were not read.

Exit codes: 0 nothing is wrong; 1 the log could not be read; 2 misuse; and what
is wrong: 3 the checkpoint or its signature; 4 it is older than what was seen
before, or another log; 5 a tile or an entry is missing, changed, or in another
place; 6 what entries say can't be; 7 a result is not what the rules come to;
8 the proof does not hold; 9 witnesses' cosignatures are missing or wrong;
10 reports are not what the log commits to. Of several things wrong the smallest
counts. 12 is --strict's: nothing is wrong, but a state was never settled.`

const verifyExample = `  tally verify https://tally.example/log --key example.key
  tally verify copy/log --key example.key --draw war-1.20261130.0512
  tally verify s3://tally-log --key example.key --reports dynamodb://tally
  tally verify --proof war.tlog-proof --key example.key`

// errNameLog is a misuse of the commands that read one log.
var errNameLog = errors.New("name one log: its address, the folder of a copy, or s3:// and its bucket")

// exitCodes are the exit codes of what can be wrong with a log.
var exitCodes = map[verify.Class]int{verify.Signature: 3, verify.Consistency: 4, verify.Tree: 5, verify.Entries: 6, verify.Results: 7, verify.Proof: 8,
	verify.Witnesses: 9, verify.Reports: 10}

// neverSettled is the exit code of --strict. 11 is that of a site, of pages build.
const neverSettled = 12

// refusedError is what ends a command that has found something wrong.
type refusedError struct {
	code int
	what string
}

func (r *refusedError) Error() string { return r.what }

// logFlags are the flags of commands that read a log.
type logFlags struct {
	keys   []string
	origin string
}

func (f *logFlags) add(command *cobra.Command) {
	command.Flags().StringArrayVar(&f.keys, "key", nil, "the log's public key, or a file that has it; while it is being replaced, both")
	command.Flags().StringVar(&f.origin, "origin", "", "the log's name (default: the name of the key)")
}

// options reads the keys.
func (f *logFlags) options() (verify.Params, error) {
	if len(f.keys) == 0 {
		return verify.Params{}, errors.New("name the log's public key with --key: who runs the log publishes it")
	}
	var known []note.Verifier
	for _, key := range f.keys {
		verifier, err := note.NewVerifier(textOf(key))
		if err != nil {
			return verify.Params{}, fmt.Errorf("--key is %.100q: it is no public key such as example.com/log+530d903a+AekyeR…, and no file that has one", key)
		}
		known = append(known, verifier)
	}
	options := verify.Params{Origin: f.origin, Known: note.VerifierList(known...), Parallel: 16}
	if options.Origin == "" {
		options.Origin = known[0].Name()
	}
	return options, nil
}

// verifyFlags are the flags of verify.
type verifyFlags struct {
	logFlags
	state, draw, site, proof     string
	witnesses                    []string
	needed                       int
	thorough, asJSON, strict     bool
	all                          bool
	entry                        string
	within                       time.Duration
	reports, apiKey, keepReports string
}

// options reads the keys of the log and of the witnesses.
func (f *verifyFlags) options(command *cobra.Command) (verify.Params, error) {
	options, err := f.logFlags.options()
	if err != nil {
		return options, err
	}
	for _, text := range f.witnesses {
		key, err := checkpoint.NewWitnessKey(textOf(text))
		if err != nil {
			return options, fmt.Errorf("--witness: %w", err)
		}
		// One witness that is named twice is still one.
		if slices.ContainsFunc(options.Witnesses, func(other note.Verifier) bool { return other.Name() == key.Name() && other.KeyHash() == key.KeyHash() }) {
			return options, fmt.Errorf("--witness: %s is named twice", key.Name())
		}
		options.Witnesses = append(options.Witnesses, key)
	}
	options.Needed = len(options.Witnesses)
	if command.Flags().Changed("witnesses-needed") {
		if f.needed < 0 || f.needed > len(options.Witnesses) {
			return options, fmt.Errorf("--witnesses-needed is %d: there are %d witnesses, each named by --witness", f.needed, len(options.Witnesses))
		}
		options.Needed = f.needed
	}
	options.Thorough, options.KeepSettlements = f.thorough, f.reports != ""
	return options, nil
}

// check refuses flags that don't go together.
func (f *verifyFlags) check() error {
	switch {
	case f.proof != "" && (f.draw != "" || f.reports != ""):
		return errors.New("--proof goes with neither --draw nor --reports: a proof is checked offline")
	case f.reports == "" && (f.apiKey != "" || f.keepReports != ""):
		return errors.New("--api-key and --keep-reports go with --reports")
	case f.entry != "" && f.proof == "":
		return errors.New("--entry goes with --proof")
	case f.within <= 0:
		return errors.New("--within is how long the run may take, such as 30m")
	case f.strict && f.proof != "":
		return errors.New("--strict is about a log, not a proof")
	case f.site != "" && f.draw == "":
		return errors.New("--site goes with --draw")
	}
	return nil
}

// maxKeyFile bounds a file with a key.
const maxKeyFile = 64 << 10

// textOf returns what a file has, or, where there is no such file, the text itself.
func textOf(text string) string {
	if inFile, err := readNamed(text, maxKeyFile); err == nil {
		return strings.TrimSpace(string(inFile))
	}
	return text
}

// readNamed reads a file that was named by the person who runs the command.
func readNamed(path string, most int64) (text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err = objects.ReadAll(file, most)
	return text, errors.Join(err, file.Close())
}

func newVerifyCommand(app *app) *cobra.Command {
	f := &verifyFlags{}
	command := &cobra.Command{
		Use:   "verify LOG",
		Short: "check the public log of results, or a proof, by yourself",
		Long:  verifyHelp, Example: verifyExample,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case f.proof != "" && len(args) > 0:
				return errors.New("--proof takes no log: a proof is checked offline")
			case f.proof == "" && len(args) != 1:
				return errNameLog
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			options, err := f.options(command)
			if err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			if f.proof != "" {
				return f.checkProof(app, options)
			}
			ctx, cancel := context.WithTimeoutCause(command.Context(), f.within, fmt.Errorf("it was not done within %s: name a longer time with --within", f.within))
			defer cancel()
			return f.checkLog(ctx, app, options, args[0])
		},
	}
	f.add(command)
	flags := command.Flags()
	flags.StringVar(&f.state, "state", "", "file that remembers what was verified last, or none (default: a file in your configuration)")
	flags.BoolVar(&f.all, "all", false, "read everything again, also what was verified before")
	flags.StringVar(&f.draw, "draw", "", "verify the entries of this draw alone, and show them")
	flags.StringVar(&f.site, "site", "", "the public site that has results of draws, or none (default: the folder above one called log)")
	flags.StringArrayVar(&f.witnesses, "witness", nil, "the verifier key of a witness that must have cosigned, or a file that has it")
	flags.IntVar(&f.needed, "witnesses-needed", 0, "how many of the witnesses must have cosigned (default: all)")
	flags.BoolVar(&f.thorough, "thorough", false, "go through every completion of the cards that lay open again")
	flags.StringVar(&f.reports, "reports", "", "compare these reports to bookmakers with the log")
	flags.StringVar(&f.apiKey, "api-key", "", "file with the key of the API that --reports names (default: TALLY_API_KEY)")
	flags.StringVar(&f.keepReports, "keep-reports", "", "keep the reports that are read from the API in this folder")
	flags.StringVar(&f.proof, "proof", "", "check this proof file instead of a log")
	flags.StringVar(&f.entry, "entry", "", "the file with the entry of a proof that does not show it")
	flags.BoolVar(&f.strict, "strict", false, "end with an exit code where a state was never settled")
	flags.DurationVar(&f.within, "within", 2*time.Hour, "the longest that the run may take")
	flags.BoolVar(&f.asJSON, "json", false, "write the report as one line of JSON")
	return command
}

func (f *verifyFlags) checkLog(ctx context.Context, app *app, options verify.Params, place string) error {
	source, err := app.openLog(ctx, place)
	if err != nil {
		return failed("verifying", err)
	}
	files, err := f.stateFiles(options.Origin)
	if err != nil {
		return err
	}
	memories, err := verify.ReadMemories(files, &options)
	if err != nil {
		return failed("verifying", fmt.Errorf("%w; if it is of another log, name another file with --state; if its key was replaced, name both with --key", err))
	}
	if f.all {
		options.Resume = nil
	}
	report, err := f.verify(ctx, app, source, options, place)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return failed("verifying", err)
	}
	if report.One != nil && len(report.History) == 0 && len(report.Findings) == 0 {
		return failed("verifying", fmt.Errorf("the log has no draw %s", report.One.Draw))
	}
	if len(report.Findings) == 0 { // what does not hold is not remembered
		if err := memories.Write(report.Checkpoint, report.Snapshot); err != nil {
			return failed("verifying", err)
		}
	}
	if err := f.write(app, report, func(w io.Writer) { writeReport(w, report) }); err != nil {
		return err
	}
	if n := report.Counts.Unsettled; f.strict && n > 0 && len(report.Findings) == 0 {
		return &refusedError{
			code: neverSettled,
			what: fmt.Sprintf("the log holds, but the newest %s of %s %s never settled", plural(n, "state", "states"), several(n, "draw", "draws"), plural(n, "was", "were")),
		}
	}
	return refused("the log does not hold", report.Findings, report.Class())
}

// verify verifies the log, or one draw of it, and compares reports.
func (f *verifyFlags) verify(ctx context.Context, app *app, source verify.Source, options verify.Params, place string) (*verify.Report, error) {
	bar := &bar{app: app, start: time.Now()}
	options.Progress = bar.show
	defer bar.erase()
	var report *verify.Report
	var err error
	only := ""
	if f.draw == "" {
		report, err = verify.Log(ctx, source, options)
	} else {
		var named []int64
		if only, named, err = f.find(ctx, place); err != nil {
			return nil, err
		}
		report, err = verify.Draw(ctx, source, options, only, named)
	}
	bar.erase()
	holds := err == nil && (report.Class() == verify.NothingWrong || report.Class() == verify.Witnesses)
	if !holds || f.reports == "" {
		return report, err // nothing is compared with a log that does not hold
	}
	return report, f.compare(ctx, app, report, only)
}

// refused returns the refusal of what was found; nil when nothing was.
func refused(what string, findings []verify.Finding, class verify.Class) error {
	if len(findings) == 0 {
		return nil
	}
	return &refusedError{code: exitCodes[class], what: fmt.Sprintf("%s: %s", what, findings[0].Code)}
}

func (f *verifyFlags) write(app *app, value any, forPeople func(io.Writer)) error {
	if !f.asJSON {
		var text bytes.Buffer
		forPeople(&text)
		return write(app.out, []byte(escaped(text.String()))) // the log may be anyone's
	}
	text, err := json.Marshal(value)
	if err != nil {
		return failed("writing the report", err)
	}
	return write(app.out, append(text, '\n'))
}

// entryOf reads the entry of a proof from a file of its own: the one that --entry names,
// or the .json beside a proof that does not show its entry.
func (f *verifyFlags) entryOf(text []byte) ([]byte, error) {
	if f.entry != "" {
		return readNamed(f.entry, entry.MaxBytes)
	}
	p, err := proof.Parse(text)
	beside, named := strings.CutSuffix(f.proof, ".tlog-proof")
	if err != nil || len(p.Data) > 0 || !named {
		return nil, nil
	}
	data, err := readNamed(beside+".json", entry.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

func (f *verifyFlags) checkProof(app *app, options verify.Params) error {
	text, err := readNamed(f.proof, proof.MaxBytes+1)
	if err != nil && !errors.Is(err, objects.ErrTooLong) {
		return failed("reading the proof", err)
	}
	data, err := f.entryOf(text)
	if err != nil {
		return failed("reading the entry of the proof", err)
	}
	checked := verify.File(text, data, options)
	if err := f.write(app, checked, func(w io.Writer) { writeProof(w, checked) }); err != nil {
		return err
	}
	class := verify.Proof
	if len(checked.Findings) > 0 {
		class = checked.Findings[0].Code.Class()
	}
	return refused("the proof does not hold", checked.Findings, class)
}
