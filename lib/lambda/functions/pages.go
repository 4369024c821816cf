package functions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/objects"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/sqsbatch"
)

// PagesConfig is the configuration of pages. It has no table: the site is made from
// the public log alone.
type PagesConfig struct {
	Namespace string `env:"TALLY_NAMESPACE" doc:"CloudWatch namespace of the metrics" default:"tally"`
	Origin    string `env:"TALLY_LOG_ORIGIN" doc:"name of the log, such as example.com/tally"`
	LogBucket string `env:"TALLY_LOG_BUCKET" doc:"S3 bucket of the log, or file: and a folder"`
	Key       string `env:"TALLY_LOG_KEY" doc:"KMS key that signs the log, or file: and a file"`
	OldKey    string `env:"TALLY_LOG_OLD_KEY" doc:"key that Key replaces and that still signs too, or nothing" default:""`
	Bucket    string `env:"TALLY_PAGES_BUCKET" doc:"S3 bucket of the public site, or file: and a folder"`
	Limit     int    `env:"TALLY_PAGES_LIMIT" doc:"entries of the log that one run takes up at most" default:"50000" min:"1" max:"1000000"`
}

// Pages is what a site is made from, and where to.
type Pages struct {
	Origin     string
	PublicKeys []string
	Known      note.Verifiers
	Log        objects.Store // only read
	Site       objects.Store
	Limit      int64 // entries in one run
	Record     PagesRecorder
	Logger     *slog.Logger
}

// PagesRecorder is told what happened, for metrics.
type PagesRecorder interface {
	Behind(entries int64)
	Written(files int)
	Unequal(game string)
}

// FollowLog returns what brings a site up to its log, as far as there is time.
// Package publish has it. It is given to this package rather than called by it:
// what makes the pages would double the size of all other functions.
type FollowLog func(Pages) (run func(context.Context) error, err error)

// lastWords is what a run leaves of its time, to say how it went.
const lastWords = 2 * time.Second

// errNoFollow says that a runtime can't make pages.
var errNoFollow = errors.New("nothing is there that makes pages")

// NewPages puts pages together. The log is opened in the first run: that asks KMS
// for the public key.
func NewPages(c PagesConfig, r Runtime) (ScheduledHandler, error) {
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "pages", r.Now)
	var mutex sync.Mutex // there is one run at a time
	var follow func(context.Context) error
	run := func(ctx context.Context) (err error) {
		mutex.Lock()
		defer mutex.Unlock()
		if follow == nil {
			if follow, err = c.follow(ctx, r, measured); err != nil {
				return fmt.Errorf("opening the log and the site: %w", err)
			}
		}
		return follow(ctx)
	}
	return func(ctx context.Context) error {
		defer r.flush(ctx, measured)
		if deadline, has := ctx.Deadline(); has {
			within, cancel := context.WithDeadline(ctx, deadline.Add(-lastWords))
			defer cancel()
			ctx = within
		}
		err := run(ctx)
		if err != nil {
			measured.Add(metrics.Failures, string(sqsbatch.OutcomeError), 1)
			r.Log.ErrorContext(ctx, "the site does not follow the log", "error", err)
		}
		return err
	}, nil
}

// follow opens the log and the site.
func (c PagesConfig) follow(ctx context.Context, r Runtime, measured *metrics.Metrics) (func(context.Context) error, error) {
	if r.Follow == nil {
		return nil, errNoFollow
	}
	keys, err := logKeys(ctx, r, c.Origin, c.Key, c.OldKey)
	if err != nil {
		return nil, err
	}
	p := Pages{Origin: c.Origin, Known: verifiers(keys), Limit: int64(c.Limit), Record: recorder{measured}, Logger: r.Log}
	for _, key := range keys {
		p.PublicKeys = append(p.PublicKeys, key.Public)
	}
	if p.Log, err = logObjects(r, c.LogBucket); err != nil {
		return nil, err
	}
	if p.Site, err = siteObjects(r, c.Bucket); err != nil {
		return nil, err
	}
	return r.Follow(p)
}

// siteObjects opens the files of the site: a bucket, or file: and a folder, of
// files that can be made again.
func siteObjects(r Runtime, bucket string) (objects.Store, error) {
	if folder, isFolder := strings.CutPrefix(bucket, inFile); isFolder {
		return objects.OpenScratch(folder)
	}
	client := s3.NewFromConfig(r.AWS, func(o *s3.Options) { o.UsePathStyle = r.AWS.BaseEndpoint != nil })
	return objects.NewS3(client, bucket), nil
}
