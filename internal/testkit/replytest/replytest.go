// Package replytest holds replies to the studio against their schema.
package replytest

import (
	"bytes"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tally/lib/draw/schema"
)

// compiled is the schema of replies, as `tally schema reply` prints it.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	text, err := schema.Of("reply", nil).Text()
	if err != nil {
		return nil, err
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("reply.json", parsed); err != nil {
		return nil, err
	}
	return compiler.Compile("reply.json")
})

// Check fails a test whose reply is not as the schema says.
func Check(t testing.TB, reply []byte) {
	t.Helper()
	fits, err := compiled()
	if err != nil {
		t.Fatalf("the schema of replies: %v", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(reply))
	if err != nil {
		t.Errorf("%v: %s", err, reply)
		return
	}
	if err := fits.Validate(value); err != nil {
		t.Errorf("the reply is not as its schema says: %v\n%s", err, reply)
	}
}
