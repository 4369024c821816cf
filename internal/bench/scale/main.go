package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// command has the test carry the model out, since bubbles of testing/synctest are for tests alone,
// as the fakes are that it runs on.
func command(ctx context.Context, arguments []string, out, progress io.Writer) (err error) {
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.SetOutput(progress)
	write := flags.String("write", "", "`file` in which the tables are replaced, such as docs/scale.md; without one they are printed")
	measured := flags.Duration("measured", 5*time.Second, "so `long` of the peak is measured")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *measured < time.Second {
		return fmt.Errorf("-measured %v: it has to be a second or longer", *measured)
	}
	file := *write
	if file == "" {
		folder, err := os.MkdirTemp("", "scale-")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
		file = filepath.Join(folder, "tables.md")
	}
	if file, err = filepath.Abs(file); err != nil {
		return err
	}
	test := exec.CommandContext(ctx, "go", "test", "tally/internal/bench/scale", "-count=1", "-timeout=0", "-run=^TestTables$", "-v", "-args", "-measured="+measured.String(), "-write="+file)
	test.Stdout, test.Stderr = progress, progress
	if err := test.Run(); err != nil {
		return fmt.Errorf("the model failed: %w", err)
	}
	if *write != "" {
		return nil
	}
	tables, err := os.ReadFile(file)
	if err == nil {
		_, err = out.Write(tables)
	}
	return err
}
