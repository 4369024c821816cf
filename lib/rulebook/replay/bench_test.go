package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"testing"

	"tally/internal/vectors"
	"tally/lib/rulebook/replay"
)

// betsPerDraw is how many bets a draw of the benchmark has.
const betsPerDraw = 50

// mixedDraws returns a line for every resolved case of the settle vectors, of
// all ten games, with its bets repeated to betsPerDraw.
func mixedDraws(tb testing.TB) []byte {
	tb.Helper()
	var lines bytes.Buffer
	for _, v := range readVectors(tb, vectors.Settle) {
		var draw map[string]json.RawMessage
		if json.Unmarshal(v.line(), &draw) != nil || draw["facts"] == nil {
			continue
		}
		var bets []map[string]any
		if json.Unmarshal(draw["bets"], &bets) != nil || len(bets) == 0 {
			continue
		}
		draw["bets"] = repeatBets(tb, bets)
		line, err := json.Marshal(draw)
		if err != nil {
			tb.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	return lines.Bytes()
}

func repeatBets(tb testing.TB, bets []map[string]any) json.RawMessage {
	tb.Helper()
	repeated := make([]json.RawMessage, betsPerDraw)
	for i := range repeated {
		bet := bets[i%len(bets)]
		bet["bet"] = fmt.Sprintf("bet-%06d", i)
		text, err := json.Marshal(bet)
		if err != nil {
			tb.Fatal(err)
		}
		repeated[i] = text
	}
	list, err := json.Marshal(repeated)
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

// BenchmarkSettle is `tally settle` from lines to lines: draws of all games are
// read, settled on all cores and written in order.
func BenchmarkSettle(b *testing.B) {
	lines := mixedDraws(b)
	draws := bytes.Count(lines, []byte{'\n'})
	newAnswerer := func() replay.Responder { return &replay.Settler{} }
	b.SetBytes(int64(len(lines)))
	b.ReportAllocs()
	for b.Loop() {
		if err := replay.Stream(io.Discard, bytes.NewReader(lines), runtime.GOMAXPROCS(0), newAnswerer, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*draws*betsPerDraw)/b.Elapsed().Seconds(), "bets/s")
}
