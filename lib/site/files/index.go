package files

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"tally/lib/site/history"
	"tally/lib/site/pages"
)

// Day is the index of a day.
type Day struct {
	Schema int    `json:"schema"`
	Game   string `json:"game"`
	Period
	Files []FileLink `json:"files"`
}

// FileLink names a file beside the index.
type FileLink struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Index is the index of a month, of its days, or of a year, of its months.
type Index struct {
	Schema int    `json:"schema"`
	Game   string `json:"game"`
	Period
	Parts []Period `json:"parts"`
}

// Game is the index of a game: its years, and its latest results.
type Game struct {
	Schema int           `json:"schema"`
	Game   string        `json:"game"`
	Years  []Period      `json:"years"`
	Latest []history.Row `json:"latest"`
}

// Games is the index of all games that have a draw, with their latest results.
type Games struct {
	Schema int      `json:"schema"`
	Games  []Newest `json:"games"`
}

// Newest is the latest of a game.
type Newest struct {
	Game   string        `json:"game"`
	Latest []history.Row `json:"latest"`
}

// How many of the latest results indexes have.
const (
	LatestOfGame = 20
	LatestOfAll  = 5
)

// Compare puts draws in the order of time, then of their ids.
func Compare(a, b history.Row) int {
	return cmp.Or(cmp.Compare(a.OpensAt, b.OpensAt), cmp.Compare(a.Draw, b.Draw))
}

// Latest returns the latest n of some rows that have a result, the latest first.
func Latest(rows []history.Row, n int) []history.Row {
	latest := []history.Row{}
	for _, row := range rows {
		if row.State > 0 {
			latest = append(latest, row)
		}
	}
	slices.SortFunc(latest, func(a, b history.Row) int { return Compare(b, a) })
	return latest[:min(n, len(latest))]
}

// DayFiles returns the files of a day, given its rows in the order of time: those
// that have a row for each draw, and then the index.
func DayFiles(game, day string, rows []history.Row) ([]pages.File, Period, error) {
	list := []pages.File{}
	for _, form := range forms {
		data, err := form.write(rows)
		if err != nil {
			return nil, Period{}, err
		}
		path := root + game + "/" + day + form.end
		list = append(list, pages.File{Path: path, Data: data, ContentType: ContentType(path)})
	}
	index := Day{Schema: Schema, Game: game, Period: Sum(day, rows)}
	for i, f := range list {
		sum := sha256.Sum256(f.Data)
		index.Files = append(index.Files, FileLink{
			Name: day + forms[i].end, Type: f.ContentType, Bytes: len(f.Data), SHA256: hex.EncodeToString(sum[:]),
		})
	}
	f, err := encode(PeriodPath(game, day), index)
	return append(list, f), index.Period, err
}

// IndexFile returns the index of a month or a year.
func IndexFile(game, name string, parts []Period) (pages.File, Period, error) {
	index := Index{Schema: Schema, Game: game, Period: Total(name, parts), Parts: parts}
	f, err := encode(PeriodPath(game, name), index)
	return f, index.Period, err
}

// GameFile returns the index of a game.
func GameFile(game string, years []Period, latest []history.Row) (pages.File, error) {
	return encode(GamePath(game), Game{Schema: Schema, Game: game, Years: years, Latest: latest})
}

// GamesFile returns the index of all games.
func GamesFile(games []Newest) (pages.File, error) {
	return encode(GamesPath, Games{Schema: Schema, Games: games})
}
