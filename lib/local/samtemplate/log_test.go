package samtemplate_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tally/internal/testkit/permissions"
)

// Archive alone signs with the log's key. Nobody may end it, or let others use it, but by
// changing its policy first, and that is the custodian's where there is one.
func TestLogKeyPolicy(t *testing.T) {
	const root, custodian = "arn:aws:iam::123456789012:root", "arn:aws:iam::777788889999:role/custodian"
	for name, who := range map[string]string{"": root, custodian: custodian} {
		t.Run("custodian "+name, func(t *testing.T) {
			stack := resolve(t, map[string]string{"LogKeyCustodian": name})
			archive, _ := functionOf(stack, "archive")
			may, denied := map[string][]string{}, false
			for _, s := range policyOf(t, stack, "LogKey", "KeyPolicy") {
				if s.Effect == "Deny" {
					denied = s.Principal == "*" && slices.Equal(s.Actions, texts{"kms:Sign"}) &&
						slices.Equal(s.Conditions["ArnNotEquals"]["aws:PrincipalArn"], texts{archive.Role})
					continue
				}
				for _, action := range s.Actions {
					may[action] = append(may[action], s.Principal.(map[string]any)["AWS"].(string))
				}
			}
			if !denied {
				t.Error("signing is denied to nobody")
			}
			for action, want := range map[string][]string{"kms:Sign": {archive.Role}, "kms:PutKeyPolicy": {who}, "kms:ScheduleKeyDeletion": nil, "kms:DisableKey": nil,
				"kms:CreateGrant": nil, "kms:*": nil} {
				t.Run(action, func(t *testing.T) {
					if !slices.Equal(may[action], want) {
						t.Errorf("%s is allowed to %q, want %q", action, may[action], want)
					}
				})
			}
			for action := range may {
				if strings.Contains(action, "*") {
					t.Errorf("a wildcard: %s", action)
				}
			}
			if bypass := properties[map[string]any](t, stack, "LogKey")["BypassPolicyLockoutSafetyCheck"]; bypass != (name != "") {
				t.Errorf("the check that who deploys can change the policy is left out: %v", bypass)
			}
		})
	}
}

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
							if described.Name == "archive" { // by the policy of the stack's own key, which stays archive's
								want[action+" on "+own] = true
							}
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
