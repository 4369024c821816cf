// Package commitment binds tally to what it reported to each bookmaker of a draw,
// without showing it to anyone else.
//
// The log's entry of a settlement has one hash for all bookmakers. A bookmaker
// gets a Disclosure, and with it can show anyone one line of its report, and prove
// that this line, and no other, was reported when the entry was logged. What the
// proof shows of other lines and other bookmakers are salted hashes: nothing can
// be guessed from them.
//
// How it is built, with H(leaf) and the trees of RFC 6962 and HMAC-SHA256:
//
//	secret      32 random bytes for each settlement, kept by tally
//	key         HMAC(secret, "bookmaker" 0 name): the bookmaker's, for this settlement
//	line i      H(HMAC(key, "line" 0 i) line), with i as 8 bytes, big-endian
//	lines       the tree over a report's lines, in the order of shards and pages
//	totals      SHA-256(HMAC(key, "totals" 0) totals)
//	commitment  H(HMAC(key, "commitment" 0) {"bookmaker":…,"lines":…,"root":…,"totals":…})
//	root        the tree over all commitments, in the order of their hashes
package commitment

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/entry"
	"tally/lib/archive/tree"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// saltBytes is the length of secrets, keys and salts.
const saltBytes = sha256.Size

func derive(key []byte, what string, rest ...byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(append(append([]byte(what), 0), rest...))
	return mac.Sum(nil)
}

// KeyOf returns a bookmaker's key of a settlement with this secret.
func KeyOf(secret []byte, bookmaker string) []byte {
	return derive(secret, "bookmaker", []byte(bookmaker)...)
}

func lineSalt(key []byte, index int64) []byte {
	return derive(key, "line", binary.BigEndian.AppendUint64(nil, uint64(index))...)
}

func salted(salt, data []byte) tlog.Hash {
	return tlog.RecordHash(append(slices.Clip(salt), data...))
}

// Content is what a commitment fixes: what was reported to a bookmaker.
type Content struct {
	bookmaker string
	key       []byte
	lines     tree.Range
}

// NewReport returns the report of a bookmaker, still without lines.
func NewReport(secret []byte, bookmaker string) *Content {
	return &Content{bookmaker: bookmaker, key: KeyOf(secret, bookmaker)}
}

// Add appends a line, without its line feed.
func (r *Content) Add(line []byte) {
	r.lines.Add(salted(lineSalt(r.key, r.lines.Size()), line))
}

// Commit returns what the entry commits to for this bookmaker.
func (r *Content) Commit(totals settlement.Totals) Commitment {
	c := Commitment{Bookmaker: r.bookmaker, Lines: r.lines.Size(), Root: hexOf(r.lines.Root()), Totals: totalsHash(r.key, totals)}
	return c
}

func totalsHash(key []byte, totals settlement.Totals) string {
	sum := sha256.Sum256(append(derive(key, "totals"), entry.AppendTotals(nil, totals)...))
	return hex.EncodeToString(sum[:])
}

func hexOf(h tlog.Hash) string { return hex.EncodeToString(h[:]) }

// Commitment is what is committed to for one bookmaker.
type Commitment struct {
	Bookmaker string `json:"bookmaker"`
	Lines     int64  `json:"lines"`
	Root      string `json:"root"`   // of the tree over the lines
	Totals    string `json:"totals"` // salted hash
}

// hash returns the commitment as it is in the tree.
func (c Commitment) hash(salt []byte) tlog.Hash {
	text := strictjson.Out(nil).Open().TextMember("bookmaker", c.Bookmaker).IntMember("lines", int(c.Lines)).
		TextMember("root", c.Root).TextMember("totals", c.Totals).Close()
	return salted(salt, text)
}

func commitSalt(key []byte) []byte { return derive(key, "commitment") }

// Set is what tally keeps of a settlement's commitments.
type Set struct {
	Secret      []byte       `json:"secret"`
	Commitments []Commitment `json:"commitments"` // by name
}

// Parts say how a set is kept whose commitments would not fit in one item: in parts, each
// up to and with one of these bookmakers, in the order of their names.
type Parts struct {
	Secret []byte   `json:"secret"`
	Until  []string `json:"until"`
}

// Part is one of them.
type Part struct {
	Commitments []Commitment `json:"commitments"` // by name
}

// leaves returns the commitments' hashes in the order of the tree.
func (s *Set) leaves() []tlog.Hash {
	leaves := make([]tlog.Hash, len(s.Commitments))
	for i, c := range s.Commitments {
		leaves[i] = c.hash(commitSalt(KeyOf(s.Secret, c.Bookmaker)))
	}
	slices.SortFunc(leaves, func(a, b tlog.Hash) int { return bytes.Compare(a[:], b[:]) })
	return leaves
}

// Short returns what the log's entry has of the set.
func (s *Set) Short() entry.Commitments {
	var all tree.Range
	for _, leaf := range s.leaves() {
		all.Add(leaf)
	}
	return entry.Commitments{Count: len(s.Commitments), Root: hexOf(all.Root())}
}

// Disclosure is what a bookmaker is given about its own commitment. Whoever has
// it can open every line of the bookmaker's report; it is the bookmaker's secret.
type Disclosure struct {
	Schema     int         `json:"schema"`
	Draw       string      `json:"draw"`
	State      int         `json:"state"`
	Commitment Commitment  `json:"commitment"`
	Key        []byte      `json:"key"`
	Index      int64       `json:"index"` // among the commitments
	Count      int64       `json:"count"`
	Path       []tlog.Hash `json:"path"`
}

// ErrUnknown says that a settlement has nothing of a bookmaker.
var ErrUnknown = errors.New("the settlement has no commitment to this bookmaker")

// Disclose returns what a bookmaker may know.
func (s *Set) Disclose(draw string, state int, bookmaker string) (*Disclosure, error) {
	at := slices.IndexFunc(s.Commitments, func(c Commitment) bool { return c.Bookmaker == bookmaker })
	if at < 0 {
		return nil, ErrUnknown
	}
	key := KeyOf(s.Secret, bookmaker)
	mine := s.Commitments[at].hash(commitSalt(key))
	leaves := s.leaves()
	var all tree.InMemory
	for _, leaf := range leaves {
		if err := all.Add(leaf); err != nil {
			return nil, fmt.Errorf("proving a commitment: %w", err)
		}
	}
	index := int64(slices.Index(leaves, mine))
	path, err := all.Prove(index)
	if err != nil {
		return nil, fmt.Errorf("proving a commitment: %w", err)
	}
	return &Disclosure{
		Schema:     entry.Schema,
		Draw:       draw,
		State:      state,
		Commitment: s.Commitments[at],
		Key:        key,
		Index:      index,
		Count:      all.Size(),
		Path:       path,
	}, nil
}
