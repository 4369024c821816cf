// Package tiles names and reads the files of a log in the format tlog-tiles of
// C2SP: tiles of 256 hashes, and bundles of the 256 entries that they hash.
//
//	tile/0/x001/234       the hashes of 256 entries, 1234·256 and on
//	tile/0/x001/235.p/17  the same, as long as there are only 17
//	tile/1/004            the roots of 256 tiles of level 0
//	tile/entries/x001/234 the entries themselves, each after its length in 16 bits
//
// A file never changes: a partial one is followed by another of another name.
package tiles

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
	"golang.org/x/sync/errgroup"
)

// The size of a tile.
const (
	Height = 8
	Width  = 1 << Height
)

// Path returns the path of a tile of hashes.
func Path(t tlog.Tile) string {
	return fmt.Sprintf("tile/%d/%s", t.L, number(t.N, t.W))
}

// EntriesPath returns the path of a bundle, of w entries, 1 to 256.
func EntriesPath(n int64, w int) string { return "tile/entries/" + number(n, w) }

// number writes a tile's number in groups of three digits, so that no folder
// holds more than a thousand.
func number(n int64, w int) string {
	text := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		text = fmt.Sprintf("x%03d/%s", n%1000, text)
	}
	if w < Width {
		text += fmt.Sprintf(".p/%d", w)
	}
	return text
}

// AppendEntry appends an entry to a bundle.
func AppendEntry(bundle, entry []byte) []byte {
	return append(binary.BigEndian.AppendUint16(bundle, uint16(len(entry))), entry...)
}

// ErrBundle says that a bundle is cut off, or longer than its entries.
var ErrBundle = errors.New("the bundle is not a sequence of entries with their lengths")

// Entries returns the entries of a bundle of w.
func Entries(bundle []byte, w int) ([][]byte, error) {
	entries := make([][]byte, 0, w)
	for range w {
		if len(bundle) < 2 {
			return nil, ErrBundle
		}
		n := int(binary.BigEndian.Uint16(bundle))
		if len(bundle) < 2+n {
			return nil, ErrBundle
		}
		entries, bundle = append(entries, bundle[2:2+n]), bundle[2+n:]
	}
	if len(bundle) > 0 {
		return nil, ErrBundle
	}
	return entries, nil
}

// The most bytes of a file of each kind. What is not of a log is of the public site,
// whose largest file is a day's rows.
const (
	maxCheckpoint = 1 << 20
	maxKeys       = 64 << 10
	maxTile       = Width * tlog.HashSize
	maxBundle     = Width * (2 + 1<<16 - 1)
	maxOther      = 128 << 20
)

// KeysPath is where a log may publish its keys, one a line. Auditors get them elsewhere,
// too: a log can't vouch for its own key.
const KeysPath = "verifier-key"

// MaxBytes returns the most bytes that a file of that path has, before and after it is
// decompressed.
func MaxBytes(path string) int64 {
	switch {
	case path == "checkpoint":
		return maxCheckpoint
	case path == KeysPath:
		return maxKeys
	case strings.HasPrefix(path, "tile/entries/"):
		return maxBundle
	case strings.HasPrefix(path, "tile/"):
		return maxTile
	}
	return maxOther
}

// Full returns the path of the full file of which a path names a part, and the part's
// width: a log may drop a partial file once it has the full one. Any other path is its
// own, of the full width.
func Full(path string) (full string, width int) {
	full, text, partial := strings.Cut(path, ".p/")
	width, err := strconv.Atoi(text)
	if !partial || err != nil || width < 1 || width >= Width {
		return path, Width
	}
	return full, width
}

// Partial returns the path of the part of that width of a full file, or of the file itself.
func Partial(full string, width int) string {
	if width == Width {
		return full
	}
	return full + ".p/" + strconv.Itoa(width)
}

