package pages

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"

	"tally/lib/archive/entry"
	"tally/lib/rulebook/show"
	"tally/lib/site/history"
)

// PartRows is how many draws a part of a day has at most.
const PartRows = 500

// Period is a day, a month or a year in which there were draws.
type Period struct {
	Name  string // 2026-11-30, 2026-11 or 2026
	Draws int
}

// rowView is a draw in a list.
type rowView struct {
	*history.Row
	Table show.Draw // nil where there is no result to tell
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

// written writes the rows of a table. A day has thousands, for which a template is
// ten times slower.
func (w *words) written(list rowList) template.HTML {
	var out strings.Builder
	status := func(class, code string) {
		out.WriteString(`<span class="status ` + html.EscapeString(class) + `">` + html.EscapeString(w.Code("status", code)) + `</span>`)
	}
	for _, r := range list.Rows {
		draw, when, result := html.EscapeString(r.Row.Draw), r.Clock(), r.summary(w)
		if list.Dated {
			when = w.day(r.Day()) + ", " + when
		}
		if result == "" {
			result = "–"
		}
		out.WriteString("\n" + `<tr><th scope="row"><a href="` + r.Day() + "/" + draw + `.html"><time datetime="` + r.OpensAt + `">` + when + `</time> <small>` + draw +
			`</small></a></th><td>` + html.EscapeString(result) + `</td><td>`)
		status(r.Stands(), r.Stands())
		if r.IsCorrected() {
			out.WriteByte(' ')
			status("corrected", "corrected")
		}
		out.WriteString("</td></tr>")
	}
	return template.HTML(out.String())
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
	return s.render("day", path, view.Game, func(w *words) (string, any) {
		return w.Text("day.title", "Game", w.Code("game", view.Game), "Day", w.day(view.Day)), view
	})
}

// gamePage is the page of a game.
type gamePage struct {
	Game                string
	Latest              []rowView
	Years, Months, Days []Period
}

// List are the latest draws.
func (g gamePage) List() rowList { return rowList{Rows: g.Latest, Dated: true} }

// Game makes the page of a game: its latest draws, and the days, months and years
// in which there were draws.
func (s *Site) Game(game string, latest []history.Row, years, months, days []Period) ([]File, error) {
	view := gamePage{Game: game, Latest: viewRows(latest), Years: years, Months: months, Days: days}
	return s.render("game", game+"/index.html", game, func(w *words) (string, any) { return w.Code("game", game), view })
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
func (s *Site) Period(game, name string, parts []Period) ([]File, error) {
	view := periodPage{Game: game, Name: name}
	for _, part := range parts {
		view.Parts = append(view.Parts, part.Name)
	}
	return s.render("period", game+"/"+name+".html", game, func(w *words) (string, any) {
		return w.Text("day.title", "Game", w.Code("game", game), "Day", w.period(name)), view
	})
}

// homeGame is a game on the home page.
type homeGame struct {
	Game   string
	Latest []rowView
}

// Home makes the home pages of all languages, with the latest draws of each game.
func (s *Site) Home(latest map[string][]history.Row) ([]File, error) {
	var view []homeGame
	for _, game := range (page{}).Games() {
		view = append(view, homeGame{Game: game, Latest: viewRows(latest[game])})
	}
	return s.render("home", "index.html", "", func(w *words) (string, any) { return w.Text("home.title"), view })
}

// Fixed makes the pages that no draw changes: about, not found, and the page at
// the root, from which readers choose their language.
func (s *Site) Fixed() ([]File, error) {
	files, err := s.render("about", "about.html", "", func(w *words) (string, any) { return w.Text("about.title"), nil })
	if err != nil {
		return nil, err
	}
	english := s.languages[0]
	// The page for what was not found is shown under any path.
	roots := map[string]string{"index": "", "404": "/"}
	for name, title := range map[string]string{"index": "site.name", "404": "missing.title"} {
		text, err := english.execute(name, page{Lang: english.lang, Root: roots[name], Title: english.Text(title)})
		if err != nil {
			return nil, fmt.Errorf("making %s.html: %w", name, err)
		}
		files = append(files, File{Path: name + ".html", Data: text, ContentType: htmlType})
	}
	slices.SortFunc(files, func(a, b File) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return files, nil
}
