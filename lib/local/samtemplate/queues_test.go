package samtemplate_test

import (
	"reflect"
	"slices"
	"testing"
)

// queuePolicy is what a policy of queues is about.
type queuePolicy struct {
	Queues []string `yaml:"Queues"`
}

// Every queue is reached by TLS only. Studios in accounts of their own may send messages and
// read replies, where they are named, and nobody else is let in by a queue.
func TestQueuePolicies(t *testing.T) {
	const studio, other = "arn:aws:iam::111122223333:role/studio", "arn:aws:iam::444455556666:root"
	for name, principals := range map[string][]any{"none": nil, "one": {studio}, "two": {studio, other}} {
		t.Run(name, func(t *testing.T) {
			parameters := map[string]string{}
			for i, principal := range principals {
				if i > 0 {
					parameters["StudioPrincipals"] += ","
				}
				parameters["StudioPrincipals"] += principal.(string)
			}
			stack := resolve(t, parameters)
			want := map[string]texts{"StudioMessagesQueuePolicy": {"sqs:SendMessage"}, "StudioRepliesQueuePolicy": {"sqs:ReceiveMessage", "sqs:DeleteMessage"}}
			var guarded []string
			for _, id := range ofType(stack, "AWS::SQS::QueuePolicy") {
				guarded = append(guarded, properties[queuePolicy](t, stack, id).Queues...)
				statements := policyOf(t, stack, id, "PolicyDocument")
				deny := statements[0]
				if deny.Effect != "Deny" || deny.Principal != "*" || !slices.Equal(deny.Actions, texts{"sqs:*"}) || !slices.Equal(deny.Conditions["Bool"]["aws:SecureTransport"], texts{"false"}) {
					t.Errorf("%s lets in without TLS: %+v", id, deny)
				}
				actions := want[id]
				if len(principals) == 0 || actions == nil {
					if len(statements) != 1 {
						t.Errorf("%s allows %+v", id, statements[1:])
					}
					continue
				}
				allow := statements[1]
				var who any = principals
				if len(statements) != 2 || allow.Effect != "Allow" || !slices.Equal(allow.Actions, actions) || !reflect.DeepEqual(allow.Principal, map[string]any{"AWS": who}) ||
					len(allow.Resources) != 1 || allow.Resources[0] != stack.Resources[id[:len(id)-len("Policy")]].ARN {
					t.Errorf("%s allows %+v", id, statements[1:])
				}
			}
			var all []string
			for _, queue := range stack.Queues {
				all = append(all, queue.URL)
			}
			slices.Sort(all)
			slices.Sort(guarded)
			if !slices.Equal(all, guarded) {
				t.Errorf("policies are about\n%q, the queues are\n%q", guarded, all)
			}
		})
	}
}
