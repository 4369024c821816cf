// Package objects stores the files of the log: in a folder, or, by s3store, in S3.
package objects

import (
	"context"
	"errors"
)

// Store holds files. What a Put has returned nil for is durable, and every Get
// from then on returns it; when a Put failed, the file may have been written all
// the same. The store does not retry for its caller, but a client below it may:
// a Put may then find its own file and say that there is one.
type Store interface {
	// Get returns a file and a tag of this very content; ErrNotFound when there is
	// none.
	Get(ctx context.Context, key string) (data []byte, tag string, err error)
	// PutIfAbsent writes a file that must not be there: else ErrExists.
	PutIfAbsent(ctx context.Context, key string, data []byte, header Header) error
	// PutIfMatch writes over the content of this tag, which is empty for a file that
	// must not be there: else ErrChanged.
	PutIfMatch(ctx context.Context, key string, data []byte, tag string, header Header) error
	// Drop takes the files of a folder away, at most 1,000: readers do without them.
	// Where there are none, it does nothing.
	Drop(ctx context.Context, folder string) error
}

// Header is what HTTP readers get in the header of a file, and how long it has to stay.
type Header struct {
	ContentType  string
	CacheControl string
	// Passing says that the file is needed for days only, until another one has what it has.
	Passing bool
}

// Cache rules of files: those that never change, and those that do.
const (
	Immutable = "public, max-age=31536000, immutable"
	Mutable   = "public, max-age=1, must-revalidate"
)

// The errors of a store.
var (
	ErrNotFound = errors.New("there is no such file")
	ErrExists   = errors.New("the file is there already")
	ErrChanged  = errors.New("the file was changed by someone else")
)
