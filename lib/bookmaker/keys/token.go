package keys

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"strings"

	"tally/lib/draw/ids"
)

const (
	prefix      = "tly_"
	idBytes     = 8  // 13 characters
	secretBytes = 32 // 52 characters: 256 bits
	idLength    = 13
	tailLength  = 52 + 7 // the secret and the checksum
)

// letters spells keys: no upper case, and no digit that looks like a letter.
var letters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// newToken returns a new key of a bookmaker and its id.
func newToken(bookmaker string) (token, id string) {
	random := make([]byte, idBytes+secretBytes)
	_, _ = rand.Read(random) // never fails: it ends the process instead
	id = letters.EncodeToString(random[:idBytes])
	token = prefix + bookmaker + "_" + id + "_" + letters.EncodeToString(random[idBytes:])
	return token + checksum(token), id
}

// checksum returns the CRC-32 of a key's text.
func checksum(text string) string {
	return letters.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(text))))
}

// parseToken returns the bookmaker and the id that a key names; ok is false for
// what is no key at all.
func parseToken(token string) (bookmaker, id string, ok bool) {
	rest, ok := strings.CutPrefix(token, prefix)
	if !ok || len(rest) < 1+1+idLength+1+tailLength || len(token) > 256 {
		return "", "", false
	}
	sumAt := len(token) - 7
	if checksum(token[:sumAt]) != token[sumAt:] {
		return "", "", false
	}
	head, tail := rest[:len(rest)-tailLength-1], rest[len(rest)-tailLength-1]
	at := len(head) - idLength - 1
	if tail != '_' || at < 1 || head[at] != '_' {
		return "", "", false
	}
	bookmaker, id = head[:at], head[at+1:]
	return bookmaker, id, ids.Valid(bookmaker) && ids.Valid(id)
}

// hashOf is what is stored of a key.
func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
