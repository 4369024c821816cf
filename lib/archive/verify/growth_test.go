package verify_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/entry"
	"tally/lib/archive/verify"
	"tally/lib/rulebook/games"
)

// TestGrowth verifies a log again and again while it grows, each time against what
// was remembered; an older copy and a fork are then refused.
func TestGrowth(t *testing.T) {
	s, path := archivetest.New(t), filepath.Join(t.TempDir(), "seen.json")
	options := optionsOf(t, s)
	var older memory
	for _, game := range games.All()[:4] {
		s.Play(game)
		s.ArchiveAll()
		seen, err := verify.Remembered(path, options.Origin, options.Known)
		if err != nil {
			t.Fatal(err)
		}
		options.Seen = seen.Seen
		r := verified(t, filesOf(s), options)
		if len(r.Findings) > 0 || r.Seen != seen.Seen.N {
			t.Fatalf("found %+v, want nothing", r.Findings)
		}
		if err := (&verify.Memory{Checkpoint: string(r.Checkpoint)}).Write(path); err != nil {
			t.Fatal(err)
		}
		if older == nil {
			older = filesOf(s)
		}
	}
	seen, err := verify.Remembered(path, options.Origin, options.Known)
	if err != nil {
		t.Fatal(err)
	}
	options.Seen = seen.Seen
	if r := verified(t, older, options); len(r.Findings) != 1 || r.Findings[0].Code != verify.OlderCheckpoint {
		t.Errorf("an older copy: %v", r.Findings)
	}
	fork := archivetest.New(t)
	for _, game := range games.All()[4:] {
		fork.Play(game)
		fork.ArchiveAll()
	}
	if r := verified(t, filesOf(fork), options); len(r.Findings) != 1 || r.Findings[0].Code != verify.Forked {
		t.Errorf("a fork: %v", r.Findings)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Remembered(path, options.Origin, options.Known); err == nil {
		t.Error("a changed memory is believed")
	}
}

func TestProve(t *testing.T) {
	s := archivetest.PlayAll(t)
	options, files := optionsOf(t, s), filesOf(s)
	for _, id := range []entry.ID{{Draw: "pok-1.20261130.0042", Kind: entry.KindOpening}, {Draw: "pok-1.20261130.0042", Kind: entry.KindState}, {Draw: "pok-1.20261130.0042", Kind: entry.KindSettlement, State: 2}} {
		t.Run(fmt.Sprint(id), func(t *testing.T) {
			p, err := verify.Prove(t.Context(), files, options, id)
			if err != nil {
				t.Fatal(err)
			}
			text := p.Format()
			f := verify.File(text, nil, options)
			if len(f.Findings) > 0 || f.Resolved != (id.Kind == entry.KindState) || f.ID.Draw != id.Draw || f.ID.Kind != id.Kind {
				t.Fatalf("%+v, want len(f.Findings) = 0 and f.Resolved = %v and f.ID.Draw = %v and f.ID.Kind = %v", f, (id.Kind == entry.KindState), id.Draw, id.Kind)
			}
			for at := range text {
				changed := bytes.Clone(text)
				changed[at] ^= 1
				if f := verify.File(changed, nil, options); len(f.Findings) == 0 {
					t.Fatalf("a flipped bit at byte %d of the proof passes:\n%s", at, changed)
				}
			}
		})
	}
	wrong := replaceOne(t, bundleOf(t, s, 150), `"outcome":{"winner":"dealer"}`, `"outcome":{"winner":"player"}`)
	p, err := verify.Prove(t.Context(), filesOf(rewritten(t, wrong)), options, entry.ID{Draw: "war-1.20261130.0512", Kind: entry.KindState, State: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f := verify.File(p.Format(), nil, options); len(f.Findings) != 1 || f.Findings[0].Code != verify.MismatchResult || f.Resolved {
		t.Errorf("a result that the rules don't come to: %+v", f)
	}
	if _, err := verify.Prove(t.Context(), files, options, entry.ID{Draw: "nothing", Kind: entry.KindState}); err == nil {
		t.Error("an entry is proved that is not there")
	}
}
