package samtemplate_test

import (
	"strings"
	"testing"

	"tally/lib/local/samtemplate"
)

// Whatever is not understood is refused, with the line where that helps.
func TestFaults(t *testing.T) {
	queue := func(properties string) string {
		return "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties: " + properties + "\n"
	}
	tests := []struct{ name, text, want string }{
		{"no YAML", "a: [", "reading a template"},
		{"nothing", "", "reading a template"},
		{"a list", "[]", "a mapping is wanted"},
		{"an unknown section", "Mappings: {}", "line 1: the section Mappings is not known"},
		{"a member twice", "Outputs: {}\nOutputs: {}", "Outputs is there twice"},
		{"other globals", "Globals: {Api: {}}", "only Function is known here"},
		{"an unknown resource type", "Resources: {T: {Type: AWS::SNS::Topic}}", `T: line 1: resources of type "AWS::SNS::Topic" are not known`},
		{"an unknown part", "Resources: {Q: {Type: AWS::SQS::Queue, DependsOn: X}}", "DependsOn is not known here"},
		{"other metadata", "Resources: {Q: {Type: AWS::SQS::Queue, Metadata: {A: b}}}", "only BuildMethod is known here"},
		{"an output without value", "Outputs: {O: {Description: d}}", "O: line 1: it has no Value"},
		{"an output with more", "Outputs: {O: {Export: {}}}", "Export is not known here"},
		{"a parameter of another type", "Parameters: {P: {Type: List}}", `its type "List" is not known`},
		{"a parameter with more", "Parameters: {P: {Type: String, NoEcho: true}}", "NoEcho is not known here"},
		{"a bad pattern", "Parameters: {P: {Type: String, AllowedPattern: '('}}", "missing closing )"},
		{"a bad bound", "Parameters: {P: {Type: Number, MinValue: x}}", "invalid syntax"},
		{"a nested allowed value", "Parameters: {P: {Type: String, AllowedValues: [[x]]}}", "a list of texts is wanted"},
		{"a parameter without value", "Parameters: {P: {Type: String}}", "the parameter P has no default"},
		{"an unknown property", queue("{Fifo: true}"), "line 4: Q.Fifo is not known"},
		{"two faults at once", queue("{Fifo: true, VisibilityTimeout: x}"), `line 4: Q.VisibilityTimeout is "x", no whole number`},
		{"an unknown nested property", queue("{RedrivePolicy: {deadLetterTargetArn: a, x: y}}"), "Q.RedrivePolicy.x is not known"},
		{"a missing property", queue("{RedrivePolicy: {}}"), "Q.RedrivePolicy.deadLetterTargetArn is missing"},
		{"a text for a mapping", queue("{RedrivePolicy: x}"), "Q.RedrivePolicy is no mapping"},
		{"a mapping for a text", queue("{QueueName: q, VisibilityTimeout: {a: b}}"), "Q.VisibilityTimeout is no text"},
		{"no flag", queue("{SqsManagedSseEnabled: perhaps}"), "neither true nor false"},
		{"another permission", queue("{RedriveAllowPolicy: {redrivePermission: allowAll}}"), `only "byQueue" is known`},
		{"no list of texts", queue("{RedriveAllowPolicy: {redrivePermission: byQueue, sourceQueueArns: {}}}"), "no list of texts"},
		{"an item that is no text", queue("{RedriveAllowPolicy: {redrivePermission: byQueue, sourceQueueArns: [{}]}}"), "an item that is no text"},
		{"properties that are a list", queue("[]"), "its properties are no mapping"},
		{"an anchor", queue("{QueueName: &a q}"), "no anchors or aliases"},
		{"an unknown function", queue("{QueueName: !Join [x]}"), "the function Fn::Join is not known"},
		{"an unknown reference", queue("{QueueName: !Ref Nothing}"), `there is no parameter or resource "Nothing"`},
		{"an unknown resource", queue("{QueueName: !GetAtt Nothing.Arn}"), `there is no resource "Nothing"`},
		{"an unknown attribute", queue("{QueueName: q, VisibilityTimeout: !GetAtt Q.Url}"), "the attribute Url of a AWS::SQS::Queue is not known"},
		{"a name of itself", queue("{QueueName: !Ref Q}"), "the name of Q depends on itself"},
		{"a name in itself", queue("{QueueName: !Sub 'x${Q.Arn}'}"), "the name of Q depends on itself"},
		{"a name that is no text", queue("{QueueName: [q]}"), "the name of Q is no text"},
		{"a substitution with values", queue("{QueueName: !Sub [x, {}]}"), "known with a text only"},
		{"a substitution of nothing", queue("{QueueName: !Sub '${Nothing}'}"), "there is no parameter or resource"},
		{"a substitution of no value", queue("{QueueName: !Sub '${AWS::NoValue}'}"), "is no text"},
		{"half a choice", queue("{QueueName: !If [C, x]}"), "wants a condition and two values"},
		{"an unknown condition", queue("{QueueName: !If [C, x, y]}"), `there is no condition "C"`},
		{"an unknown kind of condition", "Conditions: {C: !Or [a]}\n" + queue("{QueueName: !If [C, x, y]}"), "the condition Fn::Or is not known"},
		{"a condition of nothing", "Conditions: {C: !Equals [!Ref N, x]}\n" + queue("{QueueName: !If [C, x, y]}"), "there is no parameter or resource"},
		{"a number as sort key", "Resources: {T: {Type: AWS::DynamoDB::Table, Properties: {AttributeDefinitions: [{AttributeName: n, AttributeType: N}]}}}", `AttributeType is "N"; only "S"`},
		{"a list that is none", "Resources: {T: {Type: AWS::DynamoDB::Table, Properties: {KeySchema: x}}}", "T.KeySchema is no list"},
		{"an alarm's end told elsewhere", strings.Replace(sample, "      OKActions: !If [HasTopic, [!Ref Topic], !Ref AWS::NoValue]", "      OKActions: [x]", 1), "Deep.OKActions tell others"},
		{"a threshold that is none", strings.Replace(sample, "Threshold: 0.5", "Threshold: x", 1), `Deep.Threshold is "x", no number`},
		{"another event", strings.Replace(sample, "Type: Schedule\n", "Type: Api\n", 1), `an event of type "Api", which is not known`},
		{"another principal", strings.Replace(sample, "lambda.amazonaws.com", "ec2.amazonaws.com", 1), `only "lambda.amazonaws.com" is known`},
		{"a role from elsewhere", strings.Replace(sample, "!GetAtt WorkerRole.Arn", "arn:aws:iam::1:role/x", 1), "the role of WorkerFunction is not in it"},
		{"an output of nothing", "Outputs: {O: {Value: !Ref N}}", "the output O: line 1: there is no parameter or resource"},
		{"globals that can't be worked out", strings.Replace(sample, "Runtime: provided.al2023", "Runtime: !Ref N", 1), "can't have Globals.Function"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parsed, err := samtemplate.Parse([]byte(test.text))
			if err == nil {
				_, err = parsed.Resolve(somewhere(nil))
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}
