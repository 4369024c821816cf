//go:build !auditor

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/spf13/cobra"

	"tally/lib/archive/objects"
	"tally/lib/archive/objects/s3store"
	"tally/lib/archive/verify"
	"tally/lib/bookmaker/audit"
	"tally/lib/bookmaker/reports"
	"tally/lib/draw/ids"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// What follows needs AWS or its emulator, and is left out with -tags auditor.

// others says what otherCommands do.
const others = `The whole of it, on this machine:

  demo        a studio day, settled and checked
  local       the table, the queues and the functions, until interrupted

For those who build a studio's side:

  schema      what messages, orders and replies are made of, as JSON Schema
  odds        how likely a board's selections are, its margin, its mistakes

For those who operate it, here or on AWS:

  send        messages as a studio or an operator sends them
  replies     what is answered to them, as it comes
  quarantine  messages that were put aside
  tables      the studio's tables, and which take no bets
  redrive     messages that failed on every delivery, again
  senders     who may speak for which tables of the studio's
  keys        bookmakers' API keys, settings and limits
  webhooks    where reports are pushed to bookmakers
  disputes    what bookmakers ask to be voided`

// otherCommands are those that need AWS or its emulator.
func otherCommands(app *app) []*cobra.Command {
	return []*cobra.Command{newDemoCommand(app), newLocalCommand(app), newSendCommand(app), newRepliesCommand(app), newSchemaCommand(app), newOddsCommand(app),
		newQuarantineCommand(app), newTablesCommand(app), newRedriveCommand(app), newSendersCommand(app),
		newKeysCommand(app), newWebhooksCommand(app), newDisputesCommand(app)}
}

// openBucket returns the log in a bucket, by the credentials that AWS's own tools use.
func (app *app) openBucket(ctx context.Context, bucket string) (verify.Source, error) {
	configuration, err := app.awsConfig(ctx, "bucket "+bucket)
	if err != nil {
		return nil, err
	}
	client := s3.NewFromConfig(configuration, func(o *s3.Options) { o.UsePathStyle = configuration.BaseEndpoint != nil })
	return inBucket{store: s3store.New(client, bucket)}, nil
}

// inBucket is a log in a bucket.
type inBucket struct{ store *s3store.Bucket }

// Get returns a file of the log.
func (b inBucket) Get(ctx context.Context, path string) ([]byte, error) {
	data, _, err := b.store.Get(ctx, path)
	if errors.Is(err, objects.ErrNotFound) {
		return nil, verify.ErrMissing
	}
	return data, err
}

// openTable returns the reports of all bookmakers in a table.
func (app *app) openTable(ctx context.Context, table string) (audit.ReportSource, error) {
	configuration, err := app.awsConfig(ctx, "table "+table)
	if err != nil {
		return nil, err
	}
	return reports.New(store.New(dynamodb.NewFromConfig(configuration), table)), nil
}

// ofBookmaker takes the arguments that a command's use names, the first of them a
// bookmaker.
func ofBookmaker(command *cobra.Command, args []string) error {
	if wanted := strings.Fields(command.Use)[1:]; len(args) != len(wanted) {
		text := strings.Join(wanted, " and a ")
		return fmt.Errorf("give a %s", strings.NewReplacer("and a e", "and an e", "and a i", "and an i", "url", "URL").Replace(text))
	}
	if !ids.Valid(args[0]) {
		return fmt.Errorf("%.80q is no bookmaker: write 1 to 64 of A-Z a-z 0-9 . _ -", args[0])
	}
	return nil
}

// now is the time of this machine.
func now() settlement.Instant { return settlement.Instant(time.Now().UnixMilli()) }
