package simulation

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tally/internal/simulation/plans"
)

// planted are faults that the product nearly had. Each is a line of it that says something else
// when the variable PLANTED names the fault.
var planted = []struct {
	name, file, right, wrong string
	from                     int    // the seed before the first that is tried
	finds                    string // what is said of it
}{
	{"a closing counts before it takes effect", "lib/draw/head.go",
		"learn(max(round.Closed, round.ClosedStored))",
		"learn(max(planted(%q, 0, round.Closed), round.ClosedStored))", 0, lateRecord},
	{"a round that opens soon is left out", "lib/draw/head.go",
		"round.OpensAt >= known+SettleGrace {",
		"round.OpensAt >= known+planted(%q, 2_000, SettleGrace) {", 140, lateRecord},
	{"a refusal is not written once the draw may be settled", "lib/pipeline/placing/placing.go",
		"at >= d.Head.ResultAt+overAfter",
		"at >= planted(%q, d.Head.SettleFrom(), d.Head.ResultAt+overAfter)", 60,
		`is stored, but was answered: refused|counts, but was answered: refused`},
}

const lateRecord = `is a late record, though|that no settlement run has seen`

// chooses is added to a package with planted faults.
const chooses = `package %s

import (
	"os"

	"tally/lib/rulebook/settlement"
)

func planted(fault string, wrong, right settlement.Instant) settlement.Instant {
	if os.Getenv("PLANTED") == fault {
		return wrong
	}
	return right
}
`

// Runs find what they are there to find: with each fault planted a seed fails that holds without
// it.
func TestPlantedFaults(t *testing.T) {
	program := buildPlanted(t)
	for _, fault := range planted {
		t.Run(fault.name, func(t *testing.T) {
			seed, said := firstToFail(t, program, fault.name, fault.from)
			if !regexp.MustCompile(fault.finds).MatchString(said) {
				t.Fatalf("seed %d says %q, expected %s", seed, said, fault.finds)
			}
			t.Logf("seed %d: %s", seed, said)
			if o := Run(t, plans.Edges(seed)); len(o.Problems) > 0 {
				t.Errorf("without the fault seed %d says %q, expected nothing", seed, o.Problems)
			}
		})
	}
}

// buildPlanted builds the tests of this package over a product with all faults, and returns
// the program.
func buildPlanted(t *testing.T) string {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, texts := t.TempDir(), map[string]string{}
	for _, fault := range planted {
		if _, read := texts[fault.file]; !read {
			text, err := os.ReadFile(filepath.Join(root, fault.file))
			if err != nil {
				t.Fatal(err)
			}
			texts[fault.file] = string(text)
			folder := filepath.Dir(fault.file)
			texts[folder+"/planted.go"] = fmt.Sprintf(chooses, filepath.Base(folder))
		}
		if n := strings.Count(texts[fault.file], fault.right); n != 1 {
			t.Fatalf("%s has %q %d times, expected once: say how the fault is planted now", fault.file, fault.right, n)
		}
		texts[fault.file] = strings.Replace(texts[fault.file], fault.right, fmt.Sprintf(fault.wrong, fault.name), 1)
	}
	over := map[string]string{}
	for file, text := range texts {
		copied := filepath.Join(dir, strings.ReplaceAll(file, "/", "-"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		over[filepath.Join(root, file)] = copied
	}
	overlay, err := json.Marshal(map[string]any{"Replace": over})
	if err != nil {
		t.Fatal(err)
	}
	list, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "planted.test")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-ldflags", "-s -w", "-overlay", list, "-o", program, ".")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building with the faults: %v\n%s", err, said)
	}
	return program
}

var failing = regexp.MustCompile(`^seed (\d+) fails: (.*)`)

// firstToFail returns the first seed that fails with a fault, of four hundred, and what it says. The
// program is not waited for: it would go on to shrink the plan.
func firstToFail(t *testing.T, program, fault string, from int) (seed uint64, said string) {
	run := exec.CommandContext(t.Context(), program, "-test.run", "^TestSeeds$", "-edges", "-seeds", "400", "-from", strconv.Itoa(from))
	run.Env = append(os.Environ(), "PLANTED="+fault)
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = run.Process.Kill(), run.Wait() }()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := failing.FindStringSubmatch(lines.Text()); found != nil {
			seed, err = strconv.ParseUint(found[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return seed, found[2]
		}
	}
	t.Fatal("no seed of 400 fails, expected one to find it")
	return 0, ""
}
