package verify_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"tally/internal/testkit/archivetest"
	"tally/lib/archive/checkpoint"
	"tally/lib/archive/entry"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
	"tally/lib/rulebook/games"
)

const pokerDraw = "pok-1.20261130.0042"

// padded returns the sample log between entries that fill some bundles: 300 before
// it and 600 after.
func padded(t *testing.T) (*archivetest.Sample, int64) {
	t.Helper()
	s := archivetest.New(t)
	pad := func(group string, n int) int64 {
		var leaves []sequencer.Leaf
		for i := range n {
			o := entry.Opening{Draw: group, Game: "dice", Table: group, Sequence: int64(i + 1), StoredAt: 1_800_000_000_000, Message: strings.Repeat("ab", 32),
				Rounds: []entry.Planned{{Round: 1, OpensAt: 1_800_000_000_000, ClosesAt: 1_800_000_001_000}}}
			o.Draw += "." + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
			leaves = append(leaves, sequencer.Leaf{Group: o.Draw, Key: "opening", Data: o.Append(nil)})
		}
		done, err := s.Log.Append(t.Context(), leaves)
		if err != nil {
			t.Fatal(err)
		}
		return done.Tree.N
	}
	pad("before", 300)
	poker, _ := games.Find("poker")
	s.Play(poker)
	s.ArchiveAll()
	return s, pad("after", 600)
}

