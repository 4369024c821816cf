package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Source is where a log's files are read. It is not trusted.
type Source interface {
	// Get returns a file, or ErrMissing when there is none.
	Get(ctx context.Context, path string) ([]byte, error)
}

// ErrMissing says that a log lacks a file.
var ErrMissing = errors.New("the log has no such file")

// maxFile bounds what is read of a file. The largest is a day's rows on the public
// site; 256 entries of the largest size have 16 MB.
const maxFile = 128 << 20

// Open returns the source at a URL or in a folder.
func Open(place string) (Source, error) {
	if strings.HasPrefix(place, "https://") || strings.HasPrefix(place, "http://") {
		base, err := url.Parse(strings.TrimSuffix(place, "/"))
		if err != nil {
			return nil, fmt.Errorf("reading the log's address: %w", err)
		}
		return &web{base, &http.Client{Timeout: 60 * time.Second}}, nil
	}
	root, err := os.OpenRoot(place)
	if err != nil {
		return nil, fmt.Errorf("opening the log's folder: %w", err)
	}
	return folder{root}, nil
}

// folder is a copied log.
type folder struct{ root *os.Root }

func (f folder) Get(_ context.Context, path string) ([]byte, error) {
	file, err := f.root.Open(filepath.FromSlash(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMissing
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	data, err := readAll(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return data, nil
}

func readAll(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(data) > maxFile {
		return nil, fmt.Errorf("it has more than %d bytes", maxFile)
	}
	return data, err
}

// web is a log that is served over HTTP.
type web struct {
	base   *url.URL
	client *http.Client
}

// webTries is how often a file is asked for when the server or the network fails.
const webTries = 4

func (w *web) Get(ctx context.Context, path string) (data []byte, err error) {
	for try := range webTries {
		var again bool
		if data, again, err = w.get(ctx, path); !again {
			return data, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(rand.N(200*time.Millisecond<<try) + 1):
		}
	}
	return nil, err
}

// get asks for a file once; again says that it may be asked for again.
func (w *web) get(ctx context.Context, path string) (data []byte, again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base.JoinPath(path).String(), nil)
	if err != nil {
		return nil, false, fmt.Errorf("reading %s: %w", path, err)
	}
	response, err := w.client.Do(request)
	if err != nil {
		return nil, ctx.Err() == nil, fmt.Errorf("reading %s: %w", path, err)
	}
	defer func() { _ = response.Body.Close() }()
	switch {
	case response.StatusCode == http.StatusNotFound:
		return nil, false, ErrMissing
	case response.StatusCode != http.StatusOK:
		again := response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests
		return nil, again, fmt.Errorf("reading %s: the server answers %s", path, response.Status)
	}
	data, err = readAll(response.Body)
	if err != nil {
		return nil, true, fmt.Errorf("reading %s: %w", path, err)
	}
	return data, false, nil
}
