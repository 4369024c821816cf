package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `tally answers what became of the draws of ten betting games, and of the bets on
them, by the rules alone: it needs no server and no network, and the same lines
give the same bytes everywhere and for ever.

  resolve   what was seen on the table  ->  the outcome
  settle    the same, with bets         ->  the settlement of each bet
  games     what can be bet on, and the rules behind it
  demo      sample draws of all games, played and settled

Exit codes: 0 when every line was answered, whatever the answers; 1 when reading
or writing failed; 2 for a misuse of the command.`

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
	root.AddCommand(newResolveCommand(app), newSettleCommand(app), newGamesCommand(app), newDemoCommand(app), newVersionCommand(app))
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
	root.SuggestionsMinimumDistance = 2
	err := fmt.Errorf("there is no command %q", args[0])
	if like := root.SuggestionsFor(args[0]); len(like) > 0 {
		err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(like, " or "))
	}
	return err
}

// newHelpCommand is Cobra's own, but an unknown command is misuse.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "what a command reads and writes, with examples",
		Long:  "help shows what a command does, what it reads and writes, its flags, and\nexamples with their output.",
		Example: `  $ tally help games | head -n 1
  games shows the catalogues: the games, what can be bet on, when and at what`,
		ValidArgsFunction: func(command *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			if len(args) == 0 {
				for _, sub := range command.Root().Commands() {
					names = append(names, sub.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(help *cobra.Command, args []string) error {
			root := help.Root()
			command, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return knownCommand(root, args)
			}
			command.InitDefaultHelpFlag()
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
				return fmt.Errorf("name a shell: %s", shells(completion))
			}
			command.Args = func(completion *cobra.Command, args []string) error {
				if len(args) > 0 {
					return fmt.Errorf("there is no completion for %q, only for %s", args[0], shells(completion))
				}
				return nil
			}
		}
	}
}

func shells(completion *cobra.Command) string {
	var names []string
	for _, shell := range completion.Commands() {
		names = append(names, shell.Name())
	}
	return strings.Join(names, ", ")
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
	return failed("writing", err)
}
