package sequencer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"tally/lib/archive/tiles"
)

// namedPath is the file of a staged batch that says what its entries are about, in their
// order: a list of pairs of group and key. The tree binds their bytes, not these, so that
// the state has the file's digest.
const namedPath = "index"

func nameEntries(entries []Entry) []byte {
	pairs := make([][2]string, len(entries))
	for i, e := range entries {
		pairs[i] = [2]string{e.Group, e.Key}
	}
	text, err := json.Marshal(pairs)
	if err != nil {
		panic(err) // text is always JSON
	}
	return text
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// namedEntries returns the entries of a staged batch for the index. Batches of earlier
// versions don't say what theirs are about: they were put into the index by the commit.
func namedEntries(now state, old int64, all map[string][]byte) ([]Entry, error) {
	if now.named == "" {
		return nil, nil
	}
	text := all[namedPath]
	if digestOf(text) != now.named {
		return nil, fmt.Errorf("%s is not the one that was committed", namedPath)
	}
	var pairs [][2]string
	if err := json.Unmarshal(text, &pairs); err != nil {
		return nil, fmt.Errorf("reading %s: %w", namedPath, err)
	}
	if int64(len(pairs)) != now.tree.N-old {
		return nil, fmt.Errorf("%s names %d entries, not %d", namedPath, len(pairs), now.tree.N-old)
	}
	entries := make([]Entry, len(pairs))
	for i, pair := range pairs {
		index := old + int64(i)
		data, err := entryOf(all, now.tree.N, index)
		if err != nil {
			return nil, err
		}
		entries[i] = Entry{Group: pair[0], Key: pair[1], Indexed: Indexed{Index: index, Hash: hashOf(Leaf{Data: data})}}
	}
	return entries, nil
}

// entryOf returns an entry out of the bundles of a batch that leads to a size.
func entryOf(all map[string][]byte, size, index int64) ([]byte, error) {
	n := index / tiles.Width
	width := int(min(tiles.Width, size-n*tiles.Width))
	list, err := tiles.Entries(all[tiles.EntriesPath(n, width)], width)
	if err != nil {
		return nil, err
	}
	return list[index%tiles.Width], nil
}
