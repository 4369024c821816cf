package samtemplate_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/lib/lambda/config"
	"tally/lib/lambda/functions"
	"tally/lib/lambda/runtime"
	"tally/lib/local/samtemplate"
)

// These tests hold template.yaml against the code and against what was decided
// about it: what a linter, which knows neither, can't see.

// Every variable that a function reads is set, and no other; with the defaults
// of the parameters each function's configuration loads.
func TestVariables(t *testing.T) {
	stack := resolve(t, nil)
	if len(stack.Functions) != len(functions.Describe()) {
		t.Errorf("template.yaml has %d functions, the code %d", len(stack.Functions), len(functions.Describe()))
	}
	for _, described := range functions.Describe() {
		function, found := stack.Function(described.Name)
		if !found {
			t.Errorf("template.yaml has no function %s", described.Name)
			continue
		}
		fields, err := config.Fields(described.Configuration)
		if err != nil {
			t.Fatal(err)
		}
		var reads []string
		for _, field := range fields {
			reads = append(reads, field.Variable)
		}
		slices.Sort(reads)
		if sets := slices.Sorted(maps.Keys(function.Environment)); !slices.Equal(sets, reads) {
			t.Errorf("%s: template.yaml sets %q, the code reads %q", described.Name, sets, reads)
		}
		// What the environment would be refused for does not depend on clients.
		_, err = functions.New(described.Name, func(name string) (string, bool) {
			value, set := function.Environment[name]
			return value, set
		}, runtime.Runtime{Now: time.Now})
		if err != nil {
			t.Errorf("%s: %v", described.Name, err)
		}
	}
}

// Every action that a function calls is allowed on what it is called on, and
// nothing else is; nor is anything for all resources.
func TestPermissions(t *testing.T) {
	stack := resolve(t, nil)
	for _, described := range functions.Describe() {
		function, _ := stack.Function(described.Name)
		needs := make(map[string]bool)
		for _, use := range described.Uses {
			for _, action := range use.Actions {
				needs[action+" on "+resourceOf(t, stack, action, function.Environment[use.Variable])] = true
			}
		}
		for _, source := range function.Sources { // on its behalf
			for _, action := range []string{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"} {
				needs[action+" on "+source.QueueARN] = true
			}
		}
		log := "arn:aws:logs:eu-central-1:123456789012:log-group:" + function.LogGroup + ":*"
		needs["logs:CreateLogStream on "+log] = true
		needs["logs:PutLogEvents on "+log] = true
		compare(t, described.Name, allowed(t, function.Statements), needs)
	}
}

// resourceOf returns the ARN of what a variable names: of a bucket's files, where
// an action is about them.
func resourceOf(t *testing.T, stack *samtemplate.Stack, action, value string) string {
	t.Helper()
	for _, bucket := range stack.Buckets {
		if bucket.Name == value {
			if action == "s3:ListBucket" {
				return bucket.ARN
			}
			return bucket.ARN + "/*"
		}
	}
	for _, key := range stack.Keys {
		if key.ARN == value {
			return key.ARN
		}
	}
	for _, queue := range stack.Queues {
		if queue.URL == value {
			return queue.ARN
		}
	}
	for _, table := range stack.Tables {
		if table.Name == value {
			return table.ARN
		}
	}
	t.Errorf("no table, queue, bucket or key is %q", value)
	return ""
}

// allowed lists what statements allow, and faults what none may.
func allowed(t *testing.T, statements []samtemplate.Statement) map[string]bool {
	t.Helper()
	list := make(map[string]bool)
	for _, statement := range statements {
		if statement.Effect != "Allow" {
			t.Errorf("a statement with the effect %s", statement.Effect)
		}
		for _, action := range statement.Actions {
			for _, resource := range statement.Resources {
				what := action + " on " + resource
				if list[what] {
					t.Errorf("allowed twice: %s", what)
				}
				if strings.Contains(strings.TrimSuffix(strings.TrimSuffix(what, ":*"), "/*"), "*") {
					t.Errorf("a wildcard: %s", what)
				}
				list[what] = true
			}
		}
	}
	return list
}

