package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shellBlock is a block of commands in a Markdown file.
var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// What README and the documents show is what the commands write: lines that
// start with "$ " are typed, what follows up to the next one is the output.
func TestDocumentsShowWhatHappens(t *testing.T) {
	count := 0
	for _, file := range []string{"README.md", "docs/format-outcomes.md", "docs/format-settlements.md", "docs/rules.md", "events/README.md"} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
			for _, shown := range strings.Split("\n"+block[1], "\n$ ")[1:] {
				count++
				command, output, _ := strings.Cut(shown, "\n")
				got, err := exec.Command("sh", "-c", command).CombinedOutput()
				if err != nil {
					t.Errorf("%s: $ %s: %v", file, command, err)
				}
				if strings.TrimRight(string(got), "\n") != strings.TrimRight(output, "\n") {
					t.Errorf("%s: $ %s\ngot:\n%s\nwant:\n%s", file, command, got, output)
				}
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d commands: the test does not find them", count)
	}
}

// Blocks without "$ " are to be pasted as they are: README's own uses of tally
// among them work.
func TestPastedBlocksWork(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		// `tally local` runs until it is interrupted: operate_test.go plays what is
		// done with it.
		if strings.Contains("\n"+block[1], "\n$ ") || strings.Contains(block[1], "local") {
			continue
		}
		for command := range strings.Lines(block[1]) {
			if strings.HasPrefix(command, "tally ") || strings.Contains(command, "| tally ") {
				count++
				if got, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
					t.Errorf("%s: %v: %s", command, err, got)
				}
			}
		}
	}
	if count == 0 {
		t.Error("nothing to paste: the test does not find it")
	}
}

// link is a link from one document to a file.
var link = regexp.MustCompile(`\]\(([^)#:]+)\)`)

func TestDocumentsLinkToFiles(t *testing.T) {
	for _, folder := range []string{".", "docs", "docs/decisions", "events"} {
		entries, err := os.ReadDir("../../" + folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".md") {
				continue
			}
			text, err := os.ReadFile("../../" + folder + "/" + entry.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, match := range link.FindAllStringSubmatch(string(text), -1) {
				if _, err := os.Stat("../../" + folder + "/" + match[1]); err != nil {
					t.Errorf("%s/%s links to %s: %v", folder, entry.Name(), match[1], err)
				}
			}
		}
	}
}

// explained is a module in the table of docs/dependencies.md.
var explained = regexp.MustCompile("`([a-z.]+/[^`]+)`")

// Every module that a package imports is in docs/dependencies.md.
func TestDependenciesAreExplained(t *testing.T) {
	text, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	imports, err := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}{{"\n"}}{{join .TestImports "\n"}}{{"\n"}}{{join .XTestImports "\n"}}`, "tally/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := explained.FindAllStringSubmatch(string(text), -1)
	for path := range strings.FieldsSeq(string(imports)) {
		if host, _, _ := strings.Cut(path, "/"); !strings.Contains(host, ".") {
			continue // the standard library, or tally itself
		}
		if !slices.ContainsFunc(modules, func(m []string) bool { return path == m[1] || strings.HasPrefix(path, m[1]+"/") }) {
			t.Errorf("%s is imported and not explained", path)
		}
	}
}
