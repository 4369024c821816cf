// Package yamljson writes a YAML document as JSON.
package yamljson

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v4"
)

// Convert returns the document as JSON without spaces, names in their order.
func Convert(text []byte) ([]byte, error) {
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("reading YAML: %w", err)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return nil, fmt.Errorf("writing JSON: %w", err)
	}
	return out.Bytes(), nil
}
