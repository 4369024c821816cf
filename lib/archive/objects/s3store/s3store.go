// Package s3store stores the files of the log in S3. It is beside package objects, so
// that who reads a log from elsewhere, as verifiers do, links no client of AWS.
package s3store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
)

// Client is what the store needs of the client.
type Client interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	ListObjectsV2(context.Context, *s3.ListObjectsV2Input, ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
	DeleteObjects(context.Context, *s3.DeleteObjectsInput, ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error)
}

var _ Client = (*s3.Client)(nil)

// Bucket is a store in a bucket. It writes with conditions only: If-None-Match and
// If-Match, which the bucket's policy demands.
type Bucket struct {
	client Client
	bucket string
	// Passing is how files are locked that are needed for days only.
	Passing Retention
}

// Retention is how long nobody can delete the files of a bucket that locks files, where that is
// not as long as the bucket says of all. The zero value leaves it to the bucket.
type Retention struct {
	Mode types.ObjectLockMode
	For  time.Duration
	Now  func() time.Time
}

var _ objects.Store = (*Bucket)(nil)

// New returns the store in a bucket.
func New(client Client, bucket string) *Bucket { return &Bucket{client: client, bucket: bucket} }

// Get returns an object and its ETag.
func (s *Bucket) Get(ctx context.Context, key string) (data []byte, tag string, err error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key})
	var missing *types.NoSuchKey
	if errors.As(err, &missing) || hasCode(err, "NoSuchKey", "NotFound") {
		return nil, "", objects.ErrNotFound
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", key, err)
	}
	data, err = objects.ReadAll(out.Body, tiles.MaxBytes(key))
	if err = errors.Join(err, out.Body.Close()); err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", key, err)
	}
	return data, aws.ToString(out.ETag), nil
}

// PutIfAbsent writes an object that must not be there.
func (s *Bucket) PutIfAbsent(ctx context.Context, key string, data []byte, header objects.Header) error {
	if err := s.PutIfMatch(ctx, key, data, "", header); !errors.Is(err, objects.ErrChanged) {
		return err
	}
	return objects.ErrExists
}

// PutIfMatch writes over the content of this ETag.
func (s *Bucket) PutIfMatch(ctx context.Context, key string, data []byte, tag string, header objects.Header) error {
	input := &s3.PutObjectInput{Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))),
		ContentType: &header.ContentType, CacheControl: &header.CacheControl}
	if tag == "" {
		input.IfNoneMatch = aws.String("*")
	} else {
		input.IfMatch = &tag
	}
	if lock := s.Passing; header.Passing && lock.Mode != "" {
		input.ObjectLockMode, input.ObjectLockRetainUntilDate = lock.Mode, aws.Time(lock.Now().Add(lock.For))
	}
	_, err := s.client.PutObject(ctx, input)
	// A condition that did not hold; or two writes at once, of which S3 has let one
	// win; or, under If-Match, an object that is gone.
	if hasCode(err, "PreconditionFailed", "ConditionalRequestConflict") || tag != "" && hasCode(err, "NoSuchKey") {
		return objects.ErrChanged
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", key, err)
	}
	return nil
}

// Drop deletes the objects of a folder, at most 1,000. Their versions, which are locked,
// stay until the bucket's rules take them away.
func (s *Bucket) Drop(ctx context.Context, folder string) error {
	list, err := s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &s.bucket, Prefix: aws.String(folder + "/")})
	if err != nil {
		return fmt.Errorf("listing %s: %w", folder, err)
	}
	if len(list.Contents) == 0 {
		return nil
	}
	objects := make([]types.ObjectIdentifier, len(list.Contents))
	for i, object := range list.Contents {
		objects[i].Key = object.Key
	}
	out, err := s.client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &s.bucket, Delete: &types.Delete{Objects: objects, Quiet: aws.Bool(true)}})
	if err != nil {
		return fmt.Errorf("dropping %s: %w", folder, err)
	}
	if len(out.Errors) > 0 {
		first := out.Errors[0]
		return fmt.Errorf("dropping %s: %d files stay: %s: %s", folder, len(out.Errors), aws.ToString(first.Key), aws.ToString(first.Code))
	}
	return nil
}

func hasCode(err error, codes ...string) bool {
	var failed smithy.APIError
	if !errors.As(err, &failed) {
		return false
	}
	for _, code := range codes {
		if failed.ErrorCode() == code {
			return true
		}
	}
	return false
}
