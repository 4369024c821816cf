package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tally/lib/draw"
	"tally/lib/lambda/runtime"
	settler "tally/lib/lambda/settle"
	"tally/lib/pipeline/settle"
	"tally/lib/store"
)

// growth is what it takes a process of its own to settle a draw whose bets are
// made up as it reads them.
type growth struct {
	Bets    int
	Settled int
	Wall    time.Duration
	CPU     time.Duration // of the whole process, with making up the bets
	Peak    int64         // bytes of memory held at most
}

// settleFabricated settles one draw of so many bets in this process, by the very
// function that a Lambda runs.
func settleFabricated(ctx context.Context, bets int) (growth, error) {
	f := &fabricated{betsPerBookmaker: bets / bookmakers}
	p := newPipeline(dynamodb.NewFromConfig(f.config()), tallyTable)
	first := revisions()[0]
	if err := errors.Join(p.open(ctx), f.register(), p.take(ctx, first.at, first.message)); err != nil {
		return growth{}, err
	}
	p.clock.pass(first.at + draw.SettleGrace)
	settler, err := settler.New(
		settler.Config{Common: runtime.Common{Table: tallyTable, Namespace: "tally"},
			SweepsURL: queueURL("sweeps"), ArchiveURL: queueURL("archive-entries")},
		runtime.Runtime{AWS: f.config(), Log: p.intake.Log, Metrics: io.Discard,
			Now: func() time.Time { return time.UnixMilli(int64(p.clock.now())) }, TrustClock: true})
	if err != nil {
		return growth{}, err
	}
	start := time.Now()
	answer, err := settler(ctx, queueEvent("sweeps", sweepMessage(drawID)))
	switch {
	case err != nil:
		return growth{}, err
	case len(answer.BatchItemFailures) > 0:
		return growth{}, errors.New("the sweep failed")
	}
	g := growth{Bets: bets, Settled: f.settled(), Wall: time.Since(start)}
	if g.Settled != bets {
		return growth{}, fmt.Errorf("of %d bets %d were settled", bets, g.Settled)
	}
	return g, nil
}

// settled returns how many bets all partitions came to.
func (f *fabricated) settled() (bets int) {
	for sk, item := range f.items[store.DrawKey(drawID)] {
		if !strings.HasPrefix(sk, store.DonePrefix(1)) {
			continue
		}
		var stored struct{ B struct{ S string } }
		var done settle.Done
		if json.Unmarshal(item, &stored) == nil && json.Unmarshal([]byte(stored.B.S), &done) == nil {
			bets += done.Bets
		}
	}
	return bets
}

// childCommand is the first argument of the process that settles.
const childCommand = "settle-fabricated"

// child settles and writes what it took.
func child(ctx context.Context, arguments []string, out io.Writer) error {
	if len(arguments) != 2 {
		return fmt.Errorf("%s takes a number of bets", childCommand)
	}
	bets, err := strconv.Atoi(arguments[1])
	if err != nil {
		return fmt.Errorf("bets: %w", err)
	}
	g, err := settleFabricated(ctx, bets)
	if err != nil {
		return err
	}
	if g.Peak, err = peakMemory(); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(g)
}

// measureGrowth settles so many bets in a process of its own.
func measureGrowth(ctx context.Context, bets int) (g growth, err error) {
	self, err := os.Executable()
	if err != nil {
		return growth{}, fmt.Errorf("finding this program: %w", err)
	}
	command := exec.CommandContext(ctx, self, childCommand, strconv.Itoa(bets))
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return growth{}, fmt.Errorf("settling %d bets in a process of its own: %w", bets, err)
	}
	if err := json.Unmarshal(out, &g); err != nil {
		return growth{}, fmt.Errorf("reading what %d bets took: %w", bets, err)
	}
	g.CPU = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	return g, nil
}

// peakMemory returns the most memory that this process has held, as the kernel
// of Linux tells it. (What a parent is told of its child, Maxrss, begins with
// what the parent itself held.)
func peakMemory() (int64, error) {
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("memory is measured on Linux only: %w", err)
	}
	defer status.Close()
	lines := bufio.NewScanner(status)
	for lines.Scan() {
		if rest, found := strings.CutPrefix(lines.Text(), "VmHWM:"); found {
			kilobytes, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, errors.Join(errors.New("the kernel does not tell the peak of memory (VmHWM)"), lines.Err())
}
