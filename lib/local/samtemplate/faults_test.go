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
		{"a list", "[]", "reading a template"},
		{"an unknown section", "Mappings: {}", "line 1: field Mappings not found"},
		{"a member twice", "Outputs: {}\nOutputs: {}", `mapping key "Outputs" already defined`},
		{"other globals", "Globals: {Api: {}}", "field Api not found"},
		{"an unknown resource type", "Resources: {T: {Type: AWS::SNS::Topic}}", `T: resources of type "AWS::SNS::Topic" are not known`},
		{"an unknown part", "Resources: {Q: {Type: AWS::SQS::Queue, DependsOn: X}}", "field DependsOn not found"},
		{"an output without value", "Outputs: {O: {Description: d}}", "the output O: line 0: a text is wanted"},
		{"an output with more", "Outputs: {O: {Export: {}}}", "field Export not found"},
		{"a parameter with more", "Parameters: {P: {Type: String, NoEcho: true}}", "field NoEcho not found"},
		{"a bad pattern", "Parameters: {P: {Type: String, Default: x, AllowedPattern: '('}}", "missing closing )"},
		{"a bad bound", "Parameters: {P: {Type: Number, MinValue: x}}", "line 1: "},
		{"a nested allowed value", "Parameters: {P: {Type: String, AllowedValues: [[x]]}}", "line 1: "},
		{"a parameter without value", "Parameters: {P: {Type: String}}", "the parameter P has no default"},
		{"an unknown property", queue("{Fifo: true}"), "line 4: field Fifo not found"},
		{"two faults at once", queue("{Fifo: true, VisibilityTimeout: x}"), "line 4: cannot construct !!str `x` into int"},
		{"an unknown nested property", queue("{RedrivePolicy: {deadLetterTargetArn: a, x: y}}"), "field x not found"},
		{"a text for a mapping", queue("{RedrivePolicy: x}"), "line 4: "},
		{"a mapping for a number", queue("{QueueName: q, VisibilityTimeout: {a: b}}"), "line 4: "},
		{"no list of texts", queue("{RedriveAllowPolicy: {redrivePermission: byQueue, sourceQueueArns: {}}}"), "line 4: "},
		{"properties that are a list", queue("[]"), "line 4: "},
		{"an unknown function", queue("{QueueName: !Join [x]}"), "line 4: the function !Join is not known"},
		{"an unknown reference", queue("{QueueName: !Ref Nothing}"), `line 4: there is no parameter or resource "Nothing"`},
		{"an unknown resource", queue("{QueueName: !GetAtt Nothing.Arn}"), `there is no parameter or resource "Nothing"`},
		{"an unknown attribute", queue("{QueueName: q, VisibilityTimeout: !GetAtt Q.Url}"), `the attribute "Url" of a AWS::SQS::Queue is not known`},
		{"a name of itself", queue("{QueueName: !Ref Q}"), "the name of Q depends on itself"},
		{"a name in itself", queue("{QueueName: !Sub 'x${Q.Arn}'}"), "the name of Q depends on itself"},
		{"a name that is no text", queue("{QueueName: [q]}"), "line 4: a text is wanted"},
		{"a substitution of nothing", queue("{QueueName: !Sub '${Nothing}'}"), "there is no parameter or resource"},
		{"half a choice", queue("{QueueName: !If [C, x]}"), "wants a condition and two values"},
		{"an unknown condition", queue("{QueueName: !If [C, x, y]}"), `there is no condition "C"`},
		{"an unknown kind of condition", "Conditions: {C: !Or [a]}\n" + queue("{QueueName: !If [C, x, y]}"), "the condition !Or is not known"},
		{"a condition of nothing", "Conditions: {C: !Equals [!Ref N, x]}\n" + queue("{QueueName: !If [C, x, y]}"), "there is no parameter or resource"},
		{"a list that is none", "Resources: {T: {Type: AWS::DynamoDB::Table, Properties: {KeySchema: x}}}", "line 1: "},
		{"an output of nothing", "Outputs: {O: {Value: !Ref N}}", "the output O: line 1: there is no parameter or resource"},
		{"globals that can't be worked out", strings.Replace(sample, "Runtime: provided.al2023", "Runtime: !Ref N", 1), "there is no parameter or resource"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := samtemplate.Resolve([]byte(test.text), somewhere(nil))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}
