package files

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"tally/lib/archive/objects"
)

// root is the folder of all files for machines.
const root = "results/"

// StatePath returns the path of a state's entry.
func StatePath(game, day, draw string, state int) string {
	return fmt.Sprintf("%s%s/%s/%s.%d.json", root, game, day, draw, state)
}

// ProofPath returns the path of the proof of a state's entry.
func ProofPath(game, day, draw string, state int) string {
	return fmt.Sprintf("%s%s/%s/%s.%d%s", root, game, day, draw, state, proofEnd)
}

// DrawPath returns the path of a draw's history.
func DrawPath(game, day, draw string) string {
	return fmt.Sprintf("%s%s/%s/%s.json", root, game, day, draw)
}

// PlacePath returns the path of the file that says on which day a draw is.
func PlacePath(draw string) string { return root + "draws/" + draw + ".json" }

// PeriodPath returns the path of the index of a day, a month or a year, by its
// name, such as 2026-11.
func PeriodPath(game, period string) string { return root + game + "/" + period + ".json" }

// GamePath returns the path of a game's index.
func GamePath(game string) string { return root + game + "/index.json" }

// GamesPath is the path of the index of all games.
const GamesPath = root + "index.json"

// RowsPath returns the path of a day's rows as newline-separated JSON.
func RowsPath(game, day string) string { return root + game + "/" + day + ".ndjson" }

// IsState reports whether the history of a draw would be at the path of a state
// of another draw: that of draw a.1 at the path of state 1 of draw a. It returns
// that draw and state.
func IsState(draw string) (other string, state int, may bool) {
	at := strings.LastIndexByte(draw, '.')
	if at < 1 {
		return "", 0, false
	}
	number := draw[at+1:]
	state, err := strconv.Atoi(number)
	if err != nil || state < 1 || strconv.Itoa(state) != number {
		return "", 0, false
	}
	return draw[:at], state, true
}

// proofEnd ends the names of proofs.
const proofEnd = ".tlog-proof"

// contentTypes are those of files by the end of their names.
var contentTypes = map[string]string{
	".json":   "application/json; charset=utf-8",
	".ndjson": "application/x-ndjson; charset=utf-8",
	".csv":    "text/csv; charset=utf-8",
	".html":   "text/html; charset=utf-8",
	".css":    "text/css; charset=utf-8",
	".js":     "text/javascript; charset=utf-8",
	".svg":    "image/svg+xml",
	".txt":    "text/plain; charset=utf-8",
	proofEnd:  "text/plain; charset=utf-8",
}

// ContentType returns the content type of a file of the site, or of the log, by
// its path.
func ContentType(name string) string {
	if known, is := contentTypes[path.Ext(name)]; is {
		return known
	}
	switch path.Base(name) {
	case "checkpoint", "verifier-key":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// How long readers may keep files. A proof never becomes wrong, though another of
// the same entry may take its place.
const (
	CacheChanging = "public, max-age=60"
	CacheProof    = "public, max-age=86400"
)

// CacheControl returns how long readers may keep a file of the site.
func CacheControl(name string, immutable bool) string {
	switch {
	case immutable:
		return objects.Immutable
	case path.Ext(name) == proofEnd:
		return CacheProof
	}
	return CacheChanging
}
