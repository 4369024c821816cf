package samtemplate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"tally/lib/local/samtemplate"
)

// naming are the properties that give a resource its physical name, with the longest
// that AWS takes.
var naming = map[string]int{
	"TableName": 255, "QueueName": 80, "FunctionName": 64, "LogGroupName": 512, "RoleName": 64, "ManagedPolicyName": 128, "AlarmName": 255,
	"DashboardName": 255, "BucketName": 63, "AliasName": 256, "Name": 64,
}

// isOfAccount says whether the names of a type are an account's, not a region's.
func isOfAccount(kind string) bool {
	return strings.HasPrefix(kind, "AWS::CloudFront::") || strings.HasPrefix(kind, "AWS::IAM::") || kind == "AWS::CloudWatch::Dashboard"
}

// namesIn finds the physical names in the properties of a resource: at the top, or, with
// CloudFront, in its configuration.
func namesIn(node *yaml.Node, found map[string]string) {
	for i := 0; i+1 < len(node.Content) && node.Kind == yaml.MappingNode; i += 2 {
		key, value := node.Content[i].Value, node.Content[i+1]
		switch {
		case naming[key] > 0:
			found[value.Value] = key
		case strings.HasSuffix(key, "Config"):
			namesIn(value, found)
		}
	}
}

// physicalNames lists the names that a stack fixes, by the type of the resource and the
// name, with the property.
func physicalNames(t *testing.T, stack, region string) map[[2]string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := samtemplate.Resolve(text, samtemplate.Environment{StackName: stack, Region: region, Account: "123456789012",
		QueueURL: func(name string) string { return name }})
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[[2]string]string)
	for _, r := range resolved.Resources {
		found := make(map[string]string)
		namesIn(&r.Properties, found)
		for name, property := range found {
			all[[2]string{r.Type, name}] = property
		}
	}
	return all
}

// Two stacks can be in one account and region, and in two regions of one name: nothing of
// theirs is called the same.
func TestTwoStacks(t *testing.T) {
	ours := physicalNames(t, "tally", "eu-central-1")
	if len(ours) < 30 {
		t.Errorf("only %d physical names were found", len(ours))
	}
	other := physicalNames(t, "other", "eu-central-1")
	away := physicalNames(t, "tally", "eu-west-1")
	for name := range ours {
		if _, both := other[name]; both {
			t.Errorf("two stacks of one region have a %s called %s", name[0], name[1])
		}
		if _, both := away[name]; both && isOfAccount(name[0]) {
			t.Errorf("a stack in each of two regions has a %s called %s: such names are an account's", name[0], name[1])
		}
	}
}

// A stack's name may have forty letters.
func TestLongStackName(t *testing.T) {
	for name, property := range physicalNames(t, strings.Repeat("s", 40), "ap-northeast-1") {
		if len(name[1]) > naming[property] {
			t.Errorf("the %s of a %s takes at most %d letters, %q has %d", property, name[0], naming[property], name[1], len(name[1]))
		}
	}
}

// A table is called as its stack unless it is given a name.
func TestTableName(t *testing.T) {
	for want, parameters := range map[string]map[string]string{"prod": nil, "ledger": {"TableName": "ledger"}} {
		t.Run(want, func(t *testing.T) {
			if got := resolve(t, parameters).Tables[0].Name; got != want {
				t.Errorf("with %v the table is called %q, want %q", parameters, got, want)
			}
		})
	}
}
