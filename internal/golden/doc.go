// Package golden holds what earlier versions of tally have stored, as its bytes, and a
// test that today's readers read it: testdata/<version>/items.jsonl has the table's items
// a line each, testdata/<version>/log the files of the public log.
//
// What a version stored never changes here. A version that stores something new, or in
// another form, gets a folder of its own: TALLY_RECORD=<version> go test ./internal/golden
// -run TestRecord plays a few draws and writes one.
package golden
