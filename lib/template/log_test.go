package template_test

import (
	"slices"
	"testing"
)

// While the log's key is being replaced, archive signs by both and reconcile
// verifies by both; then the new one is the only one that either may use.
func TestLogKeys(t *testing.T) {
	const first, second = "arn:aws:kms:eu-central-1:123456789012:key/0001", "arn:aws:kms:eu-central-1:123456789012:key/0002"
	own := resolve(t, nil).Keys[0].ARN
	for _, test := range []struct {
		parameters map[string]string
		key, old   string
	}{
		{nil, own, ""},
		{map[string]string{"LogSigningKey": first, "LogOldKey": own}, first, own},
		{map[string]string{"LogSigningKey": first}, first, ""},
		{map[string]string{"LogSigningKey": second, "LogOldKey": first}, second, first},
	} {
		stack := resolve(t, test.parameters)
		for name, action := range map[string]string{"archive": "kms:Sign", "reconcile": "kms:GetPublicKey"} {
			function, _ := stack.Function(name)
			if function.Environment["TALLY_LOG_KEY"] != test.key || function.Environment["TALLY_LOG_OLD_KEY"] != test.old {
				t.Errorf("%v: %s has %v", test.parameters, name, function.Environment)
			}
			want := []string{test.key}
			if test.old != "" {
				want = append(want, test.old)
			}
			var may []string
			for _, statement := range function.Statements {
				if slices.Contains(statement.Actions, action) {
					may = append(may, statement.Resources...)
				}
			}
			if !slices.Equal(may, want) {
				t.Errorf("%v: %s may %s on %v", test.parameters, name, action, may)
			}
		}
	}
}
