package pages

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// contentTypes are those of assets by the end of their name.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".json": "application/json; charset=utf-8",
}

// imported finds the modules that a module imports.
var imported = regexp.MustCompile(`(?m)(\bfrom "\./)([a-z0-9_-]+\.js)(";)$`)

// assets are files with a part of their hash in their name.
type assets struct {
	plain map[string]string // by the plain name
	files []File
	names map[string]string // the path by the plain name
}

// errCircle says that a module imports itself in the end.
var errCircle = errors.New("modules import each other")

// readAssets returns the assets. A module is read after those that it imports: it
// names them by their names with a hash.
func readAssets(plain map[string]string, languages []*words) (*assets, error) {
	a := &assets{plain: plain, names: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		if err := a.add(name, nil); err != nil {
			return nil, err
		}
	}
	for _, w := range languages {
		data, err := w.drawing()
		if err != nil {
			return nil, err
		}
		a.put(w.asset(), data)
	}
	return a, nil
}

// add adds an asset, and before it those that it imports.
func (a *assets) add(name string, importers []string) error {
	if a.names[name] != "" {
		return nil
	}
	if len(importers) > 20 {
		return fmt.Errorf("reading the asset %s: %w: %s", name, errCircle, strings.Join(importers, ", "))
	}
	text, is := a.plain[name]
	if !is {
		return fmt.Errorf("reading the asset %s: there is none", name)
	}
	data := []byte(text)
	end := path.Ext(name)
	if end == ".js" {
		for _, found := range imported.FindAllSubmatch(data, -1) {
			if err := a.add(string(found[2]), append(importers, name)); err != nil {
				return err
			}
		}
		data = imported.ReplaceAllFunc(data, func(found []byte) []byte {
			parts := imported.FindSubmatch(found)
			return []byte(string(parts[1]) + path.Base(a.names[string(parts[2])]) + string(parts[3]))
		})
	}
	a.put(name, data)
	return nil
}

// put puts a file among the assets.
func (a *assets) put(name string, data []byte) {
	a.names[name] = assetPath(name, data)
	a.files = append(a.files, File{Path: a.names[name], Data: data, ContentType: contentTypes[path.Ext(name)], Immutable: true})
}

// drawn are the families of the messages that scripts use: what the Verify button
// says, and those by which it draws a result and betting rounds a second time.
var drawn = []string{"ball", "baccarat", "balls", "blackjack", "card", "category", "colour", "combination", "date", "dice", "draw", "game", "half", "lucky",
	"parity", "poker", "reason", "roulette", "round", "site", "status", "table", "verify", "war", "wheel"}

// asset is the plain name of the file with the messages that scripts use.
func (w *words) asset() string { return "words." + w.lang + ".json" }

// drawing returns that file.
func (w *words) drawing() ([]byte, error) {
	texts := map[string]map[string]string{}
	for key, forms := range w.known {
		if family, _, _ := strings.Cut(key, "."); slices.Contains(drawn, family) {
			texts[key] = forms
		}
	}
	data, err := json.Marshal(map[string]any{"lang": w.lang, "group": w.group, "texts": texts})
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", w.asset(), err)
	}
	return data, nil
}

// assetPath returns the path of an asset of that plain name and content.
func assetPath(name string, data []byte) string {
	sum, end := sha256.Sum256(data), path.Ext(name)
	return "assets/" + strings.TrimSuffix(name, end) + "." + hex.EncodeToString(sum[:8]) + end
}

// IsAsset reports whether a file's path is that of an asset with its content, of
// this version of the site or of another.
func IsAsset(file string, data []byte) bool {
	plain, end := strings.TrimPrefix(file, "assets/"), path.Ext(file)
	plain = strings.TrimSuffix(plain, end)
	return file == assetPath(strings.TrimSuffix(plain, path.Ext(plain))+end, data)
}

// path returns the path of an asset by its plain name. One that does not exist is a
// fault of the program, which a test finds.
func (a *assets) path(name string) string {
	path, is := a.names[name]
	if !is {
		panic(fmt.Errorf("there is no asset %s", name))
	}
	return path
}
