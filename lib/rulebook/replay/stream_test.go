package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// echo responds to a line with itself.
type echo struct{}

func (echo) Respond(dst, text []byte) []byte { return append(append(dst, text...), '\n') }
func (echo) TooLong(dst []byte) []byte       { return append(dst, "too long\n"...) }

func newEcho() Responder { return echo{} }

func TestStreamKeepsOrder(t *testing.T) {
	var lines bytes.Buffer
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 20_000 {
		fmt.Fprintf(&lines, "%d %s\n", n, strings.Repeat("x", random.IntN(200)))
	}
	for _, workers := range []int{1, 2, 7} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			var answers bytes.Buffer
			lineCount, byteCount := 0, 0
			err := Stream(&answers, bytes.NewReader(lines.Bytes()), workers, newEcho, func(lines, bytes int) {
				lineCount, byteCount = lineCount+lines, byteCount+bytes
			})
			if err != nil || !bytes.Equal(answers.Bytes(), lines.Bytes()) {
				t.Errorf("%d workers: answers differ from the lines, error %v", workers, err)
			}
			if lineCount != 20_000 || byteCount != lines.Len() {
				t.Errorf("%d workers: told of %d lines and %d bytes, want 20000 and %d", workers, lineCount, byteCount, lines.Len())
			}
		})
	}
}

// TestSplitLimits shows that what is too long does not depend on how the input
// arrives.
func TestSplitLimits(t *testing.T) {
	const maxLine = 8
	for _, test := range []struct{ input, want string }{
		{"", ""},
		{"\n", "|"},
		{"a\n\nb", "a||b|"},
		{"12345678\n", "12345678|"},
		{"12345678", "12345678|"},
		{"123456789\n", "too long|"},
		{"123456789", "too long|"},
		{"a\n123456789\nb\n", "a|too long|b|"},
		{"123456789\n123456789012345678901234567890\n\nb", "too long|too long||b|"},
		{"12345678\n123456789\n12345678", "12345678|too long|12345678|"},
	} {
		t.Run(test.input, func(t *testing.T) {
			for name, reader := range map[string]func(io.Reader) io.Reader{
				"whole": func(r io.Reader) io.Reader { return r }, "half": iotest.HalfReader,
				"byte": iotest.OneByteReader, "with EOF": iotest.DataErrReader,
			} {
				t.Run(name, func(t *testing.T) {
					var got []byte
					err := split(reader(strings.NewReader(test.input)), maxLine, func(b *block) bool {
						b.respond(echo{})
						got = append(got, b.responses...)
						return true
					})
					if want := strings.ReplaceAll(test.want, "|", "\n"); err != nil || string(got) != want {
						t.Errorf("%s, %q: got %q, %v, want %q", name, test.input, got, err, want)
					}
				})
			}
		})
	}
}

func TestStreamAnswersWhatWasReadBeforeAnError(t *testing.T) {
	broken := errors.New("broken pipe organ")
	var answers bytes.Buffer
	err := Stream(&answers, io.MultiReader(strings.NewReader("a\nb\nc"), iotest.ErrReader(broken)), 2, newEcho, nil)
	if !errors.Is(err, broken) || answers.String() != "a\nb\nc\n" {
		t.Errorf("got %q, %v, want the three lines and the reader's error", answers.String(), err)
	}
}

// failingWriter fails once it has written so many bytes.
type failingWriter struct{ left int }

var errFull = errors.New("no space left")

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestStreamStopsWhenWritingFails(t *testing.T) {
	endless := readerFunc(func(p []byte) (int, error) {
		return copy(p, slices.Repeat([]byte("line\n"), len(p)/5)), nil
	})
	if err := Stream(&failingWriter{1 << 20}, endless, 2, newEcho, nil); !errors.Is(err, errFull) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

// TestStreamDoesNotWaitForInputWhenWritingFails: `tail -f draws | tally settle |
// head -1` has to end although nothing more comes in.
func TestStreamDoesNotWaitForInputWhenWritingFails(t *testing.T) {
	in, feed := io.Pipe()
	defer feed.Close()
	ended := make(chan error, 1)
	go func() { ended <- Stream(&failingWriter{}, in, 2, newEcho, nil) }()
	if _, err := feed.Write([]byte("a\n")); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, errFull) {
			t.Errorf("got %v, want the writer's error", err)
		}
	case <-time.After(5 * time.Minute):
		t.Error("Stream waits for input that never comes")
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
