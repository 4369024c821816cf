package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/verify"
	"tally/lib/bookmaker/audit"
)

// writeReport writes what a verification came to for people.
func writeReport(w io.Writer, r *verify.Report) {
	fmt.Fprintf(w, "log         %s\n", r.Origin)
	if r.Checkpoint != nil {
		fmt.Fprintf(w, "checkpoint  %s, root %s\n", several(int(r.Size), "entry", "entries"), r.Root)
		fmt.Fprintf(w, "signed by   %s\n", strings.Join(r.SignedBy, ", "))
		if r.Published == verify.PublishedOthers {
			fmt.Fprintf(w, "other key   the log publishes another key than the one that signed: compare yours with the operator's announcement\n")
		}
	}
	writeCosigned(w, r.Cosigned)
	for _, f := range r.Findings {
		fmt.Fprintf(w, "WRONG       %s\n", printable(f.String()))
	}
	if len(r.Findings) > 0 {
		return
	}
	if r.One != nil {
		writeOne(w, r)
		return
	}
	c := r.Counts
	writeFiles(w, r)
	writeHistory(w, r)
	fmt.Fprintf(w, "draws       %d opened, %s, %s\n", c.Openings, several(c.States, "state", "states"), several(c.Settlements, "settlement", "settlements"))
	fmt.Fprintf(w, "results     %d resolved again by the rules, all alike; %d by correction, %d cancelled, %d void\n", c.Resolved, c.Corrected, c.Cancelled, c.Void)
	writeNotes(w, r)
	writeUnread(w, r.Unread)
	writeCompared(w, r)
}

// writeUnread names what lies in the log's folder and is no part of the log.
func writeUnread(w io.Writer, u *verify.Unread) {
	if u == nil {
		return
	}
	if u.Partial+u.Staged > 0 {
		fmt.Fprintf(w, "not read    %s of earlier sizes, %s for appenders\n", several(u.Partial, "partial tile", "partial tiles"), several(u.Staged, "staged batch", "staged batches"))
	}
	if u.Other > 0 {
		fmt.Fprintf(w, "not read    %s no part of the log: %s\n", several(u.Other, "file that is", "files that are"), printable(short(u.Names)))
	}
}

func writeCosigned(w io.Writer, list []checkpoint.Cosignature) {
	for _, c := range list {
		fmt.Fprintf(w, "cosigned    by %s at %s\n", c.Witness, c.At.Format(time.RFC3339))
	}
}

// writeFiles says what was read.
func writeFiles(w io.Writer, r *verify.Report) {
	if r.From == 0 {
		fmt.Fprintf(w, "files       every tile and every entry is in the tree under this checkpoint\n")
		return
	}
	fmt.Fprintf(w, "files       %s new since the last run, each in the tree under this checkpoint, with its tiles; --all reads all %d again\n",
		several(int(r.Size-r.From), "entry is", "entries are"), r.Size)
}

func writeHistory(w io.Writer, r *verify.Report) {
	switch r.Seen {
	case 0:
		fmt.Fprintf(w, "history     nothing was verified before\n")
	default:
		fmt.Fprintf(w, "history     it begins with the %s verified before\n", several(int(r.Seen), "entry", "entries"))
	}
}

// writeNotes writes what is not wrong, and people may want to look at.
func writeNotes(w io.Writer, r *verify.Report) {
	c := r.Counts
	if c.Hidden > 0 {
		fmt.Fprintf(w, "hidden      the facts of %s are too large to be shown\n", several(c.Hidden, "state", "states"))
	}
	for _, note := range r.Contradicted[:min(len(r.Contradicted), maxNotes)] {
		fmt.Fprintf(w, "other cards draw %s, state %d, betting round %d: %s\n", note.Draw, note.State, note.Round, note.Message)
	}
	if more := c.Contradicted - maxNotes; more > 0 {
		fmt.Fprintf(w, "other cards … and %d more\n", more)
	}
	if c.Pending > 0 {
		fmt.Fprintf(w, "no result   %s so far: %s\n", several(c.Pending, "draw", "draws"), short(r.Pending))
	}
	for _, u := range r.Unsettled[:min(len(r.Unsettled), maxNotes)] {
		fmt.Fprintf(w, "not settled draw %s, state %d, which was made at %s; %s\n", u.Draw, u.State, u.MadeAt, settledBefore(u.Settled))
	}
	if more := c.Unsettled - maxNotes; more > 0 {
		fmt.Fprintf(w, "not settled … and %s more\n", several(more, "draw", "draws"))
	}
	if c.PassedOver > 0 {
		fmt.Fprintf(w, "passed over %s that another one replaced before the bets were settled\n", several(c.PassedOver, "state", "states"))
	}
	for _, t := range r.Tables {
		if len(t.Missing) > 0 {
			fmt.Fprintf(w, "skipped     table %s: no draw has the %s %s\n", t.Table, plural(len(t.Missing), "number", "numbers"), short(t.Missing))
		}
		if len(t.Repeated) > 0 {
			fmt.Fprintf(w, "repeated    table %s: two draws have the %s %s\n", t.Table, plural(len(t.Repeated), "number", "numbers"), short(t.Repeated))
		}
	}
}

