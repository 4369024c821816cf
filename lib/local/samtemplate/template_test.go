package samtemplate_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

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
func resolve(t *testing.T, parameters map[string]string) *samtemplate.Stack {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return resolveText(t, string(text), parameters)
}

func resolveText(t *testing.T, text string, parameters map[string]string) *samtemplate.Stack {
	t.Helper()
	parsed, err := samtemplate.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	stack, err := parsed.Resolve(somewhere(parameters))
	if err != nil {
		t.Fatal(err)
	}
	return stack
}

// sample uses every function and resource type that is known.
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
          JOBS_NAME: !GetAtt [Jobs, QueueName]
          TEXT: !Sub "${Jobs.Arn} of ${Level} not ${!Level}"
          LONG: {"Fn::Sub": "${WorkerFunction}"}
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
	want := []samtemplate.Queue{{
		Resource: samtemplate.Resource{ID: "Jobs", Name: "prod-jobs"},
		ARN:      "arn:aws:sqs:eu-central-1:123456789012:prod-jobs", URL: "http://queues/prod-jobs",
		Visibility: time.Minute, Retention: 4 * 24 * time.Hour, MaximumMessageBytes: 1 << 20,
		Redrive: &samtemplate.Redrive{DeadLetters: "arn:aws:sqs:eu-central-1:123456789012:jobs-dead", MaxReceives: 3},
	}, {
		Resource: samtemplate.Resource{ID: "JobsDead", Name: "jobs-dead", DeletionPolicy: "Retain", ReplacePolicy: "Delete"},
		ARN:      "arn:aws:sqs:eu-central-1:123456789012:jobs-dead", URL: "http://queues/jobs-dead",
		Visibility: 30 * time.Second, Retention: 14 * 24 * time.Hour, ReceiveWait: 20 * time.Second,
		MaximumMessageBytes: 256 << 10, Encrypted: true, RedriveFrom: []string{"arn:aws:sqs:eu-central-1:123456789012:prod-jobs"},
	}}
	if !reflect.DeepEqual(stack.Queues, want) {
		t.Errorf("got\n%+v\nwant\n%+v", stack.Queues, want)
	}
	if queue, found := stack.Queue(want[1].ARN); !found || queue.ID != "JobsDead" {
		t.Errorf("the dead-letter queue by its ARN: %+v", queue)
	}
	if _, found := stack.Queue("arn:aws:sqs:eu-central-1:123456789012:other"); found {
		t.Error("a queue that is not there was found")
	}
}

func TestFunction(t *testing.T) {
	stack := resolveText(t, sample, map[string]string{"Level": "DEBUG", "Instances": "10"})
	function, found := stack.Function("worker")
	if !found {
		t.Fatal("no function worker")
	}
	jobs := "arn:aws:sqs:eu-central-1:123456789012:prod-jobs"
	want := samtemplate.Function{
		Resource: samtemplate.Resource{ID: "WorkerFunction", Name: "worker"},
		ARN:      "arn:aws:lambda:eu-central-1:123456789012:function:worker", Short: "worker", Description: "works",
		CodePath: ".", BuildMethod: "makefile", Handler: "bootstrap", Runtime: "provided.al2023", Architecture: "arm64",
		Timeout: 10 * time.Second, MemoryMB: 256,
		Environment: map[string]string{
			"COMMON": "global", "OVER": "own", "JOBS": "http://queues/prod-jobs", "JOBS_NAME": "prod-jobs",
			"TEXT": jobs + " of DEBUG not ${Level}", "LONG": "worker", "CHOICE": "much",
		},
		LogGroup: "/aws/lambda/worker", LogFormat: "JSON", LogLevel: "DEBUG",
		Sources:   []samtemplate.Source{{ID: "Jobs", QueueARN: jobs, BatchSize: 7, ByMessage: true, MaximumConcurrency: 10}},
		Schedules: []samtemplate.Schedule{{ID: "Tick", Expression: "rate(1 minute)"}},
		Retries:   0, MaximumAge: time.Minute, RoleID: "WorkerRole",
		Statements: []samtemplate.Statement{
			{SID: "Log", Effect: "Allow", Actions: []string{"logs:PutLogEvents"}, Resources: []string{"arn:aws:logs:eu-central-1:123456789012:log-group:/aws/lambda/worker:*"}},
			{Effect: "Allow", Actions: []string{"sqs:SendMessage"}, Resources: []string{jobs}},
		},
	}
	if !reflect.DeepEqual(function, want) {
		t.Errorf("got\n%+v\nwant\n%+v", function, want)
	}
	if _, found := stack.Function("other"); found {
		t.Error("a function that is not there was found")
	}
}

