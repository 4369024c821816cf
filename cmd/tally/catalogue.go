package main

import (
	"encoding/json"
	"strings"
)

// encode writes a value as an indented JSON document.
func encode(v any) ([]byte, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // forms such as <1-36> are to be readable
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return []byte(b.String()), err
}
