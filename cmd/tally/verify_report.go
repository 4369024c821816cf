package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"tally/lib/archive/verify"
)

// writeReport writes what a verification came to for people.
func writeReport(w io.Writer, r *verify.Report) {
	fmt.Fprintf(w, "log         %s\n", r.Origin)
	if r.Checkpoint != nil {
		fmt.Fprintf(w, "checkpoint  %s, root %s\n", several(int(r.Size), "entry", "entries"), r.Root)
		fmt.Fprintf(w, "signed by   %s\n", strings.Join(r.SignedBy, ", "))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "WRONG       %s\n", f)
	}
	if len(r.Findings) > 0 {
		return
	}
	c := r.Counts
	fmt.Fprintf(w, "files       every tile and every entry is in the tree under this checkpoint\n")
	switch r.Seen {
	case 0:
		fmt.Fprintf(w, "history     nothing was verified before\n")
	default:
		fmt.Fprintf(w, "history     it begins with the %s verified before\n", several(int(r.Seen), "entry", "entries"))
	}
	fmt.Fprintf(w, "draws       %d opened, %s, %s\n", c.Openings, several(c.States, "state", "states"), several(c.Settlements, "settlement", "settlements"))
	fmt.Fprintf(w, "results     %d resolved again by the rules, all alike; %d by correction, %d cancelled, %d void\n", c.Resolved, c.Corrected, c.Cancelled, c.Void)
	if c.Hidden > 0 {
		fmt.Fprintf(w, "hidden      the facts of %s are too large to be shown\n", several(c.Hidden, "state", "states"))
	}
	if c.Pending > 0 {
		fmt.Fprintf(w, "no result   %s so far: %s\n", several(c.Pending, "draw", "draws"), short(r.Pending))
	}
	for _, t := range r.Tables {
		if len(t.Missing) > 0 {
			fmt.Fprintf(w, "skipped     table %s: no draw has the %s %s\n", t.Table, plural(len(t.Missing), "number", "numbers"), short(t.Missing))
		}
		if len(t.Repeated) > 0 {
			fmt.Fprintf(w, "repeated    table %s: two draws have the %s %s\n", t.Table, plural(len(t.Repeated), "number", "numbers"), short(t.Repeated))
		}
	}
	for _, e := range r.History {
		fmt.Fprintf(w, "entry %-6d%s\n", e.Index, e.Data)
	}
}

// writeProof writes what a proof comes to for people.
func writeProof(w io.Writer, f *verify.ProofFile) {
	for _, finding := range f.Findings {
		fmt.Fprintf(w, "WRONG       %s\n", finding)
	}
	if len(f.Findings) > 0 {
		return
	}
	fmt.Fprintf(w, "log         %s\n", f.Origin)
	fmt.Fprintf(w, "checkpoint  %s, signed by %s\n", several(int(f.Size), "entry", "entries"), strings.Join(f.SignedBy, ", "))
	fmt.Fprintf(w, "proved      entry %d: %s\n", f.Index, f.ID)
	fmt.Fprintf(w, "            %s\n", f.Entry)
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
	fmt.Fprintf(b.app.err, "%s[%s%s] %d of %d entries", eraseLine, strings.Repeat("#", full), strings.Repeat(".", barColumns-full), done, all)
}

// erase takes the bar off the screen.
func (b *bar) erase() {
	if !b.drawn.IsZero() {
		fmt.Fprint(b.app.err, eraseLine)
	}
}
