package api

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// A cursor is where a list goes on: the keys from which to read, which clients
// are not to look into.

// writeCursor returns a cursor.
func writeCursor(parts ...string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(parts, "\n")))
}

// readCursor returns the parts of the request's cursor, nil where it has none.
func (r *request) readCursor(parts int) ([]string, error) {
	text, given := r.query["cursor"]
	if !given {
		return nil, nil
	}
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	found := strings.Split(string(decoded), "\n")
	if err != nil || len(found) != parts {
		return nil, r.badCursor()
	}
	return found, nil
}

func (r *request) badCursor() error {
	var wrong problems
	wrong.add(problemValue, "query cursor", "it is not the next of a page of this list")
	return wrong.problem()
}

// whole returns a whole number of the query; the document has checked its form.
func (r *request) whole(name string, otherwise int64) int64 {
	number, err := strconv.ParseInt(r.query[name], 10, 64)
	if err != nil {
		return otherwise
	}
	return number
}

// defaultLimit is how many entries a page has where the request does not say.
const defaultLimit = 50

func (r *request) limit() int { return int(r.whole("limit", defaultLimit)) }
