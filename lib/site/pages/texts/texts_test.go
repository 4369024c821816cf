package texts

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// TestCurrent says that what the pages embed is up to date.
func TestCurrent(t *testing.T) {
	want, err := build(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("../embedded.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	from, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(from); err != nil || !bytes.Equal(got, want) {
		t.Errorf("embedded.json.gz is not made of the messages and assets: run go generate ./lib/site/pages (%v)", err)
	}
}

// TestRefused refuses message files that are not what they should be.
func TestRefused(t *testing.T) {
	for name, row := range map[string]struct{ text, want string }{
		"twice":   {"[list]\ndraw = \"draw\"", "the message list.draw is there twice"},
		"no TOML": {"a", "reading messages/verify.en.toml"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := fstest.MapFS{"messages/en.toml": {Data: []byte("[list]\ndraw = \"draw\"")}, "messages/verify.en.toml": {Data: []byte(row.text)}}
			if _, err := build(folder); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want %s", err, row.want)
			}
		})
	}
	if _, err := build(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "reading messages/en.toml") {
		t.Errorf("%v", err)
	}
}
