package signing

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
)

const name = "example.com/tally"

// fakeKMS holds one key.
type fakeKMS struct {
	t       *testing.T
	private ed25519.PrivateKey
	broken  bool // its signatures have a flipped bit
}

func (f *fakeKMS) Sign(_ context.Context, in *kms.SignInput, _ ...func(*kms.Options)) (*kms.SignOutput, error) {
	if *in.KeyId != "alias/log" || in.MessageType != types.MessageTypeRaw || in.SigningAlgorithm != "ED25519_SHA_512" || len(in.Message) > 4096 {
		f.t.Errorf("KMS was asked for %+v", in)
	}
	signature := ed25519.Sign(f.private, in.Message)
	if f.broken {
		signature[5] ^= 1
	}
	return &kms.SignOutput{Signature: signature}, nil
}

func (f *fakeKMS) GetPublicKey(context.Context, *kms.GetPublicKeyInput, ...func(*kms.Options)) (*kms.GetPublicKeyOutput, error) {
	if f.private == nil {
		return nil, errors.New("there is no such key")
	}
	der, err := x509.MarshalPKIXPublicKey(f.private.Public())
	return &kms.GetPublicKeyOutput{PublicKey: der}, err
}

func TestKMS(t *testing.T) {
	fake := &fakeKMS{t: t, private: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
	key, err := FromKMS(t.Context(), fake, "alias/log", name)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("example.com/tally+%08x+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop", key.Verifier.KeyHash()); key.Public != want {
		t.Errorf("the public key is %s, want %s", key.Public, want)
	}
	signAndOpen(t, key)
	fake.broken = true
	if _, err := key.Sign([]byte("text\n")); err == nil {
		t.Error("a wrong signature of KMS was taken")
	}
	if _, err := FromKMS(t.Context(), &fakeKMS{t: t}, "alias/log", name); err == nil {
		t.Error("a key that is not there was taken")
	}
}

func signAndOpen(t *testing.T, keys ...Key) {
	t.Helper()
	var signers []note.Signer
	for _, key := range keys {
		signers = append(signers, key.Signer)
	}
	signed, err := checkpoint.Sign(name, tlog.Tree{N: 3, Hash: tlog.RecordHash([]byte("x"))}, signers...)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		c, err := checkpoint.Open(signed, name, note.VerifierList(key.Verifier))
		if err != nil || c.Tree.N != 3 {
			t.Errorf("%v, %v, want no error and c.Tree.N = 3", c, err)
		}
		changed := append([]byte(nil), signed...)
		changed[len(name)+1] ^= 1
		if _, err := checkpoint.Open(changed, name, note.VerifierList(key.Verifier)); !errors.Is(err, checkpoint.ErrSignature) {
			t.Errorf("a flipped bit passes: %v", err)
		}
	}
}

// A key whose halves are not of one pair, or are none, is not used.
func TestHalvesOfAKey(t *testing.T) {
	folder := t.TempDir()
	var halves [2][]string
	for i := range halves {
		path := filepath.Join(folder, fmt.Sprint(i))
		if _, err := FromFile(path, name); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		halves[i] = strings.Fields(string(text))
	}
	for what, text := range map[string]string{
		"halves don't match": halves[0][0] + "\n" + halves[1][1] + "\n",
		"public key":         halves[0][0] + "\nnone\n",
		"private key":        "none\n" + halves[0][1] + "\n",
	} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(folder, "mixed")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := FromFile(path, name); err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("got %v, want an error about %s", err, what)
			}
		})
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys", "log")
	first, err := FromFile(path, name)
	if err != nil {
		t.Fatal(err)
	}
	again, err := FromFile(path, name)
	if err != nil || again.Public != first.Public {
		t.Fatalf("%v, %v, want no error and again.Public = %v", again.Public, err, first.Public)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v, want no error and info.Mode().Perm() = 0o600", info.Mode(), err)
	}
	if _, err := FromFile(path, "example.com/other"); err == nil {
		t.Error("the key of another log was taken")
	}
	if err := os.WriteFile(path, []byte("nonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := FromFile(path, name); err == nil {
		t.Error("nonsense was taken for a key")
	}
}

// TestRotation signs by two keys: whoever knows either of them can verify.
func TestRotation(t *testing.T) {
	old, err := FromFile(filepath.Join(t.TempDir(), "old"), name)
	if err != nil {
		t.Fatal(err)
	}
	next, err := FromFile(filepath.Join(t.TempDir(), "next"), name)
	if err != nil {
		t.Fatal(err)
	}
	signAndOpen(t, old, next)
}
