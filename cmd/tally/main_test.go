package main

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// update rewrites the golden files of the scripts.
var update = flag.Bool("update", false, "rewrite golden files")

// TestMain puts the test binary into PATH under the command's name, so that
// scripts, examples and whole-process tests run what is being tested.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tally": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repeat": repeat,
			"exits":  exits,
		},
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, "TERM=xterm", "NO_COLOR=")
			return nil
		},
	})
}

// repeat writes a file of so many copies of another: repeat 1000 in.jsonl out.jsonl
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: repeat count from to")
	}
	count := 0
	for _, digit := range args[0] {
		count = count*10 + int(digit-'0')
	}
	text := []byte(ts.ReadFile(args[1]))
	file, err := os.Create(ts.MkAbs(args[2]))
	ts.Check(err)
	for range count {
		_, err := file.Write(text)
		ts.Check(err)
	}
	ts.Check(file.Close())
}

// exits runs a command and compares its exit code: exits 2 tally --nonsense
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command arguments...")
	}
	err := ts.Exec(args[1], args[2:]...)
	if code := exitCode(err); code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}
