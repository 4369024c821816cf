package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"tally/internal/pretty"
)

// report prints tables and gathers the targets.
type report struct {
	out     io.Writer
	targets []target
}

// target is a figure that has to be reached.
type target struct {
	what     string
	measured float64
	least    float64
	most     float64 // zero when only least counts
}

func (t target) met() bool { return t.measured >= t.least && (t.most == 0 || t.measured <= t.most) }

func (r *report) atMost(most, measured float64, format string, args ...any) {
	r.targets = append(r.targets, target{what: fmt.Sprintf(format, args...), measured: measured, most: most})
}

func (r *report) atLeast(least, measured float64, format string, args ...any) {
	r.targets = append(r.targets, target{what: fmt.Sprintf(format, args...), measured: measured, least: least})
}

// table prints a title, what stands below it, and the rows.
func (r *report) table(title string, headings []string, rows [][]string) {
	pen := pretty.Pen{}
	t := pretty.NewTable(pen, "  ", headings...)
	for _, row := range rows {
		cells := make([]pretty.Cell, len(row))
		for i, text := range row {
			cells[i] = pen.Cell(text, pretty.Plain)
		}
		t.Row(cells...)
	}
	fmt.Fprintf(r.out, "%s\n%s\n", title, t)
}

func count[T int | int64](n T) string { return fmt.Sprint(n) }

