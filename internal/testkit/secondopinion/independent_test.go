package secondopinion

import (
	"errors"
	"fmt"
	"testing"

	"github.com/transparency-dev/tessera/client"
	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/sequencer"
)

// large returns the sample log and entries enough for three tiles and a partial
// one, with a checkpoint of each stage.
func large(t *testing.T) (s *archivetest.Sample, checkpoints [][]byte) {
	t.Helper()
	s = archivetest.PlayAll(t)
	for i := range 8 {
		checkpoints = append(checkpoints, s.Files.Files()["checkpoint"].Data)
		var leaves []sequencer.Leaf
		for n := range 99 {
			leaves = append(leaves, sequencer.Leaf{Group: fmt.Sprint("more-", i), Key: fmt.Sprint(n), Data: fmt.Appendf(nil, "%d of %d", n, i)})
		}
		if _, err := s.Log.Append(t.Context(), leaves); err != nil {
			t.Fatal(err)
		}
	}
	return s, checkpoints
}

func logOf(t *testing.T, s *archivetest.Sample) Log {
	t.Helper()
	v, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	return Log{s.Copy(), v}
}

// TestSample has all programs accept the sample log, and refuse what was made of it.
// The log that the demo writes is verified in the same way where the demo is tested.
func TestSample(t *testing.T) {
	s := archivetest.PlayAll(t)
	l := logOf(t, s)
	l.Accept(t)
	l.Refuse(t, s.Log.Signers[0])
}

// TestLarge has Tessera's client follow a log of several tiles from checkpoint to
// checkpoint, and prove entries; its fsck and torchwood's client read it, too.
func TestLarge(t *testing.T) {
	s, checkpoints := large(t)
	l := logOf(t, s)
	for _, old := range checkpoints {
		if err := l.Follow(t.Context(), old); err != nil {
			t.Errorf("from %q: %v", old[:40], err)
		}
	}
	if err := errors.Join(l.Prove(t.Context(), 41), l.Read(t.Context()), l.Fsck(t.Context(), 20e9)); err != nil {
		t.Error(err)
	}
	for path, at := range map[string]int{"tile/0/001": 77, "tile/entries/002": 300, "tile/0/003.p/174": 5, "tile/1/000.p/3": 40} {
		t.Run(path, func(t *testing.T) {
			changed := &copied{logOf(t, s), t, nil, 0, nil}
			changed.flip(path, at)
			if changed.Fsck(t.Context(), stuck) == nil {
				t.Errorf("a flipped bit in %s passes", path)
			}
		})
	}
}

// TestClientSeesForks has Tessera's client follow a log that was rewritten.
func TestClientSeesForks(t *testing.T) {
	_, checkpoints := large(t)
	fork := archivetest.New(t)
	var leaves []sequencer.Leaf
	for n := range 1500 {
		leaves = append(leaves, sequencer.Leaf{Group: "fork", Key: fmt.Sprint(n), Data: fmt.Appendf(nil, "fork %d", n)})
	}
	if _, err := fork.Log.Append(t.Context(), leaves); err != nil {
		t.Fatal(err)
	}
	err := logOf(t, fork).Follow(t.Context(), checkpoints[len(checkpoints)-1])
	if inconsistent := (client.ErrInconsistency{}); !errors.As(err, &inconsistent) {
		t.Errorf("a fork: %v", err)
	}
}
