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
	"tally/lib/archive/objects"
)

// Memory is what an auditor remembers of a log: the newest checkpoint that was
// verified. It is what makes a log that was set back or rewritten show.
type Memory struct {
	Checkpoint string `json:"checkpoint"` // signed, and so evidence
}

// Remembered reads what a file remembers of a log; a tree of size 0 where there is
// no file yet. What is remembered is verified too.
func Remembered(path, origin string, known note.Verifiers) (tlog.Tree, error) {
	text, err := readNamed(path)
	if errors.Is(err, fs.ErrNotExist) {
		return tlog.Tree{}, nil
	}
	if err != nil {
		return tlog.Tree{}, fmt.Errorf("reading what was seen before: %w", err)
	}
	var m Memory
	if err := json.Unmarshal(text, &m); err != nil {
		return tlog.Tree{}, fmt.Errorf("reading what was seen before, %s: %w", path, err)
	}
	c, err := checkpoint.Open([]byte(m.Checkpoint), origin, known)
	if err != nil {
		return tlog.Tree{}, fmt.Errorf("reading what was seen before, %s: %w", path, err)
	}
	return c.Tree, nil
}

// maxMemory bounds the file of a memory: a checkpoint in JSON.
const maxMemory = 8 * checkpoint.MaxBytes

func readNamed(path string) (text []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err = objects.ReadAll(file, maxMemory)
	return text, errors.Join(err, file.Close())
}

// Remember writes the checkpoint that was verified into a file, whole or not at
// all.
func Remember(path string, signed []byte) error {
	text, err := json.MarshalIndent(Memory{Checkpoint: string(signed)}, "", "  ")
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
