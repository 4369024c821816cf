// Package pages puts the Lambda pages together, which keeps the public site up with the
// public log: the follower of lib/site/build, with the pages of lib/site/pages.
package pages

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"tally/lib/lambda/logfiles"
	"tally/lib/lambda/metrics"
	"tally/lib/lambda/runtime"
	"tally/lib/site/build"
)

// Main is the main function of the Lambda.
func Main() { runtime.Main(New) }

// Config is the configuration of pages. It has no table: the site is made from
// the public log alone.
type Config struct {
	Namespace string `env:"TALLY_NAMESPACE" doc:"CloudWatch namespace of the metrics" default:"tally"`
	Origin    string `env:"TALLY_LOG_ORIGIN" doc:"name of the log, such as example.com/tally"`
	LogBucket string `env:"TALLY_LOG_BUCKET" doc:"S3 bucket of the log, or file: and a folder"`
	Key       string `env:"TALLY_LOG_KEY" doc:"KMS key that signs the log, or file: and a file"`
	OldKey    string `env:"TALLY_LOG_OLD_KEY" doc:"key that Key replaces and that still signs too, or nothing" default:""`
	Bucket    string `env:"TALLY_PAGES_BUCKET" doc:"S3 bucket of the public site, or file: and a folder"`
	Limit     int    `env:"TALLY_PAGES_LIMIT" doc:"entries of the log that one run takes up at most" default:"50000" min:"1" max:"1000000"`
}

// lastWords is what a run leaves of its time, to say how it went.
const lastWords = 2 * time.Second

// New puts pages together. The log is opened in the first run: that asks KMS
// for the public key.
func New(c Config, r runtime.Runtime) (runtime.ScheduledHandler, error) {
	measured := metrics.NewMetrics(r.Metrics, c.Namespace, "pages", r.Now)
	var mutex sync.Mutex // there is one run at a time
	var follow func(context.Context) error
	run := func(ctx context.Context) (err error) {
		mutex.Lock()
		defer mutex.Unlock()
		if follow == nil {
			if follow, err = c.open(ctx, r, measured); err != nil {
				return fmt.Errorf("opening the log and the site: %w", err)
			}
		}
		return follow(ctx)
	}
	return runtime.Scheduled(r, measured, "the site does not follow the log", func(ctx context.Context) error {
		if deadline, has := ctx.Deadline(); has {
			within, cancel := context.WithDeadline(ctx, deadline.Add(-lastWords))
			defer cancel()
			ctx = within
		}
		return run(ctx)
	}), nil
}

// open opens the log and the site.
func (c Config) open(ctx context.Context, r runtime.Runtime, measured *metrics.Metrics) (func(context.Context) error, error) {
	keys, err := logfiles.Keys(ctx, r.AWS, c.Origin, c.Key, c.OldKey)
	if err != nil {
		return nil, err
	}
	p := Params{Origin: c.Origin, Known: logfiles.Verifiers(keys), Limit: int64(c.Limit), Record: recorder{measured: measured},
		Logger: r.Log}
	for _, key := range keys {
		p.PublicKeys = append(p.PublicKeys, key.Public)
	}
	if p.Log, err = logfiles.Open(r.AWS, c.LogBucket); err != nil {
		return nil, err
	}
	if p.Site, err = logfiles.OpenScratch(r.AWS, c.Bucket); err != nil {
		return nil, err
	}
	return Follow(p)
}

// recorder turns what following the log tells into metrics.
type recorder struct{ measured *metrics.Metrics }

var _ build.Recorder = recorder{}

func (r recorder) Behind(entries int64) { r.measured.Set(metrics.PagesLag, "", int(entries)) }

func (r recorder) Written(files int) { r.measured.Add(metrics.PagesFiles, "", files) }

func (r recorder) Mismatch(game string) {
	r.measured.Add(metrics.Mismatch, cmp.Or(game, metrics.NoGame), 1)
}
