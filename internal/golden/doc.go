// Package golden holds what earlier versions of tally have stored, as its bytes, and a
// test that today's readers read it: testdata/<version>/items.jsonl has the table's items
// a line each, testdata/<version>/log the files of the public log.
//
// What a version stored never changes here. A version that stores something new, or in
// another form, gets a folder of its own: TALLY_RECORD=<version> go test ./internal/golden
// -run TestRecord plays a few draws and writes one.
//
// testdata/frozen has what this version writes: the sample log and its site, the items of
// a few draws, what the functions send each other, and the packages of others that each
// function, the client and the verifier need. Code that only moves changes none of it;
// what is meant to change is written anew by go test ./internal/golden -update. The same
// hold, beside what they hold, the keys of package store, the seeds of package simulation
// and the sums of the demo.
package golden
