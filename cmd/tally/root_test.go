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

func TestEither(t *testing.T) {
	for want, words := range map[string][]string{"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"}} {
		if got := either(words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}
