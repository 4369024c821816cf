// Package texts makes what lib/site/pages embeds: what pages say in each language, from
// messages/*.toml there and those of the games, and the files of assets/. The pages have no
// need of a reader of TOML, and compressed it is a quarter.
package texts

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"

	"tally/lib/rulebook/games"
)

// Pack returns what the pages embed, from the folder of lib/site/pages: what they say of all
// games that are released, and their assets.
func Pack(folder fs.FS) ([]byte, error) {
	text, err := build(folder)
	if err != nil {
		return nil, err
	}
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		return nil, fmt.Errorf("compressing the messages and assets: %w", err)
	}
	if _, err := w.Write(text); err != nil {
		return nil, fmt.Errorf("compressing the messages and assets: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compressing the messages and assets: %w", err)
	}
	return compressed.Bytes(), nil
}

// embedded is what the pages embed: messages by language, key and plural form, and assets by
// their names.
type embedded struct {
	Messages map[string]map[string]map[string]string
	Assets   map[string]string
}

// build returns it as JSON.
func build(folder fs.FS) ([]byte, error) {
	made := embedded{Messages: map[string]map[string]map[string]string{}, Assets: map[string]string{}}
	for _, lang := range []string{"en", "es", "pt", "uk"} {
		messages, err := messagesOf(folder, lang)
		if err != nil {
			return nil, err
		}
		made.Messages[lang] = messages
	}
	assets, err := fs.Glob(folder, "assets/*")
	if err != nil {
		return nil, err
	}
	for _, name := range assets {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		made.Assets[name[len("assets/"):]] = string(text)
	}
	return json.Marshal(made)
}

// messagesOf reads the message files of a language: one for the pages, one for what the Verify
// button says, and those of the games.
func messagesOf(folder fs.FS, lang string) (map[string]map[string]string, error) {
	known := map[string]map[string]string{}
	for _, name := range []string{lang, "verify." + lang} {
		if err := add(known, folder, name); err != nil {
			return nil, err
		}
	}
	var done []fs.FS // games of one package have their messages together
	for _, game := range games.All() {
		if game.Show == nil || slices.Contains(done, game.Show.Messages()) {
			continue
		}
		done = append(done, game.Show.Messages())
		if err := add(known, game.Show.Messages(), lang); err != nil {
			return nil, fmt.Errorf("%s: %w", game.ID, err)
		}
	}
	return known, nil
}

// add adds the messages of a file.
func add(known map[string]map[string]string, folder fs.FS, name string) error {
	name = "messages/" + name + ".toml"
	data, err := fs.ReadFile(folder, name)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	file, err := i18n.ParseMessageFileBytes(data, name, map[string]i18n.UnmarshalFunc{"toml": toml.Unmarshal})
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	for _, m := range file.Messages {
		if known[m.ID] != nil {
			return fmt.Errorf("reading %s: the message %s is there twice", name, m.ID)
		}
		known[m.ID] = map[string]string{}
		for form, text := range map[string]string{"one": m.One, "few": m.Few, "many": m.Many, "other": m.Other} {
			if text != "" {
				known[m.ID][form] = text
			}
		}
	}
	return nil
}
