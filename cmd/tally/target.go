//go:build !auditor

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
	"github.com/spf13/cobra"

	"tally/lib/lambda/sqsqueue"
	"tally/lib/local"
	"tally/lib/store"
)

// localAddress is where `tally local` listens unless told otherwise.
const localAddress = "127.0.0.1:4566"

// target is the stack that a command works on.
type target struct {
	app      *app
	local    bool
	stack    string
	table    string
	endpoint string
}

// targetHelp says how commands find the stack that they work on.
const targetHelp = `It works on the stack of --stack and its table, --table, in the account and
region of the AWS configuration that the SDK finds (AWS_PROFILE, AWS_REGION and
so on), which it names first; with --local on the one that ` + "`tally local`" + `
runs on this machine.`

// flags adds the flags that choose the target. Their defaults come from the
// environment.
func (t *target) flags(app *app, command *cobra.Command) {
	or := func(variable, otherwise string) string {
		if value := app.getenv(variable); value != "" {
			return value
		}
		return otherwise
	}
	t.app = app
	flags := command.PersistentFlags()
	flags.BoolVar(&t.local, "local", false, "work on the local stack, at http://"+localAddress)
	flags.StringVar(&t.stack, "stack", or("TALLY_STACK", "tally"), "`name` of the stack, which begins its queues' names\n(TALLY_STACK)")
	flags.StringVar(&t.table, "table", or("TALLY_TABLE", ""), "`name` of its table; without it that of the stack\n(TALLY_TABLE)")
	flags.StringVar(&t.endpoint, "endpoint", or("TALLY_ENDPOINT", ""), "`URL` of a local stack that listens elsewhere\n(TALLY_ENDPOINT)")
	for _, name := range []string{"stack", "table", "endpoint"} {
		flags.Lookup(name).DefValue = "" // the help is the same on every machine
	}
}

// clients are what a command works with.
type clients struct {
	sqs   *sqs.Client
	table *store.Table
	stack string
}

// connect finds the target.
func (t *target) connect(ctx context.Context) (*clients, error) {
	config, err := t.config(ctx)
	if errors.Is(err, errNoCredentials) || errors.Is(err, errNoRegion) {
		err = fmt.Errorf("%w, or add --local for the stack of `tally local`", err)
	}
	if err != nil {
		return nil, failed("finding the stack", err)
	}
	return &clients{sqs: sqs.NewFromConfig(config), table: store.New(dynamodb.NewFromConfig(config), t.tableName()), stack: t.stack}, nil
}

func (t *target) config(ctx context.Context) (aws.Config, error) {
	switch {
	case t.endpoint != "":
		return local.Config(strings.TrimSuffix(t.endpoint, "/")), nil
	case t.local:
		return local.Config("http://" + localAddress), nil
	}
	return t.app.awsConfig(ctx, "stack "+t.stack+", table "+t.tableName())
}

// tableName is as in template.yaml: a table that was given no name has the stack's.
func (t *target) tableName() string { return cmp.Or(t.table, t.stack) }

// What AWS can't be reached without. Each says what to set.
var (
	errNoCredentials = errors.New("there are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	errNoRegion      = errors.New("there is no AWS region: set AWS_REGION")
)

// instanceMetadata is the service that the SDK asks for credentials when it has
// found none elsewhere.
const instanceMetadata = "ec2imds"

// awsConfig is what the SDK finds of an AWS account. It is complete: what is missing
// is said here, once, and not in the SDK's words at the first request. Which account
// it is, and what is worked on there, is said before anything is done.
func (app *app) awsConfig(ctx context.Context, on string) (aws.Config, error) {
	config, err := awsconfig.LoadDefaultConfig(ctx, awsconfig.WithLogger(logging.Nop{}))
	if err != nil {
		return config, fmt.Errorf("reading the AWS configuration: %w", err)
	}
	credentials, err := config.Credentials.Retrieve(ctx) // which keeps them for the first request
	asked := (*smithy.OperationError)(nil)
	switch {
	case errors.As(err, &asked) && asked.Service() == instanceMetadata && ctx.Err() == nil:
		return config, errNoCredentials
	case err != nil:
		return config, fmt.Errorf("getting AWS credentials: %w", err)
	case config.Region == "":
		return config, errNoRegion
	}
	account, err := accountOf(ctx, config, credentials)
	if err != nil {
		return config, err
	}
	_, err = fmt.Fprintf(app.err, "on AWS: account %s, region %s, %s\n", escaped(account), escaped(config.Region), escaped(on))
	return config, err
}

// accountOf is the number of the account that credentials belong to. Some name it;
// of the others AWS is asked, which needs no permission.
func accountOf(ctx context.Context, config aws.Config, credentials aws.Credentials) (string, error) {
	if credentials.AccountID != "" {
		return credentials.AccountID, nil
	}
	identity, err := sts.NewFromConfig(config).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return "", fmt.Errorf("asking AWS whose account this is (where STS can't be reached, set AWS_ACCOUNT_ID): %w", err)
	}
	return aws.ToString(identity.Account), nil
}

// queueNames are the queues of a stack by their short names.
var queueNames = []string{"studio-messages", "operator-orders", "sweeps", "archive-entries", "webhooks", "due-draws", "studio-replies"}

// queue finds a queue by its short name, its full name or its URL.
func (c *clients) queue(ctx context.Context, name string) (url string, err error) {
	for _, short := range queueNames {
		if name == short {
			name = c.stack + "-" + short
		}
	}
	url, err = sqsqueue.Find(ctx, c.sqs, name)
	if errors.Is(err, sqsqueue.ErrNoQueue) {
		err = fmt.Errorf("%w; --stack %s has %s", err, c.stack, strings.Join(queueNames, ", "))
	}
	return url, unreachable(err)
}

// unreachable says what to do when nobody answers at an endpoint, or when there
// is no such table.
func unreachable(err error) error {
	var missing *types.ResourceNotFoundException
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("nothing listens there: start `tally local`, or name another --endpoint: %w", err)
	case errors.As(err, &missing):
		return fmt.Errorf("there is no such table there: name it by --table: %w", err)
	}
	return err
}
