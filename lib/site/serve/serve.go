// Package serve serves the public site and the log from folders over HTTP, with
// the headers that CloudFront sends. What a browser allows pages to do here, it
// allows them there.
package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"tally/lib/archive/objects"
	"tally/lib/site/files"
	"tally/lib/site/headers"
)

// ContentSecurityPolicy is what pages may do: nothing but what comes from the same
// place.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Headers are those of every answer.
var Headers = headers.Security(ContentSecurityPolicy)

// Files are those of a site in a folder, with the log beside it.
type Files struct {
	site *os.Root
	log  *os.Root // nil for none
}

var _ http.Handler = (*Files)(nil)

// Open returns the files of a site, and of its log; an empty log stands for none.
func Open(site, log string) (*Files, error) {
	f := &Files{}
	var err error
	if f.site, err = os.OpenRoot(site); err != nil {
		return nil, fmt.Errorf("opening the site: %w", err)
	}
	if log != "" {
		if f.log, err = os.OpenRoot(log); err != nil {
			return nil, errors.Join(fmt.Errorf("opening the log: %w", err), f.site.Close())
		}
	}
	return f, nil
}

// Close closes the folders.
func (f *Files) Close() error {
	err := f.site.Close()
	if f.log != nil {
		err = errors.Join(err, f.log.Close())
	}
	return err
}

// Listen answers requests at an address such as 127.0.0.1:8081, by a server that the
// caller closes, and returns its URL.
func Listen(ctx context.Context, address string, handler http.Handler) (server *http.Server, url string, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, "", fmt.Errorf("listening for readers: %w", err)
	}
	server = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends with its Close
	return server, "http://" + listener.Addr().String(), nil
}

// LogFolder is where the log is on the site.
const LogFolder = "log/"

// ServeHTTP answers GET and HEAD with a file, or with the page for what is not
// there.
func (f *Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range Headers {
		w.Header().Set(name, value)
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if IsForAll(name) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		w.Header().Set("Access-Control-Allow-Methods", "GET, HEAD")
		w.WriteHeader(http.StatusNoContent)
		return
	default:
		w.Header().Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "this can only be read", http.StatusMethodNotAllowed)
		return
	}
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	data, err := f.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.missing(w, r)
	case err != nil:
		http.Error(w, "the file can't be read", http.StatusInternalServerError)
	default:
		sum := sha256.Sum256(data)
		w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
		w.Header().Set("Content-Type", files.ContentType(name))
		w.Header().Set("Cache-Control", cacheControl(name, data))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}
}

// missing answers that there is no such file.
func (f *Files) missing(w http.ResponseWriter, r *http.Request) {
	page, err := f.read("404.html")
	if err != nil {
		page = []byte("there is no such page\n")
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	} else {
		w.Header().Set("Content-Type", files.ContentType("404.html"))
	}
	w.WriteHeader(http.StatusNotFound)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page) // the reader may be gone
	}
}

// read reads a file of the site or of the log. Nothing outside of their folders
// can be read, by links in them either. What is no path of a file is not there.
func (f *Files) read(name string) (data []byte, err error) {
	root := f.site
	if inLog, is := strings.CutPrefix(name, LogFolder); is {
		root, name = f.log, inLog
	}
	if root == nil || !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00") {
		return nil, fs.ErrNotExist
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if about, err := file.Stat(); err != nil || about.IsDir() {
		return nil, fs.ErrNotExist
	}
	return io.ReadAll(file)
}

// IsForAll reports whether scripts of other sites may read a file: those that are
// for machines, and the log.
func IsForAll(name string) bool {
	return strings.HasPrefix(name, "results/") || strings.HasPrefix(name, LogFolder)
}

// cacheControl returns how long a file may be kept, as those who write it to a
// bucket say.
func cacheControl(name string, data []byte) string {
	inLog, isLog := strings.CutPrefix(name, LogFolder)
	switch {
	case name == "cursor.json", isLog && (inLog == "checkpoint" || inLog == "verifier-key"):
		return objects.Mutable
	case isLog:
		return objects.Immutable
	}
	return files.CacheControl(name, isLasting(name, data))
}

// isLasting reports whether a file of the site never changes: assets, places of
// draws, and entries of the log.
func isLasting(name string, data []byte) bool {
	return path.Dir(name) == "assets" || strings.HasPrefix(name, "results/draws/") ||
		path.Ext(name) == ".json" && bytes.HasPrefix(data, []byte(`{"schema":1,"entry":`))
}
