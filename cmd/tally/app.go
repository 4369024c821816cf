package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"time"

	"golang.org/x/term"

	"tally/internal/pretty"
)

// app is what the commands work with: the streams of the process and what is
// known of them.
type app struct {
	in       io.Reader
	out, err io.Writer
	// Whether a person sits at the other end.
	inTerminal, outTerminal, errTerminal bool

	getenv func(string) string
	// patience is how long a command may take before it shows its progress.
	patience time.Duration
}

// newApp returns the app of a process.
func newApp(in, out, err *os.File) *app {
	isTerminal := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	return &app{
		in: in, out: out, err: err,
		inTerminal: isTerminal(in), outTerminal: isTerminal(out), errTerminal: isTerminal(err),
		getenv: os.Getenv, patience: 2 * time.Second,
	}
}

// The exit codes of the contract.
const (
	exitDone   = 0 // every line was answered, whatever the answers
	exitFailed = 1 // reading or writing failed
	exitMisuse = 2 // an unknown command, flag or argument
)

// failedError is an error of reading or writing. All other errors of a command are
// misuse.
type failedError struct{ err error }

func (f *failedError) Error() string { return f.err.Error() }
func (f *failedError) Unwrap() error { return f.err }

// failed makes a failure of an error, and nothing of none.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return &failedError{err: fmt.Errorf("%s: %w", doing, err)}
}

// cause is what went wrong with a standard stream, without the call and the file
// that Go puts before it: "write /dev/stdout" says less than what was being
// written.
func cause(err error) error {
	if path, ok := err.(*fs.PathError); ok {
		return path.Err
	}
	return err
}

// run runs the command that the arguments name and returns its exit code.
func run(args []string, app *app) int {
	out := &checkedWriter{w: app.out}
	app.out, app.in = out, plainReader{r: app.in}
	root := newRootCommand(app)
	root.SetArgs(args)
	command, err := root.ExecuteC()
	known := (*failedError)(nil)
	if out.err != nil && !errors.As(err, &known) {
		err = failed("writing the output", out.err) // whatever Cobra made of it
	}
	if err == nil {
		return exitDone
	}
	fmt.Fprintln(app.err, "tally:", escaped(err.Error()))
	if errors.As(err, &known) {
		return exitFailed
	}
	if found := (*refusedError)(nil); errors.As(err, &found) {
		return found.code
	}
	fmt.Fprintf(app.err, "Run `%s --help` for what it takes.\n", command.CommandPath())
	return exitMisuse
}

// checkedWriter remembers that writing failed: Cobra writes help, version and
// completions without looking.
type checkedWriter struct {
	w   io.Writer
	err error // the first
}

func (c *checkedWriter) Write(text []byte) (int, error) {
	n, err := c.w.Write(text)
	if err == nil {
		return n, nil
	}
	err = cause(err)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// plainReader gives the cause of an error alone, as checkedWriter does.
type plainReader struct{ r io.Reader }

func (p plainReader) Read(buffer []byte) (int, error) {
	n, err := p.r.Read(buffer)
	if err != nil {
		err = cause(err)
	}
	return n, err
}

// printf writes a text. What could do something to a terminal is escaped in texts
// that go into it: they may come from anyone.
func (app *app) printf(format string, args ...any) error {
	for i, arg := range args {
		if text := reflect.ValueOf(arg); text.Kind() == reflect.String {
			args[i] = cellOf(pretty.Printer{}, text.String())
		}
	}
	return write(app.out, fmt.Appendf(nil, format, args...))
}

// escaped is a text of several lines in which what could do something to a terminal
// is escaped.
func escaped(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = cellOf(pretty.Printer{}, strings.ReplaceAll(line, "\t", "  ")).String()
	}
	return strings.Join(lines, "\n")
}

func cellOf(printer pretty.Printer, text string) pretty.Cell { return printer.Cell(text, pretty.Plain) }
