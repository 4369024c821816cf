package dynamotest

import (
	"testing"

	"tally/lib/local/emulator"
)

// Kumo returns the embedded emulator.
func Kumo(t testing.TB) DB {
	t.Helper()
	return newDB(FlavourKumo, Features{}, emulator.Endpoint())
}
