package tree

import (
	"crypto/sha256"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
)

// slow is MTH of RFC 6962, section 2.1, over the hashes of leaves.
func slow(leaves []tlog.Hash) tlog.Hash {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return leaves[0]
	}
	k := 1
	for k*2 < len(leaves) {
		k *= 2
	}
	return tlog.NodeHash(slow(leaves[:k]), slow(leaves[k:]))
}

func TestTrees(t *testing.T) {
	var grown Range
	var kept InMemory
	var leaves []tlog.Hash
	for n := range 300 {
		root, err := kept.Root()
		if want := slow(leaves); err != nil || grown.Root() != want || root != want || grown.Size() != int64(n) || kept.Size() != int64(n) {
			t.Fatalf("a tree of %d leaves has another root", n)
		}
		leaf := tlog.RecordHash(fmt.Append(nil, n))
		leaves = append(leaves, leaf)
		grown.Add(leaf)
		if err := kept.Add(leaf); err != nil {
			t.Fatal(err)
		}
	}
	for n, leaf := range leaves {
		proof, err := kept.Prove(int64(n))
		if err != nil {
			t.Fatal(err)
		}
		if err := tlog.CheckRecord(proof, 300, grown.Root(), int64(n), leaf); err != nil {
			t.Error(err)
		}
		proof[len(proof)-1][0] ^= 1
		if tlog.CheckRecord(proof, 300, grown.Root(), int64(n), leaf) == nil {
			t.Errorf("leaf %d: a flipped bit passes", n)
		}
	}
	if _, err := kept.ReadHashes([]int64{1 << 40}); err == nil {
		t.Error("a hash that is not there was read")
	}
}

// A tree that was written down as its size and roots goes on as if it had never stopped,
// and is not changed by what is done with the list of its roots.
func TestResume(t *testing.T) {
	var grown Range
	var leaves []tlog.Hash
	for n := range 70 {
		resumed, ok := Resume(grown.Size(), grown.Roots())
		if !ok {
			t.Fatalf("a tree of %d leaves is not taken with its own %d roots", n, len(grown.Roots()))
		}
		more := slices.Clone(leaves)
		for i := range 3 {
			leaf := tlog.RecordHash(fmt.Append(nil, "after ", n, i))
			more = append(more, leaf)
			resumed.Add(leaf)
		}
		if want := slow(more); resumed.Root() != want || resumed.Size() != int64(len(more)) {
			t.Fatalf("resumed at %d leaves, with three more it has %d leaves and root %s, want %d and %s", n, resumed.Size(), resumed.Root(), len(more), want)
		}
		leaf := tlog.RecordHash(fmt.Append(nil, n))
		leaves = append(leaves, leaf)
		grown.Add(leaf)
		grown.Roots()[0] = tlog.Hash{}
		if want := slow(leaves); grown.Root() != want {
			t.Fatalf("of %d leaves the root is %s, want %s, whatever became of the list of roots", n+1, grown.Root(), want)
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	for _, test := range []struct {
		size  int64
		roots int
	}{{0, 1}, {1, 0}, {1, 2}, {3, 1}, {3, 3}, {4, 2}, {255, 7}, {256, 2}, {-1, 64}} {
		t.Run(fmt.Sprintf("%d leaves, %d roots", test.size, test.roots), func(t *testing.T) {
			if _, ok := Resume(test.size, make([]tlog.Hash, test.roots)); ok {
				t.Errorf("it is taken, want %d roots for that size, or no tree", bits.OnesCount64(uint64(test.size)))
			}
		})
	}
}
