// Package lambdatest runs built Lambdas in tests: the binary that would be
// uploaded, but for the processor it is built for, as its own process, which
// asks a Lambda Runtime API for events and answers them there.
//
//	binary := lambdatest.Build(t, "tally/functions/intake")
//	function := lambdatest.Start(t, binary, lambdatest.Options{
//		Variables: map[string]string{"TALLY_TABLE": table, …},
//		Timeout:   30 * time.Second,
//	})
//	answer, err := function.Invoke(event)
//
// A process gets the variables that Lambda sets and those of the options, and
// none of the test's own. It serves one event at a time, as in Lambda. It is
// killed when an event's deadline passes, when it would be in Lambda, and when the
// test ends.
package lambdatest
