package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runWith runs a command line with nothing to read.
func runWith(args ...string) (code int, out, errors string) {
	var stdout, stderr bytes.Buffer
	code = run(args, &app{in: strings.NewReader(""), out: &stdout, err: &stderr, getenv: func(string) string { return "" }})
	return code, stdout.String(), stderr.String()
}

// everyCommand are all commands but the hidden ones, with those of commands.
func everyCommand() (all []*cobra.Command) {
	root := newRootCommand(&app{in: strings.NewReader(""), out: io.Discard, err: io.Discard, getenv: func(string) string { return "" }})
	all = append(all, root)
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Commands()...)
	}
	return all
}

// TestHelpIsOne: there are several ways to ask for help, and one help.
func TestHelpIsOne(t *testing.T) {
	for _, command := range everyCommand() {
		path := strings.Fields(command.CommandPath())[1:]
		_, flag, _ := runWith(append(path, "--help")...)
		_, word, _ := runWith(append([]string{"help"}, path...)...)
		if flag != word || flag == "" {
			t.Errorf("%s: --help says\n%s\nhelp says\n%s", command.CommandPath(), flag, word)
		}
	}
	code, _, bare := runWith()
	if _, help, _ := runWith("help"); code != exitMisuse || !strings.HasPrefix(bare, help) {
		t.Errorf("tally alone says\n%s", bare)
	}
}

// TestFlags: what a flag takes has a name of one word, and a wrong value is
// refused in words that are not Go's.
func TestFlags(t *testing.T) {
	count := 0
	for _, command := range everyCommand() {
		command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			if name, usage := pflag.UnquoteUsage(flag); strings.ContainsAny(name, " ,") || strings.Contains(usage, "`") {
				t.Errorf("%s --%s takes %q", command.CommandPath(), flag.Name, name)
			}
			if strings.HasPrefix(flag.Value.Type(), "string") {
				return // takes anything
			}
			for _, wrong := range []string{"wrong", "", "-1.5", "99999999999999999999"} {
				count++
				args := append(strings.Fields(command.CommandPath())[1:], "--"+flag.Name+"="+wrong)
				code, out, errors := runWith(args...)
				if code != exitMisuse || out != "" || !strings.HasPrefix(errors, "tally: --"+flag.Name+" is ") || strings.Contains(errors, "strconv") {
					t.Errorf("%q: exit code %d, %s%s", args, code, out, errors)
				}
			}
		})
	}
	if count < 10 {
		t.Errorf("only %d values: the test does not find the flags", count)
	}
}

// TestArguments: arguments that are missing or too many are refused in tally's words
// by every command, not in Cobra's.
func TestArguments(t *testing.T) {
	refused := 0
	for _, command := range everyCommand() {
		for _, args := range [][]string{nil, strings.Fields(strings.Repeat("one ", 9))} {
			err := command.ValidateArgs(args)
			if err == nil {
				continue
			}
			refused++
			if strings.Contains(err.Error(), "arg(s)") || strings.Contains(err.Error(), "unknown command") {
				t.Errorf("%s %q: %v", command.CommandPath(), args, err)
			}
		}
	}
	if refused < 30 {
		t.Errorf("only %d were refused: the test does not find the commands", refused)
	}
}

// TestHelpNamesAll: what tally can do is in its help, and what takes an argument has
// an example.
func TestHelpNamesAll(t *testing.T) {
	_, help, _ := runWith("help")
	summary, _, _ := strings.Cut(help, "Exit codes:")
	for _, command := range everyCommand()[0].Commands() {
		switch name := command.Name(); {
		case name == "help" || name == "completion" || name == "version":
		case !strings.Contains(summary, "\n  "+name+" "):
			t.Errorf("the help of tally does not name %s", name)
		case command.Example == "" && !command.HasSubCommands():
			t.Errorf("the help of tally %s has no example", name)
		}
	}
}

func TestEither(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		t.Run(want, func(t *testing.T) {
			if got := either(words); got != want {
				t.Errorf("%q: got %q, want %q", words, got, want)
			}
		})
	}
}

// No flag of a command hides one that a command above it gives to all below: it would
// be read as something else, and what it was meant for would be the default.
func TestNoFlagHidesAnother(t *testing.T) {
	compared := 0
	for _, command := range everyCommand() {
		for above := command.Parent(); above != nil; above = above.Parent() {
			above.PersistentFlags().VisitAll(func(given *pflag.Flag) {
				compared++
				own := command.Flags().Lookup(given.Name)
				if own == nil {
					own = command.PersistentFlags().Lookup(given.Name)
				}
				if own != nil && own != given {
					t.Errorf("--%s of %s is not that of %s", given.Name, command.CommandPath(), above.CommandPath())
				}
				if given.Shorthand != "" && command.Flags().ShorthandLookup(given.Shorthand) != nil && command.Flags().ShorthandLookup(given.Shorthand) != given {
					t.Errorf("-%s of %s is not that of %s", given.Shorthand, command.CommandPath(), above.CommandPath())
				}
			})
		}
	}
	if compared < 50 {
		t.Errorf("only %d flags were compared: the test does not find them", compared)
	}
}

// Two commands that run at once don't want the same address.
func TestAddressesDiffer(t *testing.T) {
	of := map[string]string{}
	for _, command := range everyCommand() {
		command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			if flag.Value.Type() != "string" || !strings.HasPrefix(flag.DefValue, "127.0.0.1:") {
				return
			}
			name := command.CommandPath() + " --" + flag.Name
			if other := of[flag.DefValue]; other != "" {
				t.Errorf("%s and %s are both %s", name, other, flag.DefValue)
			}
			of[flag.DefValue] = name
		})
	}
	if len(of) < 4 {
		t.Errorf("only %v: the test does not find the addresses", of)
	}
}
