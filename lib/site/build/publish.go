package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"golang.org/x/sync/errgroup"

	"tally/lib/archive/objects"
	"tally/lib/archive/proof"
	"tally/lib/site/files"
	"tally/lib/site/pages"
)

// file is a file of the site as it was read.
type file struct {
	data []byte
	tag  string // empty where there is none
}

// held are the indexes that were read or written in this run.
type held struct {
	mutex sync.Mutex
	files map[string]file
}

func (h *held) get(path string) (file, bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	f, is := h.files[path]
	return f, is
}

func (h *held) put(path string, f file) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.files == nil {
		h.files = map[string]file{}
	}
	h.files[path] = f
}

// clear forgets all: from one stretch to the next others may write.
func (h *held) clear() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	clear(h.files)
}

// read reads a file of the site; one without data where there is none.
func (r *run) read(ctx context.Context, path string) (file, error) {
	data, tag, err := r.Files.Get(ctx, path)
	if errors.Is(err, objects.ErrNotFound) {
		return file{}, nil
	}
	return file{data: data, tag: tag}, err
}

// hold reads an index and keeps it, so that it is not read again to be compared.
func (r *run) hold(ctx context.Context, path string) (file, error) {
	if f, is := r.held.get(path); is {
		return f, nil
	}
	f, err := r.read(ctx, path)
	if err == nil {
		r.held.put(path, f)
	}
	return f, err
}

func headerOf(f pages.File) objects.Header {
	return objects.Header{ContentType: f.ContentType, CacheControl: files.CacheControl(f.Path, f.Immutable)}
}

// each calls a function for the numbers below n, several at once. When it returns nil, it
// was called for all of them: what is left out when there is no more time is an error.
func (r *run) each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.Parallel)
	for i := range n {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(ctx, i)
		})
	}
	return group.Wait()
}

// publish writes the files that are not there as they should be, all of which may
// change again. It keeps the order that the package describes.
func (r *run) publish(ctx context.Context, list []pages.File) error {
	there := make([]file, len(list))
	err := r.each(ctx, len(list), func(ctx context.Context, i int) (err error) {
		if f, is := r.held.get(list[i].Path); is {
			there[i] = f
			return nil
		}
		there[i], err = r.read(ctx, list[i].Path)
		return err
	})
	if err != nil {
		return err
	}
	var changed []int
	for i, f := range list {
		if there[i].tag == "" || !bytes.Equal(there[i].data, f.Data) {
			changed = append(changed, i)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	// Who works at a later stretch has moved the cursor before it wrote anything. If
	// the cursor has not moved, what was read above is no later than this stretch.
	if err := r.ours(ctx); err != nil {
		return err
	}
	return r.each(ctx, len(changed), func(ctx context.Context, i int) error {
		return r.replace(ctx, list[changed[i]], there[changed[i]])
	})
}

// replace writes a file over the one that was read. If another follower was
// faster, it has either written the same, or is ahead.
func (r *run) replace(ctx context.Context, f pages.File, there file) error {
	err := r.Files.PutIfMatch(ctx, f.Path, f.Data, there.tag, headerOf(f))
	switch {
	case errors.Is(err, objects.ErrChanged):
		now, err := r.read(ctx, f.Path)
		if err != nil {
			return err
		}
		if !bytes.Equal(now.data, f.Data) {
			return fmt.Errorf("%w: %s was changed", ErrOvertaken, f.Path)
		}
		return nil
	case err != nil:
		return err
	}
	r.written.Add(1)
	return nil
}

// writeOnce writes a file that never changes. Where there are other bytes, may
// decides whether they may be replaced; otherwise they stay, and it asks for a
// person: it is not known who is right.
func (r *run) writeOnce(ctx context.Context, game string, f pages.File, may func(there []byte) bool) error {
	err := r.Files.PutIfAbsent(ctx, f.Path, f.Data, headerOf(f))
	if !errors.Is(err, objects.ErrExists) {
		if err == nil {
			r.written.Add(1)
		}
		return err
	}
	there, err := r.read(ctx, f.Path)
	switch {
	case err != nil:
		return err
	case there.tag == "":
		return fmt.Errorf("writing %s: someone else was writing it", f.Path)
	case bytes.Equal(there.data, f.Data):
		return nil
	case may(there.data):
		return r.replace(ctx, f, there)
	}
	r.Record.Mismatch(game)
	r.Logger.LogAttrs(ctx, slog.LevelError, "a file of the site that never changes has other bytes than the log", slog.String("file", f.Path))
	return nil
}

// never replaces nothing.
func never([]byte) bool { return false }

// unproved returns a function that tells whether a file is no proof of what
// another one proves. A proof under an earlier checkpoint proves as much.
func (r *run) unproved(wanted *proof.Inclusion) func(there []byte) bool {
	return func(there []byte) bool { return !Proves(there, wanted.Data, wanted.Index, r.Origin, r.Known) }
}
