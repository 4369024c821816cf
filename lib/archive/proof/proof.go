// Package proof writes and checks files that prove one thing of the log, offline,
// to whoever knows the log's public key.
//
// An entry is proved by a file in the format tlog-proof of C2SP, whose extra data
// are the entry's bytes:
//
//	c2sp.org/tlog-proof@v1
//	extra eyJzY2hlbWEiOjEsImVudHJ5Ijoi…
//	index 73894
//	gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
//	…
//
//	example.com/tally
//	109482
//	sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=
//
//	— example.com/tally hI2DJw…
//
// The settlement of one bet is proved by a JSON file that holds such a proof of
// the settlement's entry, and the path from the bookmaker's line to that entry.
package proof

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/commitment"
	"tally/lib/archive/entry"
)

// MaxBytes is the most that is read of a proof.
const MaxBytes = 1 << 20

// maxPath bounds the hashes of a path: sizes are below 2^63.
const maxPath = 63

// Inclusion proves that an entry is in the log.
type Inclusion struct {
	Data       []byte // the entry
	Index      int64
	Path       tlog.RecordProof
	Checkpoint []byte // signed
}

// The faults of a proof.
var (
	ErrForm  = errors.New("it is no proof of the format that it should have")
	ErrFails = errors.New("the entry is not in the tree under this checkpoint")
	// ErrNoEntry says that a proof holds for some entry, which it does not show.
	ErrNoEntry = errors.New("the proof does not show what it proves: it has to be given with the entry, in a file of its own")
)

const firstLine = "c2sp.org/tlog-proof@v1"

// Format returns the proof as a tlog-proof file.
func (e *Inclusion) Format() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\nextra %s\nindex %d\n", firstLine, base64.StdEncoding.EncodeToString(e.Data), e.Index)
	for _, hash := range e.Path {
		fmt.Fprintln(&out, hash)
	}
	out.WriteString("\n")
	out.Write(e.Checkpoint)
	return out.Bytes()
}

// Parse reads a tlog-proof file. Its extra data, if there are any, are an entry; a proof
// without them has no Data, which the caller sets to the entry that it has from elsewhere.
func Parse(text []byte) (*Inclusion, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrForm, MaxBytes)
	}
	head, signed, found := bytes.Cut(text, []byte("\n\n"))
	if bytes.ContainsRune(head, '\r') { // which a decoder of base64 passes over
		return nil, fmt.Errorf("%w: it has carriage returns", ErrForm)
	}
	lines := strings.Split(string(head), "\n")
	if !found || lines[0] != firstLine {
		return nil, fmt.Errorf("%w: it does not begin with %s, and end with a checkpoint", ErrForm, firstLine)
	}
	e := &Inclusion{Checkpoint: signed}
	lines = lines[1:]
	if len(lines) > 0 && strings.HasPrefix(lines[0], "extra ") {
		data, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(lines[0], "extra "))
		if err != nil || len(data) > entry.MaxBytes {
			return nil, fmt.Errorf("%w: its extra data are no entry", ErrForm)
		}
		e.Data, lines = data, lines[1:]
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%w: it has no index", ErrForm)
	}
	number, hasIndex := strings.CutPrefix(lines[0], "index ")
	var isIndex bool
	if e.Index, isIndex = checkpoint.ParseSize(number); !hasIndex || !isIndex {
		return nil, fmt.Errorf("%w: %.40q is no index", ErrForm, lines[0])
	}
	if lines = lines[1:]; len(lines) > maxPath {
		return nil, fmt.Errorf("%w: a path has at most %d hashes, this one %d", ErrForm, maxPath, len(lines))
	}
	for _, line := range lines {
		hash, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || len(hash) != tlog.HashSize {
			return nil, fmt.Errorf("%w: %.80q is no hash", ErrForm, line)
		}
		e.Path = append(e.Path, tlog.Hash(hash))
	}
	return e, nil
}

// Check verifies the proof by the log's keys and returns the entry and the
// checkpoint.
func (e *Inclusion) Check(origin string, known note.Verifiers) (entry.Entry, *checkpoint.Checkpoint, error) {
	c, err := checkpoint.Open(e.Checkpoint, origin, known)
	if err != nil {
		return nil, nil, err
	}
	if len(e.Data) == 0 {
		return nil, c, ErrNoEntry
	}
	if err := tlog.CheckRecord(e.Path, c.Tree.N, c.Tree.Hash, e.Index, tlog.RecordHash(e.Data)); err != nil {
		return nil, c, ErrFails
	}
	read, err := entry.Parse(e.Data)
	return read, c, err
}

// Bet proves the settlement of one bet.
type Bet struct {
	Schema int                   `json:"schema"`
	Proof  string                `json:"proof"` // betProof
	Entry  string                `json:"entry"` // the proof of the settlement's entry
	Line   *commitment.LineProof `json:"line"`
}

// betProof tells the file from other JSON.
const betProof = "bet"

// NewBet returns the proof of a line whose settlement is proved.
func NewBet(settlement *Inclusion, line *commitment.LineProof) *Bet {
	return &Bet{Schema: entry.Schema, Proof: betProof, Entry: string(settlement.Format()), Line: line}
}

// Format returns the proof as a file.
func (b *Bet) Format() ([]byte, error) {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing a proof: %w", err)
	}
	return append(text, '\n'), nil
}

// IsBet reports whether a file may be a proof of a bet, rather than of an entry.
func IsBet(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) }

// ParseBet reads the proof of a bet.
func ParseBet(text []byte) (*Bet, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrForm, MaxBytes)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	b := &Bet{}
	if err := decoder.Decode(b); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForm, err)
	}
	if b.Schema != entry.Schema || b.Proof != betProof || b.Line == nil {
		return nil, fmt.Errorf("%w: it is of another schema, or proves something else", ErrForm)
	}
	return b, nil
}

// Check verifies the proof by the log's keys and returns the settlement and the
// checkpoint.
func (b *Bet) Check(origin string, known note.Verifiers) (*entry.Settlement, *checkpoint.Checkpoint, error) {
	of, err := Parse([]byte(b.Entry))
	if err != nil {
		return nil, nil, err
	}
	read, c, err := of.Check(origin, known)
	if err != nil {
		return nil, c, err
	}
	settlement, is := read.(*entry.Settlement)
	if !is {
		return nil, c, fmt.Errorf("%w: %s is no settlement", ErrForm, read.ID())
	}
	return settlement, c, b.Line.Check(settlement)
}
