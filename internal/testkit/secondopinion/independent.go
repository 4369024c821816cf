// Package secondopinion verifies logs in tests by programs that others wrote: Tessera's
// client and its fsck, and torchwood's client. What they accept, `tally verify`
// accepts; what was tampered with, it refuses, and so do they where they can.
package secondopinion

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"filippo.io/torchwood"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/tessera/api"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/fsck"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tally/lib/archive/checkpoint"
	"tally/lib/archive/verify"
)

// Log is a log in a folder.
type Log struct {
	Folder string
	Key    note.Verifier // whose name is the log's
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

// Fsck runs Tessera's fsck, with several workers and a time limit: it prints what is
// wrong and goes on, and its workers don't end where a file is missing.
func (l Log) Fsck(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	f := fsck.New(l.Key.Name(), l.Key, client.FileFetcher{Root: l.Folder}, leafHashes, fsck.Opts{N: 3})
	done := make(chan error, 1)
	go func() { done <- f.Check(ctx) }()
	select {
	case err := <-done:
		if status := f.Status(); err == nil && status.ErrorsEncountered > 0 {
			return fmt.Errorf("fsck met %d errors: %s", status.ErrorsEncountered, status)
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Follow has Tessera's client follow the log from an older checkpoint.
func (l Log) Follow(ctx context.Context, old []byte) error {
	files := client.FileFetcher{Root: l.Folder}
	tracker, err := client.NewLogStateTracker(ctx, files.ReadTile, old, l.Key, l.Key.Name(), client.UnilateralConsensus(files.ReadCheckpoint))
	if err != nil {
		return err
	}
	_, _, _, err = tracker.Update(ctx)
	return err
}

// Prove has Tessera's client prove every so many entries, and refuse each with a
// flipped bit.
func (l Log) Prove(ctx context.Context, every uint64) error {
	files := client.FileFetcher{Root: l.Folder}
	newest, _, _, err := client.FetchCheckpoint(ctx, files.ReadCheckpoint, l.Key, l.Key.Name())
	if err != nil {
		return err
	}
	proofs, err := client.NewProofBuilder(ctx, newest.Size, files.ReadTile)
	if err != nil {
		return err
	}
	for index := uint64(0); index < newest.Size; index += every {
		bundle, err := client.GetEntryBundle(ctx, files.ReadEntryBundle, index/256, newest.Size)
		if err != nil {
			return err
		}
		path, err := proofs.InclusionProof(ctx, index)
		if err != nil {
			return err
		}
		leaf := rfc6962.DefaultHasher.HashLeaf(bundle.Entries[index%256])
		if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, newest.Size, leaf, path, newest.Hash); err != nil {
			return fmt.Errorf("entry %d: %w", index, err)
		}
		leaf[3] ^= 1
		if proof.VerifyInclusion(rfc6962.DefaultHasher, index, newest.Size, leaf, path, newest.Hash) == nil {
			return fmt.Errorf("entry %d with a flipped bit passes", index)
		}
	}
	return nil
}

// inFolder reads tiles for torchwood.
type inFolder struct{ folder string }

func (f inFolder) ReadTiles(ctx context.Context, list []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(list))
	for i, t := range list {
		var err error
		if data[i], err = f.ReadEndpoint(ctx, torchwood.TilePath(t)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (f inFolder) ReadEndpoint(_ context.Context, path string) ([]byte, error) {
	return os.ReadFile(filepath.Join(f.folder, filepath.FromSlash(path)))
}

func (inFolder) SaveTiles([]tlog.Tile, [][]byte) {}

// Read has torchwood's client read all entries.
func (l Log) Read(ctx context.Context) error {
	signed, err := os.ReadFile(filepath.Join(l.Folder, checkpoint.Path))
	if err != nil {
		return err
	}
	opened, err := note.Open(signed, note.VerifierList(l.Key))
	if err != nil {
		return err
	}
	parsed, err := torchwood.ParseCheckpoint(opened.Text)
	if err != nil {
		return err
	}
	c, err := torchwood.NewClient(inFolder{folder: l.Folder})
	if err != nil {
		return err
	}
	count := int64(0)
	for index := range c.Entries(ctx, parsed.Tree, 0) {
		if index != count {
			return fmt.Errorf("entry %d comes after %d others", index, count)
		}
		count++
	}
	if err := c.Err(); err != nil {
		return err
	}
	// What is left over after its last full tiles it reads one by one.
	for ; count < parsed.N; count++ {
		if _, _, err := c.Entry(ctx, parsed.Tree, count); err != nil {
			return fmt.Errorf("entry %d: %w", count, err)
		}
	}
	return nil
}

// Verify has tally's own verifier read it, against what was seen before.
func (l Log) Verify(ctx context.Context, seen tlog.Tree) (*verify.Report, error) {
	source, err := verify.Open(l.Folder)
	if err != nil {
		return nil, err
	}
	return verify.Log(ctx, source, verify.Params{Origin: l.Key.Name(), Known: note.VerifierList(l.Key), Seen: seen})
}

// Accept fails a test unless all of them accept a log.
func (l Log) Accept(t testing.TB) {
	t.Helper()
	if err := l.Fsck(t.Context(), 20*time.Second); err != nil {
		t.Errorf("fsck: %v", err)
	}
	if err := l.Prove(t.Context(), 7); err != nil {
		t.Errorf("Tessera's client: %v", err)
	}
	if err := l.Read(t.Context()); err != nil {
		t.Errorf("torchwood's client: %v", err)
	}
	if r, err := l.Verify(t.Context(), tlog.Tree{}); err != nil || len(r.Findings) > 0 {
		t.Errorf("tally verify: %v, %v", err, r.Findings)
	}
}
