package samtemplate_test

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"tally/lib/local/samtemplate"
)

// root is the module's folder.
const root = "../../.."

// somewhere is an environment with a queue URL of its own form.
func somewhere(parameters map[string]string) samtemplate.Environment {
	return samtemplate.Environment{
		StackName: "prod", Region: "eu-central-1", Account: "123456789012", Parameters: parameters,
		QueueURL: func(name string) string { return "http://queues/" + name },
	}
}

// resolve resolves template.yaml itself.
func resolve(t *testing.T, parameters map[string]string) *samtemplate.ResolvedStack {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return resolveText(t, string(text), parameters)
}

func resolveText(t *testing.T, text string, parameters map[string]string) *samtemplate.ResolvedStack {
	t.Helper()
	stack, err := samtemplate.Resolve([]byte(text), somewhere(parameters))
	if err != nil {
		t.Fatal(err)
	}
	return stack
}

// properties reads those of a resource.
func properties[T any](t *testing.T, stack *samtemplate.ResolvedStack, id string) (read T) {
	t.Helper()
	r, there := stack.Resources[id]
	if !there {
		t.Fatalf("there is no resource %s", id)
	}
	if err := r.Properties.Load(&read); err != nil {
		t.Fatalf("reading the properties of %s: %v", id, err)
	}
	return read
}

// ofType lists the ids of the resources of a type.
func ofType(stack *samtemplate.ResolvedStack, kind string) (ids []string) {
	for _, id := range slices.Sorted(maps.Keys(stack.Resources)) {
		if stack.Resources[id].Type == kind {
			ids = append(ids, id)
		}
	}
	return ids
}

// texts are a list of texts, or one text for a list of one.
type texts []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (t *texts) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*t = texts{node.Value}
		return nil
	}
	return node.Load((*[]string)(t))
}

// statement is a statement of a policy.
type statement struct {
	SID        string                      `yaml:"Sid"`
	Effect     string                      `yaml:"Effect"`
	Principal  any                         `yaml:"Principal"` // of policies on resources
	Actions    texts                       `yaml:"Action"`
	Resources  texts                       `yaml:"Resource"`
	Conditions map[string]map[string]texts `yaml:"Condition"` // by operator and key
}

type policy struct {
	Version    string      `yaml:"Version"`
	Statements []statement `yaml:"Statement"`
}

// of checks the version of the policy language, without which conditions mean another
// thing, and returns the statements.
func (p policy) of(t *testing.T, id string) []statement {
	t.Helper()
	if p.Version != "2012-10-17" {
		t.Errorf("the policy of %s is of the version %q", id, p.Version)
	}
	return p.Statements
}

// policyOf reads the policy that a property of a resource is.
func policyOf(t *testing.T, stack *samtemplate.ResolvedStack, id, property string) []statement {
	t.Helper()
	node := properties[map[string]yaml.Node](t, stack, id)[property]
	var read policy
	if err := node.Load(&read); err != nil {
		t.Fatalf("reading the policy of %s: %v", id, err)
	}
	return read.of(t, id)
}

