// Package samtemplate reads template.yaml, the only description of tally's table,
// queues, functions, variables and permissions.
//
// CloudFormation makes the real thing from that file; the local stack makes the
// same in an emulator from what this package reads, and tests hold the code
// against it. A template is a function of its parameters:
//
//	stack, err := samtemplate.Resolve(text, samtemplate.Environment{
//		StackName: "tally", Region: "us-east-1", Account: "000000000000",
//		QueueURL:   func(name string) string { return endpoint + "/000000000000/" + name },
//		Parameters: map[string]string{"TableName": "tally-test"},
//	})
//	for _, function := range stack.Functions {
//		function.Environment.Variables["TALLY_TABLE"] // "tally-test"
//	}
//
// It understands what tally's template uses of CloudFormation and SAM, no more:
// parameters, conditions, Globals.Function, !Ref, !GetAtt, !Sub, !If, !Equals, !Not
// and their long forms, and the resource types listed in names.go. What it does not know, be it a function,
// a resource type, or a property of a table, queue or function, is an error with its
// line: a property that were passed over would be missing in the local stack without a
// word.
//
// # Names
//
// Names and ARNs follow from the template, without asking anyone: every table,
// queue and function has a name in it, and an ARN is made of that name, the
// region and the account. Only the URLs of queues depend on who serves them.
package samtemplate
