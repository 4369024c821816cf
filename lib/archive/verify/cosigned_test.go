package verify_test

import (
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/witnesstest"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/verify"
	"tally/lib/archive/witness"
)

// unrecorded hears what became of asking witnesses.
type unrecorded struct{}

func (unrecorded) Witness(string, witness.Outcome) {}

// cosignedBy returns the lines of a witness under a checkpoint.
func cosignedBy(t *testing.T, w *witnesstest.Server, r *verify.Report) []checkpoint.Cosignature {
	t.Helper()
	c := &witness.Client{Witnesses: []witness.Witness{w.Witness}, Timeout: 5 * time.Minute, HTTP: witnesstest.Client(w),
		Record: unrecorded{}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: time.Now}
	lines := c.Ask(t.Context(), c.Witnesses, witness.Submission{Signed: r.Checkpoint, Tree: tlog.Tree{N: r.Size, Hash: r.Root}})
	if len(lines) != 1 {
		t.Fatalf("%s has made %d cosignatures, want one", w.Key.Name(), len(lines))
	}
	return lines
}

// An auditor who demands cosignatures of witnesses is told of those that are missing, spoilt
// or dated in the future, and by whom the others are.
func TestDemandedCosignatures(t *testing.T) {
	s := archivetest.New(t)
	files, options := logOf(t, openings(5)), optionsOf(t, s)
	verifier, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	one, two := witnesstest.New(t, "witness.example/w1", verifier), witnesstest.NewMLDSA(t, "witness.example/w2", verifier)
	plain := verified(t, files, options)
	first, second := cosignedBy(t, one, plain), cosignedBy(t, two, plain)
	at := first[0].At
	signed := func(lines ...checkpoint.Cosignature) []byte {
		return checkpoint.WithCosignatures(plain.Checkpoint, lines)
	}
	spoilt := func() []byte {
		all := signed(first...)
		line := all[strings.LastIndex(string(all), "\n— ")+1:]
		return append(slices.Clone(all[:len(all)-len(line)]), witnesstest.Flipped(line)...)
	}
	for name, test := range map[string]struct {
		checkpoint []byte
		needed     int
		now        time.Time
		by         []string
		want       []verify.Code
	}{
		"none is demanded":   {plain.Checkpoint, 0, at, nil, nil},
		"none is there":      {plain.Checkpoint, 1, at, nil, []verify.Code{verify.NoCosignature}},
		"one of one":         {signed(first...), 1, at, []string{"witness.example/w1"}, nil},
		"one of two":         {signed(second...), 2, at, []string{"witness.example/w2"}, []verify.Code{verify.NoCosignature}},
		"both":               {signed(first[0], second[0]), 2, at, []string{"witness.example/w1", "witness.example/w2"}, nil},
		"spoilt":             {spoilt(), 0, at, nil, []verify.Code{verify.BadCosignature}},
		"spoilt, one of one": {spoilt(), 1, at, nil, []verify.Code{verify.BadCosignature, verify.NoCosignature}},
		"of the day after":   {signed(first...), 1, at.Add(-24 * time.Hour), nil, []verify.Code{verify.BadCosignature, verify.NoCosignature}},
		"of a slow clock's":  {signed(first...), 1, at.Add(24 * time.Hour), []string{"witness.example/w1"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			files, options := maps.Clone(files), options
			files[checkpoint.Path] = test.checkpoint
			options.Witnesses, options.Needed = []note.Verifier{one.Key, two.Key}, test.needed
			options.Now = func() time.Time { return test.now }
			r := verified(t, files, options)
			var by []string
			for _, c := range r.Cosigned {
				by = append(by, c.Witness)
			}
			var got []verify.Code
			for _, f := range r.Findings {
				if f.Code.Class() == verify.Witnesses {
					got = append(got, f.Code)
				}
			}
			if !slices.Equal(by, test.by) || !slices.Equal(got, test.want) {
				t.Errorf("cosigned by %q, found %q, want %q and %q", by, got, test.by, test.want)
			}
		})
	}
}
