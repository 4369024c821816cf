package strictjson_test

import (
	"fmt"

	"tally/lib/strictjson"
)

// Everything that is wrong is reported, each with its path.
func ExampleDocument() {
	var document strictjson.Document
	value, _ := document.Parse("", []byte(`{"table":"rou-1","pocket":"17","pocket":17,"speed":3}`))
	if object, ok := value.Object(); ok {
		_, _ = object.String("table"), object.Int("pocket")
		object.Close()
	}
	for _, problem := range document.Problems() {
		fmt.Println(problem.Code, problem.Message())
	}
	// Output:
	// duplicate_field pocket
	// wrong_type pocket: must be a whole number
	// unknown_field speed
}
