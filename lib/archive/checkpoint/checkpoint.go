// Package checkpoint reads and writes checkpoints in the formats tlog-checkpoint
// and signed-note of C2SP: the log's name, its size and its root hash, signed.
//
//	example.com/tally
//	20852163
//	CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
//
//	— example.com/tally Az3grlgtzPICa5OS8npVmf1Myq/…
//
// A key is replaced by signing with both for a while: whoever knows either of
// the two keys can verify, and ignores the other signature. In the same way
// witnesses' cosignatures may stand below.
package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Path is where a log has its newest checkpoint.
const Path = "checkpoint"

// MaxBytes is the most that is read of a checkpoint.
const MaxBytes = 1 << 20

// MaxSize is the most entries of a log. Sums and products of smaller sizes, such as
// the indexes of stored hashes, stay within 63 bits: a size near the end of them could
// make a verifier count no file at all, and find none missing.
const MaxSize = 1 << 48

// ParseSize reads a size, or the index of an entry: decimal digits, without a sign and
// leading zeros, at most MaxSize.
func ParseSize(text string) (size int64, ok bool) {
	size, err := strconv.ParseInt(text, 10, 64)
	return size, err == nil && size >= 0 && size <= MaxSize && strconv.FormatInt(size, 10) == text
}

// Checkpoint is a checkpoint whose signature was verified.
type Checkpoint struct {
	Origin string
	Tree   tlog.Tree
	Signed []byte   // as it was read
	Keys   []string // the names of the known keys that signed it
	ids    []uint32 // of the same keys
}

// Key returns the name and the id of one of Keys.
func (c *Checkpoint) Key(i int) (name string, id uint32) { return c.Keys[i], c.ids[i] }

// SignedBy reports whether a known key has signed the checkpoint.
func (c *Checkpoint) SignedBy(key note.Signer) bool {
	for i, name := range c.Keys {
		if name == key.Name() && c.ids[i] == key.KeyHash() {
			return true
		}
	}
	return false
}

// The faults of a checkpoint.
var (
	ErrForm      = errors.New("it is no checkpoint")
	ErrOrigin    = errors.New("it is the checkpoint of another log")
	ErrSignature = errors.New("it is not signed by a known key")
)

// Sign returns the signed checkpoint of a tree.
func Sign(origin string, tree tlog.Tree, signers ...note.Signer) ([]byte, error) {
	if tree.N < 0 || tree.N > MaxSize {
		return nil, fmt.Errorf("signing the checkpoint of size %d: a log has at most %d entries", tree.N, int64(MaxSize))
	}
	signed, err := note.Sign(&note.Note{Text: text(origin, tree)}, signers...)
	if err != nil {
		return nil, fmt.Errorf("signing the checkpoint of size %d: %w", tree.N, err)
	}
	return signed, nil
}

func text(origin string, tree tlog.Tree) string {
	return fmt.Sprintf("%s\n%d\n%s\n", origin, tree.N, tree.Hash)
}

// Open reads a checkpoint of the log of that origin and verifies it by the keys
// that are known.
func Open(signed []byte, origin string, known note.Verifiers) (*Checkpoint, error) {
	if len(signed) > MaxBytes {
		return nil, fmt.Errorf("%w: it has %d bytes", ErrForm, len(signed))
	}
	n, err := note.Open(signed, known)
	var unverified *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case errors.As(err, &unverified), errors.As(err, &invalid):
		return nil, fmt.Errorf("%w: %w", ErrSignature, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	c, err := parse(n.Text)
	if err != nil {
		return nil, err
	}
	if c.Origin != origin {
		return nil, fmt.Errorf("%w: %q, not %q", ErrOrigin, c.Origin, origin)
	}
	c.Signed = bytes.Clone(signed)
	for _, signature := range n.Sigs {
		// The reader of notes passes over the last bits of base64, which say nothing: two
		// texts would be one checkpoint.
		if _, err := base64.StdEncoding.Strict().DecodeString(signature.Base64); err != nil {
			return nil, fmt.Errorf("%w: the signature of %s is no canonical base64", ErrForm, signature.Name)
		}
		c.Keys, c.ids = append(c.Keys, signature.Name), append(c.ids, signature.Hash)
	}
	return c, nil
}

// emptyRoot is the root of a tree without entries: SHA-256 of nothing.
var emptyRoot = tlog.Hash(sha256.Sum256(nil))

// parse reads a checkpoint's text. Extension lines are allowed, unless they are empty,
// and ignored.
func parse(text string) (*Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] == "" {
		return nil, fmt.Errorf("%w: it has fewer than three lines", ErrForm)
	}
	size, ok := ParseSize(lines[1])
	if !ok {
		return nil, fmt.Errorf("%w: %.40q is no size: a log has at most %d entries", ErrForm, lines[1], int64(MaxSize))
	}
	hash, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(hash) != tlog.HashSize {
		return nil, fmt.Errorf("%w: %.80q is no hash", ErrForm, lines[2])
	}
	if size == 0 && tlog.Hash(hash) != emptyRoot {
		return nil, fmt.Errorf("%w: its tree has no entries, and not the root of none", ErrForm)
	}
	// What ends the last line makes an empty one of what follows.
	if slices.Contains(lines[3:len(lines)-1], "") {
		return nil, fmt.Errorf("%w: one of its extension lines is empty", ErrForm)
	}
	return &Checkpoint{Origin: lines[0], Tree: tlog.Tree{N: size, Hash: tlog.Hash(hash)}}, nil
}
