package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tally/internal/testkit/archivetest"
)

// maxAuditor is how large the program for bookmakers and auditors may be; the whole one has
// more than twice as many bytes.
const maxAuditor = 24 << 20

// TestAuditor builds the program for bookmakers and auditors, as make auditor does. It has
// nothing of AWS, does what needs none, and says of the rest where it is.
func TestAuditor(t *testing.T) {
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-tags", "auditor", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for _, path := range strings.Fields(string(listed)) {
		if strings.Contains(path, "/aws") || strings.Contains(path, "kumo") || strings.HasPrefix(path, "tally/lib/store") || strings.HasPrefix(path, "tally/lib/local") {
			t.Errorf("it links %s", path)
		}
	}
	binary := filepath.Join(t.TempDir(), "tally")
	if said, err := exec.CommandContext(t.Context(), "go", "build", "-tags", "auditor", "-ldflags", "-s -w", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, said)
	}
	if file, err := os.Stat(binary); err != nil || file.Size() > maxAuditor {
		t.Errorf("it has more than %d bytes, or none: %v, %v", maxAuditor, file, err)
	}
	_, _, key := archivetest.Key(t, "example.com/log", 1)
	const leftOut = ": this is the program for bookmakers and auditors, without AWS and its emulator: use the one that `make build` makes\n"
	for line, want := range map[string]string{
		"resolve":                             `{"status":"resolved","game":"war","outcome":{"winner":"dealer"}}`,
		"help":                                "\n  verify      the public log of results, or a proof\n",
		"local --address 127.0.0.1:0":         "tally: running local" + leftOut,
		"send message.json":                   "tally: running send" + leftOut,
		"verify s3://public-log --key " + key: "opening the bucket public-log" + leftOut,
	} {
		t.Run(line, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), binary, strings.Fields(line)...)
			command.Stdin = strings.NewReader(`{"game":"war","facts":{"player":"KS","dealer":"AD"}}` + "\n")
			if said, _ := command.CombinedOutput(); !strings.Contains(string(said), want) {
				t.Errorf("tally %s says\n%s", line, said)
			}
		})
	}
}
