package dynamotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeJava puts a java of a few lines first on the PATH.
func fakeJava(t *testing.T, script string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "java"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// The emulator ends when its standard input does, as it does when the test
// process dies.
func TestLauncherEndsJava(t *testing.T) {
	fakeJava(t, "exec sleep 60")
	command := exec.Command("sh", "-c", launcher, "sh")
	lifeline, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		t.Fatalf("it ended by itself: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	if err := lifeline.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Minute):
		t.Fatal("it goes on without its standard input")
	}
}

func TestStartTellsWhyItFailed(t *testing.T) {
	fakeJava(t, "echo no memory >&2; exit 3")
	_, err := startLocal(t.Context(), t.TempDir())
	if err == nil {
		t.Fatal("it started")
	}
	for _, part := range []string{"exit status 3", "no memory"} {
		t.Run(part, func(t *testing.T) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error lacks %q: %v", part, err)
			}
		})
	}
}

func TestNotInstalled(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(root, "lib", "store")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	_, err := findLocal()
	if err == nil || !strings.Contains(err.Error(), "run scripts/dynamodb-local") {
		t.Errorf("the error lacks the remedy: %v", err)
	}
}
