package verify_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"tally/lib/archive/verify"
)

// A log is read at an address or in a folder. Here is none.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "log")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	source, err := verify.Open(folder)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = source.Get(context.Background(), "checkpoint")
	fmt.Println(errors.Is(err, verify.ErrMissing))
	// Output: true
}
