package independent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"

	"tally/lib/archive/archivetest"
	"tally/lib/archive/tilelog"
)

// large returns the sample log and entries enough for three tiles and a partial
// one, with a checkpoint of each stage.
func large(t *testing.T) (s *archivetest.Sample, checkpoints [][]byte) {
	t.Helper()
	s = archivetest.PlayAll(t)
	for i := range 8 {
		checkpoints = append(checkpoints, s.Files.Files()["checkpoint"].Data)
		var leaves []tilelog.Leaf
		for n := range 99 {
			leaves = append(leaves, tilelog.Leaf{Group: fmt.Sprint("more-", i), Key: fmt.Sprint(n), Data: fmt.Appendf(nil, "%d of %d", n, i)})
		}
		if _, err := s.Log.Append(t.Context(), leaves); err != nil {
			t.Fatal(err)
		}
	}
	return s, checkpoints
}

func verifierOf(t *testing.T, s *archivetest.Sample) note.Verifier {
	t.Helper()
	v, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// leafHashes hashes the entries of a bundle.
func leafHashes(bundle []byte) (hashes [][]byte, err error) {
	var entries api.EntryBundle
	if err := entries.UnmarshalText(bundle); err != nil {
		return nil, err
	}
	for _, e := range entries.Entries {
		hashes = append(hashes, rfc6962.DefaultHasher.HashLeaf(e))
	}
	return hashes, nil
}

// check runs Tessera's fsck on a folder, with several workers and a time limit.
func check(t *testing.T, folder string, v note.Verifier) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	f := fsck.New(archivetest.Origin, v, client.FileFetcher{Root: folder}, leafHashes, fsck.Opts{N: 3})
	done := make(chan error, 1)
	go func() { done <- f.Check(ctx) }()
	select {
	case err := <-done:
		if status := f.Status(); err == nil && status.ErrorsEncountered > 0 {
			return fmt.Errorf("fsck met %d errors: %s", status.ErrorsEncountered, status)
		}
		return err
	case <-ctx.Done():
		return ctx.Err() // its workers don't end where a resource is missing
	}
}

func TestFsck(t *testing.T) {
	s, _ := large(t)
	v := verifierOf(t, s)
	if err := check(t, s.Copy(), v); err != nil {
		t.Fatal(err)
	}
	for path, at := range map[string]int{"tile/0/001": 77, "tile/entries/002": 300, "tile/0/003.p/174": 5, "tile/1/000.p/3": 40, "checkpoint": 20} {
		folder := s.Copy()
		file := filepath.Join(folder, filepath.FromSlash(path))
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		data[at] ^= 1
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if check(t, folder, v) == nil {
			t.Errorf("a flipped bit in %s passes", path)
		}
	}
}

// TestClient has Tessera's client follow the log from checkpoint to checkpoint,
// and prove entries.
func TestClient(t *testing.T) {
	s, checkpoints := large(t)
	v, files := verifierOf(t, s), client.FileFetcher{Root: s.Copy()}
	for _, old := range checkpoints {
		tracker, err := client.NewLogStateTracker(t.Context(), files.ReadTile, old, v, archivetest.Origin, client.UnilateralConsensus(files.ReadCheckpoint))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := tracker.Update(t.Context()); err != nil {
			t.Errorf("from %q: %v", old[:40], err)
		}
	}
	newest, _, _, err := client.FetchCheckpoint(t.Context(), files.ReadCheckpoint, v, archivetest.Origin)
	if err != nil {
		t.Fatal(err)
	}
	proofs, err := client.NewProofBuilder(t.Context(), newest.Size, files.ReadTile)
	if err != nil {
		t.Fatal(err)
	}
	for index := uint64(0); index < newest.Size; index += 41 {
		bundle, err := client.GetEntryBundle(t.Context(), files.ReadEntryBundle, index/256, newest.Size)
		if err != nil {
			t.Fatal(err)
		}
		path, err := proofs.InclusionProof(t.Context(), index)
		if err != nil {
			t.Fatal(err)
		}
		leaf := rfc6962.DefaultHasher.HashLeaf(bundle.Entries[index%256])
		if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, newest.Size, leaf, path, newest.Hash); err != nil {
			t.Errorf("entry %d: %v", index, err)
		}
		leaf[3] ^= 1
		if proof.VerifyInclusion(rfc6962.DefaultHasher, index, newest.Size, leaf, path, newest.Hash) == nil {
			t.Errorf("entry %d with a flipped bit passes", index)
		}
	}
}

// TestClientSeesForks has Tessera's client follow a log that was rewritten.
func TestClientSeesForks(t *testing.T) {
	s, checkpoints := large(t)
	fork := archivetest.New(t)
	var leaves []tilelog.Leaf
	for n := range 1500 {
		leaves = append(leaves, tilelog.Leaf{Group: "fork", Key: fmt.Sprint(n), Data: fmt.Appendf(nil, "fork %d", n)})
	}
	if _, err := fork.Log.Append(t.Context(), leaves); err != nil {
		t.Fatal(err)
	}
	files := client.FileFetcher{Root: fork.Copy()}
	old := checkpoints[len(checkpoints)-1]
	tracker, err := client.NewLogStateTracker(t.Context(), files.ReadTile, old, verifierOf(t, s), archivetest.Origin, client.UnilateralConsensus(files.ReadCheckpoint))
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, err = tracker.Update(t.Context())
	if inconsistent := (client.ErrInconsistency{}); !errors.As(err, &inconsistent) {
		t.Errorf("a fork: %v", err)
	}
}
