package lambdatest

import (
	"strings"
	"testing"
)

// A binary that is not there is named.
func TestStartFails(t *testing.T) {
	if _, err := start("/nonesuch/bootstrap", Options{}); err == nil || !strings.Contains(err.Error(), "starting /nonesuch/bootstrap") {
		t.Errorf("got %v", err)
	}
}