// WidthAt returns how wide the tile or bundle of which this is the full path is in a tree of
// that size; false where the tree has none there.
func WidthAt(full string, size int64) (width int, is bool) {
	rest, is := strings.CutPrefix(full, "tile/")
	if entries, are := strings.CutPrefix(rest, "entries/"); are {
		rest = "data/" + entries
	}
	t, err := tlog.ParseTilePath(fmt.Sprintf("tile/%d/%s", Height, rest))
	if !is || err != nil || t.W != Width {
		return 0, false
	}
	count := size >> (Height * max(t.L, 0))
	width = int(min(Width, count-t.N*Width))
	return width, width > 0
}

// Head returns the part of a full tile or bundle that the partial one of that width has.
// A file that has no such part is returned as it is, for the reader to refuse.
func Head(path string, width int, full []byte) []byte {
	if !strings.HasPrefix(path, "tile/entries/") {
		return full[:min(len(full), width*tlog.HashSize)]
	}
	entries, err := Entries(full, Width)
	if err != nil {
		return full
	}
	length := 0
	for _, e := range entries[:width] {
		length += 2 + len(e)
	}
	return full[:length]
}

// Get gets a file by its path, and a partial one that is missing from the full one: a log
// may drop the parts of what it has whole. missing is the error of a file that is not there.
func Get(ctx context.Context, path string, missing error, get func(ctx context.Context, path string) ([]byte, error)) ([]byte, error) {
	data, err := get(ctx, path)
	full, width := Full(path)
	if width == Width || !errors.Is(err, missing) {
		return data, err
	}
	if data, err = get(ctx, full); err != nil {
		return nil, err
	}
	return Head(full, width, data), nil
}

// Edge returns the tiles of hashes, in a tree of some size, that hold the edge of the
// tree of the first so many entries: what is read to append to it, or to prove that the
// one grew out of the other. Those that are full at the edge are not among them.
func Edge(entries, size int64) (list []tlog.Tile) {
	for level := 0; entries > 0; level, entries, size = level+1, entries>>Height, size>>Height {
		if n := entries / Width; entries%Width > 0 {
			list = append(list, tlog.Tile{H: Height, L: level, N: n, W: int(min(Width, size-n*Width))})
		}
	}
	return list
}

// Reader reads tiles for tlog, which verifies them. It keeps what it has read,
// and so is for one tree, and for a short time.
type Reader struct {
	// Parallel is how many files are read at once; 0 for one after the other.
	Parallel int

	ctx  context.Context
	get  func(ctx context.Context, path string) ([]byte, error)
	kept map[tlog.Tile][]byte
}

var _ tlog.TileReader = (*Reader)(nil)

// NewReader returns a reader that gets files by their paths.
func NewReader(ctx context.Context, get func(ctx context.Context, path string) ([]byte, error)) *Reader {
	return &Reader{ctx: ctx, get: get, kept: map[tlog.Tile][]byte{}}
}

// Under returns the same reader for work under another context, with what was read so far.
func (r *Reader) Under(ctx context.Context) *Reader {
	return &Reader{Parallel: r.Parallel, ctx: ctx, get: r.get, kept: r.kept}
}

// Height returns the height of tiles.
func (r *Reader) Height() int { return Height }

// ReadTiles returns the tiles' bytes, not verified.
func (r *Reader) ReadTiles(list []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(list))
	group, ctx := errgroup.WithContext(r.ctx)
	group.SetLimit(max(1, r.Parallel))
	for i, t := range list {
		if kept, is := r.kept[t]; is {
			data[i] = kept
			continue
		}
		group.Go(func() (err error) {
			if err = ctx.Err(); err == nil { // else another one could not be read
				data[i], err = r.get(ctx, Path(t))
			}
			if err != nil {
				return fmt.Errorf("reading %s: %w", Path(t), err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, t := range list {
		r.kept[t] = data[i]
	}
	return data, nil
}

// SaveTiles does nothing: what was read is kept anyhow.
func (r *Reader) SaveTiles([]tlog.Tile, [][]byte) {}
