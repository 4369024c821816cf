package objects

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// ErrTooLong says that a file has more bytes than one of its kind can have.
var ErrTooLong = errors.New("the file is longer than any of its kind")

// ErrNotRegular says that a pipe, a device or a folder lies where a file has to be.
var ErrNotRegular = errors.New("it is no regular file")

// ReadAll reads at most so many bytes; a reader that has more is refused.
func ReadAll(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrTooLong, most)
	}
	return data, err
}

// ReadFile reads a file of a folder that someone else may have filled. A pipe or a device
// there, which may never end, is refused and not waited for.
func ReadFile(root *os.Root, name string, most int64) ([]byte, error) {
	// Opening a pipe waits for a writer unless it may not wait.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w: %s", ErrNotRegular, info.Mode())
	}
	var data []byte
	if err == nil {
		data, err = ReadAll(file, most)
	}
	return data, errors.Join(err, file.Close())
}
