package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"tally"
	"tally/lib/local/samtemplate"
)

// awsStandIn answers the calls of docs/deploy.md as AWS would: of the stack it knows the
// outputs, which are files in $OUTPUTS. What it was not made for it refuses.
const awsStandIn = `#!/bin/bash
echo "aws $*" >> "$CALLS"
case "$*" in
"cloudformation describe-stacks --stack-name tally --query Stacks[0].Outputs[?OutputKey=='"*"'].OutputValue --output text")
	all=$*; name=${all#*OutputKey==\'}; cat "$OUTPUTS/${name%%\'*}" ;;
"iam get-role --role-name studio --query Role.RoleId --output text") echo AROAEXAMPLEOFSTUDIO ;;
"iam create-role --role-name studio --assume-role-policy-document file://trust.json") cp trust.json "$OUTPUTS/trust" ;;
"iam put-role-policy --role-name studio --policy-name tally --policy-document file://studio.json") cp studio.json "$OUTPUTS/studio" ;;
"cloudwatch describe-alarms --alarm-name-prefix tally- --state-value ALARM --query MetricAlarms[].AlarmName --output text") echo ;;
"service-quotas get-service-quota --service-code lambda --quota-code L-B99A9384 --query Quota.Value --output text") echo 1000.0 ;;
*) echo "no stand-in for: aws $*" >&2; exit 1 ;;
esac
`

// samStandIn keeps what would have been deployed: samconfig.toml as it was then.
const samStandIn = `#!/bin/bash
echo "sam $*" >> "$CALLS"
case "$*" in
"build --config-env prod") ;;
"deploy --config-env prod") cp samconfig.toml "$OUTPUTS/deployed-$(grep -c 'sam deploy' "$CALLS")" ;;
*) echo "no stand-in for: sam $*" >&2; exit 1 ;;
esac
`

func keepFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// deployed are the parameters of a deployment, of the production of a samconfig.toml.
func deployed(t *testing.T, path string) map[string]string {
	t.Helper()
	var config struct {
		Prod struct {
			Deploy struct {
				Parameters struct {
					Overrides string `toml:"parameter_overrides"`
				} `toml:"parameters"`
			} `toml:"deploy"`
		} `toml:"prod"`
	}
	if _, err := toml.DecodeFile(path, &config); err != nil {
		t.Fatal(err)
	}
	parameters := map[string]string{}
	for pair := range strings.FieldsSeq(config.Prod.Deploy.Parameters.Overrides) {
		name, value, _ := strings.Cut(pair, "=")
		parameters[name] = value
	}
	return parameters
}

// stackOf is the stack that a deployment with these parameters makes.
func stackOf(t *testing.T, parameters map[string]string) *samtemplate.ResolvedStack {
	t.Helper()
	stack, err := samtemplate.Resolve(tally.Template, samtemplate.Environment{StackName: "tally", Region: "eu-central-1", Account: "123456789012",
		Parameters: parameters, QueueURL: func(name string) string { return "https://sqs/" + name }})
	if err != nil {
		t.Fatal(err)
	}
	return stack
}

// What docs/deploy.md has a platform engineer paste works, block after block, as far as an
// emulator goes.
func TestDeploy(t *testing.T) {
	r, folder, stands := startLocal(t), t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"aws": awsStandIn, "sam": samStandIn} {
		keepFile(t, filepath.Join(stands, name), text, 0o755)
	}
	outputs := stackOf(t, nil).Outputs
	for name, value := range outputs {
		switch name {
		case "ApiUrl":
			value = "http://" + localAPI // which curl's configuration leads to the stack's
		case "SiteUrl":
			value = strings.TrimSuffix(r.after("site"), "/")
		}
		keepFile(t, filepath.Join(stands, name), value+"\n", 0o644)
	}
	config, err := os.ReadFile("../../samconfig.toml")
	if err != nil {
		t.Fatal(err)
	}
	keepFile(t, filepath.Join(folder, "samconfig.toml"), string(config), 0o644)
	script := strings.Join(blocksWith(t, "docs/deploy.md", ""), "\n")
	shell := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", script)
	shell.Dir = folder
	shell.Env = append(r.shell, "PATH="+stands+":"+os.Getenv("PATH"), "OUTPUTS="+stands, "CALLS="+filepath.Join(stands, "calls"),
		"HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "XDG_CACHE_HOME=")
	written, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, written)
	}
	for _, want := range []string{`"reference":"b-1"`, `"status":"won"`, `"payout":"360.00"`, "AROAEXAMPLEOFSTUDIO", "rou-* first", "studio in Riga"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(string(written), want) {
				t.Errorf("the page's commands write\n%s\nwhich lacks %s", written, want)
			}
		})
	}
	checkDeployments(t, stands)
	checkStudioPolicy(t, stands)
}

// checkDeployments holds what was deployed, one time after the other, against what the page
// says of it.
func checkDeployments(t *testing.T, folder string) {
	t.Helper()
	for i, want := range []map[string]string{
		{"DeletionProtection": "false"},
		{"DeletionProtection": ""},
		{"DeletionProtection": "", "StudioPrincipals": "arn:aws:iam::111122223333:role/studio"},
	} {
		t.Run(fmt.Sprint("deployment ", i+1), func(t *testing.T) {
			parameters := deployed(t, filepath.Join(folder, fmt.Sprint("deployed-", i+1)))
			want["LogOrigin"], want["IntakeReserved"] = "results.example.com/log", "22"
			for name, value := range want {
				if parameters[name] != value {
					t.Errorf("%s is %q, want %q", name, parameters[name], value)
				}
			}
			if table := stackOf(t, parameters).Tables[0]; table.DeletionProtection != (i > 0) {
				t.Errorf("the table's protection from deletion is %v", table.DeletionProtection)
			}
		})
	}
}

// checkStudioPolicy holds the policy that a studio's account is given against the stack's own
// for studios: the same actions on the same queues.
func checkStudioPolicy(t *testing.T, folder string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "studio"))
	if err != nil || !json.Valid(text) {
		t.Fatalf("the studio's policy is no JSON (%v): %s", err, text)
	}
	stack := stackOf(t, nil)
	found := regexp.MustCompile(`sqs:[A-Z]\w+|arn:aws:sqs:[^"]+`).FindAllString(string(text), -1)
	want := []string{"sqs:SendMessage", stack.Resources["StudioMessagesQueue"].ARN, "sqs:ReceiveMessage", "sqs:DeleteMessage", stack.Resources["StudioRepliesQueue"].ARN}
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("the studio's policy has %q, want %q", found, want)
	}
	if trust, err := os.ReadFile(filepath.Join(folder, "trust")); err != nil || !json.Valid(trust) {
		t.Errorf("who may take the studio's role is no JSON (%v): %s", err, trust)
	}
}
