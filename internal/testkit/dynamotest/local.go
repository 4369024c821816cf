package dynamotest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// DynamoDBLocal returns AWS's own emulator, started at the first call. The test
// fails, with the remedy in its message, where the emulator is not installed or
// does not start, and is skipped in a short run, which has no Java.
func DynamoDBLocal(t testing.TB) DB {
	t.Helper()
	if testing.Short() {
		t.Skip("DynamoDB Local is not for a short run")
	}
	endpoint, err := localEndpoint()
	if err != nil {
		t.Fatalf("DynamoDB Local: %v", err)
	}
	return newDB(FlavourDynamoDBLocal, Features{
		PageLimit:                true,
		ItemLimit:                true,
		OldItemOnFailedCondition: true,
		RequestTokens:            true,
		ConsumedCapacity:         true,
	}, endpoint)
}

// localEndpoint starts the one emulator of this process.
var localEndpoint = sync.OnceValues(func() (string, error) {
	folder, err := findLocal()
	if err != nil {
		return "", err
	}
	return startLocal(context.Background(), folder)
})

// findLocal returns the folder in which scripts/dynamodb-local puts the emulator.
func findLocal() (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(root, ".cache", "dynamodb-local")
	if _, err := os.Stat(filepath.Join(folder, localJar)); err != nil {
		return "", fmt.Errorf("not installed (run scripts/dynamodb-local): %w", err)
	}
	return folder, nil
}

// moduleRoot walks up from the working directory, which `go test` sets to the
// package's folder, to the one with go.mod.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the module: %w", err)
	}
	for {
		_, err := os.Stat(filepath.Join(folder, "go.mod"))
		if err == nil {
			return folder, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("finding the module: %w", err)
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("finding the module: no go.mod above the working directory")
		}
		folder = parent
	}
}
