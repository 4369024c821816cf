package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"tally/lib/archive/objects"
	"tally/lib/archive/objects/s3store"
	"tally/lib/archive/verify"
)

// inBucketOf begins the name of a bucket.
const inBucketOf = "s3://"

// openLog returns the log at an address, in a folder, or in a bucket: s3://bucket,
// by the credentials that AWS's own tools use.
func (app *app) openLog(ctx context.Context, place string) (verify.Source, error) {
	bucket, isBucket := strings.CutPrefix(place, inBucketOf)
	if !isBucket {
		return verify.Open(place)
	}
	if bucket = strings.TrimSuffix(bucket, "/"); bucket == "" || strings.Contains(bucket, "/") {
		return nil, fmt.Errorf("%s names no bucket: write s3://bucket", place)
	}
	configuration, err := app.awsConfig(ctx, "bucket "+bucket)
	if err != nil {
		return nil, err
	}
	client := s3.NewFromConfig(configuration, func(o *s3.Options) { o.UsePathStyle = configuration.BaseEndpoint != nil })
	return inBucket{s3store.New(client, bucket)}, nil
}

// inBucket is a log in a bucket.
type inBucket struct{ store *s3store.Store }

// Get returns a file of the log.
func (b inBucket) Get(ctx context.Context, path string) ([]byte, error) {
	data, _, err := b.store.Get(ctx, path)
	if errors.Is(err, objects.ErrNotFound) {
		return nil, verify.ErrMissing
	}
	return data, err
}
