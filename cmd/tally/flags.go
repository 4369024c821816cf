package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice is a flag that takes one of some words.
type choice struct {
	chosen *string
	words  []string
}

var _ pflag.Value = (*choice)(nil)

// Set implements pflag.Value.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("it must be %s", either(c.words))
	}
	*c.chosen = text
	return nil
}

func (c *choice) String() string { return *c.chosen }

// Type implements pflag.Value.
func (c *choice) Type() string { return "word" }

// whole is a flag that takes a whole number within bounds.
type whole struct {
	number      *int
	least, most int
}

var _ pflag.Value = (*whole)(nil)

// Set implements pflag.Value.
func (w *whole) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < w.least || n > w.most {
		return fmt.Errorf("it must be a whole number from %d to %d", w.least, w.most)
	}
	*w.number = n
	return nil
}

func (w *whole) String() string { return strconv.Itoa(*w.number) }

// Type implements pflag.Value.
func (w *whole) Type() string { return "number" }

// flagError says in tally's words what is wrong with a flag.
func flagError(command *cobra.Command, err error) error {
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		return fmt.Errorf("--%s is %q: %w", invalid.GetFlag().Name, invalid.GetValue(), wanted(invalid))
	}
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		command.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		return fmt.Errorf("%w%s", err, didYouMean("--", unknown.GetSpecifiedName(), names))
	}
	return err
}

// wanted says what a flag takes, also where the error is one of Go's.
func wanted(invalid *pflag.InvalidValueError) error {
	number := (*strconv.NumError)(nil)
	if !errors.As(invalid, &number) {
		return errors.Unwrap(invalid)
	}
	switch kind := invalid.GetFlag().Value.Type(); {
	case kind == "bool":
		return errors.New("it must be true or false, or the flag alone")
	case errors.Is(number, strconv.ErrRange):
		return errors.New("the number is out of range")
	case strings.HasPrefix(kind, "uint"):
		return errors.New("it must be a whole number, not below 0")
	}
	return errors.New("it must be a whole number")
}

// either lists words of which one is to be chosen.
func either(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
