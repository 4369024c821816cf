package pretty

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
)

// LogHandler writes log records for people, one a line:
//
//	12:00:07.250 INFO   message stored  draw=whl-1.0088 type=draw.resulted
//
// It may be used by several goroutines.
type LogHandler struct {
	out    *logOut
	level  slog.Leveler
	colour bool
	prefix string // attributes already given, as they are written
	group  string // before the names of further attributes
}

// logOut is what handlers made from one another share.
type logOut struct {
	mutex sync.Mutex
	w     io.Writer
}

var _ slog.Handler = (*LogHandler)(nil)

// NewLogHandler returns a handler that writes records of a level and above.
func NewLogHandler(w io.Writer, level slog.Leveler, colour bool) *LogHandler {
	return &LogHandler{out: &logOut{w: w}, level: level, colour: colour}
}

// Enabled implements [slog.Handler].
func (h *LogHandler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= h.level.Level()
}

// The graphic renditions of a terminal.
const (
	dim    = "2"
	red    = "31"
	yellow = "33"
	green  = "32"
)

// Handle implements [slog.Handler].
func (h *LogHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	if !r.Time.IsZero() {
		b.WriteString(h.styled(r.Time.Local().Format("15:04:05.000"), dim))
		b.WriteByte(' ')
	}
	b.WriteString(h.styled(fmt.Sprintf("%-5s", r.Level), styleOf(r.Level)))
	b.WriteString("  " + oneLine(r.Message))
	attributes := h.prefix
	r.Attrs(func(a slog.Attr) bool {
		attributes += h.text(h.group, a)
		return true
	})
	if attributes != "" {
		b.WriteString(" " + attributes)
	}
	b.WriteByte('\n')
	h.out.mutex.Lock()
	defer h.out.mutex.Unlock()
	if _, err := io.WriteString(h.out.w, b.String()); err != nil {
		return fmt.Errorf("writing a log record: %w", err)
	}
	return nil
}

func styleOf(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return red
	case level >= slog.LevelWarn:
		return yellow
	case level >= slog.LevelInfo:
		return green
	}
	return dim
}

// WithAttrs implements [slog.Handler].
func (h *LogHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	with := *h
	for _, a := range attributes {
		with.prefix += h.text(h.group, a)
	}
	return &with
}

// WithGroup implements [slog.Handler].
func (h *LogHandler) WithGroup(name string) slog.Handler {
	with := *h
	if name != "" {
		with.group += name + "."
	}
	return &with
}

// text is an attribute as it is written, with a space before it.
func (h *LogHandler) text(group string, a slog.Attr) string {
	value := a.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		if a.Key != "" {
			group += a.Key + "."
		}
		var all strings.Builder
		for _, member := range value.Group() {
			all.WriteString(h.text(group, member))
		}
		return all.String()
	}
	if a.Key == "" || value.Kind() == slog.KindString && value.String() == "" {
		return "" // says nothing to people
	}
	text := value.String()
	switch value.Kind() {
	case slog.KindTime:
		text = value.Time().Format(time.RFC3339Nano)
	case slog.KindString, slog.KindAny:
		text = quoted(text)
	}
	return " " + h.styled(group+a.Key+"=", dim) + text
}

func (h *LogHandler) styled(text, style string) string {
	if !h.colour {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// quoted quotes a text that would not stand as one word, or that could do
// something to a terminal.
func quoted(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r == ' ' || r == '=' || r == '"' || !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

func oneLine(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
