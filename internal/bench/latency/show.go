package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// What a report's being readable is to come to.
const (
	goalMedian = time.Second
	goalP99    = 3 * time.Second
)

// percentile returns the least value that a share of the values is at or below.
func percentile(values []time.Duration, hundredths int) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, (len(sorted)*hundredths+99)/100-1)]
}

// since returns how long after its result each draw came to a step.
func since(results []result, step int) []time.Duration { return between(results, sent, step) }

// between returns how long each draw took from one step to another.
func between(results []result, from, to int) (values []time.Duration) {
	for _, r := range results {
		values = append(values, r.times[to].Sub(r.times[from]))
	}
	return values
}

// before is the step that another one follows from.
func before(step int) int {
	if step > read {
		return fed
	}
	return step - 1
}

// show prints what was measured.
func show(out io.Writer, all []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "milliseconds after the result was sent")
	fmt.Fprintln(w, "game\tclosed by\tdraws\tstored\tplanned\tsettled\treadable\tp99\tmax\tpushed\tp99\tmax\tlogged\tp99\tmax\t")
	var median, p99 time.Duration // of the worst
	for _, group := range groups(all, func(r result) string { return r.game + "\t" + r.closing }) {
		fmt.Fprintf(w, "%s\t%s\t%d\t", group[0].game, group[0].closing, len(group))
		for _, step := range []int{stored, planned, settled} {
			fmt.Fprintf(w, "%d\t", percentile(since(group, step), 50).Milliseconds())
		}
		seen := since(group, readable)
		fmt.Fprintf(w, "%s%s%s\n", cells(seen), cells(since(group, pushed)), cells(since(group, logged)))
		median, p99 = max(median, percentile(seen, 50)), max(p99, percentile(seen, 99))
	}
	for _, group := range groups(all, func(r result) string { return r.closing }) {
		fmt.Fprintf(w, "\nby step, of all games, closed by %s\nstep\tp50\tp99\tmax\titself\tp99\tmax\t\n", group[0].closing)
		for step := delivered; step < steps; step++ {
			fmt.Fprintf(w, "%s\t%s%s\n", stepNames[step], cells(since(group, step)), cells(between(group, before(step), step)))
		}
	}
	showBoards(w, all)
	met := map[bool]string{true: "met", false: "missed"}[median <= goalMedian && p99 <= goalP99]
	fmt.Fprintf(w, "\nreadable: at the worst of these %d ms at the median and %d ms at p99; the goal, %d and %d ms, is %s\n",
		median.Milliseconds(), p99.Milliseconds(), goalMedian.Milliseconds(), goalP99.Milliseconds(), met)
	return w.Flush()
}

// groups puts together what has the same key, in the order of the first of each.
func groups(all []result, key func(result) string) (list [][]result) {
	at := map[string]int{}
	for _, r := range all {
		i, known := at[key(r)]
		if !known {
			i = len(list)
			at[key(r)] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], r)
	}
	return list
}

// showBoards prints how soon new boards are seen.
func showBoards(w io.Writer, all []result) {
	fmt.Fprintln(w, "\nmilliseconds from the storing of a board to the last request that did not see it, and to a bet at its odds")
	fmt.Fprintln(w, "game\tboards\tblind\tp99\tmax\ttaken\tp99\tmax\t")
	for _, group := range groups(all, func(r result) string { return r.game }) {
		var blind, taken []time.Duration
		for _, r := range group {
			for _, b := range r.boards {
				blind, taken = append(blind, b.blind), append(taken, b.taken)
			}
		}
		if len(blind) > 0 {
			fmt.Fprintf(w, "%s\t%d\t%s%s\n", group[0].game, len(blind), cells(blind), cells(taken))
		}
	}
}

// cells are the median, the 99th percentile and the greatest of durations.
func cells(values []time.Duration) (text string) {
	for _, hundredths := range []int{50, 99, 100} {
		text += fmt.Sprintf("%d\t", percentile(values, hundredths).Milliseconds())
	}
	return text
}
