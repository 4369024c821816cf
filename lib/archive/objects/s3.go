package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"tally/lib/archive/tiles"
)

// S3Client is what the store needs of the client.
type S3Client interface {
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
}

var _ S3Client = (*s3.Client)(nil)

// S3 is a store in a bucket. It writes with conditions only: If-None-Match and
// If-Match, which the bucket's policy demands.
type S3 struct {
	client S3Client
	bucket string
}

var _ Store = (*S3)(nil)

// NewS3 returns the store in a bucket.
func NewS3(client S3Client, bucket string) *S3 { return &S3{client, bucket} }

// Get returns an object and its ETag.
func (s *S3) Get(ctx context.Context, key string) (data []byte, tag string, err error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key})
	var missing *types.NoSuchKey
	if errors.As(err, &missing) || hasCode(err, "NoSuchKey", "NotFound") {
		return nil, "", ErrNotFound
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", key, err)
	}
	data, err = ReadAll(out.Body, tiles.MaxBytes(key))
	if err = errors.Join(err, out.Body.Close()); err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", key, err)
	}
	return data, aws.ToString(out.ETag), nil
}

// PutIfAbsent writes an object that must not be there.
func (s *S3) PutIfAbsent(ctx context.Context, key string, data []byte, header Header) error {
	if err := s.PutIfMatch(ctx, key, data, "", header); !errors.Is(err, ErrChanged) {
		return err
	}
	return ErrExists
}

// PutIfMatch writes over the content of this ETag.
func (s *S3) PutIfMatch(ctx context.Context, key string, data []byte, tag string, header Header) error {
	input := &s3.PutObjectInput{Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))),
		ContentType: &header.ContentType, CacheControl: &header.CacheControl}
	if tag == "" {
		input.IfNoneMatch = aws.String("*")
	} else {
		input.IfMatch = &tag
	}
	_, err := s.client.PutObject(ctx, input)
	// A condition that did not hold; or two writes at once, of which S3 has let one
	// win; or, under If-Match, an object that is gone.
	if hasCode(err, "PreconditionFailed", "ConditionalRequestConflict") || tag != "" && hasCode(err, "NoSuchKey") {
		return ErrChanged
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", key, err)
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