// sample uses every intrinsic function that is known.
const sample = `
AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Description: a sample
Metadata: {anything: goes}
Parameters:
  Level: {Type: String, Default: INFO, AllowedValues: [INFO, DEBUG], Description: level}
  Instances: {Type: Number, Default: 5, MinValue: 2, MaxValue: 10}
  Topic: {Type: String, Default: "", AllowedPattern: (arn:.+)?, ConstraintDescription: an ARN}
Conditions:
  HasTopic: !Not [!Equals [!Ref Topic, ""]]
  Debugging: {"Fn::Equals": [{Ref: Level}, DEBUG]}
Globals:
  Function:
    Runtime: provided.al2023
    Handler: bootstrap
    Architectures: [arm64]
    CodeUri: .
    Environment: {Variables: {COMMON: global, OVER: global}}
Resources:
  Jobs:
    Type: AWS::SQS::Queue
    Properties:
      QueueName: !Sub "${AWS::StackName}-jobs"
      VisibilityTimeout: 60
      RedrivePolicy: {deadLetterTargetArn: !GetAtt JobsDead.Arn, maxReceiveCount: 3}
  JobsDead:
    Type: AWS::SQS::Queue
    DeletionPolicy: Retain
    UpdateReplacePolicy: Delete
    Properties:
      QueueName: jobs-dead
      MaximumMessageSize: 262144
      MessageRetentionPeriod: 1209600
      ReceiveMessageWaitTimeSeconds: 20
      SqsManagedSseEnabled: true
      RedriveAllowPolicy:
        redrivePermission: byQueue
        sourceQueueArns: [!Sub "arn:${AWS::Partition}:sqs:${AWS::Region}:${AWS::AccountId}:prod-jobs"]
  WorkerFunction:
    Type: AWS::Serverless::Function
    Metadata: {BuildMethod: makefile}
    Properties:
      Description: works
      FunctionName: worker
      Role: !GetAtt WorkerRole.Arn
      Timeout: 10
      MemorySize: 256
      LoggingConfig: {LogGroup: !Ref Logs, LogFormat: JSON, ApplicationLogLevel: !Ref Level, SystemLogLevel: INFO}
      EventInvokeConfig: {MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60}
      Environment:
        Variables:
          OVER: own
          JOBS: !Ref Jobs
          JOBS_NAME: !GetAtt Jobs.QueueName
          TEXT: !Sub "${Jobs.Arn} of ${Level} not ${!Level}"
          LONG: {"Fn::Sub": "${WorkerFunction}"}
          EMPTY: !Ref Topic
          CHOICE: !If [Debugging, much, little]
          NOTHING: !If [HasTopic, !Ref Topic, !Ref "AWS::NoValue"]
      Events:
        Jobs:
          Type: SQS
          Properties:
            Queue: !GetAtt Jobs.Arn
            BatchSize: 7
            FunctionResponseTypes: [ReportBatchItemFailures]
            ScalingConfig: {MaximumConcurrency: !Ref Instances}
        Tick:
          Type: Schedule
          Properties: {Schedule: rate(1 minute), Description: ticks}
  Logs:
    Type: AWS::Logs::LogGroup
    Properties: {LogGroupName: /aws/lambda/worker, RetentionInDays: 7}
  WorkerRole:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement: [{Effect: Allow, Action: sts:AssumeRole, Principal: {Service: lambda.amazonaws.com}}]
      Policies:
        - PolicyName: worker
          PolicyDocument:
            Version: "2012-10-17"
            Statement:
              - {Sid: Log, Effect: Allow, Action: [logs:PutLogEvents], Resource: !GetAtt Logs.Arn}
              - {Effect: Allow, Action: sqs:SendMessage, Resource: [!GetAtt Jobs.Arn]}
  Sender:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      Description: sends
      PolicyDocument: {Version: "2012-10-17", Statement: [{Effect: Allow, Action: sqs:SendMessage, Resource: !GetAtt Jobs.Arn}]}
  Deep:
    Type: AWS::CloudWatch::Alarm
    Properties:
      AlarmDescription: deep
      Namespace: AWS/SQS
      MetricName: ApproximateNumberOfMessagesVisible
      Dimensions: [{Name: QueueName, Value: !GetAtt JobsDead.QueueName}]
      Statistic: Maximum
      Period: 60
      EvaluationPeriods: 2
      ComparisonOperator: GreaterThanThreshold
      Threshold: 0.5
      TreatMissingData: notBreaching
      AlarmActions: !If [HasTopic, [!Ref Topic], !Ref AWS::NoValue]
      OKActions: !If [HasTopic, [!Ref Topic], !Ref AWS::NoValue]
  Board:
    Type: AWS::CloudWatch::Dashboard
    Properties: {DashboardName: board, DashboardBody: "{}"}
Outputs:
  Url: {Description: the URL, Value: !Ref Jobs}
  Policy: {Value: !Ref Sender}
`

func TestQueues(t *testing.T) {
	stack := resolveText(t, sample, nil)
	jobs := samtemplate.Queue{
		ID: "Jobs", Name: "prod-jobs", ARN: "arn:aws:sqs:eu-central-1:123456789012:prod-jobs", URL: "http://queues/prod-jobs", Visibility: 60,
		Redrive: &samtemplate.Redrive{DeadLetters: "arn:aws:sqs:eu-central-1:123456789012:jobs-dead", MaxReceives: 3},
	}
	dead := samtemplate.Queue{
		ID: "JobsDead", Name: "jobs-dead", ARN: "arn:aws:sqs:eu-central-1:123456789012:jobs-dead", URL: "http://queues/jobs-dead",
		Retention: 14 * 24 * 3600, ReceiveWait: 20, MaximumMessageBytes: 256 << 10, Encrypted: true,
	}
	dead.RedriveFrom.Permission, dead.RedriveFrom.ARNs = "byQueue", []string{jobs.ARN}
	if want := []samtemplate.Queue{jobs, dead}; !reflect.DeepEqual(stack.Queues, want) {
		t.Errorf("got\n%+v\nwant\n%+v", stack.Queues, want)
	}
	if r := stack.Resources["JobsDead"]; r.DeletionPolicy != "Retain" || r.ReplacePolicy != "Delete" {
		t.Errorf("the dead-letter queue goes with %q and %q", r.DeletionPolicy, r.ReplacePolicy)
	}
	if queue, found := stack.Queue(dead.ARN); !found || queue.ID != "JobsDead" {
		t.Errorf("the dead-letter queue by its ARN: %+v", queue)
	}
	if _, found := stack.Queue("arn:aws:sqs:eu-central-1:123456789012:other"); found {
		t.Error("a queue that is not there was found")
	}
}

