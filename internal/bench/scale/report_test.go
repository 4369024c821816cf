package main

import (
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"tally"
)

// peakRate is how many draws open in a second of the peak.
func peakRate() float64 { return dayDraws.value / (24 * 60 * 60) * peakFactor.value }

// raised are the parameters that are not as their defaults, for the whole load.
var raised = map[string]float64{
	"WarmWrites": 400_000, "WarmReads": 400_000, "SettleConcurrency": 300, "IntakeConcurrency": 60, "LookConcurrency": 100, "SettleParallel": 16, "SettleMemory": 3538, "ArchiveMemory": 1769, "ApiRate": 20_000, "ApiBurst": 10_000,
}

// The shards of the hot draw's game, and the account's concurrency.
const (
	hotShards     = 32
	raisedAccount = 3000
)

// settingsFor are the settings of a run that has a share of the load.
func settingsFor(share float64) settings {
	s := settings{seed: 1, writeQuota: raised["WarmWrites"], readQuota: raised["WarmReads"], account: raisedAccount,
		parameters: map[string]string{"ShardsByGame": fmt.Sprintf("%s=%d", gameHot, hotShards)}}
	known := defaults()
	for name, value := range raised {
		if _, is := known[name]; !is {
			continue // the template has no such function
		}
		if strings.HasSuffix(name, "Concurrency") {
			value = max(2, value*share)
		}
		s.parameters[name] = strconv.Itoa(int(value))
	}
	return s
}

// The runs: what each has of the whole load.
const (
	sliceShare = 0.1 // of the draws, each whole
	makerShare = 0.1 // of the bookmakers, with their bets, in all draws
)

// results are the runs of one measurement.
type results struct {
	measured time.Duration
	slice    *run // a share of the draws
	many     *run // all draws, of a share of the bookmakers
	hot      *run // the hot draw
}

// lead is how long a run takes until all that goes on at the peak does: the second looks, too.
func lead() time.Duration {
	return ahead + roundTime.duration() + resultAfter.duration() + 16*time.Second
}

// options are what is run.
type options struct {
	measured time.Duration
	part     float64 // of the bets and bookmakers
	hot      int     // bets of the hot draw
}

// ordinaryLoad is a load of draws that open at a rate.
func (o *options) ordinaryLoad(rate float64, makers, bets int) *load {
	l := &load{rate: rate, bets: bets, makers: makers, exponent: makerExponent.value, share: 1, from: lead(), to: lead() + o.measured, read: true, looksAfter: 14 * time.Minute}
	l.draws = int((o.measured + 16*time.Second).Seconds() * rate)
	return l
}

// measure carries the runs out.
func (o *options) measure(t *testing.T) (*results, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	all := &results{measured: o.measured}
	bets, makers := dayBets.value/dayDraws.value, max(20, o.part*manyMakers.value)
	rate := max(1/sliceShare, o.part*peakRate())
	l := o.ordinaryLoad(rate*sliceShare, int(makers), int(max(20, o.part*bets)))
	l.share, l.site = sliceShare, true
	var err error
	if all.slice, err = inBubble(t, l, settingsFor(sliceShare)); err != nil {
		return nil, err
	}
	t.Log("a share of the draws")
	l = o.ordinaryLoad(rate, int(makers*makerShare), int(max(2, o.part*bets*makerShare)))
	if all.many, err = inBubble(t, l, settingsFor(1)); err != nil {
		return nil, err
	}
	t.Log("all draws of a share of the bookmakers")
	s := settingsFor(1)
	s.otherWrites, s.otherReads = all.slice.perDraw().writes*peakRate(), all.slice.perDraw().reads*peakRate()
	l = &load{makers: 1, share: 1, rate: 1, hot: o.hot, hotTime: hotTime.duration(), hotFrom: 5 * time.Second, to: time.Hour, read: true, looksAfter: 14 * time.Minute}
	all.hot, err = inBubble(t, l, s)
	t.Log("the hot draw")
	return all, err
}

// counted is what a run took by draw, but for the reports of the hot one.
type counted struct {
	writes, reads float64 // units
	requests      float64 // of the API
	busy          map[string]float64
}

// perDraw counts what a run took for each of its draws.
func (r *run) perDraw() counted {
	n := float64(len(r.plays))
	c := counted{writes: r.cloud.table.used.writesInAll / n, reads: r.cloud.table.used.readsInAll / n, busy: map[string]float64{}}
	for name, f := range r.cloud.functions {
		c.busy[name] = f.billed.Seconds() / n
	}
	c.requests = float64(r.cloud.functions["api"].calls) / n
	return c
}

// show writes what came of the runs.
func (all *results) show() string {
	var out strings.Builder
	all.showRuns(&out)
	all.showStages(&out)
	all.showResources(&out)
	all.showCosts(&out)
	showFigures(&out)
	return out.String()
}

