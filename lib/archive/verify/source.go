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
	"slices"
	"strconv"
	"strings"
	"time"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/objects"
	"tally/lib/archive/tiles"
)

// Source is where a log's files are read. It is not trusted.
type Source interface {
	// Get returns a file, or ErrMissing when there is none.
	Get(ctx context.Context, path string) ([]byte, error)
}

// ErrMissing says that a log lacks a file.
var ErrMissing = errors.New("the log has no such file")

// Lister is a source that knows all its files.
type Lister interface {
	// List returns the paths of at most so many files.
	List(most int) ([]string, error)
}

// Open returns the source at a URL or in a folder.
func Open(place string) (Source, error) {
	if strings.HasPrefix(place, "https://") || strings.HasPrefix(place, "http://") {
		base, err := url.Parse(strings.TrimSuffix(place, "/"))
		if err != nil {
			return nil, fmt.Errorf("reading the log's address: %w", err)
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = webConnections
		return &web{base: base, client: &http.Client{Timeout: 60 * time.Second, CheckRedirect: sameHost, Transport: transport}}, nil
	}
	root, err := os.OpenRoot(place)
	if err != nil {
		return nil, fmt.Errorf("opening the log's folder: %w", err)
	}
	return folder{root: root}, nil
}

// errRedirect says that a server sends a reader where it does not go.
var errRedirect = errors.New("the server redirects")

// maxRedirects bounds how often a server sends a reader on.
const maxRedirects = 5

// sameHost refuses redirects to another host: what is there is not what was named, and
// may be a machine that only the reader can reach.
func sameHost(next *http.Request, before []*http.Request) error {
	first := before[0].URL
	switch {
	case next.URL.Host != first.Host || next.URL.Scheme != first.Scheme:
		return fmt.Errorf("%w to another place, %.200s: if that is where the log is, name it", errRedirect, next.URL.Redacted())
	case len(before) > maxRedirects:
		return fmt.Errorf("%w more than %d times", errRedirect, maxRedirects)
	}
	return nil
}

// folder is a copied log.
type folder struct{ root *os.Root }

func (f folder) Get(_ context.Context, path string) ([]byte, error) {
	data, err := objects.ReadFile(f.root, filepath.FromSlash(path), tiles.MaxBytes(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrMissing
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return data, nil
}

// List goes through the folder and all below it.
func (f folder) List(most int) (paths []string, err error) {
	err = fs.WalkDir(f.root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return nil
		case len(paths) == most:
			return fs.SkipAll
		}
		paths = append(paths, path)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the log's folder: %w", err)
	}
	return paths, nil
}

// web is a log that is served over HTTP.
type web struct {
	base   *url.URL
	client *http.Client
}

const (
	// webConnections is how many connections to the server are kept: as many as files are
	// read side by side.
	webConnections = 32
	// webTries is how often a file is asked for when the server or the network fails.
	webTries = 5
	// maxWait bounds how long a server has a reader wait before it asks again.
	maxWait = 30 * time.Second
)

func (w *web) Get(ctx context.Context, path string) (data []byte, err error) {
	for try := range webTries {
		var again *retry
		if data, again, err = w.get(ctx, path); again == nil || try == webTries-1 {
			return data, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(again.after + rand.N(200*time.Millisecond<<try) + 1):
		}
	}
	return nil, err
}

// retry says that a file may be asked for again, and after what time at the earliest.
type retry struct{ after time.Duration }

// retryAfter returns when a server wants to be asked again; nil where it has answered for
// good. A date in the place of seconds is left to the usual wait.
func retryAfter(response *http.Response) *retry {
	if response.StatusCode < 500 && response.StatusCode != http.StatusTooManyRequests {
		return nil
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return &retry{}
	}
	return &retry{after: min(time.Duration(min(seconds, 3600))*time.Second, maxWait)}
}

// get asks for a file once.
func (w *web) get(ctx context.Context, path string) (data []byte, again *retry, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.base.JoinPath(path).String(), nil)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", path, err)
	}
	response, err := w.client.Do(request)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, errRedirect) {
			again = &retry{}
		}
		return nil, again, fmt.Errorf("reading %s: %w", path, err)
	}
	defer func() { _ = response.Body.Close() }()
	switch {
	case response.StatusCode == http.StatusNotFound:
		_, _ = io.CopyN(io.Discard, response.Body, 4<<10) // so that the connection can be used again
		return nil, nil, ErrMissing
	case response.StatusCode != http.StatusOK:
		return nil, retryAfter(response), fmt.Errorf("reading %s: the server answers %s", path, response.Status)
	}
	data, err = objects.ReadAll(response.Body, tiles.MaxBytes(path))
	if err != nil {
		if !errors.Is(err, objects.ErrTooLong) {
			again = &retry{}
		}
		return nil, again, fmt.Errorf("reading %s: %w", path, err)
	}
	return data, nil, nil
}

// reading is a source that takes a full file where a log has dropped the partial one.
type reading struct{ Source }

func (r reading) Get(ctx context.Context, path string) ([]byte, error) {
	return tiles.Get(ctx, path, ErrMissing, r.get)
}

func (r reading) get(ctx context.Context, path string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return r.Source.Get(ctx, path)
}

// maxFiles bounds how many files of a folder are listed.
const maxFiles = 1 << 20

// Unread are the files of a folder that a verification did not read.
type Unread struct {
	Partial int `json:"partial"` // partial tiles and bundles of earlier sizes
	Staged  int `json:"staged"`  // batches for appenders
	Other   int `json:"other"`
	// Names are those of the others, at most 100.
	Names []string `json:"names,omitempty"`
}

const maxUnread = 100

// unread lists what lies beside the files of a tree; nil where that can't be told.
func (r reading) unread(size int64) (*Unread, error) {
	lister, is := r.Source.(Lister)
	if !is {
		return nil, nil
	}
	paths, err := lister.List(maxFiles)
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	there := func(path string) bool {
		_, found := slices.BinarySearch(paths, path)
		return found
	}
	u := &Unread{}
	for _, path := range paths {
		full, width := tiles.Full(path)
		most, is := tiles.WidthAt(full, size)
		switch {
		case path == checkpoint.Path, path == tiles.KeysPath, is && width == most:
		case is && width < most:
			u.Partial++
		case is && path == full && !there(tiles.Partial(full, most)): // which was read in its place
		case strings.HasPrefix(path, "staged/"):
			u.Staged++
		default:
			if u.Other++; len(u.Names) < maxUnread {
				u.Names = append(u.Names, path)
			}
		}
	}
	return u, nil
}
