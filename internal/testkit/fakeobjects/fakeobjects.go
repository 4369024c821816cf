// Package fakeobjects is an object store in memory for tests. Intercept decides
// what becomes of each request; its verdicts come in pairs, as those of
// internal/testkit/fakedynamo do: a write may fail without being applied, or be applied while
// its answer is lost.
package fakeobjects

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"sync"

	"tally/internal/testkit/fakedynamo"
	"tally/lib/archive/objects"
)

// ErrLost is the error of a request whose connection was lost.
var ErrLost = errors.New("the connection to the object store was lost")

// Object is a stored file.
type Object struct {
	Data   []byte
	Header objects.Header
	tag    string
}

// Fake is the store. It may be used by several goroutines.
type Fake struct {
	// Intercept decides what becomes of each request; by default all proceed.
	Intercept fakedynamo.Interceptor
	// Overwritten, if it is set, is called with each file that is put over one with other bytes.
	Overwritten func(key string)

	mutex sync.Mutex
	files map[string]Object
	tags  int
	late  []func()
}

var _ objects.Store = (*Fake)(nil)

// New returns an empty store.
func New() *Fake { return &Fake{files: map[string]Object{}} }

// Files returns a copy of what is stored.
func (s *Fake) Files() map[string]Object {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.files)
}

// Set puts a file there, whatever there is; nil takes it away.
func (s *Fake) Set(key string, data []byte) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if data == nil {
		delete(s.files, key)
		return
	}
	s.save(key, data, s.files[key].Header)
}

// Late returns how many writes are still on their way.
func (s *Fake) Late() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.late)
}

// Land lets the write arrive that is longest on its way, if any.
func (s *Fake) Land() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.late) > 0 {
		first := s.late[0]
		s.late = s.late[1:]
		first()
	}
}

func (s *Fake) save(key string, data []byte, header objects.Header) {
	s.tags++
	if before, there := s.files[key]; there && s.Overwritten != nil && !bytes.Equal(before.Data, data) {
		s.Overwritten(key)
	}
	s.files[key] = Object{Data: bytes.Clone(data), Header: header, tag: strconv.Itoa(s.tags)}
}

// Get returns a file.
func (s *Fake) Get(ctx context.Context, key string) (data []byte, tag string, err error) {
	err = s.run(ctx, fakedynamo.Call{Operation: "GetObject", Keys: []string{key}}, func() error {
		file, found := s.files[key]
		if !found {
			return objects.ErrNotFound
		}
		data, tag = bytes.Clone(file.Data), file.tag
		return nil
	})
	return data, tag, err
}

// PutIfAbsent writes a file that must not be there.
func (s *Fake) PutIfAbsent(ctx context.Context, key string, data []byte, header objects.Header) error {
	return s.run(ctx, fakedynamo.Call{Operation: "PutIfAbsent", Keys: []string{key}, Write: true}, func() error {
		if _, found := s.files[key]; found {
			return objects.ErrExists
		}
		s.save(key, data, header)
		return nil
	})
}

// PutIfMatch writes over the content of this tag.
func (s *Fake) PutIfMatch(ctx context.Context, key string, data []byte, tag string, header objects.Header) error {
	return s.run(ctx, fakedynamo.Call{Operation: "PutIfMatch", Keys: []string{key}, Write: true}, func() error {
		if s.files[key].tag != tag {
			return objects.ErrChanged
		}
		s.save(key, data, header)
		return nil
	})
}

// Drop takes the files of a folder away.
func (s *Fake) Drop(ctx context.Context, folder string) error {
	return s.run(ctx, fakedynamo.Call{Operation: "Drop", Keys: []string{folder}, Write: true}, func() error {
		maps.DeleteFunc(s.files, func(key string, _ Object) bool { return strings.HasPrefix(key, folder+"/") })
		return nil
	})
}

// run carries out a request as the interceptor decides.
func (s *Fake) run(ctx context.Context, call fakedynamo.Call, apply func() error) error {
	verdict := fakedynamo.Proceed
	if s.Intercept != nil {
		verdict = s.Intercept(ctx, call)
	}
	if err := ctx.Err(); err != nil && verdict == fakedynamo.Proceed {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch verdict {
	case fakedynamo.Proceed:
		return apply()
	case fakedynamo.FailAfter:
		_ = apply() // its answer, good or bad, is lost
	case fakedynamo.FailLate:
		s.late = append(s.late, func() { _ = apply() })
	case fakedynamo.SendTwice:
		_ = apply()
		return apply()
	}
	return ErrLost
}
