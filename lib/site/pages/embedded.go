package pages

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:generate go run ./internal/texts

// Embedded has the messages of all languages, and the assets: package texts packs it. A test
// that releases a game of its own packs it again.
//
//go:embed embedded.json.gz
var Embedded []byte

// embedded is what it has.
type embedded struct {
	Messages map[string]map[string]plurals // by language and key
	Assets   map[string]string             // by their plain names
}

// expand reads it.
func expand() (*embedded, error) {
	from, err := gzip.NewReader(bytes.NewReader(Embedded))
	if err != nil {
		return nil, fmt.Errorf("expanding the messages and assets: %w", err)
	}
	e := new(embedded)
	if err := json.NewDecoder(from).Decode(e); err != nil {
		return nil, fmt.Errorf("expanding the messages and assets: %w", err)
	}
	return e, nil
}
