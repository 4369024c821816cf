package main

import (
	"context"
	"fmt"
	"strings"

	"tally/lib/archive/verify"
)

// inBucketOf begins the name of a bucket.
const inBucketOf = "s3://"

// openLog returns the log at an address, in a folder, or in a bucket: s3://bucket.
func (app *app) openLog(ctx context.Context, place string) (verify.Source, error) {
	bucket, isBucket := strings.CutPrefix(place, inBucketOf)
	if !isBucket {
		return verify.Open(place)
	}
	if bucket = strings.TrimSuffix(bucket, "/"); bucket == "" || strings.Contains(bucket, "/") {
		return nil, fmt.Errorf("%s names no bucket: write s3://bucket", place)
	}
	return app.openBucket(ctx, bucket)
}
