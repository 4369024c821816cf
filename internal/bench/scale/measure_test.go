package main

import (
	"slices"
	"strconv"
	"time"
)

// The stages that are measured.
const (
	stagePlaced     = "a bet is sent → accepted"
	stagePlacedHot  = "a bet on the hot draw is sent → accepted"
	stageStored     = "a result is sent → stored"
	stageReport     = "a result is sent → a bookmaker's report is in its feed"
	stageLastReport = "a result is sent → the last bookmaker's report is in its feed"
	stageHotReport  = "the hot draw's result is sent → the last report is in its feed"
	stageFeed       = "a feed is asked for → answered"
	stagePublished  = "an entry is sent to archive → published"
	stageSecondLook = "the second look is due → done"
	stageReconcile  = "reconcile's look is due → done"
)

// stage is one of them with its goal.
type stage struct {
	name        string
	median, p99 time.Duration // zero for none
	from        string        // where the goal is from
}

var stages = []stage{
	{stagePlaced, 0, 2 * time.Second, "docs/pipeline.md: a bet is written within two seconds"},
	{stagePlacedHot, 0, 2 * time.Second, "docs/pipeline.md: a bet is written within two seconds"},
	{stageStored, 0, 0, ""},
	{stageReport, time.Second, 3 * time.Second, "docs/benchmarks.md"},
	{stageLastReport, time.Second, 3 * time.Second, "docs/benchmarks.md"},
	{stageHotReport, time.Second, 3 * time.Second, "docs/benchmarks.md"},
	{stageFeed, 0, time.Second, pageAssumed},
	{stagePublished, 0, 10 * time.Second, pageAssumed},
	{stageSecondLook, 0, time.Minute, pageAssumed},
	{stageReconcile, 0, 3 * time.Minute, "docs/pipeline.md: every minute looks at what is due; " + pageAssumed},
}

// samples are the delays of a stage.
type samples struct{ taken []time.Duration }

// add adds a delay, if it is of what is measured.
func (s *samples) add(d time.Duration, measured bool) {
	if measured {
		s.taken = append(s.taken, d)
	}
}

// at returns the least delay that a share of them is at or below.
func (s *samples) at(hundredths int) time.Duration {
	if len(s.taken) == 0 {
		return 0
	}
	if !slices.IsSorted(s.taken) {
		slices.Sort(s.taken)
	}
	return s.taken[max(0, (len(s.taken)*hundredths+99)/100-1)]
}

// number is a parameter of the template, or its default as the template has it.
func (s settings) number(name string) float64 {
	text, set := s.parameters[name]
	if !set {
		text = defaults()[name]
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("the parameter " + name + " is " + text + ", which is no number")
	}
	return value
}
