package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/entry"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
)

// unsettled returns a log of the draws of one game, without their settlements.
func unsettled(t *testing.T, s *archivetest.Sample) string {
	t.Helper()
	list, err := tiles.Entries(s.Files.Files()[tiles.EntriesPath(0, 150)].Data, 150)
	if err != nil {
		t.Fatal(err)
	}
	var leaves []sequencer.Leaf
	for i, data := range list {
		if bytes.Contains(data, []byte(`"game":"war"`)) && !bytes.Contains(data, []byte(`"entry":"settlement"`)) {
			leaves = append(leaves, sequencer.Leaf{Group: "all", Key: fmt.Sprint(i), Data: data})
		}
	}
	other := archivetest.New(t)
	if _, err := other.Log.Append(t.Context(), leaves); err != nil {
		t.Fatal(err)
	}
	return other.Copy()
}

// bareProofs returns a folder with a proof that does not show its entry, with and
// without the entry beside it.
func bareProofs(t *testing.T, s *archivetest.Sample) string {
	t.Helper()
	key, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	source, err := verify.Open(s.Copy())
	if err != nil {
		t.Fatal(err)
	}
	p, err := verify.Prove(t.Context(), source, verify.Params{Origin: archivetest.Origin, Known: note.VerifierList(key)},
		entry.ID{Draw: "war-1.20261130.0512", Kind: entry.KindState})
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(p.Format(), []byte("\n"))
	bare := bytes.Join(slices.Delete(lines, 1, 2), nil)
	folder := t.TempDir()
	for name, data := range map[string][]byte{"war.tlog-proof": bare, "war.json": p.Data, "alone.tlog-proof": bare} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// besideFiles returns a log with files beside it, and another key than its own.
func besideFiles(t *testing.T, s *archivetest.Sample) string {
	t.Helper()
	folder := s.Copy()
	for name, text := range map[string]string{"notes.txt": "hello", "tile/0/001": "x", tiles.KeysPath: otherKey(t)} {
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// piped returns a folder whose checkpoint is a pipe that nobody writes into.
func piped(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(folder, "checkpoint"), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}