func drawn(t *testing.T, source verify.Source, options verify.Params, draw string, named ...int64) *verify.Report {
	t.Helper()
	r, err := verify.Draw(t.Context(), source, options, draw, named)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestOneDraw verifies one draw alone: by reading back to its opening, and by the
// indexes that someone has named, which reads next to nothing.
func TestOneDraw(t *testing.T) {
	s, size := padded(t)
	files, options := filesOf(s), optionsOf(t, s)
	r := drawn(t, files, options, pokerDraw)
	if len(r.Findings) > 0 || len(r.History) != 12 || !r.One.Whole || r.One.Read != size-256 {
		t.Fatalf("%+v %+v, want len(r.Findings) = 0 and len(r.History) = 12 and r.One.Whole and r.One.Read = %v", r, r.One, size-256)
	}
	if r.Counts.States != 4 && r.Counts.States != r.Counts.Resolved || r.History[0].Kind != entry.KindOpening || r.Counts.Openings != 1 {
		t.Errorf("%+v", r.Counts)
	}
	// Rounds 2, 3 and 4 of poker show cards; what they decide is gone through again.
	rounds := map[int]bool{}
	for _, d := range r.One.Decided {
		rounds[d.Round] = true
	}
	if !maps.Equal(rounds, map[int]bool{2: true, 3: true, 4: true}) {
		t.Errorf("%+v, want rounds = map[int]bool{2: true, 3: true, 4: true}", r.One.Decided)
	}
	var named []int64
	for _, found := range r.History {
		named = append(named, found.Index)
	}
	few := drawn(t, files, options, pokerDraw, named...)
	if !slices.Equal(few.History, r.History) || few.One.Whole || few.One.Read > 512 || len(few.Findings) > 0 {
		t.Errorf("%+v %+v, want few.History = %v and not few.One.Whole and few.One.Read of at most 512 and len(few.Findings) = 0",
			few, few.One, r.History)
	}
	// What someone names that makes no sense, without the opening, without a state in
	// between, or of another draw, is not the log's fault: the log is read.
	for _, wrong := range [][]int64{named[1:], append(slices.Clone(named[:2]), named[4:]...), {0}, {size}, {-1}} {
		t.Run(fmt.Sprint(wrong), func(t *testing.T) {
			misled := drawn(t, files, options, pokerDraw, wrong...)
			if len(misled.Findings) > 0 || !misled.One.Whole || misled.One.Misled == "" || !slices.Equal(misled.History, r.History) {
				t.Errorf("%v: %v %+v, want len(misled.Findings) = 0 and misled.One.Whole and misled.One.Misled other than \"\" and misled.History = %v",
					wrong, misled.Findings, misled.One, r.History)
			}
		})
	}
	if r := drawn(t, files, options, "nothing"); len(r.History) > 0 || len(r.Findings) > 0 || r.One.Read != size {
		t.Errorf("%+v, want len(r.History) = 0 and len(r.Findings) = 0 and r.One.Read = %v", r, size)
	}
}

// TestOneDrawRefusals tampers with what a single draw is verified by.
func TestOneDrawRefusals(t *testing.T) {
	s, size := padded(t)
	whole := filesOf(s)
	last := tiles.EntriesPath(size/256, int(size%256))
	for _, test := range []struct {
		name string
		do   func(files memory, options *verify.Params)
		want verify.Code
	}{
		{"a flipped bit in one of its entries", func(files memory, _ *verify.Params) {
			flip(files, tiles.EntriesPath(1, 256), strings.Index(string(files[tiles.EntriesPath(1, 256)]), pokerDraw)-20)
		}, verify.MismatchTile},
		{"a flipped bit in an entry after it", func(files memory, _ *verify.Params) { flip(files, last, 40) }, verify.MismatchTile},
		{"a bundle that is cut off", func(files memory, _ *verify.Params) { files[last] = files[last][:9] }, verify.BadBundle},
		{"a missing bundle", func(files memory, _ *verify.Params) { delete(files, tiles.EntriesPath(2, 256)) }, verify.MissingBundle},
		{"a missing tile", func(files memory, _ *verify.Params) { delete(files, "tile/0/001") }, verify.MissingTile},
		{"a flipped bit in a tile", func(files memory, _ *verify.Params) { flip(files, "tile/0/001", 900) }, verify.MismatchTile},
		{"a tile that is too short", func(files memory, _ *verify.Params) { files["tile/0/001"] = files["tile/0/001"][32:] }, verify.MismatchTile},
		{"another log's checkpoint", func(files memory, _ *verify.Params) { flip(files, checkpoint.Path, 3) }, verify.BadSignature},
		{"an older checkpoint", func(_ memory, options *verify.Params) { options.Seen = tlog.Tree{N: size + 1} }, verify.OlderCheckpoint},
		{"another root of this size", func(_ memory, options *verify.Params) { options.Seen = tlog.Tree{N: size} }, verify.Forked},
		{"another root before", func(_ memory, options *verify.Params) { options.Seen = tlog.Tree{N: 77} }, verify.Forked},
	} {
		t.Run(test.name, func(t *testing.T) {
			files, options := maps.Clone(whole), optionsOf(t, s)
			test.do(files, &options)
			r := drawn(t, files, options, pokerDraw)
			if len(r.Findings) == 0 || r.Findings[0].Code != test.want {
				t.Errorf("found %v, want %s", r.Findings, test.want)
			}
		})
	}
}

// TestThorough has a log whose cards could not lie open when they did.
func TestThorough(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	options := optionsOf(t, s)
	options.Thorough = true
	if r := verified(t, filesOf(s), options); len(r.Findings) > 0 {
		t.Fatalf("found %+v, want nothing", r.Findings)
	}
	list := entriesOf(t, s)
	list = replaceOne(t, list, `"visible":{"player":"KS"}`, `"visible":{"burned":["KS"]}`)
	fresh := rewritten(t, list)
	if r := verified(t, filesOf(fresh), optionsOf(t, s)); len(r.Findings) > 0 {
		t.Errorf("%v, want len(r.Findings) = 0", r.Findings)
	}
	if r := verified(t, filesOf(fresh), options); len(r.Findings) != 1 || r.Findings[0].Code != verify.MismatchResult {
		t.Errorf("found %v", r.Findings)
	}
}

// TestContradicted has facts that are not the cards that lay open: a note where
// nothing was corrected, nothing where it was.
func TestContradicted(t *testing.T) {
	game, _ := games.Find("war")
	s := archivetest.New(t)
	s.Play(game)
	s.ArchiveAll()
	for _, test := range []struct {
		by   string
		want int
	}{{"KS", 0}, {"QS", 1}} {
		t.Run(test.by, func(t *testing.T) {
			var list [][]byte
			for _, data := range entriesOf(t, s) {
				list = append(list, []byte(strings.ReplaceAll(string(data), `"visible":{"player":"KS"}`, `"visible":{"player":"`+test.by+`"}`)))
			}
			r := verified(t, filesOf(rewritten(t, list)), optionsOf(t, s))
			if len(r.Findings) > 0 || r.Counts.Contradicted != test.want || len(r.Contradicted) != test.want || r.Counts.Corrected == 0 {
				t.Errorf("%s: %v %+v, want len(r.Findings) = 0 and r.Counts.Contradicted = %v and len(r.Contradicted) = %v and r.Counts.Corrected other than 0",
					test.by, r.Findings, r.Contradicted, test.want, test.want)
			}
		})
	}
}
