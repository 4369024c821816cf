package main

import (
	"fmt"
	"io"
	"slices"

	"tally/internal/testkit/capacity"
)

// part is what one part of tally took of everything that is paid for.
type part struct {
	name                            string
	writes, reads                   float64 // units
	calls, compute                  float64 // invocations; GB seconds
	messages, requests              float64 // of SQS; of the API
	puts, gets, signs, logged, kept float64 // logged in bytes; kept in bytes of the table
}

// months is for how long what a draw has stored is kept.
func months() float64 { return defaultOf("RetentionDays") / 30.4 }

// dollars is what a part costs, by what it is paid for.
func (p part) dollars() (units, compute, rest float64) {
	const million, giga = 1e6, 1e9
	units = (p.writes*priceWrites.value + p.reads*priceReads.value) / million
	compute = (p.calls*priceCalls.value + p.compute*priceCompute.value) / million
	rest = (p.messages*priceMessages.value+p.requests*priceGateway.value+p.puts*pricePuts.value+p.gets*priceGets.value+p.signs*priceSigns.value)/million +
		p.logged/giga*priceLogs.value + p.kept/giga*months()*(priceStored.value+priceBackup.value)
	return units, compute, rest
}

// parts are what the functions of a run took, for a million bets.
func (r *run) parts() (list []part) {
	bets := 0
	for _, p := range r.plays {
		bets += p.placed
	}
	million := 1e6 / float64(bets)
	for _, spec := range r.cloud.stack.Functions {
		f := r.cloud.functions[spec.Short]
		if f.calls == 0 {
			continue
		}
		total := f.meter.Snapshot().Total()
		p := part{name: spec.Short, writes: units(total.Writes), reads: units(total.Reads), calls: float64(f.calls), compute: f.billed.Seconds() * float64(spec.MemoryMB) / 1024,
			messages: float64(f.sent.Load()), puts: float64(f.puts.Load()), gets: float64(f.gets.Load()), signs: float64(f.signs.Load()), logged: float64(f.logs.bytes)}
		if spec.Short == "api" {
			p.requests = p.calls
		}
		for _, s := range r.cloud.sources {
			if s.to == f {
				p.messages += float64(s.queue.requests)
			}
		}
		list = append(list, p.times(million))
	}
	stored := part{name: "what is kept, for " + fmt.Sprint(defaultOf("RetentionDays")) + " days", kept: float64(r.stored)}
	return append(list, stored.times(million))
}

func units(halves capacity.HalfUnits) float64 { return float64(halves) / float64(capacity.Unit) }

func (p part) times(n float64) part {
	for _, value := range []*float64{&p.writes, &p.reads, &p.calls, &p.compute, &p.messages, &p.requests, &p.puts, &p.gets, &p.signs, &p.logged, &p.kept} {
		*value *= n
	}
	return p
}

// showCosts writes what a million bets cost.
func (all *results) showCosts(out io.Writer) {
	fmt.Fprintf(out, "\n## What a million bets cost\n\nCounted in the run \"slice\", in which each bookmaker's part of a draw is as small as it would be; invocations, files and signatures "+
		"of archive in \"draws\", whose batches are as large. Dollars by the prices below. The site is made once, at the end of \"slice\", with all of it that does not depend "+
		"on draws; its time is not counted.\n\n")
	title(out, "part", "write units", "read units", "invocations", "GB seconds", "SQS", "API", "S3 writes", "S3 reads", "MB logged", "dollars for units", "for Lambda", "for the rest", "in all")
	var sum [4]float64
	list := all.slice.parts()
	if at := slices.IndexFunc(list, func(p part) bool { return p.name == "archive" }); at >= 0 {
		for _, p := range all.many.parts() {
			if p.name == "archive" {
				of := p.times(makerShare) // as many draws have so many bets more
				list[at].calls, list[at].messages, list[at].puts, list[at].gets, list[at].signs = of.calls, of.messages, of.puts, of.gets, of.signs
			}
		}
	}
	for _, p := range list {
		units, compute, rest := p.dollars()
		for i, value := range []float64{units, compute, rest, units + compute + rest} {
			sum[i] += value
		}
		row(out, p.name, count(p.writes), count(p.reads), count(p.calls), count(p.compute), count(p.messages), count(p.requests), count(p.puts), count(p.gets), count(p.logged/1e6),
			count(units), count(compute), count(rest), count(units+compute+rest))
	}
	row(out, "all", "", "", "", "", "", "", "", "", "", count(sum[0]), count(sum[1]), count(sum[2]), count(sum[3]))
}
