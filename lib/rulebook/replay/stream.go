package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// MaxLine is the longest line that is read, in bytes. A longer one is answered
// as malformed and passed over.
const MaxLine = 256 << 20

// blockSize is how much is read at once: large enough that passing a block to
// another goroutine costs nothing beside answering it, small enough that many
// fit in little memory.
const blockSize = 256 << 10

// Responder responds to one line at a time.
type Responder interface {
	// Respond appends the response to text, which has no line feed, to dst and
	// returns the extended slice. It keeps neither.
	Respond(dst, text []byte) []byte
	// TooLong appends the response to a line that is longer than MaxLine and was
	// therefore not read.
	TooLong(dst []byte) []byte
}

var (
	_ Responder = (*Resolver)(nil)
	_ Responder = (*Settler)(nil)
)

// TooLong implements Responder.
func (*Resolver) TooLong(dst []byte) []byte { return tooLong(dst) }

// TooLong implements Responder.
func (*Settler) TooLong(dst []byte) []byte { return tooLong(dst) }

func tooLong(dst []byte) []byte {
	return fmt.Appendf(dst, `{"status":"malformed","errors":[{"code":"bad_json","message":"the line is longer than %d bytes: split its bets over several lines"}]}`+"\n", MaxLine)
}

// block is a run of whole lines and, once responded to, their responses.
type block struct {
	lines     []byte
	tooLong   bool // the block stands for one line over MaxLine
	responses []byte
	done      chan struct{}
}

// Stream responds to each line of r on w, in order, with so many workers, each with
// a Responder of its own. Memory does not grow with the input. onLines, if not
// nil, is told how many more lines and bytes of r have been answered. The error
// says what failed: reading, in which case every line read was answered, or
// writing. When writing fails Stream returns at once, even if a Read of r is
// still waiting for input; that Read is the last one.
func Stream(w io.Writer, r io.Reader, workers int, newResponder func() Responder, onLines func(lines, bytes int)) error {
	todo := make(chan *block, workers)
	order := make(chan *block, 2*workers)
	stop := make(chan struct{})
	var readErr error
	go func() {
		defer close(todo)
		defer close(order)
		readErr = split(r, MaxLine, func(b *block) bool {
			select {
			case order <- b:
			case <-stop:
				return false
			}
			todo <- b
			return true
		})
	}()
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			responder := newResponder()
			for b := range todo {
				b.respond(responder)
			}
		})
	}
	if err := write(w, order, onLines); err != nil {
		close(stop)
		return err
	}
	group.Wait()
	return readErr
}

// write writes the responses of the blocks in order.
func write(w io.Writer, order <-chan *block, onLines func(lines, bytes int)) error {
	for b := range order {
		<-b.done
		if _, err := w.Write(b.responses); err != nil {
			return fmt.Errorf("writing answers: %w", err)
		}
		if onLines != nil {
			onLines(b.count(), len(b.lines))
		}
	}
	return nil
}

// split reads blocks of whole lines until emit says no more. A read that brings
// less than a block is passed on at once: someone may be typing. A last line
// without line feed is a line.
func split(r io.Reader, maxLine int, emit func(*block) bool) error {
	s := splitter{maxLine: maxLine, emit: emit}
	buffer := make([]byte, blockSize)
	for {
		n, err := r.Read(buffer)
		if !s.add(buffer[:n]) {
			return nil
		}
		if err == nil {
			continue
		}
		s.end()
		if errors.Is(err, io.EOF) {
			return nil
		}
		return fmt.Errorf("reading lines: %w", err)
	}
}

// splitter makes blocks of whole lines from whatever a reader brings.
type splitter struct {
	maxLine  int
	emit     func(*block) bool
	rest     []byte // the line begun last, never longer than maxLine
	skipping bool   // inside a line over maxLine, which was emitted as such
}

// add emits the lines that chunk completes; more is false when emit wants none.
func (s *splitter) add(chunk []byte) (more bool) {
	first := bytes.IndexByte(chunk, '\n')
	length := first // of what chunk adds to the line begun last
	if first < 0 {
		length = len(chunk)
	}
	if !s.skipping && len(s.rest)+length > s.maxLine {
		s.rest, s.skipping = nil, true
		if !s.emit(newBlock(nil, true)) {
			return false
		}
	}
	if s.skipping {
		if first < 0 {
			return true
		}
		s.skipping = false
		return s.add(chunk[first+1:])
	}
	if first < 0 {
		s.rest = append(s.rest, chunk...)
		return true
	}
	whole := s.wholeLines(chunk)
	lines := append(s.rest, chunk[:whole]...)
	s.rest = nil
	return s.emit(newBlock(lines, false)) && s.add(chunk[whole:])
}

// wholeLines returns how much of a chunk is lines that may be emitted together:
// up to the last line feed, or before a line over maxLine.
func (s *splitter) wholeLines(chunk []byte) int {
	if len(chunk) <= s.maxLine {
		return bytes.LastIndexByte(chunk, '\n') + 1
	}
	return bytes.IndexByte(chunk, '\n') + 1
}

// end emits the last line when no line feed ended it.
func (s *splitter) end() {
	if len(s.rest) > 0 {
		s.emit(newBlock(append(s.rest, '\n'), false))
	}
}

func newBlock(lines []byte, tooLong bool) *block {
	return &block{lines: lines, tooLong: tooLong, done: make(chan struct{})}
}

// count returns how many lines the block stands for.
func (b *block) count() int {
	if b.tooLong {
		return 1
	}
	return bytes.Count(b.lines, []byte{'\n'})
}

func (b *block) respond(responder Responder) {
	defer close(b.done)
	if b.tooLong {
		b.responses = responder.TooLong(nil)
		return
	}
	b.responses = make([]byte, 0, len(b.lines)*2)
	for rest := b.lines; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		b.responses = responder.Respond(b.responses, rest[:end])
		rest = rest[end+1:]
	}
}
