// Package logfiles opens the keys and the files of the public log, and the files of the
// site beside it, by the names that functions have in their variables: a key of KMS and
// a bucket of S3, or file: and what is on this machine.
package logfiles

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/objects"
	"tally/lib/archive/objects/s3store"
	"tally/lib/archive/signing"
)

// inFile begins the name of what is on this machine rather than in AWS.
const inFile = "file:"

// Keys returns the keys of a log: that which signs it, and the one before it
// where it still signs, too.
func Keys(ctx context.Context, config aws.Config, origin string, names ...string) (keys []signing.Key, err error) {
	for _, name := range names {
		if name == "" {
			continue
		}
		var key signing.Key
		if path, isFile := strings.CutPrefix(name, inFile); isFile {
			key, err = signing.FromFile(path, origin)
		} else {
			key, err = signing.FromKMS(ctx, kms.NewFromConfig(config), name, origin)
		}
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// Verifiers are what verifies the signatures of keys.
func Verifiers(keys []signing.Key) note.Verifiers {
	list := make([]note.Verifier, len(keys))
	for i, key := range keys {
		list[i] = key.Verifier
	}
	return note.VerifierList(list...)
}

// Open opens the files of a log: a bucket, or file: and a folder.
func Open(config aws.Config, bucket string) (objects.Store, error) {
	if folder, isFolder := strings.CutPrefix(bucket, inFile); isFolder {
		return objects.OpenFolder(folder)
	}
	return inBucket(config, bucket), nil
}

// OpenToAppend opens the files of a log to append to it. In a bucket, those that are needed
// for days only are locked as it says.
func OpenToAppend(config aws.Config, bucket string, passing s3store.Retention) (objects.Store, error) {
	opened, err := Open(config, bucket)
	if in, is := opened.(*s3store.Bucket); is {
		in.Passing = passing
	}
	return opened, err
}

// OpenScratch opens files that can be made again, those of the site.
func OpenScratch(config aws.Config, bucket string) (objects.Store, error) {
	if folder, isFolder := strings.CutPrefix(bucket, inFile); isFolder {
		return objects.OpenScratch(folder)
	}
	return inBucket(config, bucket), nil
}

func inBucket(config aws.Config, bucket string) objects.Store {
	client := s3.NewFromConfig(config, func(o *s3.Options) { o.UsePathStyle = config.BaseEndpoint != nil })
	return s3store.New(client, bucket)
}