// functionOf is the function of a short name.
func functionOf(stack *samtemplate.ResolvedStack, short string) (samtemplate.Function, bool) {
	at := slices.IndexFunc(stack.Functions, func(f samtemplate.Function) bool { return f.Short == short })
	if at < 0 {
		return samtemplate.Function{}, false
	}
	return stack.Functions[at], true
}

func TestFunction(t *testing.T) {
	stack := resolveText(t, sample, map[string]string{"Level": "DEBUG", "Instances": "10"})
	function, found := functionOf(stack, "worker")
	if !found {
		t.Fatal("no function worker")
	}
	jobs := "arn:aws:sqs:eu-central-1:123456789012:prod-jobs"
	none := 0
	want := samtemplate.Function{
		ID: "WorkerFunction", Name: "worker", Short: "worker", Description: "works", CodePath: ".", Handler: "bootstrap", Runtime: "provided.al2023",
		Architectures: []string{"arm64"}, Seconds: 10, MemoryMB: 256, Role: "arn:aws:iam::123456789012:role/prod-WorkerRole",
		Logging: map[string]string{"LogGroup": "/aws/lambda/worker", "LogFormat": "JSON", "ApplicationLogLevel": "DEBUG", "SystemLogLevel": "INFO"},
	}
	want.Environment.Variables = map[string]string{
		"COMMON": "global", "OVER": "own", "JOBS": "http://queues/prod-jobs", "JOBS_NAME": "prod-jobs",
		"TEXT": jobs + " of DEBUG not ${Level}", "LONG": "worker", "CHOICE": "much", "EMPTY": "",
	}
	want.EventInvoke.Retries, want.EventInvoke.MaximumAge = &none, 60
	queue, tick := samtemplate.Event{Type: samtemplate.EventSQS}, samtemplate.Event{Type: samtemplate.EventSchedule}
	queue.Properties.Queue, queue.Properties.BatchSize = jobs, 7
	queue.Properties.ResponseTypes, queue.Properties.Scaling = []string{"ReportBatchItemFailures"}, map[string]int{"MaximumConcurrency": 10}
	tick.Properties.Schedule, tick.Properties.Description = "rate(1 minute)", "ticks"
	want.Events = map[string]samtemplate.Event{"Jobs": queue, "Tick": tick}
	if !reflect.DeepEqual(function, want) {
		t.Errorf("got\n%+v\nwant\n%+v", function, want)
	}
	if function.Timeout() != 10*time.Second {
		t.Errorf("its timeout is %s", function.Timeout())
	}
}

// Of other resources the properties are worked out.
func TestTheRest(t *testing.T) {
	const topic = "arn:aws:sns:eu-central-1:123456789012:alarms"
	stack := resolveText(t, sample, map[string]string{"Topic": topic})
	type alarm struct {
		Dimensions   []map[string]string `yaml:"Dimensions"`
		Threshold    float64             `yaml:"Threshold"`
		AlarmActions []string            `yaml:"AlarmActions"`
	}
	want := alarm{Dimensions: []map[string]string{{"Name": "QueueName", "Value": "jobs-dead"}}, Threshold: 0.5, AlarmActions: []string{topic}}
	if got := properties[alarm](t, stack, "Deep"); !reflect.DeepEqual(got, want) {
		t.Errorf("the alarm: got %+v, want %+v", got, want)
	}
	if got := stack.Functions[0].Environment.Variables["NOTHING"]; got != topic {
		t.Errorf("the variable that the topic switches on is %q", got)
	}
	if got := properties[alarm](t, resolveText(t, sample, nil), "Deep").AlarmActions; got != nil {
		t.Errorf("without a topic the alarm tells %q", got)
	}
	if r := stack.Resources["Logs"]; r.Name != "/aws/lambda/worker" || r.ARN != "arn:aws:logs:eu-central-1:123456789012:log-group:/aws/lambda/worker:*" {
		t.Errorf("the log group is %s, %s", r.Name, r.ARN)
	}
	outputs := map[string]string{"Url": "http://queues/prod-jobs", "Policy": "arn:aws:iam::123456789012:policy/prod-Sender"}
	if !reflect.DeepEqual(stack.Outputs, outputs) {
		t.Errorf("outputs: %v", stack.Outputs)
	}
}

func TestParametersAreChecked(t *testing.T) {
	tests := []struct{ name, value, want string }{
		{"Level", "TRACE", `takes one of ["INFO" "DEBUG"]`},
		{"Instances", "1", "takes a number from 2 to 10"},
		{"Instances", "11", "takes a number from 2 to 10"},
		{"Instances", "many", "takes a number"},
		{"Topic", "alarms", "takes an ARN"},
		{"Other", "1", "there is no parameter Other"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := samtemplate.Resolve([]byte(sample), somewhere(map[string]string{test.name: test.value}))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s=%s: got %v, want an error with %q", test.name, test.value, err, test.want)
			}
		})
	}
}
