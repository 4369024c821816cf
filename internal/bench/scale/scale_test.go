package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tally/internal/testkit/fakedynamo"
)

// tiny is a load of a few draws.
func tiny() *load {
	return &load{draws: 6, rate: 2, share: 1, bets: 30, makers: 4, exponent: makerExponent.value, to: time.Hour, read: true, check: true, looksAfter: 14 * time.Minute}
}

func carriedOut(t *testing.T, l *load, s settings) *run {
	t.Helper()
	r, err := inBubble(t, l, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range r.problems {
		t.Error(problem)
	}
	return r
}

// Every bet is placed, settled and reported once, and looked at again; what the partitions have
// given is what internal/testkit/capacity counts of the answers.
func TestConservation(t *testing.T) {
	r := carriedOut(t, tiny(), settingsFor(1))
	placed := 0
	for _, p := range r.plays {
		placed += p.placed
		if len(p.makers) == 0 || p.fed != len(p.makers) {
			t.Errorf("%s has %d reports for %d bookmakers", p.id, p.fed, len(p.makers))
		}
	}
	if placed == 0 || placed != len(r.lines) {
		t.Errorf("%d bets are accepted, and %d reported", placed, len(r.lines))
	}
	var writes, reads float64
	for _, f := range r.cloud.functions {
		total := f.meter.Snapshot().Total()
		writes, reads = writes+units(total.Writes), reads+units(total.Reads)
		if f.logs.errors["ERROR"] > 0 {
			t.Errorf("%s logs errors: %s", f.spec.Short, f.logs.samples)
		}
	}
	if used := r.cloud.table.used; used.writesInAll != writes || used.readsInAll != reads {
		t.Errorf("partitions gave %v write and %v read units, the answers come to %v and %v", used.writesInAll, used.readsInAll, writes, reads)
	}
	if r.late > 0 || len(r.stages[stageReconcile].taken) != len(r.plays) {
		t.Errorf("reconcile has looked at %d of %d draws", len(r.stages[stageReconcile].taken), len(r.plays))
	}
	if got, most := r.stages[stageLastReport].at(100), 3*time.Second; got > most {
		t.Errorf("with nothing else to do a report takes %s, more than %s", got, most)
	}
}

// costRow is a row of docs/costs.md: the write units of a phase of the draw of 200 bets.
func costRow(t *testing.T, phase string) float64 {
	t.Helper()
	text, err := os.ReadFile("../../../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`\n\| 200 \| ` + phase + ` \| 200 \| \d+ \| (\d+) \|`).FindSubmatch(text)
	if match == nil {
		t.Fatalf("docs/costs.md has no row for 200 bets and %q", phase)
	}
	units, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return units
}

// The model counts of a draw what docs/costs.md has: 200 bets of 20 bookmakers.
func TestAgreesWithCosts(t *testing.T) {
	l := &load{makers: 20, share: 1, rate: 1, hot: 200, hotTime: 20 * time.Second, hotFrom: 5 * time.Second, to: time.Hour, looksAfter: time.Minute}
	s := settingsFor(1)
	s.parameters["ShardsByGame"], s.parameters["SettleAtOnce"] = "", "false" // as it is counted there
	var before, after float64
	synctest.Test(t, func(t *testing.T) {
		r, err := newRun(t, l, s)
		if err != nil {
			t.Fatal(err)
		}
		intake := r.cloud.functions["intake"].meter
		time.AfterFunc(time.Until(r.plays[0].results), func() { before = units(intake.Snapshot().Total().Writes) })
		r.play()
		for _, problem := range r.problems {
			t.Error(problem)
		}
		if got, want := units(r.cloud.functions["api"].meter.Snapshot().Total().Writes), costRow(t, "place"); got != want {
			t.Errorf("placing takes %v write units, docs/costs.md says %v", got, want)
		}
		after = units(intake.Snapshot().Total().Writes)
		if got, want := after-before+units(r.cloud.functions["settle"].meter.Snapshot().Total().Writes), costRow(t, "settle"); got > want || got < 0.95*want { // pages of other references are a little larger
			t.Errorf("settling takes %v write units, docs/costs.md says %v", got, want)
		}
	})
}

// A hot draw with one shard is what saturates first, and bets are throttled.
func TestBottleneck(t *testing.T) {
	l := &load{makers: 1, share: 1, rate: 1, hot: 6000, hotTime: 3 * time.Second, hotFrom: 5 * time.Second, to: time.Hour, looksAfter: time.Minute}
	ordinary := carriedOut(t, tiny(), settingsFor(1))
	for _, test := range []struct {
		shards    string
		throttled bool
	}{{"1", true}, {"32", false}} {
		t.Run(test.shards, func(t *testing.T) {
			s := settingsFor(1)
			s.parameters["ShardsByGame"] = gameHot + "=" + test.shards
			r := carriedOut(t, l, s)
			all := &results{slice: ordinary, many: ordinary, hot: r}
			if got := r.cloud.table.throttled["BETS"] > 0; got != test.throttled {
				t.Errorf("throttled: %v, %v was expected", r.cloud.table.throttled, test.throttled)
			}
			var keys []resource
			for _, each := range all.ofKeys() {
				if strings.Contains(each.name, "key BETS") {
					keys = append(keys, each)
				}
			}
			if len(keys) == 0 || (keys[0].times() <= 1.1) != test.throttled {
				t.Errorf("%+v: with %s shards it saturates or not, against %v", keys, test.shards, test.throttled)
			}
		})
	}
}

// A partition whose load is full for long is split, at the key that has the load.
func TestSplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := newTable(fakedynamo.New(t, "table"), newChance(1), 0, 0, settings{writeQuota: 1e6, readQuota: 1e6})
		before, served := len(table.partitions), [2]int{}
		for second := range 1500 {
			for n := range 1200 {
				if table.admit([]need{{pk: "hot", sk: strconv.Itoa(n), writes: 1}}) == "" {
					served[second/750]++
				}
			}
			time.Sleep(time.Second)
		}
		if len(table.partitions) == before || table.splits == 0 {
			t.Error("nothing was split")
		}
		if served[0] >= served[1] || served[1] > 750*1200 {
			t.Errorf("%d writes of one key were served at first, and %d later", served[0], served[1])
		}
	})
}

// All figures are listed, once, and docs/scale.md has each with its source.
func TestFigures(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "figures_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		literal, is := n.(*ast.CompositeLit)
		if is {
			if name, isName := literal.Type.(*ast.Ident); isName && name.Name == "figure" {
				declared++
			}
		}
		return true
	})
	if declared != len(figures) {
		t.Errorf("%d figures are declared, and %d listed", declared, len(figures))
	}
	doc, err := os.ReadFile("../../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		line := "| " + f.name + " | " + strconv.FormatFloat(f.value, 'f', -1, 64) + " | " + f.unit + " | " + f.from + " |\n"
		if f.from == "" || !strings.Contains(string(doc), line) {
			t.Errorf("docs/scale.md does not have %q: make scale", line)
		}
	}
}
