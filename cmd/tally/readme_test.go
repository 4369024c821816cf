package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
)

// shellBlock is a block of commands in a Markdown file.
var shellBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// documents are the files that show examples, README first.
func documents(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/decisions/*.md", "events/*.md"} {
		t.Run(pattern, func(t *testing.T) {
			found, err := filepath.Glob("../../" + pattern)
			if err != nil || len(found) == 0 {
				t.Fatalf("%s: %v, want no error and len(found) other than 0", pattern, err)
			}
			files = append(files, found...)
		})
	}
	return files
}

// shown are the blocks of commands of all documents, by file.
func shown(t *testing.T) map[string][]string {
	t.Helper()
	blocks := map[string][]string{}
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
			blocks[strings.TrimPrefix(file, "../../")] = append(blocks[strings.TrimPrefix(file, "../../")], block[1])
		}
	}
	return blocks
}

// isTyped tells blocks with "$ " and what the commands answer from those that are to
// be pasted.
func isTyped(block string) bool { return strings.Contains("\n"+block, "\n$ ") }

// What README and the documents show is what the commands write: lines that
// start with "$ " are typed, what follows up to the next one is the output.
func TestDocumentsShowWhatHappens(t *testing.T) {
	count := 0
	for file, blocks := range shown(t) {
		for _, block := range blocks {
			for _, shown := range strings.Split("\n"+block, "\n$ ")[1:] {
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

// Blocks without "$ " are to be pasted as they are. Each of their commands works, on a
// log, a site and a stack that stand in for the reader's own. Those that would reach
// AWS, or run until they are interrupted, must at least be commands of tally with
// flags and arguments that it takes.
func TestPastedCommandsWork(t *testing.T) {
	r, count := newReader(t), 0
	for file, blocks := range shown(t) {
		for _, block := range blocks {
			if isTyped(block) || file == "docs/deploy.md" || strings.Contains(block, "curl ") && slices.Contains(hourOf, file) {
				continue // the test above types it, or TestFirstHour or TestDeploy does
			}
			for _, command := range commandsOf(block) {
				count++
				t.Run(file+" "+command, func(t *testing.T) { r.paste(t, command) })
			}
		}
	}
	if count < 12 {
		t.Errorf("only %d commands: the test does not find them", count)
	}
}

// hourOf are the documents whose blocks with curl TestFirstHour pastes.
var hourOf = []string{"README.md", "docs/api.md"}

// ofStudios begins the commands of docs/studio.md that the test of docs/examples/studio pastes.
var ofStudios = regexp.MustCompile(`^(export (AWS|STUDIO)_|go run \./docs/examples/|\$\(scripts/boto3\) )`)

// commandsOf are the commands of a block, without their comments.
func commandsOf(block string) (commands []string) {
	for line := range strings.Lines(strings.ReplaceAll(block, "\\\n", "")) {
		line, _, _ = strings.Cut(line, " # ")
		if line = strings.TrimSpace(line); line != "" {
			commands = append(commands, line)
		}
	}
	return commands
}

// reader has what the documents' examples are about.
type reader struct {
	folder   string // in which commands are typed
	key      string // verifies the log
	log      string
	cosigned string // the log with cosignatures
	local    *running
}

func newReader(t *testing.T) *reader {
	t.Helper()
	s := archivetest.PlayAll(t)
	seen, witnesses := cosigned(t)
	r := &reader{folder: t.TempDir(), key: s.VerifierKey, log: s.Copy(), cosigned: seen, local: startLocal(t)}
	for name, key := range map[string]string{"example.key": s.VerifierKey, "w1.key": witnesses[0], "w2.key": witnesses[1]} {
		if err := os.WriteFile(filepath.Join(r.folder, name), []byte(key+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r.types(t, "tally pages build --log copy/log --key KEY --to site && cp site/results/roulette/2026-11-30/*.tlog-proof .")
	return r
}

// documentedKey is a verifier key of the documents' log.
var documentedKey = regexp.MustCompile(`tally\.example/log\+\S+`)

// types runs a command of the documents, in whose place what stands for it.
func (r *reader) types(t *testing.T, command string) {
	t.Helper()
	for _, key := range documentedKey.FindAllString(command, -1) {
		if _, err := note.NewVerifier(key); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		command = strings.ReplaceAll(command, key, "KEY")
	}
	log := r.log
	if strings.Contains(command, "--witness") {
		log = r.cosigned
	}
	command = strings.NewReplacer("https://tally.example/log/", log, "https://tally.example/log", log, "https://results.example/log", log, "https://results.example", "site",
		"copy/log", log, "--key KEY", "--key "+r.key).Replace(command)
	run := exec.Command("sh", "-c", command)
	run.Dir, run.Env = r.folder, append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
}

// untilInterrupted are the commands that go on until they are interrupted, each with a
// test of its own.
var untilInterrupted = regexp.MustCompile(`^tally (local|pages serve)\b`)

// ofTheShell are commands that need no test of ours.
var ofTheShell = regexp.MustCompile(`^export PATH=`)

// paste does with a command what a reader would.
func (r *reader) paste(t *testing.T, command string) {
	target, isMake := strings.CutPrefix(command, "make ")
	switch {
	case isMake:
		makefile, err := os.ReadFile("../../Makefile")
		if err != nil || !strings.Contains(string(makefile), "\n"+target+":") {
			t.Errorf("there is no %s: %v", command, err)
		}
	case ofTheShell.MatchString(command) || ofStudios.MatchString(command):
	case untilInterrupted.MatchString(command):
		checkCommand(t, command)
	case strings.Contains(command, "--local"):
		r.local.types(command)
	case checkCommand(t, command):
	default:
		r.types(t, command)
	}
}

// word is a word of a command as a shell reads it: quoted, or without spaces.
var word = regexp.MustCompile(`'([^']*)'|"([^"]*)"|(\S+)`)

// checkCommand parses a call of tally without running it, and reports whether it would
// reach AWS.
func checkCommand(t *testing.T, command string) (reachesAWS bool) {
	t.Helper()
	at := strings.Index("| "+command, "| tally ")
	if at < 0 {
		t.Errorf("%s is run by no test", command)
		return false
	}
	var words []string
	for _, match := range word.FindAllStringSubmatch(("| " + command)[at+len("| tally "):], -1) {
		if match[0] == "|" || match[0] == ">" || match[0] == "2>" {
			break
		}
		words = append(words, match[1]+match[2]+match[3])
	}
	found, rest, err := everyCommand()[0].Find(words)
	if err != nil {
		t.Errorf("%s: %v", command, err)
		return false
	}
	if err := found.ParseFlags(rest); err != nil {
		t.Errorf("%s: %v", command, err)
	} else if err := found.ValidateArgs(found.Flags().Args()); err != nil {
		t.Errorf("%s: %v", command, err)
	}
	return found.Flags().Lookup("endpoint") != nil
}

// Examples of help texts that are not typed are such that tally takes them, too.
func TestHelpExamplesAreTaken(t *testing.T) {
	count := 0
	for _, command := range everyCommand() {
		for line := range strings.Lines(command.Example) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "tally ") {
				count++
				checkCommand(t, line)
			}
		}
	}
	if count < 20 {
		t.Errorf("only %d examples: the test does not find them", count)
	}
}

// inText is a call of tally, with flags, in a sentence of a document.
var inText = regexp.MustCompile("`tally ([a-z ]*[a-z])[^`]* --[^`]*`")

// flagInText is a flag in one.
var flagInText = regexp.MustCompile(` --([a-z-]+)`)

// Flags that documents speak of are there.
func TestFlagsInTextAreThere(t *testing.T) {
	count := 0
	for _, file := range documents(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range inText.FindAllStringSubmatch(string(text), -1) {
			command, _, err := everyCommand()[0].Find(strings.Fields(match[1]))
			if err != nil {
				t.Errorf("%s: %s: %v", file, match[0], err)
				continue
			}
			for _, flag := range flagInText.FindAllStringSubmatch(match[0], -1) {
				count++
				if command.Flags().Lookup(flag[1]) == nil && flag[1] != "help" && command.InheritedFlags().Lookup(flag[1]) == nil {
					t.Errorf("%s: %s: there is no --%s", file, match[0], flag[1])
				}
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d flags: the test does not find them", count)
	}
}

// link is a link from one document to a file.
var link = regexp.MustCompile(`\]\(([^)#:]+)\)`)

func TestDocumentsLinkToFiles(t *testing.T) {
	for _, folder := range []string{".", "docs", "docs/decisions", "events"} {
		t.Run(folder, func(t *testing.T) {
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
		})
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
