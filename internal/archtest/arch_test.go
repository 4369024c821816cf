package archtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "tally/"

// doors are the folders of lib, from the ground up: each imports only itself and those before it.
var doors = []string{"strictjson", "rulebook", "draw", "store", "pipeline", "archive", "site", "bookmaker", "lambda", "local"}

// What the structure may come to at most.
const maxDoors, maxFloors, maxArrows = 10, 9, 77

// maxLines is how many lines of a package fit in the head, tests apart. large are those that
// were above it before.
const maxLines = 3000

var large = map[string]int{"cmd/tally": 7010, "internal/simulation": 3510}

// never are packages, by their path or the folder they are in, and what they must not
// import: of the standard library directly, of anything else at any remove.
var never = []struct{ from, to, why string }{
	{"lib/rulebook", "os", "rules have no I/O"},
	{"lib/rulebook", "net", "rules have no I/O"},
	{"lib/rulebook", "time", "rules have no clock"},
	{"lib/rulebook", "github.com/aws", "rules have no I/O"},
	{"lib/draw", "os", "a draw has no I/O"},
	{"lib/draw", "net", "a draw has no I/O"},
	{"lib/draw", "github.com/aws", "a draw has no I/O"},
	{"lib/bookmaker/client", "github.com/aws", "a bookmaker installs no AWS"},
	{"lib/bookmaker/apitype", "github.com/aws", "a bookmaker installs no AWS"},
	{"lib/archive/verify", "github.com/aws", "an auditor installs no AWS"},
	{"lib/bookmaker/audit", "github.com/aws", "an auditor installs no AWS"},
	{"lib/archive/proof", "github.com/aws", "an auditor installs no AWS"},
	{"lib/archive/sequencer", "github.com/aws", "appenders agree by a lock, whatever keeps it"},
	{"lib/lambda/runtime", "github.com/aws/aws-sdk-go-v2/service", "a function links the clients that it needs"},
	{"lib", module + "internal", "nothing of the product imports a test kit"},
	{"functions", module + "internal", "nothing of the product imports a test kit"},
	{"cmd", module + "internal/testkit", "nothing of the product imports a test kit"},
	{"cmd", module + "internal/bench", "nothing of the product imports a benchmark"},
}

// listed is what `go list` says of a package, without its tests.
type listed struct {
	ImportPath, Dir        string
	GoFiles, Imports, Deps []string
}

// list are the packages of the module, by their paths in it.
func list(t *testing.T) map[string]listed {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,GoFiles,Imports,Deps", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			t.Fatalf("reading what go list says: %v", err)
		}
		packages[strings.TrimPrefix(p.ImportPath, module)] = p
	}
	return packages
}

// within tells whether a package is in a folder, or is the folder's own.
func within(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

// room is the folder that a package belongs to: a door of lib, or a folder of internal, functions or cmd.
func room(path string) string {
	parts := strings.SplitN(path, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// door is how high up a package of lib is; false for what is not in lib.
func door(path string) (int, bool) {
	name, in := strings.CutPrefix(room(path), "lib/")
	return slices.Index(doors, name), in
}

func TestDoors(t *testing.T) {
	seen := map[string]bool{}
	for path, p := range list(t) {
		at, in := door(path)
		if !in {
			continue
		}
		if seen[room(path)] = true; at < 0 {
			t.Errorf("%s is in no folder of %v: put it into one, or list the new one", path, doors)
			continue
		}
		for _, to := range p.Imports {
			if below, is := door(strings.TrimPrefix(to, module)); is && below > at {
				t.Errorf("%s imports %s: lib/%s is below lib/%s", path, to, doors[at], doors[below])
			}
		}
	}
	if len(seen) > maxDoors {
		t.Errorf("lib has %d folders, at most %d are allowed", len(seen), maxDoors)
	}
}

func TestNever(t *testing.T) {
	packages := list(t)
	for _, rule := range never {
		t.Run(rule.from+" "+rule.to, func(t *testing.T) {
			found := false
			for path, p := range packages {
				if !within(path, rule.from) {
					continue
				}
				found = true
				reached := p.Imports // of the standard library: deep down, everything has a clock
				if strings.Contains(rule.to, ".") || strings.HasPrefix(rule.to, module) {
					reached = p.Deps
				}
				at := slices.IndexFunc(reached, func(to string) bool { return within(to, rule.to) })
				if at >= 0 {
					t.Errorf("%s reaches %s: %s", path, reached[at], rule.why)
				}
			}
			if !found {
				t.Errorf("%s has no package: the rule that %s holds nothing", rule.from, rule.why)
			}
		})
	}
}

// floors is the longest chain of rooms that import each other, by packages: a package that
// imports one of another room stands a floor above it.
func floors(packages map[string]listed) (most int, chain []string) {
	known := map[string][]string{}
	var stand func(path string) []string
	stand = func(path string) []string {
		if chain, is := known[path]; is {
			return chain
		}
		var under []string
		for _, to := range packages[path].Imports {
			to, own := strings.CutPrefix(to, module)
			if !own {
				continue
			}
			below := stand(to)
			if room(to) == room(path) {
				below = below[:len(below)-1] // the same room is the same floor
			}
			if len(below) > len(under) {
				under = below
			}
		}
		known[path] = append(slices.Clone(under), room(path))
		return known[path]
	}
	for path := range packages {
		if c := stand(path); len(c) > most {
			most, chain = len(c), c
		}
	}
	return most, chain
}

func TestFloors(t *testing.T) {
	packages, arrows := list(t), map[[2]string]bool{}
	for path, p := range packages {
		if within(path, "internal/bench") {
			continue // it measures everything, as tests do, whose imports are not counted
		}
		for _, to := range p.Imports {
			if to, own := strings.CutPrefix(to, module); own && room(to) != room(path) {
				arrows[[2]string{room(path), room(to)}] = true
			}
		}
	}
	most, chain := floors(packages)
	t.Logf("%d floors (%s), %d arrows between rooms", most, strings.Join(chain, " > "), len(arrows))
	if most > maxFloors {
		t.Errorf("%d floors, at most %d are allowed: %s", most, maxFloors, strings.Join(chain, " > "))
	}
	if len(arrows) > maxArrows {
		t.Errorf("%d arrows between rooms, at most %d are allowed", len(arrows), maxArrows)
	}
}

func TestLines(t *testing.T) {
	for path, p := range list(t) {
		lines := 0
		for _, name := range p.GoFiles {
			if template := strings.TrimSuffix(name, ".go"); strings.HasSuffix(template, ".qtpl") {
				name = template // what was made of it nobody reads
			}
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
		}
		if most := cmp.Or(large[path], maxLines); lines > most {
			t.Errorf("%s has %d lines, at most %d are allowed: what of it can be known apart?", path, lines, most)
		}
	}
}
