package verify_test

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/verify"
)

// Verifying a whole log, at an address or in a folder, with the public key that was
// published with it.
func ExampleLog() {
	key, err := note.NewVerifier("tally.example.com/log+ca1e0f5b+AZ…")
	if err != nil {
		fmt.Println(err)
		return
	}
	source, err := verify.Open("https://log.example.com")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := verify.Log(context.Background(), source, verify.Options{Origin: key.Name(), Known: note.VerifierList(key)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, finding := range report.Findings {
		fmt.Println(finding)
	}
}
