package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tally/lib/local/samtemplate"
)

// resource is something that has a limit.
type resource struct {
	name     string
	used     float64 // at the peak
	limit    float64 // as it is set in the runs
	normal   float64 // as it is by default
	unit     string
	raise    string // what raises it
	measured string // in which run, and how
}

// times is how many times this load it takes until the resource is used up.
func (r resource) times() float64 { return r.limit / r.used }

// resources are all that have a limit, those that are used up first in front.
func (all *results) resources() (list []resource) {
	list = append(all.ofTable(), all.ofFunctions()...)
	list = append(list, all.ofKeys()...)
	slices.SortFunc(list, func(a, b resource) int { return cmp.Compare(a.times(), b.times()) })
	return list
}

// ofTable are the units of the table and the requests of the API.
func (all *results) ofTable() []resource {
	each := all.slice.perDraw()
	writes, reads, requests := each.writes*peakRate(), each.reads*peakRate(), each.requests*peakRate()
	const how = "slice, units by draw times draws a second"
	alone := requests + (dayBets.value/dayDraws.value-float64(all.slice.batches)/float64(len(all.slice.plays)))*peakRate()
	return []resource{
		{"write units of the table", writes, raised["WarmWrites"], tableWriteQuota.value, "a second", "quota of DynamoDB for a table; `WarmWrites`", how},
		{"read units of the table", reads, raised["WarmReads"], tableReadQuota.value, "a second", "quota of DynamoDB for a table; `WarmReads`", how},
		{"write units of the table, beside the hot draw", writes + hotBets.value/hotTime.value, raised["WarmWrites"], tableWriteQuota.value, "a second", "the same", "slice, and hot"},
		{"requests of the API", requests, raised["ApiRate"], defaultOf("ApiRate"), "a second", "`ApiRate`", "slice, requests by draw"},
		{"requests of the account's APIs", requests, raised["ApiRate"], gatewayRate.value, "a second", "quota of API Gateway", "slice, requests by draw"},
		{"requests of the API, were each bet sent alone", alone, raised["ApiRate"], gatewayRate.value, "a second", "`ApiRate`, quota of API Gateway", "slice, with a request for each bet"},
		{"writes of the log's files", float64(all.many.cloud.files.most), prefixPuts.value, prefixPuts.value, "a second", "", "draws, the busiest second"},
	}
}

func defaultOf(parameter string) float64 { return settings{}.number(parameter) }

// ofFunctions are the instances of each function, and of all.
func (all *results) ofFunctions() (list []resource) {
	slice := all.slice.perDraw()
	sum := 0.0
	for _, spec := range all.slice.cloud.stack.Functions {
		busy, how := slice.busy[spec.Short]*peakRate(), "slice, time by draw times draws a second"
		if spec.Short == "archive" { // whose batches are as large as there are draws
			busy, how = all.many.cloud.functions[spec.Short].measured.Seconds()/all.measured.Seconds(), "draws, time of invocations that ended while it was measured"
		}
		if busy == 0 {
			continue
		}
		sum += busy
		if spec.Short == "archive" {
			cores := float64(all.slice.cloud.functions[spec.Short].computed.Load()) / 1e9 / float64(len(all.slice.plays)) * peakRate()
			each, normal := float64(spec.MemoryMB)/coreMemory.value, defaultOf("ArchiveMemory")/coreMemory.value
			list = append(list, resource{"processors of archive", cores, each * defaultOf("ArchiveConcurrency"), normal * defaultOf("ArchiveConcurrency"), "cores",
				"`ArchiveMemory`, `ArchiveConcurrency`", "slice, processor time by draw times draws a second"})
		}
		list = append(list, ofFunction(spec, busy, how)...)
	}
	return append(list, resource{"instances of all functions", sum, raisedAccount, accountAtOnce.value, "at once", "quota of Lambda for the account", "the sum"})
}

