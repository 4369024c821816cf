package samtemplate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/permissions"
)

// Replacing the log's key as docs/archive.md says, every function that is given a
// key may do with it what it does, at each step: with both keys while both sign,
// then with the new one only.
func TestLogKeys(t *testing.T) {
	const first, second = "arn:aws:kms:eu-central-1:123456789012:key/0001", "arn:aws:kms:eu-central-1:123456789012:key/0002"
	own := resolve(t, nil).Resources["LogKey"].ARN
	for _, test := range []struct {
		parameters map[string]string
		key, old   string
	}{
		{nil, own, ""},
		{map[string]string{"LogSigningKey": first, "LogOldKey": own}, first, own},
		{map[string]string{"LogSigningKey": first}, first, ""},
		{map[string]string{"LogSigningKey": second, "LogOldKey": first}, second, first},
		{map[string]string{"LogSigningKey": second}, second, ""},
	} {
		t.Run(test.key, func(t *testing.T) {
			stack := resolve(t, test.parameters)
			given := 0
			for _, described := range permissions.OfFunctions() {
				function, _ := functionOf(stack, described.Name)
				variables := function.Environment.Variables
				if _, has := variables["TALLY_LOG_KEY"]; !has {
					continue
				}
				given++
				if variables["TALLY_LOG_KEY"] != test.key || variables["TALLY_LOG_OLD_KEY"] != test.old {
					t.Errorf("%v: %s has %v", test.parameters, described.Name, variables)
				}
				want, may := map[string]bool{}, map[string]bool{}
				for _, use := range described.Uses {
					for _, action := range use.Actions {
						if use.Variable == "TALLY_LOG_KEY" {
							want[action+" on "+test.key] = true
							want[action+" on "+test.old] = test.old != ""
						}
					}
				}
				maps.DeleteFunc(want, func(_ string, wanted bool) bool { return !wanted })
				for what := range allowed(t, statementsOf(t, stack, function)) {
					if strings.HasPrefix(what, "kms:") {
						may[what] = true
					}
				}
				if !maps.Equal(may, want) {
					t.Errorf("%v: %s may %v, want %v", test.parameters, described.Name, slices.Sorted(maps.Keys(may)), slices.Sorted(maps.Keys(want)))
				}
			}
			if given < 3 {
				t.Errorf("only %d functions are given the log's key, want archive, reconcile and pages", given)
			}
		})
	}
}
