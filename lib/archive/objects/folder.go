package objects

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"tally/lib/archive/tiles"
)

// Folder is a store in a folder, for one process at a time. Its files can be
// served over HTTP as they lie there, or copied to wherever a log is verified.
type Folder struct {
	root    *os.Root
	scratch bool       // files need not outlive the machine
	mutex   sync.Mutex // makes a comparison and the write after it one step
}

var _ Store = (*Folder)(nil)

// OpenFolder returns the store in a folder, which is made where there is none.
func OpenFolder(path string) (*Folder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("opening the folder: %w", err)
	}
	return &Folder{root: root}, nil
}

// OpenScratch returns the store in a folder of files that can be made again: they
// are not brought to the disk one by one, which takes a hundred times as long.
func OpenScratch(path string) (*Folder, error) {
	f, err := OpenFolder(path)
	if err == nil {
		f.scratch = true
	}
	return f, err
}

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Get returns a file.
func (f *Folder) Get(_ context.Context, key string) (data []byte, tag string, err error) {
	data, err = ReadFile(f.root, filepath.FromSlash(key), tiles.MaxBytes(key))
	if errors.Is(err, fs.ErrNotExist) || isFolder(f.root, key, err) {
		return nil, "", ErrNotFound
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", key, err)
	}
	return data, tagOf(data), nil
}

// isFolder reports whether reading failed because there is a folder.
func isFolder(root *os.Root, key string, failed error) bool {
	if !errors.Is(failed, ErrNotRegular) {
		return false
	}
	info, err := root.Stat(filepath.FromSlash(key))
	return err == nil && info.IsDir()
}

func tagOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// PutIfAbsent writes a file that must not be there.
func (f *Folder) PutIfAbsent(ctx context.Context, key string, data []byte, header Header) error {
	if err := f.PutIfMatch(ctx, key, data, "", header); !errors.Is(err, ErrChanged) {
		return err
	}
	return ErrExists
}

// PutIfMatch writes over the content of this tag.
func (f *Folder) PutIfMatch(ctx context.Context, key string, data []byte, tag string, _ Header) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	there, now, err := f.Get(ctx, key)
	switch {
	case errors.Is(err, ErrNotFound):
		now = ""
	case err != nil:
		return err
	}
	if now != tag {
		return ErrChanged
	}
	if tag != "" && bytes.Equal(there, data) {
		return nil
	}
	return f.write(key, data)
}

// Drop takes the files of a folder away, and the folder.
func (f *Folder) Drop(_ context.Context, folder string) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if err := f.root.RemoveAll(filepath.FromSlash(folder)); err != nil {
		return fmt.Errorf("dropping %s: %w", folder, err)
	}
	return nil
}

// write writes a file under another name, brings it to the disk, and renames it:
// a crash leaves the old content or the new one, whole.
func (f *Folder) write(key string, data []byte) error {
	name := filepath.FromSlash(key)
	if err := f.root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", key, err)
	}
	file, err := f.root.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("writing %s: %w", key, err)
	}
	_, err = file.Write(data)
	if !f.scratch {
		err = errors.Join(err, file.Sync())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", key, err)
	}
	if err := f.root.Rename(name+".new", name); err != nil {
		return fmt.Errorf("writing %s: %w", key, err)
	}
	if f.scratch {
		return nil
	}
	return f.syncFolder(filepath.Dir(name))
}

// syncFolder brings a folder's names to the disk.
func (f *Folder) syncFolder(name string) error {
	folder, err := f.root.Open(name)
	if err != nil {
		return fmt.Errorf("opening the folder %s: %w", name, err)
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return fmt.Errorf("writing the folder %s: %w", name, err)
	}
	return nil
}