func compare(t *testing.T, name string, allows, needs map[string]bool) {
	t.Helper()
	for what := range allows {
		if !needs[what] {
			t.Errorf("%s may, but need not: %s", name, what)
		}
	}
	for what := range needs {
		if !allows[what] {
			t.Errorf("%s needs, but may not: %s", name, what)
		}
	}
}

// Senders may send to their own queue only.
func TestSenders(t *testing.T) {
	stack := resolve(t, nil)
	queue := func(name string) string { return " on arn:aws:sqs:eu-central-1:123456789012:prod-" + name }
	want := map[string]map[string]bool{
		"StudioPolicy":        {"sqs:SendMessage" + queue("studio-messages"): true},
		"StudioRepliesPolicy": {"sqs:ReceiveMessage" + queue("studio-replies"): true, "sqs:DeleteMessage" + queue("studio-replies"): true},
	}
	for _, policy := range stack.Policies {
		if policy.ID == "OperatorPolicy" {
			continue // TestOperatorPolicy
		}
		compare(t, policy.ID, allowed(t, policy.Statements), want[policy.ID])
		delete(want, policy.ID)
	}
	if len(want) > 0 {
		t.Errorf("policies that are missing: %v", want)
	}
}

// Operators may do what the commands that are theirs call, and nothing else: of the
// table only in the partitions that each command touches.
func TestOperatorPolicy(t *testing.T) {
	stack := resolve(t, nil)
	at := slices.IndexFunc(stack.Policies, func(p samtemplate.Policy) bool { return p.ID == "OperatorPolicy" })
	if at < 0 {
		t.Fatal("there is no OperatorPolicy")
	}
	needs := make(map[string]bool)
	tables := make(map[string]samtemplate.Statement)
	for _, use := range functions.OperatorUses() {
		actions := slices.Sorted(slices.Values(append(slices.Clone(use.Actions), use.Seldom...)))
		if use.On == functions.OnTable {
			patterns := make([]string, len(use.Partitions))
			for i, partition := range use.Partitions {
				patterns[i] = partition
				if strings.HasSuffix(partition, "#") {
					patterns[i] += "*"
				}
			}
			slices.Sort(patterns)
			tables[use.Command] = samtemplate.Statement{Effect: "Allow", Actions: actions, Resources: []string{stack.Tables[0].ARN},
				Unless: map[string]string{"ForAllValues:StringLike dynamodb:LeadingKeys": strings.Join(patterns, " ")}}
			continue
		}
		for _, queue := range stack.Queues {
			isDead := queue.Redrive == nil
			if use.On == functions.OnQueues && !isDead || use.On == functions.OnDeadLetters && isDead || queue.Name == "prod-"+use.On {
				for _, action := range actions {
					needs[action+" on "+queue.ARN] = true
				}
			}
		}
	}
	var queues []samtemplate.Statement
	for _, statement := range stack.Policies[at].Statements {
		command := strings.ToLower(statement.SID)
		want, isTable := tables[command]
		if !isTable {
			queues = append(queues, statement)
			continue
		}
		delete(tables, command)
		want.SID = statement.SID
		slices.Sort(statement.Actions)
		if !reflect.DeepEqual(statement, want) {
			t.Errorf("%s may\n%+v\ninstead of\n%+v", command, statement, want)
		}
	}
	for command := range tables {
		t.Errorf("%s may do nothing with the table", command)
	}
	compare(t, "OperatorPolicy", allowed(t, queues), needs)
}

// maxMessageBytes is the limit on studio messages.
const maxMessageBytes = 256 << 10