func settledBefore(state int) string {
	if state == 0 {
		return "none of its states was"
	}
	return fmt.Sprintf("the newest that was is state %d", state)
}

// maxNotes is how many notes of a kind are written out.
const maxNotes = 10

// writeOne writes what the verification of one draw came to.
func writeOne(w io.Writer, r *verify.Report) {
	c := r.Counts
	fmt.Fprintf(w, "draw        %s: %s, each in the tree under this checkpoint\n", r.One.Draw, several(len(r.History), "entry", "entries"))
	if r.One.Misled != "" {
		fmt.Fprintf(w, "misled      the draw's results on the site are not the log's: %s; the log was read instead\n", r.One.Misled)
	}
	writeHistory(w, r)
	fmt.Fprintf(w, "results     %s resolved again by the rules, all alike\n", several(c.Resolved, "state", "states"))
	for _, d := range r.One.Decided {
		fmt.Fprintf(w, "decided     betting round %d: %s, by the cards %s\n", d.Round, several(len(d.Selections), "selection", "selections"), d.Visible)
	}
	writeNotes(w, r)
	writeCompared(w, r)
	if r.One.Whole {
		fmt.Fprintf(w, "not said    whether other draws hold, nor whether this one was in the log before entry %d: without --draw all is verified\n", r.History[0].Index)
	} else {
		fmt.Fprintf(w, "not said    whether other draws hold, nor whether later entries are about this one: its results named these\n")
	}
	for _, e := range r.History {
		fmt.Fprintf(w, "entry %-6d%s\n", e.Index, e.Data)
	}
}

// writeCompared writes what comparing reports came to.
func writeCompared(w io.Writer, r *verify.Report) {
	compared, is := r.Compared.(*audit.Comparison)
	if !is {
		return
	}
	fmt.Fprintf(w, "reports     %s of %d: %s, %s, as the log commits to; the totals of %d added up\n", several(compared.Compared, "settlement", "settlements"),
		compared.Settlements, several(compared.Reports, "report", "reports"), several(compared.Lines, "line", "lines"), compared.Totals)
	if compared.Whole > 0 {
		fmt.Fprintf(w, "totals      of %s: the reports of all bookmakers come to what the log says\n", several(compared.Whole, "settlement", "settlements"))
	}
}

// writeProof writes what a proof comes to for people.
func writeProof(w io.Writer, f *verify.ProofFile) {
	for _, finding := range f.Findings {
		fmt.Fprintf(w, "WRONG       %s\n", printable(finding.String()))
	}
	if len(f.Findings) > 0 {
		return
	}
	fmt.Fprintf(w, "log         %s\n", f.Origin)
	fmt.Fprintf(w, "checkpoint  %s, signed by %s\n", several(int(f.Size), "entry", "entries"), strings.Join(f.SignedBy, ", "))
	writeCosigned(w, f.Cosigned)
	fmt.Fprintf(w, "proved      entry %d: %s\n", f.Index, f.ID)
	fmt.Fprintf(w, "            %s\n", f.Entry)
	if f.Resolved {
		fmt.Fprintf(w, "result      resolved again by the rules, alike\n")
	}
	if f.Line != "" {
		fmt.Fprintf(w, "proved      a line of the report to %s:\n            %s\n", f.Of, printable(f.Line))
	}
}

// printable replaces what could mislead a terminal: a proof may come from anyone.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func several(n int, one, many string) string { return fmt.Sprintf("%d %s", n, plural(n, one, many)) }

// short lists the first few of many.
func short[T any](list []T) string {
	const most = 10
	var texts []string
	for _, element := range list[:min(len(list), most)] {
		texts = append(texts, fmt.Sprint(element))
	}
	if len(list) > most {
		texts = append(texts, "…")
	}
	return strings.Join(texts, ", ")
}

// bar is a progress bar on a terminal.
type bar struct {
	app   *app
	start time.Time
	drawn time.Time // zero when nothing is shown
	what  string    // is counted; entries by default
}

const barColumns = 40

// show draws the bar, when a person sits at the terminal and has waited a while.
func (b *bar) show(done, all int64) {
	now := time.Now()
	if !b.app.errTerminal || now.Sub(b.start) < b.app.patience || now.Sub(b.drawn) < redrawEvery || all == 0 {
		return
	}
	b.drawn = now
	full := int(done * barColumns / all)
	fmt.Fprintf(b.app.err, "%s[%s%s] %d of %d %s", eraseLine, strings.Repeat("#", full), strings.Repeat(".", barColumns-full), done, all, cmp.Or(b.what, "entries"))
}

// erase takes the bar off the screen.
func (b *bar) erase() {
	if !b.drawn.IsZero() {
		fmt.Fprint(b.app.err, eraseLine)
	}
}