func TestTheRest(t *testing.T) {
	const topic = "arn:aws:sns:eu-central-1:123456789012:alarms"
	stack := resolveText(t, sample, map[string]string{"Topic": topic})
	want := samtemplate.Alarm{
		Resource: samtemplate.Resource{ID: "Deep", Name: "prod-Deep"}, Description: "deep",
		Namespace: "AWS/SQS", Metric: "ApproximateNumberOfMessagesVisible", Dimensions: map[string]string{"QueueName": "jobs-dead"},
		Statistic: "Maximum", Period: time.Minute, Periods: 2, Comparison: "GreaterThanThreshold", Threshold: 0.5,
		MissingData: "notBreaching", Tells: []string{topic},
	}
	if len(stack.Alarms) != 1 || !reflect.DeepEqual(stack.Alarms[0], want) {
		t.Errorf("alarms: got %+v, want %+v", stack.Alarms, want)
	}
	if got := stack.Functions[0].Environment["NOTHING"]; got != topic {
		t.Errorf("the variable that the topic switches on is %q", got)
	}
	if got := resolveText(t, sample, nil).Alarms[0].Tells; got != nil {
		t.Errorf("without a topic the alarm tells %q", got)
	}
	if p := stack.Policies; len(p) != 1 || p[0].Description != "sends" || len(p[0].Statements) != 1 {
		t.Errorf("policies: %+v", p)
	}
	if b := stack.Dashboards; len(b) != 1 || b[0].Body != "{}" || b[0].Name != "board" {
		t.Errorf("dashboards: %+v", b)
	}
	if l := stack.LogGroups; len(l) != 1 || l[0].RetentionDays != 7 {
		t.Errorf("log groups: %+v", l)
	}
	outputs := map[string]string{"Url": "http://queues/prod-jobs", "Policy": "arn:aws:iam::123456789012:policy/prod-Sender"}
	if !reflect.DeepEqual(stack.Outputs, outputs) {
		t.Errorf("outputs: %v", stack.Outputs)
	}
	parameters := map[string]string{"Level": "INFO", "Instances": "5", "Topic": topic}
	if !reflect.DeepEqual(stack.Parameters, parameters) {
		t.Errorf("parameters: %v", stack.Parameters)
	}
}

func TestParametersAreChecked(t *testing.T) {
	parsed, err := samtemplate.Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, value, want string }{
		{"Level", "TRACE", `takes one of ["INFO" "DEBUG"]`},
		{"Instances", "1", "takes a number from 2 to 10"},
		{"Instances", "11", "takes a number from 2 to 10"},
		{"Instances", "many", "takes a number"},
		{"Topic", "alarms", "takes an ARN"},
		{"Other", "1", "there is no parameter Other"},
	}
	for _, test := range tests {
		_, err := parsed.Resolve(somewhere(map[string]string{test.name: test.value}))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s=%s: got %v, want an error with %q", test.name, test.value, err, test.want)
		}
	}
}

// By default queues have the URLs that AWS gives them.
func TestAWSQueueURLs(t *testing.T) {
	parsed, err := samtemplate.Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	stack, err := parsed.Resolve(samtemplate.Environment{StackName: "s", Region: "eu-west-1", Account: "1"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(stack.Queues, func(q samtemplate.Queue) bool {
		return q.URL == "https://sqs.eu-west-1.amazonaws.com/1/s-jobs"
	}) {
		t.Errorf("queues: %+v", stack.Queues)
	}
}
