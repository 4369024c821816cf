package dynamotest

import (
	"sync"
	"testing"

	"github.com/sivchari/kumo"
)

// kumoServer is the one server of this process. More would share its state
// anyhow: kumo keeps it in package variables. It ends with the process.
var kumoServer = sync.OnceValue(kumo.NewServer)

// Kumo returns the embedded emulator.
func Kumo(t testing.TB) DB {
	t.Helper()
	return newDB(FlavourKumo, Features{}, kumoServer().URL)
}
