package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

const rootHelp = `tally answers what became of the draws of ten betting games, and of the bets on
them. By the rules alone, without server or network; the same lines give the
same bytes everywhere and for ever:

  resolve     what was seen on the table  ->  the outcome
  settle      the same, with bets         ->  the settlement of each bet
  games       what can be bet on, and the rules behind it

For those who trust nobody:

  verify      the public log of results, or a proof
  prove       a proof of a result, or of a bet's settlement
  pages       the public site: make it, check it, serve it; its data as Parquet

` + others + `

Exit codes: 0 when every line was answered, whatever the answers; 1 when reading
or writing failed; 2 for a misuse of the command; above, what verify found wrong.`

const rootExample = `  $ echo '{"game":"war","facts":{"player":"KS","dealer":"AD"}}' | tally resolve
  {"status":"resolved","game":"war","outcome":{"winner":"dealer"}}

  $ tally resolve --nonsense; echo "exit code $?"
  tally: unknown flag: --nonsense
  Run ` + "`tally resolve --help`" + ` for what it takes.
  exit code 2`

// newRootCommand returns the command line. Commands report misuse by any error,
// and a failure to read or write by a failure.
func newRootCommand(app *app) *cobra.Command {
	root := &cobra.Command{
		Use:     "tally",
		Short:   "resolve and settle draws of betting games",
		Long:    rootHelp,
		Example: rootExample,
		Version: version(),
		Args:    knownCommand,
		RunE: func(root *cobra.Command, _ []string) error {
			root.SetOut(app.err)
			if err := root.Help(); err != nil {
				return failed("writing the help", err)
			}
			return fmt.Errorf("name one of the commands above")
		},
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	}
	root.SetIn(app.in)
	root.SetOut(app.out)
	root.SetErr(app.err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newResolveCommand(app), newSettleCommand(app), newGamesCommand(app),
		newVerifyCommand(app), newProveCommand(app), newPagesCommand(app), newVersionCommand(app))
	root.AddCommand(otherCommands(app)...)
	root.SetHelpCommand(newHelpCommand())
	root.InitDefaultCompletionCmd()
	rejectUnknownShell(root)
	return root
}

// knownCommand refuses a first argument that is no command, with the commands
// that it may have meant.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := commandNames(root)
	if slices.Contains(names, args[0]) {
		return fmt.Errorf("behind -- no command is read: write `%s %s`", root.CommandPath(), args[0])
	}
	return fmt.Errorf("there is no command %q%s", args[0], didYouMean("", args[0], names))
}

// commandNames are the commands that a command has.
func commandNames(command *cobra.Command) (names []string) {
	for _, sub := range command.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// group makes a command of one that does nothing but have others.
func group(command *cobra.Command, others ...*cobra.Command) *cobra.Command {
	command.AddCommand(others...)
	names := commandNames(command)
	command.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("there is no %q in %s; it has %s%s", args[0], command.Name(), strings.Join(names, ", "), didYouMean("", args[0], names))
		}
		return nil
	}
	command.RunE = func(*cobra.Command, []string) error { return fmt.Errorf("name one of %s", either(names)) }
	return command
}

// interruptible is a command's context, which ends when the process is to end.
func interruptible(command *cobra.Command) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(command.Context(), syscall.SIGINT, syscall.SIGTERM)
}

// newHelpCommand is Cobra's own, but an unknown command is misuse.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "what a command reads and writes, with examples",
		Long:  "help shows what a command does, what it reads and writes, its flags, and\nexamples with their output.",
		Example: `  $ tally help games | sed -n 1p
  games shows the catalogues: the games, what can be bet on, when and at what`,
		ValidArgsFunction: func(command *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				names = commandNames(command.Root())
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(help *cobra.Command, args []string) error {
			command, rest, err := help.Root().Find(args)
			switch {
			case err != nil || command == help.Root() && len(rest) > 0:
				return knownCommand(help.Root(), args)
			case len(rest) > 0 && command.HasSubCommands():
				return fmt.Errorf("there is no command %q of %s%s", rest[0], command.CommandPath(), didYouMean("", rest[0], commandNames(command)))
			case len(rest) > 0:
				return fmt.Errorf("help takes one command: `tally help %s`, without %q", strings.TrimPrefix(command.CommandPath(), "tally "), rest[0])
			}
			command.InitDefaultHelpFlag()
			command.InitDefaultVersionFlag()
			return failed("writing the help", command.Help())
		},
	}
}

// rejectUnknownShell makes `completion` with an unknown shell a misuse, where
// Cobra would show the help and end as if all were well.
func rejectUnknownShell(root *cobra.Command) {
	for _, command := range root.Commands() {
		if command.Name() == "completion" {
			command.RunE = func(completion *cobra.Command, args []string) error {
				return fmt.Errorf("name a shell: %s", either(commandNames(completion)))
			}
			command.Args = func(completion *cobra.Command, args []string) error {
				return knownShell(completion, args)
			}
			for _, shell := range command.Commands() {
				shell.Args = noMore
			}
		}
	}
}

func knownShell(completion *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := commandNames(completion)
	if slices.Contains(names, args[0]) {
		return fmt.Errorf("behind -- no shell is read: write `%s %s`", completion.CommandPath(), args[0])
	}
	return fmt.Errorf("there is no completion for %q, only for %s", args[0], strings.Join(names, ", "))
}

// noArguments refuses arguments, saying where the lines come from instead.
func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument such as %q: it reads standard input (try `%s < %s`)", command.Name(), args[0], command.CommandPath(), args[0])
	}
	return nil
}

// write writes a whole text.
func write(w io.Writer, text []byte) error {
	_, err := w.Write(text)
	return failed("writing the output", err)
}
