package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// running is a `tally local` in a process of its own, on free ports.
type running struct {
	t       *testing.T
	printed string // all that it says at its start
	shell   []string
}

// startLocal starts `tally local`. In the environment that it returns, commands that
// are printed for the usual ports reach it: curl by its configuration, tally by a
// variable.
func startLocal(t *testing.T) *running {
	t.Helper()
	command := exec.Command("tally", "local", "--address", "127.0.0.1:0", "--api", "127.0.0.1:0", "--site", "127.0.0.1:0")
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	command.Stderr = &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGINT) // it may have ended, which Wait tells
		if err := command.Wait(); err != nil {
			t.Errorf("tally local: %v\n%s", err, log.String())
		}
	})
	r := &running{t: t}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasSuffix(strings.TrimSpace(lines.Text()), "/v1/feed") {
		r.printed += lines.Text() + "\n"
	}
	r.printed += lines.Text() + "\n"
	go func() {
		for lines.Scan() { // so that it never waits for its reader
		}
	}()
	api := strings.TrimSuffix(strings.TrimPrefix(r.after("API"), "http://"), "/docs")
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".curlrc"), fmt.Appendf(nil, "connect-to = \"%s:%s\"\nsilent\nshow-error\n", localAPI, api), 0o644); err != nil {
		t.Fatal(err)
	}
	r.shell = append(os.Environ(), "CURL_HOME="+home, "TALLY_ENDPOINT="+r.after("endpoint"))
	return r
}

// after is what is printed after a label.
func (r *running) after(label string) string {
	r.t.Helper()
	for line := range strings.Lines(r.printed) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == label {
			return fields[1]
		}
	}
	r.t.Fatalf("there is no %s in\n%s", label, r.printed)
	return ""
}

// types runs commands as they are printed and returns what they write.
func (r *running) types(commands string) string {
	r.t.Helper()
	shell := exec.CommandContext(r.t.Context(), "bash", "-e", "-o", "pipefail", "-c", commands)
	shell.Dir, shell.Env = "../..", r.shell
	var failed bytes.Buffer
	shell.Stderr = &failed
	out, err := shell.Output()
	if err != nil {
		r.t.Fatalf("%s\n%v: %s%s", commands, err, out, failed.String())
	}
	return string(out)
}

// blocksWith returns the blocks of commands in a document that name a text.
func blocksWith(t *testing.T, file, text string) (blocks []string) {
	t.Helper()
	document, err := os.ReadFile("../../" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range shellBlock.FindAllStringSubmatch(string(document), -1) {
		if strings.Contains(block[1], text) {
			blocks = append(blocks, block[1])
		}
	}
	return blocks
}

// TestFirstHour does what README and docs/api.md have a bookmaker's engineer paste,
// exactly as it is printed there, and what `tally local` prints.
func TestFirstHour(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatalf("the documents' examples need curl: %v", err)
	}
	r := startLocal(t)
	first := blocksWith(t, "README.md", "curl ")
	if len(first) != 1 {
		t.Fatalf("README has %d blocks with curl", len(first))
	}
	placed := r.types(first[0])
	for _, want := range []string{`"draw":"try-1"`, `"reference":"b-1"`, `"status":"accepted"`} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(placed, want) {
				t.Errorf("README's first curl answers %s", placed)
			}
		})
	}
	_, pasted, _ := strings.Cut(r.printed, "As the bookmaker acme")
	_, pasted, _ = strings.Cut(pasted, "\n")
	place, _, _ := strings.Cut(pasted, "As the studio")
	if again := r.types(place); again != placed {
		t.Errorf("what tally local prints answers %s, README's %s", again, placed)
	}

	hour := blocksWith(t, "docs/api.md", "curl ")
	all := ""
	for _, block := range hour {
		all += block
	}
	answers := r.types(all)
	for _, want := range []string{
		placed,                                                               // the same bet again
		`"code":"illegal_shape"`, `"at":"/selection"`, `"code":"bad_amount"`, // all that is wrong
		`"sequence":1`, `"href":"/v1/draws/try-1/reports/1/0/1"`, // the feed
		`"lines":[{"bet":"b-1","status":"won","stake":"10.00","payout":"360.00"`,              // a page
		"bet,wager,status,stake,payout,currency,reason,rule,state,replaces\r\nb-1,,won,10.00", // as CSV
		`"status":"won","settlements":[`,                                                      // the bet
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(answers, want) {
				t.Errorf("docs/api.md: no %s in\n%s", want, answers)
			}
		})
	}
}
