//go:build auditor

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tally/lib/archive/verify"
	"tally/lib/bookmaker/audit"
)

// others says what this program leaves out.
const others = "This is the program for bookmakers and auditors, without AWS and its emulator.\nThat of `make build` also runs all of tally on this machine, and operates it."

var errLeftOut = errors.New("this is the program for bookmakers and auditors, without AWS and its emulator: use the one that `make build` makes")

// otherCommands are those that are left out: each says where it is.
func otherCommands(*app) (list []*cobra.Command) {
	for _, name := range []string{"demo", "local", "send", "schema", "quarantine", "redrive", "keys", "webhooks", "disputes"} {
		list = append(list, &cobra.Command{Use: name, Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error { return failed("running "+name, errLeftOut) }})
	}
	return list
}

func (*app) openBucket(_ context.Context, bucket string) (verify.Source, error) {
	return nil, fmt.Errorf("opening the bucket %s: %w", bucket, errLeftOut)
}

func (*app) openTable(_ context.Context, table string) (audit.ReportSource, error) {
	return nil, fmt.Errorf("opening the table %s: %w", table, errLeftOut)
}
