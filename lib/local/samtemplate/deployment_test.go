package samtemplate_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/permissions"
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
	if len(stack.Functions) != len(permissions.OfFunctions()) {
		t.Errorf("template.yaml has %d functions, the code %d", len(stack.Functions), len(permissions.OfFunctions()))
	}
	for _, described := range permissions.OfFunctions() {
		function, found := functionOf(stack, described.Name)
		if !found {
			t.Errorf("template.yaml has no function %s", described.Name)
			continue
		}
		var reads []string
		for _, field := range reflect.VisibleFields(reflect.TypeOf(described.Configuration)) {
			if variable, has := field.Tag.Lookup("env"); has {
				reads = append(reads, variable)
			}
		}
		slices.Sort(reads)
		if sets := slices.Sorted(maps.Keys(function.Environment.Variables)); !slices.Equal(sets, reads) {
			t.Errorf("%s: template.yaml sets %q, the code reads %q", described.Name, sets, reads)
		}
		// What the environment would be refused for does not depend on clients.
		_, err := functions.New(described.Name, func(name string) (string, bool) {
			value, set := function.Environment.Variables[name]
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
	for _, described := range permissions.OfFunctions() {
		function, _ := functionOf(stack, described.Name)
		needs := make(map[string]bool)
		for _, use := range described.Uses {
			for _, action := range use.Actions {
				needs[action+" on "+resourceOf(t, stack, action, function.Environment.Variables[use.Variable])] = true
			}
		}
		for _, use := range described.Files {
			for _, action := range use.Actions {
				for _, pattern := range use.Patterns {
					all := resourceOf(t, stack, action, function.Environment.Variables[use.Variable])
					needs[action+" on "+strings.TrimSuffix(all, "*")+pattern] = true
				}
			}
		}
		for _, event := range function.Events {
			if event.Type == samtemplate.EventSQS { // on its behalf
				for _, action := range []string{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"} {
					needs[action+" on "+event.Properties.Queue] = true
				}
			}
		}
		log := "arn:aws:logs:eu-central-1:123456789012:log-group:" + function.Logging["LogGroup"] + ":*"
		needs["logs:CreateLogStream on "+log] = true
		needs["logs:PutLogEvents on "+log] = true
		compare(t, described.Name, allowed(t, statementsOf(t, stack, function)), needs)
	}
}

// statementsOf are those of a function's role, which Lambda alone may take.
func statementsOf(t *testing.T, stack *samtemplate.ResolvedStack, function samtemplate.Function) (statements []statement) {
	t.Helper()
	id := strings.TrimSuffix(function.ID, "Function") + "Role"
	if role := stack.Resources[id].ARN; role != function.Role {
		t.Fatalf("%s has the role %s, not %s", function.ID, function.Role, role)
	}
	want := []statement{{Effect: "Allow", Principal: map[string]any{"Service": "lambda.amazonaws.com"}, Actions: texts{"sts:AssumeRole"}}}
	if takers := policyOf(t, stack, id, "AssumeRolePolicyDocument"); !reflect.DeepEqual(takers, want) {
		t.Errorf("%s is taken by %+v", id, takers)
	}
	for _, policies := range properties[struct {
		Policies []struct {
			Document policy `yaml:"PolicyDocument"`
		} `yaml:"Policies"`
	}](t, stack, id).Policies {
		statements = append(statements, policies.Document.of(t, id)...)
	}
	return append(statements, byKeyPolicy(t, stack, function.Role, statements)...)
}

// byKeyPolicy are the statements by which the policy of the log's key lets a role work with
// it, but for what the role may by its own policies.
func byKeyPolicy(t *testing.T, stack *samtemplate.ResolvedStack, role string, known []statement) (more []statement) {
	t.Helper()
	key := stack.Resources["LogKey"].ARN
	for _, s := range policyOf(t, stack, "LogKey", "KeyPolicy") {
		isKnown := slices.ContainsFunc(known, func(k statement) bool { return slices.Contains(k.Resources, key) })
		if s.Effect == "Allow" && reflect.DeepEqual(s.Principal, map[string]any{"AWS": role}) && !isKnown {
			more = append(more, statement{SID: s.SID, Effect: s.Effect, Actions: s.Actions, Resources: texts{key}})
		}
	}
	return more
}

// resourceOf returns the ARN of what a variable names: of a bucket's files, where
// an action is about them.
func resourceOf(t *testing.T, stack *samtemplate.ResolvedStack, action, value string) string {
	t.Helper()
	for _, queue := range stack.Queues {
		if queue.URL == value {
			return queue.ARN
		}
	}
	for _, r := range stack.Resources {
		switch {
		case r.Type == "AWS::S3::Bucket" && r.Name == value && action != "s3:ListBucket":
			return r.ARN + "/*"
		case r.Name == value && (r.Type == "AWS::S3::Bucket" || r.Type == "AWS::DynamoDB::Table"), r.Type == "AWS::KMS::Key" && r.ARN == value:
			return r.ARN
		}
	}
	t.Errorf("no table, queue, bucket or key is %q", value)
	return ""
}

// allowed lists what statements allow, and faults what none may.
func allowed(t *testing.T, statements []statement) map[string]bool {
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
				plain := strings.Replace(what, "/tile/*.p/", "/partial-tiles/", 1)
				if strings.Contains(strings.TrimSuffix(strings.TrimSuffix(plain, ":*"), "/*"), "*") {
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
	for _, id := range ofType(stack, "AWS::IAM::ManagedPolicy") {
		if id == "OperatorPolicy" {
			continue // TestOperatorPolicy
		}
		compare(t, id, allowed(t, policyOf(t, stack, id, "PolicyDocument")), want[id])
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("policies that are missing: %v", want)
	}
}

// Operators may do what the commands that are theirs call, and nothing else: of the
// table only in the partitions that each command touches.
func TestOperatorPolicy(t *testing.T) {
	stack := resolve(t, nil)
	needs := make(map[string]bool)
	tables := make(map[string]statement)
	for _, use := range permissions.OfOperators() {
		actions := slices.Sorted(slices.Values(append(slices.Clone(use.Actions), use.Seldom...)))
		if use.On == permissions.OnTable {
			patterns := make([]string, len(use.Partitions))
			for i, partition := range use.Partitions {
				patterns[i] = partition
				if strings.HasSuffix(partition, "#") {
					patterns[i] += "*"
				}
			}
			slices.Sort(patterns)
			for _, partition := range use.Reads { // of all commands in one statement
				tables["draws"] = statement{Effect: "Allow", Actions: texts{"dynamodb:GetItem"}, Resources: texts{stack.Resources["Table"].ARN},
					Conditions: map[string]map[string]texts{"ForAllValues:StringLike": {"dynamodb:LeadingKeys": {partition + "*"}}}}
			}
			tables[use.Command] = statement{Effect: "Allow", Actions: actions, Resources: texts{stack.Resources["Table"].ARN},
				Conditions: map[string]map[string]texts{"ForAllValues:StringLike": {"dynamodb:LeadingKeys": patterns}}}
			continue
		}
		for _, queue := range stack.Queues {
			isDead := queue.Redrive == nil
			if use.On == permissions.OnQueues && !isDead || use.On == permissions.OnDeadLetters && isDead || queue.Name == "prod-"+use.On {
				for _, action := range actions {
					needs[action+" on "+queue.ARN] = true
				}
			}
		}
	}
	var queues []statement
	for _, statement := range policyOf(t, stack, "OperatorPolicy", "PolicyDocument") {
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
			if queue.RedriveFrom.Permission != "byQueue" || queue.RedriveFrom.ARNs == nil || !isRetained(stack, queue.ID) {
				t.Errorf("%s: it has no dead letters and is not where they are kept", queue.ID)
			}
			continue
		}
		dead, found := stack.Queue(queue.Redrive.DeadLetters)
		switch {
		case !found:
			t.Errorf("%s: its dead-letter queue is not in the template", queue.ID)
		case !slices.Equal(dead.RedriveFrom.ARNs, []string{queue.ARN}):
			t.Errorf("%s: its dead-letter queue takes those of %q", queue.ID, dead.RedriveFrom.ARNs)
		case dead.Retention < queue.Retention:
			t.Errorf("%s: dead letters are kept for %d s, counted from their sending, the queue's messages for %d s", queue.ID, dead.Retention, queue.Retention)
		case queue.Redrive.MaxReceives < 5:
			t.Errorf("%s: %d receives leave no room for what is not started or given back", queue.ID, queue.Redrive.MaxReceives)
		}
	}
}

// isRetained tells whether a resource outlives its stack, but for one whose first deployment
// fails: what that leaves would stand in the way of the next.
func isRetained(stack *samtemplate.ResolvedStack, id string) bool {
	r := stack.Resources[id]
	return r.DeletionPolicy == "RetainExceptOnCreate" && r.ReplacePolicy == "Retain"
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
	for _, alarm := range alarms(t, stack) {
		switch name := alarm.Dimensions[0]["Value"]; alarm.Metric {
		case "ApproximateAgeOfOldestMessage":
			ages[name] = seconds(int(alarm.Threshold) + alarm.Periods*alarm.Period)
		case "ApproximateNumberOfMessagesVisible":
			deaths[name] = alarm.Threshold == 0 && alarm.Periods == 1 && alarm.Period <= 300
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
		if seconds(dead.Retention)-24*time.Hour < toAct {
			t.Errorf("%s: keeps messages for %s", dead.ID, seconds(dead.Retention))
		}
		age, watched := ages[queue.Name]
		left := seconds(min(queue.Retention, dead.Retention)) - age
		if !watched || left < toAct && queue.ID != "WebhooksQueue" {
			t.Errorf("%s: from the alarm at an age of %s on there are %s to act, want at least %s", queue.ID, age, left, toAct)
		}
	}
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

func TestFunctionsAsDecided(t *testing.T) {
	stack := resolve(t, nil)
	for _, function := range stack.Functions {
		if function.Runtime != "provided.al2023" || !slices.Equal(function.Architectures, []string{"arm64"}) || function.Handler != "bootstrap" {
			t.Errorf("%s runs %s on %s by %s", function.ID, function.Runtime, function.Architectures, function.Handler)
		}
		if method := stack.Resources[function.ID].Metadata["BuildMethod"]; method != "makefile" || function.CodePath != "." {
			t.Errorf("%s is built by %q from %q: lib/ may not be part of it", function.ID, method, function.CodePath)
		}
		if _, err := os.Stat(filepath.Join(root, "functions", function.Short, "main.go")); err != nil {
			t.Errorf("%s: %v", function.ID, err)
		}
		if format := function.Logging["LogFormat"]; format != "JSON" {
			t.Errorf("%s logs %s", function.ID, format)
		}
		for _, event := range function.Events {
			if event.Type != samtemplate.EventSQS {
				continue
			}
			source := event.Properties
			queue, found := stack.Queue(source.Queue)
			if !found || queue.Visibility < 6*function.Seconds {
				t.Errorf("%s: %s hides messages for %d s, the function works for up to %d s", function.ID, queue.ID, queue.Visibility, function.Seconds)
			}
			if !slices.Equal(source.ResponseTypes, []string{"ReportBatchItemFailures"}) || source.Scaling["MaximumConcurrency"] < 2 {
				t.Errorf("%s: the source %+v", function.ID, source)
			}
		}
	}
	checkEveryMinute(t, stack, "reconcile")
	if settle, _ := functionOf(stack, "settle"); settle.Timeout() != time.Minute {
		t.Errorf("settle has %s", settle.Timeout())
	}
}

// checkEveryMinute holds a function to running every minute, one run at a time; one that
// failed is not repeated.
func checkEveryMinute(t *testing.T, stack *samtemplate.ResolvedStack, name string) {
	t.Helper()
	function, found := functionOf(stack, name)
	retries := function.EventInvoke.Retries
	if !found || len(function.Events) != 1 || function.Timeout() >= time.Minute || retries == nil || *retries != 0 {
		t.Errorf("%s: %+v, want found and len(function.Events) = 1 and function.Timeout() below time.Minute and retries other than nil and *retries = 0",
			name, function)
	}
	for _, event := range function.Events {
		if event.Type != samtemplate.EventSchedule || event.Properties.Schedule != "rate(1 minute)" {
			t.Errorf("%s is run by %+v", name, event)
		}
	}
}

func TestTableAsDecided(t *testing.T) {
	stack := resolve(t, map[string]string{"TableName": "other"})
	if len(stack.Tables) != 1 || stack.Resources["Table"].ARN != "arn:aws:dynamodb:eu-central-1:123456789012:table/other" || !isRetained(stack, "Table") {
		t.Fatalf("the tables are %+v", stack.Tables)
	}
	table := stack.Tables[0]
	if table.Name != "other" || table.BillingMode != "PAY_PER_REQUEST" || !table.DeletionProtection || !table.PointInTime["PointInTimeRecoveryEnabled"] ||
		!table.Encryption["SSEEnabled"] || table.Expiry.Attribute != "expires_at" || !table.Expiry.Enabled {
		t.Errorf("the table is %+v", table)
	}
	if table := resolve(t, map[string]string{"DeletionProtection": "false"}).Tables[0]; table.DeletionProtection {
		t.Error("the table is protected from deletion where that is switched off")
	}
	if keys := fmt.Sprint(table.Keys, table.Attributes); keys != "[{pk HASH} {sk RANGE}] [{pk S} {sk S}]" {
		t.Errorf("its keys are %s", keys)
	}
}

// The table is as warm as AWS makes it, which costs nothing, unless that is set.
func TestWarmTable(t *testing.T) {
	for _, row := range []struct {
		name       string
		parameters map[string]string
		want       map[string]int
	}{
		{"as AWS makes it", nil, nil},
		{"reads alone are nothing", map[string]string{"WarmReads": "20000"}, nil},
		{"warm", map[string]string{"WarmWrites": "40000"}, map[string]int{"WriteUnitsPerSecond": 40_000, "ReadUnitsPerSecond": 12_000}},
		{"warm for reads, too", map[string]string{"WarmWrites": "40000", "WarmReads": "20000"}, map[string]int{"WriteUnitsPerSecond": 40_000, "ReadUnitsPerSecond": 20_000}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := resolve(t, row.parameters).Tables[0].Warm; !maps.Equal(got, row.want) {
				t.Errorf("the table is warm for %v, want %v", got, row.want)
			}
		})
	}
}

func TestDashboardIsJSON(t *testing.T) {
	if body := dashboard(t, resolve(t, nil)); !json.Valid([]byte(body)) {
		t.Errorf("the body of the dashboard is no JSON:\n%s", body)
	}
}

// bucket is an S3 bucket.
type bucket struct {
	Versioning map[string]string `yaml:"VersioningConfiguration"`
	Locked     bool              `yaml:"ObjectLockEnabled"`
	Lock       struct {
		Enabled string                       `yaml:"ObjectLockEnabled"`
		Rule    map[string]map[string]string `yaml:"Rule"`
	} `yaml:"ObjectLockConfiguration"`
	Lifecycle struct {
		Rules []map[string]any `yaml:"Rules"`
	} `yaml:"LifecycleConfiguration"`
	Encryption struct {
		Rules []map[string]map[string]string `yaml:"ServerSideEncryptionConfiguration"`
	} `yaml:"BucketEncryption"`
	Ownership    map[string][]map[string]string `yaml:"OwnershipControls"`
	PublicAccess map[string]bool                `yaml:"PublicAccessBlockConfiguration"`
}

// checkBucket holds a bucket to what all have to be: kept, encrypted, and closed.
func checkBucket(t *testing.T, stack *samtemplate.ResolvedStack, id string) {
	t.Helper()
	got := properties[bucket](t, stack, id)
	closed := map[string]bool{"BlockPublicAcls": true, "BlockPublicPolicy": true, "IgnorePublicAcls": true, "RestrictPublicBuckets": true}
	encrypted := []map[string]map[string]string{{"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}}
	owned := map[string][]map[string]string{"Rules": {{"ObjectOwnership": "BucketOwnerEnforced"}}}
	if !maps.Equal(got.PublicAccess, closed) || !reflect.DeepEqual(got.Encryption.Rules, encrypted) || !reflect.DeepEqual(got.Ownership, owned) || !isRetained(stack, id) {
		t.Errorf("%s is %+v", id, got)
	}
}

// The log can't be overwritten: by its bucket, whoever tries.
func TestLogAsDecided(t *testing.T) {
	stack := resolve(t, map[string]string{"LogLockMode": "COMPLIANCE", "LogLockDays": "30", "LogPartDays": "5"})
	buckets, keys := ofType(stack, "AWS::S3::Bucket"), ofType(stack, "AWS::KMS::Key")
	if !slices.Equal(buckets, []string{"LogBucket", "PagesBucket"}) || !slices.Equal(keys, []string{"LogKey"}) {
		t.Fatalf("the buckets %q, the keys %q", buckets, keys)
	}
	checkBucket(t, stack, "LogBucket")
	log := properties[bucket](t, stack, "LogBucket")
	retention := map[string]map[string]string{"DefaultRetention": {"Mode": "COMPLIANCE", "Days": "30"}}
	if log.Versioning["Status"] != "Enabled" || !log.Locked || log.Lock.Enabled != "Enabled" || !reflect.DeepEqual(log.Lock.Rule, retention) {
		t.Errorf("the log's bucket is %+v", log)
	}
	// No rule takes a file away but staged batches; what was dropped goes for good.
	old := map[string]any{"NoncurrentDays": "5"}
	rules := []map[string]any{
		{"Id": "dropped-parts", "Status": "Enabled", "Prefix": "tile/", "NoncurrentVersionExpiration": old, "ExpiredObjectDeleteMarker": "true"},
		{"Id": "staged-batches", "Status": "Enabled", "Prefix": "staged/", "NoncurrentVersionExpiration": old, "ExpirationInDays": "5"},
	}
	if fmt.Sprint(log.Lifecycle.Rules) != fmt.Sprint(rules) {
		t.Errorf("the rules of the log's bucket are\n%v, want\n%v", log.Lifecycle.Rules, rules)
	}
	archive, _ := functionOf(stack, "archive")
	if got := archive.Environment.Variables; got["TALLY_LOG_LOCK_MODE"] != "COMPLIANCE" || got["TALLY_LOG_PART_DAYS"] != "5" {
		t.Errorf("archive locks partial tiles by %v", got)
	}
	conditional := policyOf(t, stack, "LogBucketPolicy", "PolicyDocument")[0]
	want := statement{SID: "ConditionalWritesOnly", Effect: "Deny", Principal: "*", Actions: texts{"s3:PutObject"}, Resources: texts{"arn:aws:s3:::prod-LogBucket/*"},
		Conditions: map[string]map[string]texts{"Null": {"s3:if-none-match": {"true"}, "s3:if-match": {"true"}}}}
	if !reflect.DeepEqual(conditional, want) {
		t.Errorf("writes without a condition: %+v", conditional)
	}
	key := properties[map[string]any](t, stack, "LogKey")
	if key["KeySpec"] != "ECC_NIST_EDWARDS25519" || key["KeyUsage"] != "SIGN_VERIFY" || stack.Resources["LogKey"].DeletionPolicy != "Retain" {
		t.Errorf("the key %+v", key)
	}
}
