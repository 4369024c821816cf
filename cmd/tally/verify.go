package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/entry"
	"tally/lib/archive/verify"
)

const verifyHelp = `verify checks the public log of results, trusting nothing but its public key and
what was seen of it before. LOG is its address, the folder of a copy, or its
bucket (s3://bucket, by your AWS credentials).

It reads every file: the checkpoint must be signed by the key, every entry must
be in the tree under it, every tile must be what its entries come to, and the
tree must begin with the one that was verified last, which it remembers in a
file. Then it reads what the entries say, and resolves every result again by the
rules. Draws without a result and numbers that a table has skipped are listed.

With --proof it checks one proof file instead, offline: a .tlog-proof, or the
proof of a bet's settlement that ` + "`tally prove`" + ` has written.

Exit codes: 0 nothing is wrong; 1 the log could not be read; 2 misuse; and what
is wrong: 3 the checkpoint or its signature; 4 it is older than what was seen
before, or another log; 5 a tile or an entry is missing, changed, or in another
place; 6 what entries say can't be; 7 a result is not what the rules come to;
8 the proof does not hold. Of several things wrong the smallest counts.`

// exitCodes are the exit codes of what can be wrong with a log.
var exitCodes = map[verify.Class]int{verify.Signature: 3, verify.Consistency: 4, verify.Tree: 5, verify.Entries: 6, verify.Results: 7, verify.Proof: 8}

// refusal is what ends a command that has found something wrong.
type refusal struct {
	code int
	what string
}

func (r *refusal) Error() string { return r.what }

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
func (f *logFlags) options() (verify.Options, error) {
	if len(f.keys) == 0 {
		return verify.Options{}, errors.New("name the log's public key with --key: who runs the log publishes it")
	}
	var known []note.Verifier
	for _, key := range f.keys {
		if text, err := os.ReadFile(key); err == nil {
			key = strings.TrimSpace(string(text))
		}
		verifier, err := note.NewVerifier(key)
		if err != nil {
			return verify.Options{}, fmt.Errorf("--key is %.100q: it is no public key such as example.com/log+530d903a+AekyeR…, and no file that has one", key)
		}
		known = append(known, verifier)
	}
	options := verify.Options{Origin: f.origin, Known: note.VerifierList(known...), Parallel: 16}
	if options.Origin == "" {
		options.Origin = known[0].Name()
	}
	return options, nil
}

// verifyFlags are the flags of verify.
type verifyFlags struct {
	logFlags
	state, draw, proof string
	asJSON             bool
}

func newVerifyCommand(app *app) *cobra.Command {
	f := &verifyFlags{}
	command := &cobra.Command{
		Use:   "verify LOG",
		Short: "check the public log of results, or a proof, by yourself",
		Long:  verifyHelp,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case f.proof != "" && len(args) > 0:
				return errors.New("--proof takes no log: a proof is checked offline")
			case f.proof == "" && len(args) != 1:
				return errors.New("name one log: its address, the folder of a copy, or s3:// and its bucket")
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			options, err := f.options()
			if err != nil {
				return err
			}
			if f.proof != "" {
				return f.checkProof(app, options)
			}
			return f.checkLog(command, app, options, args[0])
		},
	}
	f.add(command)
	flags := command.Flags()
	flags.StringVar(&f.state, "state", "", "file that remembers what was verified last, or none (default: a file in your configuration)")
	flags.StringVar(&f.draw, "draw", "", "show the entries of this draw")
	flags.StringVar(&f.proof, "proof", "", "check this proof file instead of a log")
	flags.BoolVar(&f.asJSON, "json", false, "write the report as one line of JSON")
	return command
}

// noState is the value of --state for remembering nothing.
const noState = "none"

// stateFile returns the file that remembers a log, empty for none.
func (f *verifyFlags) stateFile(origin string) (string, error) {
	switch f.state {
	case noState:
		return "", nil
	case "":
		folder, err := os.UserConfigDir()
		if err != nil {
			return "", fmt.Errorf("there is no place to remember what was verified: name a file with --state, or write --state none")
		}
		return filepath.Join(folder, "tally", "verified", entry.HashOf(origin)[:16]+".json"), nil
	}
	return f.state, nil
}

func (f *verifyFlags) checkLog(command *cobra.Command, app *app, options verify.Options, place string) error {
	source, err := openLog(command.Context(), place)
	if err != nil {
		return failed("verifying", err)
	}
	file, err := f.stateFile(options.Origin)
	if err != nil {
		return err
	}
	if file != "" {
		if options.Seen, err = verify.Remembered(file, options.Origin, options.Known); err != nil {
			return failed("verifying", err)
		}
	}
	options.Draw = f.draw
	bar := &bar{app: app, start: time.Now()}
	options.Progress = bar.show
	report, err := verify.Log(command.Context(), source, options)
	bar.erase()
	if err != nil {
		return failed("verifying", err)
	}
	if f.draw != "" && len(report.History) == 0 && len(report.Findings) == 0 {
		return failed("verifying", fmt.Errorf("the log has no draw %s", f.draw))
	}
	if file != "" && len(report.Findings) == 0 {
		if err := verify.Remember(file, report.Checkpoint); err != nil {
			return failed("verifying", err)
		}
	}
	if err := f.write(app, report, func(w io.Writer) { writeReport(w, report) }); err != nil {
		return err
	}
	return refused("the log does not hold", report.Findings, report.Class())
}

// refused returns the refusal of what was found; nil when nothing was.
func refused(what string, findings []verify.Finding, class verify.Class) error {
	if len(findings) == 0 {
		return nil
	}
	return &refusal{exitCodes[class], fmt.Sprintf("%s: %s", what, findings[0].Code)}
}

func (f *verifyFlags) write(app *app, value any, forPeople func(io.Writer)) error {
	if !f.asJSON {
		forPeople(app.out)
		return nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return failed("writing the report", err)
	}
	return write(app.out, append(text, '\n'))
}

func (f *verifyFlags) checkProof(app *app, options verify.Options) error {
	text, err := os.ReadFile(f.proof)
	if err != nil {
		return failed("reading the proof", err)
	}
	checked := verify.File(text, options)
	if err := f.write(app, checked, func(w io.Writer) { writeProof(w, checked) }); err != nil {
		return err
	}
	class := verify.Proof
	if len(checked.Findings) > 0 {
		class = checked.Findings[0].Code.Class()
	}
	return refused("the proof does not hold", checked.Findings, class)
}
