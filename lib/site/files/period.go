package files

import (
	"tally/lib/archive/entry"
	"tally/lib/site/history"
	"tally/lib/site/statistics"
)

// Period sums up the draws of a day, a month or a year. Each draw counts by its
// newest state.
type Period struct {
	Name string `json:"period"` // such as 2026-11-30, 2026-11 or 2026
	// From and To are its first and its last day with a draw.
	From      string `json:"from"`
	To        string `json:"to"`
	Draws     int    `json:"draws"`
	Pending   int    `json:"pending"` // draws without a state so far
	Resolved  int    `json:"resolved"`
	Void      int    `json:"void"`
	Cancelled int    `json:"cancelled"`
	Corrected int    `json:"corrected"` // draws whose newest state is a correction
	// Uncounted are resolved draws that Counts leave out: their facts are too large
	// to be shown, or of rules that this version does not know.
	Uncounted int               `json:"uncounted,omitempty"`
	Counts    statistics.Counts `json:"counts"`
	// Through is the index of the newest entry that is in it.
	Through int64 `json:"through"`
}

// Sum sums up the rows of a day.
func Sum(day string, rows []history.Row) Period {
	p := Period{Name: day, From: day, To: day, Draws: len(rows), Counts: statistics.Counts{}}
	for _, row := range rows {
		switch row.Status {
		case entry.Resolved:
			p.Resolved++
		case entry.Void:
			p.Void++
		case entry.Cancelled:
			p.Cancelled++
		default:
			p.Pending++
		}
		if row.IsCorrected() {
			p.Corrected++
		}
		if counts, err := statistics.Count(row); err != nil {
			p.Uncounted++
		} else {
			p.Counts.Add(counts)
		}
		p.Through = max(p.Through, Through(row))
	}
	return p
}

// Through returns the index of a row's newest entry.
func Through(row history.Row) int64 { return row.Leaves[len(row.Leaves)-1] }

// Total sums up shorter periods, which are in the order of time.
func Total(name string, parts []Period) Period {
	p := Period{Name: name, Counts: statistics.Counts{}}
	if len(parts) > 0 {
		p.From, p.To = parts[0].From, parts[len(parts)-1].To
	}
	for _, part := range parts {
		p.Draws += part.Draws
		p.Pending += part.Pending
		p.Resolved += part.Resolved
		p.Void += part.Void
		p.Cancelled += part.Cancelled
		p.Corrected += part.Corrected
		p.Uncounted += part.Uncounted
		p.Counts.Add(part.Counts)
		p.Through = max(p.Through, part.Through)
	}
	return p
}
