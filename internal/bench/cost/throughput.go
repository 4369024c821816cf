package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"time"

	"tally/lib/rulebook/games/roulette"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/replay"
	"tally/lib/rulebook/settlement"
)

// throughput is how fast bets are settled in one way.
type throughput struct {
	what string
	bets int
	wall time.Duration
}

func (t throughput) betsPerSecond() float64 { return float64(t.bets) / t.wall.Seconds() }

// measurePure settles so many bets in memory, on one core: what the rules and the
// money take by themselves.
func measurePure(bets int) (throughput, error) {
	state, err := usualState(revisions()[0].message, 1)
	if err != nil {
		return throughput{}, err
	}
	random := newBettor()
	list := make([]settlement.Bet, betsPerLine)
	for i := range list {
		selection, err := roulette.Game.Parse(random.selection())
		if err != nil {
			return throughput{}, err
		}
		list[i] = settlement.Bet{Selection: selection, Stake: money.Amount(50 * (i + 1))}
	}
	start := time.Now()
	for i := range bets {
		if _, err := settlement.Settle(&list[i%len(list)], state); err != nil {
			return throughput{}, err
		}
	}
	return throughput{"settlement.Settle, one core", bets, time.Since(start)}, nil
}

// betsPerLine is how many bets a draw of the measurement in memory has.
const betsPerLine = 1000

// measureLines is `tally settle`: draws are read as lines, settled on all cores and
// written as lines.
func measureLines(bets int) (throughput, error) {
	line, lines := settleLine(), max(1, bets/betsPerLine)
	in := io.LimitReader(&repeated{line: line}, int64(len(line))*int64(lines))
	newAnswerer := func() replay.Answerer { return &replay.Settler{} }
	start := time.Now()
	if err := replay.Stream(io.Discard, in, runtime.GOMAXPROCS(0), newAnswerer, nil); err != nil {
		return throughput{}, err
	}
	what := fmt.Sprintf("tally settle, lines to lines, %d cores", runtime.GOMAXPROCS(0))
	return throughput{what, lines * betsPerLine, time.Since(start)}, nil
}

func settleLine() []byte {
	var line bytes.Buffer
	fmt.Fprintf(&line, `{"game":"roulette","facts":{"spins":[{"revolutions":6,"pocket":%d}]},"bets":[`, pocket)
	random := newBettor()
	for i := range betsPerLine {
		bet := random.bet()
		if i > 0 {
			line.WriteByte(',')
		}
		fmt.Fprintf(&line, `{"bet":%q,"selection":%q,"stake":%q,"currency":%q}`, bet.Reference, bet.Selection, bet.Stake, bet.Currency)
	}
	line.WriteString("]}\n")
	return line.Bytes()
}

// repeated reads as one line again and again.
type repeated struct {
	line []byte
	at   int
}

// Read implements io.Reader.
func (r *repeated) Read(into []byte) (int, error) {
	n := copy(into, r.line[r.at:])
	r.at = (r.at + n) % len(r.line)
	return n, nil
}
