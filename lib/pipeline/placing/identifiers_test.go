package placing_test

import (
	"errors"
	"testing"

	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/settlement"
)

// Nothing new is named as addresses name folders.
func TestFoldersAreNoIdentifiers(t *testing.T) {
	for _, name := range []string{".", ".."} {
		for field, request := range map[string]placing.Request{
			"bookmaker": {Bookmaker: name, Draw: "d-1", Reference: "b-1"},
			"draw":      {Bookmaker: "acme", Draw: name, Reference: "b-1"},
			"reference": {Bookmaker: "acme", Draw: "d-1", Reference: name},
			"base":      {Bookmaker: "acme", Draw: "d-1", Base: name},
			"shop":      {Bookmaker: "acme", Draw: "d-1", Reference: "b-1", Shop: name},
		} {
			t.Run(field+" "+name, func(t *testing.T) {
				p := &placing.Acceptor{Now: func() settlement.Instant { return 0 }}
				_, err := p.Place(t.Context(), request)
				var refusal *placing.RefusedError
				if !errors.As(err, &refusal) || refusal.Code != placing.CodeBadIdentifier || refusal.Field != field {
					t.Errorf("it is answered by %v instead of %s of %s", err, placing.CodeBadIdentifier, field)
				}
			})
		}
	}
}
