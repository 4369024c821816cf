package pretty

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// logged is what a handler writes, without the times.
func logged(colour bool, write func(*slog.Logger)) string {
	var out strings.Builder
	write(slog.New(NewLogHandler(&out, slog.LevelInfo, colour)))
	var lines []string
	for line := range strings.Lines(out.String()) {
		_, rest, _ := strings.Cut(line, " ")
		lines = append(lines, rest)
	}
	return strings.Join(lines, "")
}

func TestLogForPeople(t *testing.T) {
	got := logged(false, func(log *slog.Logger) {
		log.Info("message stored", "draw", "whl-1.0088", "state", 2, "empty", "", "after", 1500*time.Millisecond)
		log.Debug("not shown")
		log.Warn("two\nlines", "error", errors.New("it = broken"))
		log.With("queue", "sweeps").WithGroup("g").With("a", 1).Error("failed", "b", "x\x1b[31m", slog.Group("h", "c", true))
	})
	want := `INFO   message stored  draw=whl-1.0088 state=2 after=1.5s
WARN   "two\nlines"  error="it = broken"
ERROR  failed  queue=sweeps g.a=1 g.b="x\x1b[31m" g.h.c=true
`
	if got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

func TestLogInColour(t *testing.T) {
	got := logged(true, func(log *slog.Logger) { log.Error("failed", "draw", "d1") })
	if want := "\x1b[31mERROR\x1b[0m  failed  \x1b[2mdraw=\x1b[0md1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