func TestQueuesAsDecided(t *testing.T) {
	stack := resolve(t, nil)
	for _, queue := range stack.Queues {
		if !queue.Encrypted || queue.MaximumMessageBytes != maxMessageBytes {
			t.Errorf("%s: encrypted %v, at most %d bytes a message", queue.ID, queue.Encrypted, queue.MaximumMessageBytes)
		}
		if queue.Redrive == nil {
			if queue.RedriveFrom == nil || queue.DeletionPolicy != "Retain" || queue.ReplacePolicy != "Retain" {
				t.Errorf("%s: it has no dead letters and is not where they are kept", queue.ID)
			}
			continue
		}
		dead, found := stack.Queue(queue.Redrive.DeadLetters)
		switch {
		case !found:
			t.Errorf("%s: its dead-letter queue is not in the template", queue.ID)
		case !slices.Equal(dead.RedriveFrom, []string{queue.ARN}):
			t.Errorf("%s: its dead-letter queue takes those of %q", queue.ID, dead.RedriveFrom)
		case dead.Retention < queue.Retention:
			t.Errorf("%s: dead letters are kept for %s, counted from their sending, the queue's messages for %s", queue.ID, dead.Retention, queue.Retention)
		case queue.Redrive.MaxReceives < 5:
			t.Errorf("%s: %d receives leave no room for what is not started or given back", queue.ID, queue.Redrive.MaxReceives)
		}
	}
}

// From the first alarm about a message there are ten days to act before it is gone,
// whether it stays in its queue or becomes a dead letter on the way, which keeps its
// age; also with the latest alarm that the parameter allows. Webhooks' messages are
// hints that reconcile repeats: those are kept for a day only, which outlasts it.
func TestTimeToAct(t *testing.T) {
	const toAct = 10 * 24 * time.Hour
	stack := resolve(t, map[string]string{"QueueAgeAlarm": "86400"})
	ages := make(map[string]time.Duration) // by the queue's name: after which its alarm sounds
	deaths := make(map[string]bool)
	for _, alarm := range stack.Alarms {
		switch name := alarm.Dimensions["QueueName"]; alarm.Metric {
		case "ApproximateAgeOfOldestMessage":
			ages[name] = time.Duration(alarm.Threshold)*time.Second + time.Duration(alarm.Periods)*alarm.Period
		case "ApproximateNumberOfMessagesVisible":
			deaths[name] = alarm.Threshold == 0 && alarm.Periods == 1 && alarm.Period <= 5*time.Minute
		}
	}
	for _, queue := range stack.Queues {
		if queue.Redrive == nil {
			if !deaths[queue.Name] {
				t.Errorf("%s: no alarm sounds at once when a message dies", queue.ID)
			}
			continue
		}
		dead, _ := stack.Queue(queue.Redrive.DeadLetters)
		if dead.Retention-24*time.Hour < toAct {
			t.Errorf("%s: keeps messages for %s", dead.ID, dead.Retention)
		}
		age, watched := ages[queue.Name]
		left := min(queue.Retention, dead.Retention) - age
		if !watched || left < toAct && queue.ID != "WebhooksQueue" {
			t.Errorf("%s: from the alarm at an age of %s on there are %s to act, want at least %s", queue.ID, age, left, toAct)
		}
	}
}

