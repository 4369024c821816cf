// Package signing holds the keys that sign the log's checkpoints: in AWS a key of
// KMS that nobody can read, on a laptop a file. Both are Ed25519 keys behind
// note.Signer; the public half is written as signed-note's verifier key, which
// auditors need:
//
//	example.com/tally+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k
package signing

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/kms/types"
	"golang.org/x/mod/sumdb/note"
)

// Key is a key that signs, with its public half.
type Key struct {
	note.Signer
	Verifier note.Verifier
	Public   string // the verifier key
}

// FromFile returns the key in a file, which is made where there is none. Only its
// owner can read the file.
func FromFile(path, name string) (Key, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newFile(path, name)
	}
	if err != nil {
		return Key{}, fmt.Errorf("reading the log's key: %w", err)
	}
	private, public, found := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if !found {
		return Key{}, fmt.Errorf("reading the log's key: %s does not have two lines, the private key and the public one", path)
	}
	return keyOf(private, public, name)
}

func newFile(path, name string) (Key, error) {
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return Key{}, fmt.Errorf("making the log's key: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Key{}, fmt.Errorf("making the log's key: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return FromFile(path, name) // made by another process just now
	}
	if err != nil {
		return Key{}, fmt.Errorf("making the log's key: %w", err)
	}
	_, err = fmt.Fprintf(file, "%s\n%s\n", private, public)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return Key{}, fmt.Errorf("making the log's key: %w", err)
	}
	return keyOf(private, public, name)
}

func keyOf(private, public, name string) (Key, error) {
	signer, err := note.NewSigner(private)
	if err != nil {
		return Key{}, fmt.Errorf("reading the log's private key: %w", err)
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(public))
	if err != nil {
		return Key{}, fmt.Errorf("reading the log's public key: %w", err)
	}
	if signer.Name() != name || verifier.Name() != name || signer.KeyHash() != verifier.KeyHash() {
		return Key{}, fmt.Errorf("reading the log's key: it is not one of %s, or its halves don't match", name)
	}
	return Key{Signer: signer, Verifier: verifier, Public: strings.TrimSpace(public)}, nil
}

// KMS is what signing needs of the client.
type KMS interface {
	Sign(context.Context, *kms.SignInput, ...func(*kms.Options)) (*kms.SignOutput, error)
	GetPublicKey(context.Context, *kms.GetPublicKeyInput, ...func(*kms.Options)) (*kms.GetPublicKeyOutput, error)
}

var _ KMS = (*kms.Client)(nil)

// signTimeout bounds one signature.
const signTimeout = 10 * time.Second

// inKMS signs by a key of KMS.
type inKMS struct {
	client KMS
	id     string
	key    note.Verifier
}

// FromKMS returns an Ed25519 key of KMS, by its id, ARN or alias.
func FromKMS(ctx context.Context, client KMS, id, name string) (Key, error) {
	out, err := client.GetPublicKey(ctx, &kms.GetPublicKeyInput{KeyId: &id})
	if err != nil {
		return Key{}, fmt.Errorf("reading the log's public key: %w", err)
	}
	parsed, err := x509.ParsePKIXPublicKey(out.PublicKey)
	if err != nil {
		return Key{}, fmt.Errorf("reading the log's public key: %w", err)
	}
	public, is := parsed.(ed25519.PublicKey)
	if !is {
		return Key{}, fmt.Errorf("reading the log's public key: it is a %T, not an Ed25519 key", parsed)
	}
	text, err := note.NewEd25519VerifierKey(name, public)
	if err != nil {
		return Key{}, fmt.Errorf("writing the log's public key: %w", err)
	}
	verifier, err := note.NewVerifier(text)
	if err != nil {
		return Key{}, fmt.Errorf("writing the log's public key: %w", err)
	}
	return Key{Signer: &inKMS{client: client, id: id, key: verifier}, Verifier: verifier, Public: text}, nil
}

// Name returns the log's name.
func (k *inKMS) Name() string { return k.key.Name() }

// KeyHash returns the id of the key in signatures.
func (k *inKMS) KeyHash() uint32 { return k.key.KeyHash() }

// Sign signs a checkpoint's text. A signature that does not verify is an error: it
// would be published and refused by everyone.
func (k *inKMS) Sign(text []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), signTimeout)
	defer cancel()
	out, err := k.client.Sign(ctx, &kms.SignInput{KeyId: aws.String(k.id), Message: text, MessageType: types.MessageTypeRaw,
		SigningAlgorithm: types.SigningAlgorithmSpecEd25519Sha512})
	if err != nil {
		return nil, fmt.Errorf("signing by KMS: %w", err)
	}
	if !k.key.Verify(text, out.Signature) {
		return nil, errors.New("signing by KMS: the signature does not verify by the public key")
	}
	return out.Signature, nil
}
