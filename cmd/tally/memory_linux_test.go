package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestSettleMemoryIsFlat feeds a process much more than it may hold, and asks
// the kernel for the most that it ever held. (A child's rusage would not do: it
// begins with what the test itself holds.)
func TestSettleMemoryIsFlat(t *testing.T) {
	const (
		megabytes     = 64
		mostKilobytes = 128 << 10
	)
	draw := drawOfBets(50)
	draws := megabytes << 20 / len(draw)

	settle := exec.Command("tally", "settle")
	in, err := settle.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := settle.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := settle.Start(); err != nil {
		t.Fatal(err)
	}
	feeding := make(chan error, 1)
	go func() { feeding <- feed(in, draw, draws) }()

	answers := bufio.NewReaderSize(out, 1<<20)
	for answered := range draws {
		answer, err := answers.ReadSlice('\n')
		if err != nil || !bytes.HasPrefix(answer, []byte(`{"status":"resolved"`)) {
			t.Fatalf("answer %d: %.200s, %v", answered, answer, err)
		}
	}
	if err := <-feeding; err != nil {
		t.Fatal(err)
	}
	held := mostHeld(t, settle.Process.Pid)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
		t.Errorf("after the last answer: %d bytes, %v", len(rest), err)
	}
	if err := settle.Wait(); err != nil {
		t.Errorf("%v", err)
	}
	if held > mostKilobytes {
		t.Errorf("settling %d MB took %d MB of memory, want at most %d", megabytes, held>>10, mostKilobytes>>10)
	}
	t.Logf("settling %d MB, %d bets, took at most %d MB of memory", megabytes, draws*50, held>>10)
}

// drawOfBets is a line of a draw with so many bets.
func drawOfBets(count int) []byte {
	bets := make([]string, count)
	for i := range bets {
		bets[i] = fmt.Sprintf(`{"bet":"bet-%06d","selection":"combo:pair","odds":"2.%02d","stake":"10.00","currency":"EUR"}`, i, i+10)
	}
	return fmt.Appendf(nil, `{"game":"dice","facts":{"rolls":[{"dice":[1,1,2,3,4]}]},"bets":[%s]}`+"\n", strings.Join(bets, ","))
}

func feed(w io.Writer, line []byte, count int) error {
	for range count {
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// mostHeld is the peak resident set of a running process, in kilobytes.
func mostHeld(t *testing.T, pid int) (kilobytes int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		t.Fatalf("reading the peak: %v", err)
	}
	return kilobytes
}
