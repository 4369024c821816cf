package browsertest_test

import (
	"bytes"
	"compress/flate"
	"regexp"
	"slices"
	"testing"
)

var place = regexp.MustCompile(`\{\w+\}`)

// placesOf returns the places of a text that a script fills.
func placesOf(text string) []string {
	places := place.FindAllString(text, -1)
	slices.Sort(places)
	return places
}

// asked are the ways in which scripts name texts, and the family of each.
var asked = []struct {
	family string
	form   *regexp.Regexp
}{
	{"fault.", regexp.MustCompile(`new (?:Fault|Unable|Unreachable)\("(\w+)"`)},
	{"fault.", regexp.MustCompile(`this\.say\("fault\.(\w+)"`)},
	{"label.", regexp.MustCompile(`note\("(\w+)"`)},
	{"says.", regexp.MustCompile(`code: "(\w+)", values`)},
	{"part.", regexp.MustCompile(`check(?:Text)\("(\w+)"`)},
	{"part.", regexp.MustCompile(`\["(\w+)", "[a-z]*\.`)},
	{"step.", regexp.MustCompile(`\{ name: "(\w+)", needs`)},
	{"", regexp.MustCompile(`this\.say\("([\w.]+)"`)},
	{"", regexp.MustCompile(`this\.action\("(\w+)"`)},
}

// keysIn returns the keys of the texts that a script names.
func keysIn(script string) (keys []string) {
	for _, way := range asked {
		for _, found := range way.form.FindAllStringSubmatch(script, -1) {
			keys = append(keys, way.family+found[1])
		}
	}
	return keys
}

// deflated returns the size of a file when it is compressed.
func deflated(t testing.TB, data []byte) int {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
