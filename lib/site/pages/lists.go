package pages

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tally/lib/archive/entry"
	"tally/lib/rulebook/games"
	"tally/lib/rulebook/show"
	"tally/lib/site/history"
)

// PartRows is how many draws a part of a day has at most.
const PartRows = 500

// ListedPeriod is a day, a month or a year in which there were draws.
type ListedPeriod struct {
	Name  string // 2026-11-30, 2026-11 or 2026
	Draws int
}

// rowView is a draw in a list.
type rowView struct {
	*history.Row
	Table show.DrawView // nil where there is no result to tell
}

// Day returns the day of the draw.
func (r rowView) Day() string { return r.OpensAt[:len("2026-11-30")] }

// Clock returns when the draw opened, to the second.
func (r rowView) Clock() string { return r.OpensAt[len("2026-11-30T"):len("2026-11-30T12:00:00")] }

// Stands returns how the draw stands.
func (r rowView) Stands() string {
	if r.State == 0 {
		return pending
	}
	return string(r.Status)
}

// rowList are draws in a table; of several days when it is dated.
type rowList struct {
	Rows  []rowView
	Dated bool
}

// summary is the result in one line, or why there is none; empty for a draw that has
// no state yet.
func (r rowView) summary(w *words) string {
	switch {
	case r.Table != nil:
		return r.Table.Line(w)
	case r.Reason != "":
		return w.Code("reason", r.Reason)
	}
	return string(r.Outcome)
}

// viewRows returns the rows, the newest first.
func viewRows(rows []history.Row) []rowView {
	views := make([]rowView, 0, len(rows))
	for i := range slices.Backward(rows) {
		view := rowView{Row: &rows[i]}
		if rows[i].Status == entry.Resolved {
			if t, err := tableOf(rows[i].Game, rows[i].Facts, rows[i].Outcome); err == nil {
				view.Table = t
			}
		}
		views = append(views, view)
	}
	return views
}

// dayPage is a part of a day.
type dayPage struct {
	Game, Day   string
	Part, Parts int
	Rows        []rowView
}

// List are the draws.
func (d dayPage) List() rowList { return rowList{Rows: d.Rows, Dated: false} }

// Month is the month of the day.
func (d dayPage) Month() string { return d.Day[:len("2026-11")] }

// Numbers are the numbers of all parts.
func (d dayPage) Numbers() []int {
	list := make([]int, d.Parts)
	for i := range list {
		list[i] = i + 1
	}
	return list
}

// Day makes the pages of a day: one for each part of at most PartRows draws, in
// the order of rows, and the newest part once more under the day's own name. The
// pages show the newest draw first. A part that is full changes only when one of
// its draws does, or when another part begins.
func (s *Site) Day(game, day string, rows []history.Row) ([]File, error) {
	var files []File
	parts := max(1, (len(rows)+PartRows-1)/PartRows)
	for part := 1; part <= parts; part++ {
		from := (part - 1) * PartRows
		view := dayPage{Game: game, Day: day, Part: part, Parts: parts, Rows: viewRows(rows[from:min(len(rows), from+PartRows)])}
		name := fmt.Sprintf("%s/%s.%d.html", game, day, part)
		made, err := s.dayPart(name, view)
		if err != nil {
			return nil, err
		}
		files = append(files, made...)
		if part == parts {
			if made, err = s.dayPart(game+"/"+day+".html", view); err != nil {
				return nil, err
			}
			files = append(files, made...)
		}
	}
	return files, nil
}

func (s *Site) dayPart(path string, view dayPage) ([]File, error) {
	title := func(w *words) string {
		return w.Text("day.title", "Game", w.Code("game", view.Game), "Day", w.day(view.Day))
	}
	return s.render("day", path, title, func(p *page, out io.Writer) { p.writedayPart(out, view) })
}

// gamePage is the page of a game.
type gamePage struct {
	Game                string
	Latest              []rowView
	Years, Months, Days []ListedPeriod
}

// List are the latest draws.
func (g gamePage) List() rowList { return rowList{Rows: g.Latest, Dated: true} }

// Game makes the page of a game: its latest draws, and the days, months and years
// in which there were draws.
func (s *Site) Game(game string, latest []history.Row, years, months, days []ListedPeriod) ([]File, error) {
	view := gamePage{Game: game, Latest: viewRows(latest), Years: years, Months: months, Days: days}
	title := func(w *words) string { return w.Code("game", game) }
	return s.render("game", game+"/index.html", title, func(p *page, out io.Writer) { p.writegame(out, view) })
}

// periodPage is the page of a month, which lists its days, or of a year, which lists
// its months.
type periodPage struct {
	Game, Name string
	Parts      []string
}

// Year is the year that a month is in, empty for a year.
func (p periodPage) Year() string {
	year, _, isMonth := strings.Cut(p.Name, "-")
	if !isMonth {
		return ""
	}
	return year
}

// Period makes the page of a month or a year: its name, and the days or months in
// which there were draws, the newest first. It has no counts, so that it changes
// only when a day begins.
func (s *Site) Period(game, name string, parts []ListedPeriod) ([]File, error) {
	view := periodPage{Game: game, Name: name}
	for _, part := range parts {
		view.Parts = append(view.Parts, part.Name)
	}
	title := func(w *words) string { return w.Text("day.title", "Game", w.Code("game", game), "Day", w.period(name)) }
	return s.render("period", game+"/"+name+".html", title, func(p *page, out io.Writer) { p.writelonger(out, view) })
}

// homeGame is a game on the home page.
type homeGame struct {
	Game   string
	Latest []rowView
}

// Home makes the home pages of all languages, with the latest draws of each game.
func (s *Site) Home(latest map[string][]history.Row) ([]File, error) {
	var view []homeGame
	for _, game := range games.All() {
		view = append(view, homeGame{Game: game.ID, Latest: viewRows(latest[game.ID])})
	}
	title := func(w *words) string { return w.Text("home.title") }
	return s.render("home", "index.html", title, func(p *page, out io.Writer) { p.writehome(out, view) })
}

// Fixed makes the pages that no draw changes: about, not found, and the page at
// the root, from which readers choose their language.
func (s *Site) Fixed() ([]File, error) {
	title := func(w *words) string { return w.Text("about.title") }
	files, err := s.render("about", "about.html", title, (*page).writeabout)
	if err != nil {
		return nil, err
	}
	// The page for what was not found is shown under any path.
	english := s.languages[0]
	index := &page{edition: english, Title: english.Text("site.name")}
	missing := &page{edition: english, Root: "/", Title: english.Text("missing.title")}
	return append(files,
		File{Path: "404.html", Data: []byte(missing.notFound()), ContentType: htmlType},
		File{Path: "index.html", Data: []byte(index.index()), ContentType: htmlType}), nil
}

// machineFiles are the files for programs, by what is told of them.
func (p *page) machineFiles() []show.Pair {
	return []show.Pair{
		{Label: "entry", Value: "results/<game>/<day>/<draw>.<state>.json"},
		{Label: "proof", Value: "results/<game>/<day>/<draw>.<state>.tlog-proof"},
		{Label: "draw", Value: "results/<game>/<day>/<draw>.json"},
		{Label: "day", Value: "results/<game>/<day>.json"},
		{Label: "rows", Value: "results/<game>/<day>.csv, .ndjson"},
		{Label: "months", Value: "results/<game>/<month>.json, <year>.json, index.json"},
		{Label: "log", Value: p.site.options.LogURL + "checkpoint, tile/…"},
	}
}