// ofFunction are the instances that a function may have, by what invokes it.
func ofFunction(spec samtemplate.Function, busy float64, how string) (list []resource) {
	for _, event := range spec.Events {
		r := resource{name: "instances of " + spec.Short, used: busy, unit: "at once", measured: how}
		switch event.Type {
		case samtemplate.EventSchedule:
			r.limit = float64(spec.Seconds) / 60 // one, for so much of each minute
			r.normal, r.raise = r.limit, "nothing: one process runs for at most "+strconv.Itoa(spec.Seconds)+" s of each minute"
		case samtemplate.EventSQS:
			name := strings.ToUpper(spec.Short[:1]) + spec.Short[1:] + "Concurrency"
			most := float64(event.Properties.Scaling["MaximumConcurrency"])
			r.limit, r.normal, r.raise = most, most, "the template"
			if _, is := defaults()[name]; is {
				r.limit, r.normal, r.raise = defaultOf(name), defaultOf(name), "`"+name+"`"
				if raised[name] > 0 {
					r.limit = raised[name]
				}
			}
		default:
			continue
		}
		list = append(list, r)
	}
	if len(list) > 1 { // of several queues the one that allows most has the load
		slices.SortFunc(list, func(a, b resource) int { return cmp.Compare(b.limit, a.limit) })
		list = list[:1]
	}
	return list
}

// ofKeys are partition keys, of which each takes no more than a partition.
func (all *results) ofKeys() (list []resource) {
	raise := map[string]string{"BETS": "`ShardsByGame` of the hot draw's game"}
	for _, each := range []struct {
		name string
		run  *run
	}{{"hot", all.hot}, {"draws", all.many}, {"slice", all.slice}} {
		used := &each.run.cloud.table.used
		for _, class := range used.names() {
			peak := used.classes[class]
			how := each.name + ", the busiest second of the busiest key"
			if peak.writes >= 20 {
				list = append(list, resource{"writes of one key " + class + "#…, " + each.name, peak.writes, partitionWrites.value, partitionWrites.value, "units a second", raise[class], how})
			}
			if peak.reads >= 100 {
				list = append(list, resource{"reads of one key " + class + "#…, " + each.name, peak.reads, partitionReads.value, partitionReads.value, "units a second", "", how})
			}
		}
		if p := used.partition; p.writes > 0 {
			list = append(list, resource{"writes of one partition, " + each.name, p.writes, each.run.cloud.table.partitions[0].writes.rate, partitionWrites.value, "units a second",
				"more partitions: `WarmWrites`", each.name + ", the busiest second; of the rest of the load the partition's mean is taken off"})
		}
	}
	feeds := peakRate() // a bookmaker that bets on every draw has a report of each
	atOnce := 1000 / (readMedian.value + transactMedian.value)
	return append(list, resource{"reports of one feed", feeds, atOnce, atOnce, "a second", "nothing: one after the other takes its number", "draws a second against the medians of a read and a transaction"})
}

// showResources writes what is used up first, and what has to be raised.
func (all *results) showResources(out io.Writer) {
	list := all.resources()
	fmt.Fprintf(out, "\n## What saturates first\n\nAt the peak, with the settings below. A resource saturates at so many times this load:\n\n")
	title(out, "resource", "used", "limit", "saturates at", "by default at", "unit", "measured in")
	for _, r := range list {
		row(out, r.name, count(r.used), count(r.limit), times(r.limit/r.used), times(r.normal/r.used), r.unit, r.measured)
	}
	fmt.Fprintf(out, "\n## What has to be raised\n\nWhat would be used up by its default at half as much again as this load:\n\n")
	title(out, "what", "default", "needed", "in these runs", "how")
	for _, r := range list {
		if need := 1.5 * r.used; r.normal < need {
			row(out, r.name, count(r.normal), count(need), count(r.limit), r.raise)
		}
	}
}

func times(n float64) string {
	if n < 1 {
		return "**" + count(n) + "**"
	}
	return count(n)
}
