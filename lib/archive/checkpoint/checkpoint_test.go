package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// keys makes a key from a seed.
func keys(t *testing.T, name string, seed byte) (note.Signer, note.Verifier) {
	t.Helper()
	secret, public, err := note.GenerateKey(rand.NewChaCha8([32]byte{seed}), name)
	if err != nil {
		t.Fatal(err)
	}
	signer, signErr := note.NewSigner(secret)
	verifier, err := note.NewVerifier(public)
	if err := errors.Join(signErr, err); err != nil {
		t.Fatal(err)
	}
	return signer, verifier
}

const name = "example.com/tally"

func TestCheckpoint(t *testing.T) {
	signer, verifier := keys(t, name, 1)
	tree := tlog.Tree{N: 42, Hash: tlog.RecordHash([]byte("x"))}
	signed, err := Sign(name, tree, signer)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(signed), "example.com/tally\n42\n"+tree.Hash.String()+"\n\n— example.com/tally ") {
		t.Errorf("signed is %q", signed)
	}
	c, err := Open(signed, name, note.VerifierList(verifier))
	if err != nil || c.Tree != tree || c.Origin != name || !bytes.Equal(c.Signed, signed) || len(c.Keys) != 1 {
		t.Fatalf("%+v, %v, want no error and c.Tree = %v and c.Origin = %v and c.Signed = %v and len(c.Keys) = 1", c, err, tree, name, signed)
	}
	for at := range signed {
		changed := bytes.Clone(signed)
		changed[at] ^= 1
		if _, err := Open(changed, name, note.VerifierList(verifier)); err == nil {
			t.Errorf("a flipped bit at byte %d passes: %q", at, changed)
		}
	}
}

func TestRefused(t *testing.T) {
	signer, verifier := keys(t, name, 1)
	stranger, _ := keys(t, name, 2)
	tree := tlog.Tree{N: 42, Hash: tlog.RecordHash([]byte("x"))}
	hash := tree.Hash.String()
	for text, want := range map[string]error{
		"":                                              ErrForm,
		name + "\n42\n":                                 ErrForm,
		name + "\n042\n" + hash + "\n":                  ErrForm,
		name + "\n-1\n" + hash + "\n":                   ErrForm,
		name + "\n42\n" + hash[1:] + "\n":               ErrForm,
		name + "\n42\n" + hash + "=\n":                  ErrForm,
		"other\n42\n" + hash + "\n":                     ErrOrigin,
		name + "\n42\n" + hash + "\nextra\n":            nil, // extension lines are allowed
		name + "\n99999999999999999999\n" + hash + "\n": ErrForm,
		name + "\n281474976710656\n" + hash + "\n":      nil, // the most there can be
		name + "\n281474976710657\n" + hash + "\n":      ErrForm,
		name + "\n9223372036854775807\n" + hash + "\n":  ErrForm,
		name + "\n9223372036854775552\n" + hash + "\n":  ErrForm, // of which the last bundle would begin past all numbers
		name + "\n0\n" + hash + "\n":                    ErrForm, // the root of something
		name + "\n42\n" + hash + "\n\nextra\n":          ErrForm,
		name + "\n42\n" + hash + "\nextra\n\n":          ErrForm,
	} {
		t.Run(text, func(t *testing.T) {
			signed, err := note.Sign(&note.Note{Text: text + strings.Repeat("\n", 1-min(1, len(text)))}, signer)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Open(signed, name, note.VerifierList(verifier)); !errors.Is(err, want) {
				t.Errorf("%q: %v, want %v", text, err, want)
			}
		})
	}
	for _, size := range []int64{-1, MaxSize + 1} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			if _, err := Sign(name, tlog.Tree{N: size, Hash: tree.Hash}, signer); err == nil {
				t.Errorf("the size %d is signed", size)
			}
		})
	}
	forged, err := Sign(name, tree, stranger)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(forged, name, note.VerifierList(verifier)); !errors.Is(err, ErrSignature) {
		t.Errorf("someone else's signature: %v", err)
	}
	both, err := Sign(name, tree, stranger, signer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(both, name, note.VerifierList(verifier)); err != nil {
		t.Errorf("a known signature beside an unknown one: %v", err)
	}
	for _, text := range [][]byte{nil, []byte("hello"), bytes.Repeat([]byte("x"), MaxBytes+1)} {
		t.Run(fmt.Sprintf("%.40q", string(text)), func(t *testing.T) {
			if _, err := Open(text, name, note.VerifierList(verifier)); !errors.Is(err, ErrForm) {
				t.Errorf("%.20q: %v, want %v", text, err, ErrForm)
			}
		})
	}
}