// decimal writes a figure with three digits that say something.
func decimal(f float64) string {
	switch {
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	case f >= 1 || f == 0:
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.4f", f)
}

func seconds(d time.Duration) string { return decimal(d.Seconds()) }

// The limits that make up the targets.
const (
	mostPlaceWrites     = 1.05   // write units a bet
	mostSettleWrites    = 0.06   // write units a bet, from mediumDraw on
	mostSettleReads     = 0.15   // read units a bet, from mediumDraw on
	mostBookmakerWrites = 12     // write units a bookmaker, of smaller draws
	mediumDraw          = 10_000 // bets
	leastBetsPerRequest = 500    // from largeDraw on
	largeDraw           = 100_000
	mostMemoryMegabytes = 128
	mostGrowth          = 1.5 // CPU a bet, of the largest draw by that of the one before it
	mostBinaryMegabytes = 12
	bytesPerMegabyte    = 1 << 20
)

// tally prints what tally itself takes.
func (r *report) tally(all []draws) {
	var rows [][]string
	for _, d := range all {
		for _, c := range d.tally {
			rows = append(rows, []string{count(c.bets), c.phase, count(c.lines), count(c.requests), count(c.messages),
				decimal(units(c.writes)), decimal(units(c.reads)), decimal(c.writesPerBet()), decimal(c.readsPerBet()),
				decimal(c.betsPerRequest()), seconds(c.wall), decimal(c.betsPerSecond())})
		}
		r.tallyTargets(d)
	}
	r.table(fmt.Sprintf("TALLY  one draw, %d bookmakers, DynamoDB Local", bookmakers), []string{"bets", "phase", "lines", "requests", "messages",
		"write units", "read units", "writes/bet", "reads/bet", "bets/request", "seconds", "bets/s"}, rows)
}

func (r *report) tallyTargets(d draws) {
	place, settle := d.tally[0], d.tally[1]
	if d.bets < mediumDraw {
		placing := (units(place.writes) - bookmakers) / float64(d.bets)
		r.atMost(mostPlaceWrites, placing, "%d bets: write units a bet, placing, without the bookmakers' one each", d.bets)
		r.atMost(mostBookmakerWrites, 1+units(settle.writes)/bookmakers, "%d bets: write units a bookmaker, registering and settling", d.bets)
		return
	}
	r.atMost(mostPlaceWrites, place.writesPerBet(), "%d bets: write units a bet, placing", d.bets)
	r.atMost(mostSettleWrites, settle.writesPerBet(), "%d bets: write units a bet, settling", d.bets)
	r.atMost(mostSettleReads, settle.readsPerBet(), "%d bets: read units a bet, settling", d.bets)
	if d.bets >= largeDraw {
		r.atLeast(leastBetsPerRequest, settle.betsPerRequest(), "%d bets: bets a request, settling", d.bets)
	}
}

// usual compares tally with the usual ways.
func (r *report) usual(all []draws) {
	var rows [][]string
	for _, d := range all {
		for i := range revisions() {
			ours := d.tally[1+i]
			rows = append(rows, comparison("tally", ours, ours))
			for way, costs := range d.usual {
				rows = append(rows, comparison(usuals[way].name, costs[i], ours))
			}
		}
	}
	r.table("THE USUAL WAYS  update: a conditional update for each bet; transact: an update and a ledger entry in one transaction for each bet.\n"+
		"They tell no bookmaker and keep no totals. The columns with × are how often tally's figure goes into theirs.",
		[]string{"bets", "phase", "way", "lines", "requests", "write units", "read units", "seconds", "× requests", "× writes", "× reads", "× time"}, rows)
}

func comparison(way string, c, ours cost) []string {
	ratio := func(theirs, ours float64) string { return fmt.Sprintf("%.1f", theirs/ours) }
	return []string{count(c.bets), c.phase, way, count(c.lines), count(c.requests), decimal(units(c.writes)), decimal(units(c.reads)), seconds(c.wall),
		ratio(float64(c.requests), float64(ours.requests)), ratio(units(c.writes), units(ours.writes)), ratio(units(c.reads), units(ours.reads)),
		ratio(c.wall.Seconds(), ours.wall.Seconds())}
}

// growth prints what the settle function takes as draws grow.
func (r *report) growth(all []growth) {
	var rows [][]string
	for _, g := range all {
		rows = append(rows, []string{count(g.Bets), seconds(g.Wall), seconds(g.CPU), decimal(g.cpuPerBet()),
			decimal(float64(g.Bets) / g.Wall.Seconds()), decimal(g.megabytes())})
		r.atMost(mostMemoryMegabytes, g.megabytes(), "%d bets: MB of memory, the settle function", g.Bets)
	}
	if n := len(all); n > 1 {
		before, last := all[n-2], all[n-1]
		r.atMost(mostGrowth, last.cpuPerBet()/before.cpuPerBet(), "%d bets: CPU a bet, as a multiple of that of %d bets", last.Bets, before.Bets)
	}
	r.table("GROWTH  the settle function in a process of its own, on pages of 1 MB that are made up as they are read",
		[]string{"bets", "seconds", "CPU s", "CPU µs/bet", "bets/s", "peak MB"}, rows)
}

func (g growth) cpuPerBet() float64 { return float64(g.CPU.Microseconds()) / float64(g.Bets) }
func (g growth) megabytes() float64 { return float64(g.Peak) / bytesPerMegabyte }

// coldStarts prints what the functions take to start.
func (r *report) coldStarts(all []coldStart) {
	milliseconds := func(d time.Duration) string { return decimal(float64(d.Microseconds()) / 1000) }
	var rows [][]string
	for _, c := range all {
		megabytes := float64(c.bytes) / bytesPerMegabyte
		rows = append(rows, []string{c.name, decimal(megabytes), count(len(c.times)),
			milliseconds(c.median()), milliseconds(slices.Min(c.times)), milliseconds(slices.Max(c.times))})
		r.atMost(mostBinaryMegabytes, megabytes, "%s: MB of the binary for arm64", c.name)
	}
	r.table("COLD START  from the start of the process to its first answer, on this machine",
		[]string{"function", "MB", "starts", "median ms", "fastest", "slowest"}, rows)
}

// throughputs prints how fast bets are settled on this machine.
func (r *report) throughputs(all []throughput) {
	var rows [][]string
	for _, t := range all {
		rows = append(rows, []string{t.what, count(t.bets), seconds(t.wall), decimal(t.betsPerSecond())})
	}
	r.table("THROUGHPUT  on this machine", []string{"settling", "bets", "seconds", "bets/s"}, rows)
}

// verdict prints the targets and whether they are met.
func (r *report) verdict() (missed int) {
	var rows [][]string
	for _, t := range r.targets {
		limit, mark := "at most "+decimal(t.most), "pass"
		if t.most == 0 {
			limit = "at least " + decimal(t.least)
		}
		if !t.met() {
			mark = "FAIL"
			missed++
		}
		rows = append(rows, []string{mark, t.what, decimal(t.measured), limit})
	}
	r.table("TARGETS", []string{"", "figure", "measured", "target"}, rows)
	return missed
}
