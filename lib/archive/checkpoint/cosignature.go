package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"
)

// ErrCosignature says that a line that names a known witness is not its
// cosignature on this checkpoint.
var ErrCosignature = errors.New("a cosignature does not verify by the witness's key")

// NewWitnessKey reads the verifier key of a witness: Ed25519 or ML-DSA-44, as
// tlog-cosignature of C2SP has them.
func NewWitnessKey(text string) (note.Verifier, error) {
	key, err := formats.NewVerifierForCosignatureV1(text)
	if err == nil && !strings.HasPrefix(text, fmt.Sprintf("%s+%08x+", key.Name(), key.KeyHash())) {
		// The library does not compare the id. That of a plain Ed25519 key, which a
		// witness may have published as well, is another one.
		_, err = note.NewVerifier(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%.100q is no verifier key of a witness, such as witness.example/w1+530d903a+BOkyeR…: %w", text, err)
	}
	return key, nil
}

// Cosignature is a witness's statement that, at a time, this checkpoint was the
// newest of the log that it had seen, and that it grew out of all before it.
type Cosignature struct {
	Witness string    `json:"witness"` // its name
	At      time.Time `json:"at"`
	id      uint32
	line    string
}

// maxYear is the last year that times in reports can be written in.
const maxYear = 9999

// By reports whether the cosignature is a witness's.
func (c *Cosignature) By(witness note.Verifier) bool {
	return c.Witness == witness.Name() && c.id == witness.KeyHash()
}

// Cosignatures returns the cosignatures of known witnesses on a checkpoint, one for
// each witness at most. Lines of others are ignored; that the log itself has signed
// is for Open to verify.
func Cosignatures(signed []byte, witnesses ...note.Verifier) (found []Cosignature, err error) {
	if len(signed) > MaxBytes {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrForm, len(signed))
	}
	n, err := note.Open(signed, note.VerifierList(witnesses...))
	var unverified *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case errors.As(err, &unverified):
		return nil, nil
	case errors.As(err, &invalid):
		return nil, fmt.Errorf("%w: %s", ErrCosignature, invalid.Name)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	for _, signature := range n.Sigs {
		at, err := formats.CoSigV1Timestamp(signature)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrCosignature, signature.Name, err)
		}
		if at.Year() > maxYear {
			return nil, fmt.Errorf("%w: %s: its time is none", ErrCosignature, signature.Name)
		}
		found = append(found, Cosignature{Witness: signature.Name, At: at.UTC(), id: signature.Hash, line: lineOf(signature)})
	}
	return found, nil
}

func lineOf(signature note.Signature) string {
	return "— " + signature.Name + " " + signature.Base64 + "\n"
}

// WithCosignatures returns a signed checkpoint with further lines below.
func WithCosignatures(signed []byte, list []Cosignature) []byte {
	signed = bytes.Clone(signed)
	for _, c := range list {
		signed = append(signed, c.line...)
	}
	return signed
}

// Without returns a checkpoint without its signature lines, as it is signed.
func Without(signed []byte) []byte {
	text, _, found := bytes.Cut(signed, []byte("\n\n"))
	if !found {
		return signed
	}
	return append(bytes.Clone(text), '\n')
}
