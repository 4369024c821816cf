package main

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// example is a command line of a help text and what it writes.
type example struct{ command, output string }

// examplesOf reads a command's examples: lines that start with "$ " are typed,
// those up to the next one or to an empty line before it are the output.
func examplesOf(command *cobra.Command) (examples []example) {
	for line := range strings.Lines(command.Example + "\n") {
		line = strings.TrimPrefix(line, "  ")
		if typed, ok := strings.CutPrefix(line, "$ "); ok {
			examples = append(examples, example{command: strings.TrimSuffix(typed, "\n")})
		} else if len(examples) > 0 {
			examples[len(examples)-1].output += line
		}
	}
	for i := range examples {
		examples[i].output = strings.TrimRight(examples[i].output, "\n")
	}
	return examples
}

// TestExamples runs every example of every help text.
func TestExamples(t *testing.T) {
	count := 0
	for _, command := range everyCommand() {
		for _, example := range examplesOf(command) {
			count++
			t.Run(command.Name(), func(t *testing.T) {
				output, err := exec.Command("sh", "-c", example.command).CombinedOutput()
				if err != nil {
					t.Errorf("%s: %v", example.command, err)
				}
				if got := strings.TrimRight(string(output), "\n"); got != example.output {
					t.Errorf("$ %s\ngot:\n%s\nwant:\n%s", example.command, got, example.output)
				}
			})
		}
	}
	if count < 10 {
		t.Errorf("only %d examples: the test does not find them", count)
	}
}

// TestEveryCommandIsDescribed keeps help texts complete and within a terminal.
func TestEveryCommandIsDescribed(t *testing.T) {
	for _, command := range everyCommand() {
		if command.Short == "" || command.Long == "" {
			t.Errorf("%s has no help", command.Name())
		}
		for line := range strings.Lines(command.Long) {
			if !strings.Contains(command.CommandPath(), "completion") && len([]rune(line)) > 81 {
				t.Errorf("%s: longer than 80 columns: %s", command.Name(), line)
			}
		}
	}
}

// exitCode is what a shell would call the end of a command.
func exitCode(err error) string {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "0"
	case errors.As(err, &exit):
		return strconv.Itoa(exit.ExitCode())
	}
	return err.Error()
}