// row writes a row of a table.
func row(out io.Writer, cells ...string) { fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | ")) }

// title begins a table.
func title(out io.Writer, cells ...string) {
	row(out, cells...)
	fmt.Fprintf(out, "|%s\n", strings.Repeat("---|", len(cells)))
}

func count(n float64) string {
	switch {
	case n >= 100:
		text := strconv.FormatFloat(n, 'f', 0, 64)
		for at := len(text) - 3; at > 0; at -= 3 {
			text = text[:at] + "," + text[at:]
		}
		return text
	case n >= 10:
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 2, 64)
}

func (all *results) showRuns(out io.Writer) {
	fmt.Fprintf(out, "\n## What was run\n\nA day of %s bets in %s draws is %s draws a second at the peak, with %s bets a second. Three runs stand for it, of which %s of the peak were measured:\n\n",
		count(dayBets.value), count(dayDraws.value), count(peakRate()), count(peakRate()*dayBets.value/dayDraws.value), all.measured)
	title(out, "run", "draws", "bets accepted", "bookmakers", "what it is of the whole", "not accepted, or again", "draws with a fault")
	for _, each := range []struct {
		name, share string
		run         *run
	}{
		{"slice", fmt.Sprintf("%v of the draws, each whole, with all bookmakers; what is used is multiplied by %v", sliceShare, 1/sliceShare), all.slice},
		{"draws", fmt.Sprintf("all draws, with %v of the bookmakers and their bets", makerShare), all.many},
		{"hot", "the hot draw, whole; the rest of the load is taken from what the partitions have", all.hot},
	} {
		placed := 0
		for _, p := range each.run.plays {
			placed += p.placed
		}
		row(out, each.name, count(float64(len(each.run.plays))), count(float64(placed)), count(float64(len(each.run.makers))), each.share, each.run.unaccepted(), strconv.Itoa(len(each.run.problems)))
	}
	for _, r := range []*run{all.slice, all.many, all.hot} {
		for _, problem := range r.problems[:min(3, len(r.problems))] {
			fmt.Fprintf(out, "\nA fault: %s.\n", problem)
		}
	}
}

// unaccepted says what was answered but 2xx.
func (r *run) unaccepted() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(r.answers)) {
		list = append(list, fmt.Sprintf("%s: %d", name, r.answers[name]))
	}
	if r.lost > 0 {
		list = append(list, fmt.Sprintf("given up: %d", r.lost))
	}
	return strings.Join(list, ", ")
}

// showStages writes how long each stage took, against its goal.
func (all *results) showStages(out io.Writer) {
	fmt.Fprintf(out, "\n## How long each stage takes\n\nMilliseconds.\n\n")
	title(out, "stage", "run", "of", "p50", "p99", "max", "goal p50", "goal p99", "met", "the goal is from")
	for _, s := range stages {
		for _, each := range []struct {
			name string
			run  *run
		}{{"slice", all.slice}, {"draws", all.many}, {"hot", all.hot}} {
			taken := each.run.stages[s.name]
			if len(taken.taken) == 0 || each.name == "hot" && !strings.Contains(s.name, "hot") {
				continue
			}
			met := "yes"
			if s.median > 0 && taken.at(50) > s.median || s.p99 > 0 && taken.at(99) > s.p99 {
				met = "**no**"
			}
			if s.p99 == 0 {
				met = ""
			}
			row(out, s.name, each.name, count(float64(len(taken.taken))), milliseconds(taken.at(50)), milliseconds(taken.at(99)), milliseconds(taken.at(100)),
				goal(s.median), goal(s.p99), met, s.from)
		}
	}
	for name, r := range map[string]*run{"slice": all.slice, "draws": all.many} {
		if r.late > 0 {
			fmt.Fprintf(out, "\nIn the run %q reconcile had not looked at %d of %d draws %s after the last result: its goal is **not met**.\n", name, r.late, len(r.plays), r.load.looksAfter)
		}
	}
}

func milliseconds(d time.Duration) string { return count(float64(d.Milliseconds())) }

func goal(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return milliseconds(d)
}

// showFigures writes the figures with their sources.
func showFigures(out io.Writer) {
	fmt.Fprintf(out, "\n## What the model takes from elsewhere\n\n")
	title(out, "figure", "value", "unit", "from")
	for _, f := range figures {
		row(out, f.name, strconv.FormatFloat(f.value, 'f', -1, 64), f.unit, f.from)
	}
}

// defaults are the parameters' defaults, as the template has them.
func defaults() map[string]string {
	var template struct {
		Parameters map[string]struct {
			Default string `yaml:"Default"`
		} `yaml:"Parameters"`
	}
	if err := yaml.Load(tally.Template, &template); err != nil {
		panic("template.yaml: " + err.Error())
	}
	list := map[string]string{}
	for name, p := range template.Parameters {
		list[name] = p.Default
	}
	return list
}
