// Package permissions declares what each function of tally's, and each command of its
// operators, does on AWS. Tests hold it against what they call when they work, and against
// the policies of template.yaml.
package permissions

import (
	"slices"

	"tally/lib/lambda/api"
	"tally/lib/lambda/archive"
	"tally/lib/lambda/intake"
	"tally/lib/lambda/look"
	"tally/lib/lambda/pages"
	"tally/lib/lambda/reconcile"
	"tally/lib/lambda/settle"
	"tally/lib/lambda/webhook"
)

// Use is what a function does with one thing of AWS's, which one of its
// variables names: the table by its name, a queue by its URL.
type Use struct {
	Variable string
	Actions  []string // as policies name them
}

// Description is what a function needs to run: the variables that it reads and
// the actions that it calls.
type Description struct {
	Name          string // short, such as intake
	Configuration any    // a struct for package config
	Uses          []Use
	Files         []FileUse
}

// FileUse is what a function does with some of the files of a bucket, beside what it does
// with all of them.
type FileUse struct {
	Variable string
	Actions  []string
	Patterns []string // of the files' names
}

// OfFunctions describes all functions.
//
// A transaction has no action of its own: each of its writes needs that of the
// single write. Taking messages from a queue is Lambda's work, done by right of
// the function's role; changing their visibility is the function's own.
func OfFunctions() []Description {
	sends := []string{"sqs:SendMessage"}
	receives := []string{"sqs:ChangeMessageVisibility"}
	counts := []string{"sqs:GetQueueAttributes"}
	return []Description{
		{Name: "intake", Configuration: intake.Config{}, Uses: []Use{
			{"TALLY_TABLE", []string{"dynamodb:GetItem", "dynamodb:PutItem"}},
			{"TALLY_STUDIO_URL", receives},
			{"TALLY_ORDERS_URL", receives},
			{"TALLY_SWEEPS_URL", sends},
			{"TALLY_ARCHIVE_URL", sends},
			{"TALLY_REPLIES_URL", sends},
		}},
		{Name: "settle", Configuration: settle.Config{}, Uses: []Use{
			{"TALLY_TABLE", []string{"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem"}},
			{"TALLY_SWEEPS_URL", slices.Concat(receives, sends)},
			{"TALLY_ARCHIVE_URL", sends},
			{"TALLY_WEBHOOKS_URL", sends},
		}},
		{Name: "api", Configuration: api.Config{}, Uses: []Use{
			{Variable: "TALLY_TABLE", Actions: []string{"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem"}},
			{Variable: "TALLY_SWEEPS_URL", Actions: sends},
		}},
		{Name: "reconcile", Configuration: reconcile.Config{}, Uses: []Use{
			{"TALLY_TABLE", []string{"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem"}},
			{"TALLY_DUE_URL", slices.Concat(sends, counts)},
			{"TALLY_WEBHOOKS_URL", sends},
			{"TALLY_STUDIO_DLQ_URL", counts},
			{"TALLY_ORDERS_DLQ_URL", counts},
			{"TALLY_SWEEPS_DLQ_URL", counts},
			{"TALLY_ARCHIVE_DLQ_URL", counts},
			{"TALLY_REPLIES_DLQ_URL", counts},
			{"TALLY_WEBHOOKS_DLQ_URL", counts},
			{"TALLY_DUE_DLQ_URL", counts},
			{"TALLY_LOG_BUCKET", []string{"s3:GetObject", "s3:ListBucket"}},
			{"TALLY_LOG_KEY", []string{"kms:GetPublicKey"}},
		}},
		{Name: "look", Configuration: look.Config{}, Uses: []Use{
			{"TALLY_TABLE", []string{"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:DeleteItem"}},
			{"TALLY_DUE_URL", receives},
			{"TALLY_SWEEPS_URL", sends},
			{"TALLY_ARCHIVE_URL", sends},
			{"TALLY_STUDIO_URL", counts},
			{"TALLY_STUDIO_DLQ_URL", counts},
			{"TALLY_LOG_BUCKET", []string{"s3:GetObject", "s3:ListBucket"}},
			{"TALLY_LOG_KEY", []string{"kms:GetPublicKey"}},
		}},
		{Name: "archive", Configuration: archive.Config{}, Uses: []Use{
			{"TALLY_TABLE", []string{"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem"}},
			{"TALLY_ARCHIVE_URL", receives},
			// Without the right to list a bucket, S3 does not say that an object is not there.
			{"TALLY_LOG_BUCKET", []string{"s3:GetObject", "s3:PutObject", "s3:ListBucket"}},
			{"TALLY_LOG_KEY", []string{"kms:GetPublicKey", "kms:Sign"}},
		}, Files: []FileUse{
			{Variable: "TALLY_LOG_BUCKET", Actions: []string{"s3:PutObjectRetention"}, Patterns: []string{"tile/*.p/*", "staged/*"}},
			{Variable: "TALLY_LOG_BUCKET", Actions: []string{"s3:DeleteObject"}, Patterns: []string{"tile/*.p/*"}},
		}},
		{Name: "pages", Configuration: pages.Config{}, Uses: []Use{
			{"TALLY_LOG_BUCKET", []string{"s3:GetObject", "s3:ListBucket"}},
			{"TALLY_LOG_KEY", []string{"kms:GetPublicKey"}},
			{"TALLY_PAGES_BUCKET", []string{"s3:GetObject", "s3:PutObject", "s3:ListBucket"}},
		}},
		{Name: "webhook", Configuration: webhook.Config{}, Uses: []Use{
			{Variable: "TALLY_TABLE", Actions: []string{"dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem"}},
			{Variable: "TALLY_WEBHOOKS_URL", Actions: receives},
		}},
	}
}
