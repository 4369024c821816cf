package tree

import (
	"crypto/sha256"
	"fmt"
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
