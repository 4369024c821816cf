package archivetest

import (
	"math/rand/v2"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// Key returns the key of a name that a seed gives, the same every time: what signs with
// it, what verifies, and the verifier key as text.
func Key(t testing.TB, name string, seed byte) (note.Signer, note.Verifier, string) {
	t.Helper()
	secret, public, err := note.GenerateKey(rand.NewChaCha8([32]byte{seed}), name)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return signer, verifier, public
}
