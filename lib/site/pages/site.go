package pages

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Options say what the pages are about.
type Options struct {
	Origin       string   // the log's name
	VerifierKeys []string // its public keys
	LogURL       string   // where the log is, from the root of the site, such as log/
}

// Site makes pages. Its zero value is not usable. It may be used by several
// goroutines at once.
type Site struct {
	options   Options
	assets    *assets
	languages []*edition
}

// edition is the site in one language.
type edition struct {
	*words
	site *Site
}

// ErrOptions says that the pages can't be made for such a log.
var ErrOptions = errors.New("the site's options are incomplete")

// New returns the site of a log.
func New(o Options) (*Site, error) {
	if o.Origin == "" || len(o.VerifierKeys) == 0 || !strings.HasSuffix(o.LogURL, "/") || strings.HasPrefix(o.LogURL, "/") {
		return nil, fmt.Errorf("%w: they need the log's name, a verifier key, and a relative URL that ends with a slash", ErrOptions)
	}
	e, err := expand()
	if err != nil {
		return nil, err
	}
	list := newWords(e)
	s := &Site{options: o}
	if s.assets, err = readAssets(e.Assets, list); err != nil {
		return nil, err
	}
	for _, w := range list {
		w.drawCards()
		s.languages = append(s.languages, &edition{words: w, site: s})
	}
	return s, nil
}

// Assets returns the files that pages refer to. A changed file has another name.
func (s *Site) Assets() []File { return s.assets.files }

// page is what every page has. The .qtpl files write what it says, and qtc, which "go generate"
// calls, makes functions of them.
type page struct {
	*edition
	Path  string // from the language's folder; empty for a page of no language
	Root  string // from the page to the root of the site
	Title string
	// Scripts are the modules that have something to do on the page.
	Scripts []string
}

//go:generate go tool qtc -skipLineComments

// scripts are the modules of the pages that have some.
var scripts = map[string][]string{"draw": {"address.js", "verify.js"}, "about": {"address.js"}}

// render makes a page in each language, of a title and of what writes it. What panics is an
// error of this page: the log may be a stranger's.
func (s *Site) render(name, path string, title func(*words) string, write func(*page, io.Writer)) (files []File, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			files, err = nil, fmt.Errorf("making %s: %v", path, fault)
		}
	}()
	for _, e := range s.languages {
		p := &page{edition: e, Path: path, Root: strings.Repeat("../", strings.Count(path, "/")+1), Title: title(e.words), Scripts: scripts[name]}
		var out bytes.Buffer
		write(p, &out)
		files = append(files, File{Path: e.lang + "/" + path, Data: out.Bytes(), ContentType: htmlType})
	}
	return files, nil
}

const htmlType = "text/html; charset=utf-8"
