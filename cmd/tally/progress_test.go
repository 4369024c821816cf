package main

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a terminal that several writers share.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// runSlowly resolves a draw, waits until the screen shows what is waited for,
// resolves another and ends.
func runSlowly(t *testing.T, app *app, screen *screen, waitFor string) (code int) {
	t.Helper()
	in, typing := io.Pipe()
	app.in, app.err = in, screen
	app.getenv = func(string) string { return "" }
	ended := make(chan int)
	go func() { ended <- run([]string{"resolve"}, app) }()
	draw := []byte(`{"game":"war","facts":{"player":"KS","dealer":"AD"}}` + "\n")
	for range 2 {
		if _, err := typing.Write(draw); err != nil {
			t.Fatal(err)
		}
		for give := time.Now().Add(5 * time.Minute); !strings.Contains(screen.String(), waitFor); time.Sleep(time.Millisecond) {
			if time.Now().After(give) {
				t.Fatalf("never shown: %q; shown: %q", waitFor, screen.String())
			}
		}
	}
	typing.Close()
	return <-ended
}

func TestProgressIsShownAndTakenAway(t *testing.T) {
	var errors screen
	var out bytes.Buffer
	code := runSlowly(t, &app{out: &out, errTerminal: true, patience: time.Millisecond}, &errors, "1 lines, 0.0 MB answered; ")
	if code != exitDone || strings.Count(out.String(), "\n") != 2 || strings.Contains(out.String(), "\x1b") {
		t.Errorf("exit code %d, output %q", code, out.String())
	}
	shown := errors.String()
	if !strings.HasSuffix(shown, eraseLine) || strings.Contains(shown, "\n") {
		t.Errorf("the line is not taken away: %q", shown)
	}
	for i, drawn := range strings.Split(shown, eraseLine) {
		if i > 0 && drawn != "" && !strings.Contains(drawn, "lines/s") {
			t.Errorf("drawn: %q", drawn)
		}
	}
}

// TestProgressMakesRoom has answers and progress on one terminal: the progress
// is gone whenever an answer is written.
func TestProgressMakesRoom(t *testing.T) {
	var terminal screen
	runSlowly(t, &app{out: &terminal, outTerminal: true, errTerminal: true, patience: time.Millisecond}, &terminal, "1 lines, 0.0 MB answered; ")
	for line := range strings.Lines(terminal.String()) {
		if last := line[strings.LastIndex(line, "\r")+1:]; !strings.HasPrefix(strings.TrimPrefix(last, "\x1b[K"), `{"status"`) && last != "\x1b[K" {
			t.Errorf("an answer stands behind something else: %q", line)
		}
	}
}

func TestNoProgress(t *testing.T) {
	for name, app := range map[string]*app{
		"standard error is no terminal": {patience: 0},
		"quick":                         {errTerminal: true, patience: time.Hour},
		"someone is typing":             {errTerminal: true, inTerminal: true, patience: 0},
	} {
		t.Run(name, func(t *testing.T) {
			var errors screen
			app.out = io.Discard
			if code := runSlowly(t, app, &errors, ""); code != exitDone {
				t.Errorf("exit code %d", code)
			}
			if strings.Contains(errors.String(), "\r") {
				t.Errorf("shown: %q", errors.String())
			}
		})
	}
}

func TestDescribeProgress(t *testing.T) {
	got := describeProgress(1_200_000, 345_600_000, 4*time.Second)
	if want := "1200000 lines, 345.6 MB answered; 300000 lines/s, 86.4 MB/s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
