package proof_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/disclosure"
	"tally/lib/archive/entry"
	"tally/lib/archive/proof"
	"tally/lib/archive/verify"
	"tally/lib/draw/report"
	"tally/lib/rulebook/games"
	"tally/lib/store"
)

// files reads a sample's log.
type files struct{ *archivetest.Sample }

func (f files) Get(_ context.Context, path string) ([]byte, error) {
	file, found := f.Files.Files()[path]
	if !found {
		return nil, verify.ErrMissing
	}
	return file.Data, nil
}

const draw = "war-1.20261130.0512"

// sample returns a proof of a settlement, and one of a bet.
func sample(t *testing.T) (*proof.Inclusion, *proof.Bet, note.Verifiers) {
	t.Helper()
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	verifier, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	known := note.VerifierList(verifier)
	of, err := verify.Prove(t.Context(), files{s}, verify.Params{Origin: archivetest.Origin, Known: known}, entry.ID{Draw: draw, Kind: entry.KindSettlement, State: 1})
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	for shard := range 2 {
		for page, err := range s.Table.Query(t.Context(), store.ReportKey(draw, 1, "acme", shard), "") {
			if err != nil {
				t.Fatal(err)
			}
			text, err := report.Inflate(page.Binary)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(text) {
				lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
			}
		}
	}
	d, err := disclosure.Load(t.Context(), s.Table, draw, 1, "acme")
	if err != nil {
		t.Fatal(err)
	}
	line, err := d.Prove(lines, len(lines)-1)
	if err != nil {
		t.Fatal(err)
	}
	return of, proof.NewBet(of, line), known
}

func TestBet(t *testing.T) {
	_, bet, known := sample(t)
	text, err := bet.Format()
	if err != nil || !proof.IsBet(text) {
		t.Fatal(err)
	}
	settled, c, err := parseBet(text, known)
	if err != nil || settled.Draw != draw || settled.State != 1 || c == 0 {
		t.Fatalf("%+v, %v, want no error and settled.Draw = %v and settled.State = 1 and c other than 0", settled, err, draw)
	}
	for at := range text {
		changed := bytes.Clone(text)
		changed[at] ^= 1
		if _, _, err := parseBet(changed, known); err == nil && !sameBet(t, changed, text) {
			t.Fatalf("a flipped bit at byte %d passes:\n%s", at, changed)
		}
	}
}

func parseBet(text []byte, known note.Verifiers) (*entry.Settlement, int64, error) {
	bet, err := proof.ParseBet(text)
	if err != nil {
		return nil, 0, err
	}
	settled, c, err := bet.Check(archivetest.Origin, known)
	if err != nil {
		return nil, 0, err
	}
	return settled, c.Tree.N, nil
}

// sameBet reports whether two texts are the same proof in other white space or
// another case of a name.
func sameBet(t *testing.T, a, b []byte) bool {
	t.Helper()
	first, err := proof.ParseBet(a)
	if err != nil {
		t.Fatal(err)
	}
	again, err := first.Format()
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Equal(again, b)
}

func TestRefused(t *testing.T) {
	of, _, known := sample(t)
	text := string(of.Format())
	if _, err := proof.Parse([]byte(text)); err != nil {
		t.Fatal(err)
	}
	for old, by := range map[string]string{
		"tlog-proof@v1": "tlog-proof@v2", "extra ": "Extra ", "extra e": "extra e\r", "index ": "index 0", "\n\n": "\n", "index 1": "index -1",
	} {
		t.Run(old, func(t *testing.T) {
			changed := strings.Replace(text, old, by, 1)
			if changed == text {
				return
			}
			read, err := proof.Parse([]byte(changed))
			if err == nil {
				_, _, err = read.Check(archivetest.Origin, known)
			}
			if err == nil {
				t.Errorf("%q in the place of %q passes", by, old)
			}
		})
	}
	// A proof need not show its entry. Whoever has it from elsewhere can check it.
	first, rest, _ := strings.Cut(text, "extra ")
	_, rest, _ = strings.Cut(rest, "\n")
	bare, err := proof.Parse([]byte(first + rest))
	if err != nil || bare.Data != nil || bare.Index != of.Index {
		t.Fatalf("without extra data: %+v, %v", bare, err)
	}
	if _, _, err := bare.Check(archivetest.Origin, known); !errors.Is(err, proof.ErrNoEntry) {
		t.Errorf("without its entry: %v", err)
	}
	bare.Data = of.Data
	if _, _, err := bare.Check(archivetest.Origin, known); err != nil {
		t.Errorf("with its entry: %v", err)
	}
	bare.Data = append(bytes.Clone(of.Data[:len(of.Data)-2]), "}}"...)
	bare.Data[20] ^= 1
	if _, _, err := bare.Check(archivetest.Origin, known); !errors.Is(err, proof.ErrFails) {
		t.Errorf("with another entry: %v", err)
	}
	hash := strings.Repeat("A", 43) + "=\n"
	for count, want := range map[int]error{63: nil, 64: proof.ErrForm} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			if _, err := proof.Parse([]byte("c2sp.org/tlog-proof@v1\nindex 281474976710656\n" + strings.Repeat(hash, count) + "\nx\n")); !errors.Is(err, want) {
				t.Errorf("%d hashes: %v", count, err)
			}
		})
	}
	for _, index := range []string{"281474976710657", "9223372036854775807", "18446744073709551616", "", "01"} {
		t.Run(index, func(t *testing.T) {
			if _, err := proof.Parse([]byte("c2sp.org/tlog-proof@v1\nindex " + index + "\n\nx\n")); !errors.Is(err, proof.ErrForm) {
				t.Errorf("index %s: %v", index, err)
			}
		})
	}
	other := *of
	other.Index++
	if _, _, err := other.Check(archivetest.Origin, known); !errors.Is(err, proof.ErrFails) {
		t.Errorf("another index: %v", err)
	}
	for _, text := range []string{"", "{}", `{"schema":1,"proof":"bet"}`, `{"schema":1,"proof":"bet","more":1}`, strings.Repeat(" ", proof.MaxBytes+1)} {
		t.Run(fmt.Sprintf("%.40q", text), func(t *testing.T) {
			if _, err := proof.ParseBet([]byte(text)); !errors.Is(err, proof.ErrForm) {
				t.Errorf("%.30q: %v, want proof.ErrForm", text, err)
			}
			if _, err := proof.Parse([]byte(text)); !errors.Is(err, proof.ErrForm) {
				t.Errorf("%.30q: %v, want proof.ErrForm", text, err)
			}
		})
	}
}
