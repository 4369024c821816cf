package sequencer

import (
	"context"
	"errors"
)

// Lock is what the appenders of a log agree by: its state, of which each version is put in
// place of the one before it, and an index of its entries. A read sees whatever was there
// before it began.
type Lock interface {
	// Load returns the state and its version, nil and 0 as long as there is none.
	Load(ctx context.Context) (state []byte, version int64, err error)
	// Commit puts a state in place of the version before its own. ErrOvertaken says that
	// nothing was written, because another appender was first. After any other error it
	// may have been, or may be yet.
	Commit(ctx context.Context, state []byte, version int64) error
	// Index puts entries into the index, whether they are there already or not. After an
	// error some may be there, or may be yet.
	Index(ctx context.Context, entries []Entry) error
	// Indexed returns what the index says of a group's entries, by key.
	Indexed(ctx context.Context, group string) (map[string]Indexed, error)
}

// ErrOvertaken says that another appender has committed since the state was read.
var ErrOvertaken = errors.New("another appender was first")

// Indexed is what the index says of an entry that is in the log.
type Indexed struct {
	Index int64
	Hash  string // of its leaf, in hexadecimal digits
}

// Entry is an entry for the index.
type Entry struct {
	Group, Key string
	Indexed
}
