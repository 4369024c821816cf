// Package tree computes Merkle trees as RFC 6962 defines them, without keeping
// their leaves: what is needed of a tree of n leaves are at most log2(n) hashes.
package tree

import (
	"crypto/sha256"
	"errors"
	"math/bits"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// Range is a tree that grows. The zero value is an empty tree.
type Range struct {
	size int64
	// full are the roots of the complete subtrees that the tree is made of, the
	// largest first: one for each bit of size.
	full []tlog.Hash
}

// Resume returns the tree of that size whose complete subtrees have these roots; false
// where a tree of that size has more or fewer.
func Resume(size int64, roots []tlog.Hash) (Range, bool) {
	return Range{size: size, full: slices.Clone(roots)}, size >= 0 && bits.OnesCount64(uint64(size)) == len(roots)
}

// Roots returns the roots of the complete subtrees, the largest first.
func (r *Range) Roots() []tlog.Hash { return slices.Clone(r.full) }

// Add appends a leaf, by its hash.
func (r *Range) Add(leaf tlog.Hash) { r.AddTree(leaf, 0) }

// AddTree appends 2^height leaves, by the root of their tree. As many leaves, or a
// multiple, have to be there before.
func (r *Range) AddTree(root tlog.Hash, height int) {
	r.full = append(r.full, root)
	r.size += 1 << height
	for n := r.size >> height; n&1 == 0; n >>= 1 {
		last := len(r.full) - 1
		r.full[last-1] = tlog.NodeHash(r.full[last-1], r.full[last])
		r.full = r.full[:last]
	}
}

// Size returns how many leaves the tree has.
func (r *Range) Size() int64 { return r.size }

// Root returns the tree's root hash; that of an empty tree is the hash of
// nothing.
func (r *Range) Root() tlog.Hash {
	if len(r.full) == 0 {
		return sha256.Sum256(nil)
	}
	root := r.full[len(r.full)-1]
	for i := len(r.full) - 2; i >= 0; i-- {
		root = tlog.NodeHash(r.full[i], root)
	}
	return root
}

// InMemory is a tree in memory that proves its leaves. The zero value is empty.
type InMemory struct {
	size   int64
	hashes []tlog.Hash // as tlog stores them
}

var _ tlog.HashReader = (*InMemory)(nil)

// ReadHashes returns stored hashes.
func (k *InMemory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= int64(len(k.hashes)) {
			return nil, errors.New("the tree has no such hash")
		}
		hashes[i] = k.hashes[index]
	}
	return hashes, nil
}

// Add appends a leaf, by its hash.
func (k *InMemory) Add(leaf tlog.Hash) error {
	hashes, err := tlog.StoredHashesForRecordHash(k.size, leaf, k)
	if err != nil {
		return err
	}
	k.hashes, k.size = append(k.hashes, hashes...), k.size+1
	return nil
}

// Size returns how many leaves the tree has.
func (k *InMemory) Size() int64 { return k.size }

// Root returns the root hash.
func (k *InMemory) Root() (tlog.Hash, error) {
	if k.size == 0 {
		return sha256.Sum256(nil), nil
	}
	return tlog.TreeHash(k.size, k)
}

// Prove returns the proof that leaf n is in the tree.
func (k *InMemory) Prove(n int64) (tlog.RecordProof, error) { return tlog.ProveRecord(k.size, n, k) }
