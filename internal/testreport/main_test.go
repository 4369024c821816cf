package main

import (
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	const (
		pass   = `{"Action":"pass","Package":"tally/a","Test":"TestA","Elapsed":0.1}` + "\n"
		pkg    = `{"Action":"pass","Package":"tally/a","Elapsed":0.2}` + "\n"
		output = `{"Action":"output","Package":"tally/a","Test":"TestB","Output":"    b_test.go:7: wrong\n"}` + "\n"
		fail   = `{"Action":"fail","Package":"tally/a","Test":"TestB","Elapsed":0.1}` + "\n"
		skip   = `{"Action":"skip","Package":"tally/a","Test":"TestC","Elapsed":0}` + "\n"
		slow   = `{"Action":"pass","Package":"tally/a","Test":"TestD/row","Elapsed":29}` + "\n" +
			`{"Action":"pass","Package":"tally/a","Test":"TestD","Elapsed":30}` + "\n"
		noTests   = `{"Action":"skip","Package":"tally/b","Elapsed":0}` + "\n"
		buildFail = `{"ImportPath":"tally/c","Action":"build-output","Output":"c.go:1: undefined: x\n"}` + "\n" +
			`{"ImportPath":"tally/c","Action":"build-fail"}` + "\n"
	)
	for name, c := range map[string]struct {
		in    string
		short bool
		ok    bool
		want  string
	}{
		"passes":                   {pass + pkg + noTests, false, true, "1 tests passed, 0 failed, 0 skipped"},
		"fails with its output":    {pass + output + fail, false, false, "b_test.go:7: wrong"},
		"a skip is a failure":      {pass + skip + pkg, false, false, "SKIP  tally/a TestC"},
		"nothing tested":           {noTests, false, false, "0 tests passed"},
		"does not build":           {pass + buildFail, false, false, "c.go:1: undefined: x"},
		"a skip of a short run":    {pass + skip + pkg, true, true, "1 tests passed, 0 failed, 1 skipped"},
		"the slowest tests":        {slow + pass + pkg, false, true, "      30.0s  tally/a TestD\n         0.1s  tally/a TestA\n"},
		"go's own words are shown": {pass + "go: no such module\n", false, true, "go: no such module"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			ok, err := report(strings.NewReader(c.in), &out, c.short)
			if err != nil || ok != c.ok || !strings.Contains(out.String(), c.want) {
				t.Errorf("ok %v, error %v:\n%s", ok, err, out.String())
			}
		})
	}
}
