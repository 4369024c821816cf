package lambdatest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// built remembers what this process has built, by package.
var built struct {
	mutex  sync.Mutex
	byPath map[string]func() (string, error)
}

// Build compiles a main package of this module as a Lambda is compiled
// (functions/build.mk), for this machine, once for each test process. It returns
// the path of the binary.
func Build(t testing.TB, importPath string) string {
	t.Helper()
	built.mutex.Lock()
	if built.byPath == nil {
		built.byPath = make(map[string]func() (string, error))
	}
	once, known := built.byPath[importPath]
	if !known {
		once = sync.OnceValues(func() (string, error) { return compile(importPath) })
		built.byPath[importPath] = once
	}
	built.mutex.Unlock()
	binary, err := once()
	if err != nil {
		t.Fatalf("building %s: %v", importPath, err)
	}
	return binary
}

// compile compiles into the module's .cache, by a file of its own that takes its place
// at the end: other processes may be running the one before.
func compile(importPath string) (string, error) {
	folder, err := cacheFolder()
	if err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(folder, "build-*")
	if err != nil {
		return "", fmt.Errorf("making a folder to build in: %w", err)
	}
	defer func() { _ = os.RemoveAll(part) }()
	output := filepath.Join(part, "bootstrap")
	command := exec.Command("go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", output, importPath)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, said)
	}
	binary := filepath.Join(folder, path.Base(importPath))
	if err := os.Rename(output, binary); err != nil {
		return "", fmt.Errorf("putting the binary in its place: %w", err)
	}
	return binary, nil
}

func cacheFolder() (string, error) {
	said, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("finding the module: %w", err)
	}
	file := strings.TrimSpace(string(said))
	if file == "" || file == os.DevNull {
		return "", errors.New("finding the module: there is no go.mod above the working directory")
	}
	folder := filepath.Join(filepath.Dir(file), ".cache", "lambdatest", runtime.GOARCH)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("making %s: %w", folder, err)
	}
	return folder, nil
}
