package pages

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
	"sync"

	"tally/lib/rulebook/cards"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/show"
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
	templates *template.Template
	rings     sync.Map // the drawings of wheels, by their *show.Ring
}

//go:embed templates/*.html
var templateFiles embed.FS

// ErrOptions says that the pages can't be made for such a log.
var ErrOptions = errors.New("the site's options are incomplete")

// New returns the site of a log.
func New(o Options) (*Site, error) {
	if o.Origin == "" || len(o.VerifierKeys) == 0 || !strings.HasSuffix(o.LogURL, "/") || strings.HasPrefix(o.LogURL, "/") {
		return nil, fmt.Errorf("%w: they need the log's name, a verifier key, and a relative URL that ends with a slash", ErrOptions)
	}
	list, err := readWords()
	if err != nil {
		return nil, err
	}
	s := &Site{options: o}
	if s.assets, err = readAssets(list); err != nil {
		return nil, err
	}
	for _, w := range list {
		t, err := template.New("").Funcs(s.functions(w)).ParseFS(templateFiles, "templates/*.html")
		if err != nil {
			return nil, fmt.Errorf("reading the templates: %w", err)
		}
		e := &edition{words: w, templates: t}
		if err := e.prepare(); err != nil {
			return nil, err
		}
		s.languages = append(s.languages, e)
	}
	return s, nil
}

// Assets returns the files that pages refer to. A changed file has another name.
func (s *Site) Assets() []File { return s.assets.files }

// page is what each page's template is given.
type page struct {
	Lang  string
	Path  string // from the language's folder; empty for a page of no language
	Root  string // from the page to the root of the site
	Title string
	// Game is the game that the page is about, or empty.
	Game string
	// Scripts are the modules that have something to do on the page.
	Scripts []string
	Data    any
}

// Languages are those of the page's other editions.
func (page) Languages() []string { return Languages }

// Games are the ids of all games.
func (page) Games() (ids []string) {
	for _, game := range games.All() {
		ids = append(ids, game.ID)
	}
	return ids
}

// scripts are the modules of the pages that have some.
var scripts = map[string][]string{"draw": {"address.js", "verify.js"}, "about": {"address.js"}}

// render makes a page in each language. make returns its title and data.
func (s *Site) render(name, path, game string, make func(*words) (title string, data any)) ([]File, error) {
	files := []File{}
	for _, e := range s.languages {
		title, data := make(e.words)
		p := page{Lang: e.lang, Path: path, Root: strings.Repeat("../", strings.Count(path, "/")+1), Title: title, Game: game, Scripts: scripts[name], Data: data}
		text, err := e.execute(name, p)
		if err != nil {
			return nil, fmt.Errorf("making %s/%s: %w", e.lang, path, err)
		}
		files = append(files, File{Path: e.lang + "/" + path, Data: text, ContentType: htmlType})
	}
	return files, nil
}

const htmlType = "text/html; charset=utf-8"

func (e *edition) execute(name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := e.templates.ExecuteTemplate(&out, name, data); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// prepare draws the cards, and adds the functions that need the templates.
func (e *edition) prepare() error {
	for card := range cards.Card(cards.Count) {
		for across := range e.faces {
			text, err := e.execute("card", face{Card: show.Card{Card: card, Sideways: across == 1}})
			if err != nil {
				return fmt.Errorf("drawing the card %v: %w", card, err)
			}
			e.faces[across][card] = string(text)
		}
	}
	e.templates.Funcs(template.FuncMap{"picture": e.picture, "ring": e.ring})
	return nil
}

// readFiles returns the names of the files of a folder.
func readFiles(files fs.FS, folder string) ([]string, error) {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", folder, err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}
