package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/objects"
)

// Memory is what an auditor remembers of a log: the newest checkpoint that was
// verified, which is what makes a log that was set back or rewritten show, and the snapshot
// of the entries that were, which need not be read again. A memory that an earlier
// version of tally has written has no snapshot.
type Memory struct {
	Checkpoint string          `json:"checkpoint,omitempty"` // signed, and so evidence
	Snapshot   json.RawMessage `json:"snapshot,omitempty"`
	// SHA256 is that of the snapshot, which nobody has signed.
	SHA256 string `json:"sha256,omitempty"`

	// Seen is the tree under the checkpoint; of size 0 for none.
	Seen tlog.Tree `json:"-"`
	// Resume is the snapshot, where this version can go on from it.
	Resume *Snapshot `json:"-"`
}

// errChanged says that a memory is not as it was written.
var errChanged = errors.New("it is not as it was written: remove the file, and the whole log is verified anew")

// Remembered reads what a file remembers of a log; nothing where there is
// no file yet. What is remembered is verified too.
func Remembered(path, origin string, known note.Verifiers) (*Memory, error) {
	m := &Memory{}
	text, err := readNamed(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = m.read(text, origin, known)
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was seen before, %s: %w", path, err)
	}
	return m, nil
}

func (m *Memory) read(text []byte, origin string, known note.Verifiers) error {
	if err := json.Unmarshal(text, m); err != nil {
		return err
	}
	if m.Checkpoint != "" || m.Snapshot == nil {
		c, err := checkpoint.Open([]byte(m.Checkpoint), origin, known)
		if err != nil {
			return err
		}
		m.Seen = c.Tree
	}
	if m.Snapshot == nil {
		return nil
	}
	if entry.HashOf(string(m.Snapshot)) != m.SHA256 {
		return errChanged
	}
	s := &Snapshot{}
	if err := json.Unmarshal(m.Snapshot, s); err != nil || s.Version != snapshotVersion {
		return nil // of another version of tally: all is verified anew
	}
	if s.Origin != origin {
		return fmt.Errorf("%w, %.100s", checkpoint.ErrOrigin, s.Origin)
	}
	if !s.valid() {
		return errChanged
	}
	m.Resume = s
	return nil
}

// maxSnapshot bounds a snapshot. Of a log whose snapshot is longer, the checkpoint alone is
// remembered. maxMemory bounds the file.
const (
	maxSnapshot = 256 << 20
	maxMemory   = maxSnapshot + 8*checkpoint.MaxBytes
)

func readNamed(path string) (text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err = objects.ReadAll(file, maxMemory)
	return text, errors.Join(err, file.Close())
}

// Write writes a memory into a file, whole or not at all.
func (m *Memory) Write(path string) error {
	m.SHA256 = ""
	if len(m.Snapshot) > maxSnapshot {
		m.Snapshot = nil
	}
	if m.Snapshot != nil {
		m.SHA256 = entry.HashOf(string(m.Snapshot))
	}
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("writing what was seen: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing what was seen: %w", err)
	}
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing what was seen: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("writing what was seen: %w", err)
	}
	return nil
}

// Memories are what files remember of one log: while its key is being replaced, there is
// a file for each key.
type Memories struct {
	files []string
	list  []*Memory // of each
}

// ReadMemories reads what files remember, and has options begin with the largest tree, go
// on from the longest snapshot, and save in all of them how far a run has come.
func ReadMemories(files []string, options *Params) (*Memories, error) {
	s := &Memories{files: files}
	for _, file := range files {
		m, err := Remembered(file, options.Origin, options.Known)
		if err != nil {
			return nil, err
		}
		if m.Seen.N > options.Seen.N {
			options.Seen = m.Seen
		}
		if m.Resume != nil && (options.Resume == nil || m.Resume.Size > options.Resume.Size) {
			options.Resume = m.Resume
		}
		s.list = append(s.list, m)
	}
	if len(files) > 0 {
		options.Save = func(snapshot json.RawMessage) error { return s.Write(nil, snapshot) }
	}
	return s, nil
}

// Write has the files remember what was verified: the checkpoint, unless the run has not
// come to its end, and the snapshot, where all of the log was read. What there is none of
// stays as it was.
func (s *Memories) Write(checkpoint []byte, snapshot json.RawMessage) error {
	for i, file := range s.files {
		m := s.list[i]
		if checkpoint != nil {
			m.Checkpoint = string(checkpoint)
		}
		if snapshot != nil {
			m.Snapshot = snapshot
		}
		if err := m.Write(file); err != nil {
			return err
		}
	}
	return nil
}
