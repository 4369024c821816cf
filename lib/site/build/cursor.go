package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/site/files"
)

// CursorPath is where the site says how far it has come.
const CursorPath = "cursor.json"

// cursor is how far the site has come.
type cursor struct {
	Schema int    `json:"schema"`
	Origin string `json:"origin"`
	// Size is how many entries of the log are in the site.
	Size int64 `json:"size"`
	// Target is the size that a follower is working at; Size when none is.
	Target int64 `json:"target"`
	// Log is the newest tree of the log that was seen.
	Log seen `json:"log"`
	// Site is the hash of the files that no draw changes.
	Site string `json:"site"`
}

type seen struct {
	Size int64     `json:"size"`
	Root tlog.Hash `json:"root"`
}

// working reports whether a stretch was begun and not finished.
func (c cursor) working() bool { return c.Target > c.Size }

var cursorHeader = objects.Header{ContentType: files.ContentType(CursorPath), CacheControl: objects.Mutable}

// Status is how far a site has come.
type Status struct {
	Origin string
	Size   int64
	// Working says that some of its files may be of a larger size.
	Working bool
}

// ReadStatus reads how far a site has come from its cursor.json.
func ReadStatus(text []byte) (Status, error) {
	c, err := readCursor(text)
	return Status{Origin: c.Origin, Size: c.Size, Working: c.working()}, err
}

func readCursor(text []byte) (cursor, error) {
	c, err := files.Read[cursor](text)
	if err == nil && (c.Schema != files.Schema || c.Size < 0 || c.Target < c.Size || c.Log.Size < c.Target || c.Log.Size > checkpoint.MaxSize) {
		err = errors.New("it is of another version")
	}
	if err != nil {
		return c, fmt.Errorf("%w: reading %s: %w", ErrDamaged, CursorPath, err)
	}
	return c, nil
}

// load reads the cursor; that of a new site stands at the beginning.
func (r *run) load(ctx context.Context) error {
	text, tag, err := r.Files.Get(ctx, CursorPath)
	if errors.Is(err, objects.ErrNotFound) {
		r.at, r.tag = cursor{Schema: files.Schema, Origin: r.Origin}, ""
		return nil
	}
	if err != nil {
		return err
	}
	c, err := readCursor(text)
	if err != nil {
		return err
	}
	if c.Origin != r.Origin {
		return fmt.Errorf("%w: the site is that of %s", ErrForked, c.Origin)
	}
	r.at, r.tag = c, tag
	return nil
}

// move puts a cursor in the place of the one that was read. One that is there
// already, by this follower or by another, is as good: both then work at the same.
func (r *run) move(ctx context.Context, to cursor) error {
	text, err := json.Marshal(to)
	if err != nil {
		return fmt.Errorf("writing %s: %w", CursorPath, err)
	}
	text = append(text, '\n')
	err = r.Files.PutIfMatch(ctx, CursorPath, text, r.tag, cursorHeader)
	if err != nil && !errors.Is(err, objects.ErrChanged) {
		return err
	}
	there, tag, getErr := r.Files.Get(ctx, CursorPath)
	if getErr != nil {
		return getErr
	}
	if !bytes.Equal(there, text) {
		return ErrOvertaken
	}
	r.at, r.tag = to, tag
	return nil
}

// plan begins a stretch. From then on whoever follows works at this one.
func (r *run) plan(ctx context.Context) error {
	next := r.at
	next.Target = min(r.at.Size+r.Stretch, r.end)
	next.Log = seen{Size: r.tree.N, Root: r.tree.Hash}
	// Before this nothing of the stretch is in the site. After it any of its files
	// may be, and whoever comes next finishes them.
	return r.move(ctx, next)
}

// finish ends a stretch, all of whose files are written.
func (r *run) finish(ctx context.Context) error {
	next := r.at
	next.Size = r.at.Target
	// Before this the stretch would be worked at once more, with the same files;
	// after it the site is that of the log up to here.
	return r.move(ctx, next)
}

// ours sees that no other follower has moved the cursor.
func (r *run) ours(ctx context.Context) error {
	text, _, err := r.Files.Get(ctx, CursorPath)
	if errors.Is(err, objects.ErrNotFound) {
		return ErrOvertaken
	}
	if err != nil {
		return err
	}
	if c, err := readCursor(text); err != nil || c != r.at {
		return ErrOvertaken
	}
	return nil
}