func TestFunctionsAsDecided(t *testing.T) {
	stack := resolve(t, nil)
	for _, function := range stack.Functions {
		if function.Runtime != "provided.al2023" || function.Architecture != "arm64" || function.Handler != "bootstrap" {
			t.Errorf("%s runs %s on %s by %s", function.ID, function.Runtime, function.Architecture, function.Handler)
		}
		if function.BuildMethod != "makefile" || function.CodePath != "." {
			t.Errorf("%s is built by %q from %q: lib/ may not be part of it", function.ID, function.BuildMethod, function.CodePath)
		}
		if _, err := os.Stat(filepath.Join(root, "functions", function.Short, "main.go")); err != nil {
			t.Errorf("%s: %v", function.ID, err)
		}
		if function.LogFormat != "JSON" {
			t.Errorf("%s logs %s", function.ID, function.LogFormat)
		}
		for _, source := range function.Sources {
			queue, found := stack.Queue(source.QueueARN)
			if !found || queue.Visibility < 6*function.Timeout {
				t.Errorf("%s: %s hides messages for %s, the function works for up to %s", function.ID, queue.ID, queue.Visibility, function.Timeout)
			}
			if !source.ByMessage || source.MaximumConcurrency < 2 {
				t.Errorf("%s: the source %+v", function.ID, source)
			}
		}
	}
	reconcile, _ := stack.Function("reconcile")
	if len(reconcile.Schedules) != 1 || reconcile.Schedules[0].Expression != "rate(1 minute)" || reconcile.Timeout >= time.Minute || reconcile.Retries != 0 {
		t.Errorf("reconcile: %+v", reconcile)
	}
	if settle, _ := stack.Function("settle"); settle.Timeout != time.Minute {
		t.Errorf("settle has %s", settle.Timeout)
	}
}

func TestTableAsDecided(t *testing.T) {
	want := samtemplate.Table{
		Resource: samtemplate.Resource{ID: "Table", Name: "other", DeletionPolicy: "Retain", ReplacePolicy: "Retain"},
		ARN:      "arn:aws:dynamodb:eu-central-1:123456789012:table/other", PartitionKey: "pk", SortKey: "sk",
		OnDemand: true, PointInTimeRecovery: true, DeletionProtection: true, Encrypted: true, ExpiryAttribute: "expires_at",
	}
	if got := resolve(t, map[string]string{"TableName": "other"}).Tables; len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestDashboardIsJSON(t *testing.T) {
	for _, dashboard := range resolve(t, nil).Dashboards {
		if !json.Valid([]byte(dashboard.Body)) {
			t.Errorf("the body of %s is no JSON:\n%s", dashboard.ID, dashboard.Body)
		}
	}
}

// The log can't be overwritten: by its bucket, whoever tries.
func TestLogAsDecided(t *testing.T) {
	stack := resolve(t, map[string]string{"LogLockMode": "COMPLIANCE", "LogLockDays": "30"})
	if len(stack.Buckets) != 2 || len(stack.Rules) != 2 || len(stack.Keys) != 1 {
		t.Fatalf("%d buckets, %d bucket policies, %d keys", len(stack.Buckets), len(stack.Rules), len(stack.Keys))
	}
	want := samtemplate.Bucket{
		Resource: samtemplate.Resource{ID: "LogBucket", Name: "prod-LogBucket", DeletionPolicy: "Retain", ReplacePolicy: "Retain"},
		ARN:      "arn:aws:s3:::prod-LogBucket", Encrypted: true, Versioned: true, Locked: true, RetentionMode: "COMPLIANCE", RetentionDays: 30,
		Closed: true, OwnerEnforced: true,
	}
	if stack.Buckets[0] != want {
		t.Errorf("got %+v, want %+v", stack.Buckets[0], want)
	}
	conditional := stack.Rules[0].Statements[0]
	if stack.Rules[0].Bucket != want.Name || conditional.Effect != "Deny" || conditional.Principal != "*" || !slices.Equal(conditional.Actions, []string{"s3:PutObject"}) ||
		!slices.Equal(conditional.Resources, []string{want.ARN + "/*"}) ||
		!maps.Equal(conditional.Unless, map[string]string{"Null s3:if-none-match": "true", "Null s3:if-match": "true"}) {
		t.Errorf("writes without a condition: %+v", conditional)
	}
	if key := stack.Keys[0]; key.Spec != "ECC_NIST_EDWARDS25519" || key.Usage != "SIGN_VERIFY" || key.DeletionPolicy != "Retain" {
		t.Errorf("the key %+v", key)
	}
}
