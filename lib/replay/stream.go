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

// Answerer answers one line at a time.
type Answerer interface {
	// Answer appends the answer to text, which has no line feed, to dst and
	// returns the extended slice. It keeps neither.
	Answer(dst, text []byte) []byte
}

// block is a run of whole lines and, once answered, their answers.
type block struct {
	lines   []byte
	tooLong bool // the block stands for one line over MaxLine
	answers []byte
	done    chan struct{}
}

// Stream answers each line of r on w, in order, with so many workers, each with
// an Answerer of its own. Memory does not grow with the input. onLines, if not
// nil, is told how many lines and bytes have been answered. The error says what
// failed: reading or writing.
func Stream(w io.Writer, r io.Reader, workers int, newAnswerer func() Answerer, onLines func(lines, bytes int)) error {
	todo := make(chan *block, workers)
	order := make(chan *block, 2*workers)
	stop := make(chan struct{})
	var readErr error
	go func() {
		defer close(todo)
		defer close(order)
		readErr = split(r, func(b *block) bool {
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
			answerer := newAnswerer()
			for b := range todo {
				b.answer(answerer)
			}
		})
	}
	writeErr := write(w, order, onLines)
	if writeErr != nil {
		close(stop)
		for range order { // let the reader end
		}
	}
	group.Wait()
	return errors.Join(readErr, writeErr)
}

// write writes the answers of the blocks in order.
func write(w io.Writer, order <-chan *block, onLines func(lines, bytes int)) error {
	for b := range order {
		<-b.done
		if _, err := w.Write(b.answers); err != nil {
			return fmt.Errorf("writing answers: %w", err)
		}
		if onLines != nil {
			onLines(bytes.Count(b.answers, []byte{'\n'}), len(b.lines))
		}
	}
	return nil
}

// split reads blocks of whole lines until emit says no more. A read that brings
// less than a block is passed on at once: someone may be typing.
func split(r io.Reader, emit func(*block) bool) error {
	var rest []byte
	skipping := false // inside a line over MaxLine
	buffer := make([]byte, blockSize)
	for {
		n, err := r.Read(buffer)
		chunk := buffer[:n]
		if skipping {
			end := bytes.IndexByte(chunk, '\n')
			if end < 0 {
				chunk = nil
			} else {
				chunk, skipping = chunk[end+1:], false
			}
		}
		if end := bytes.LastIndexByte(chunk, '\n'); end >= 0 {
			lines := append(rest, chunk[:end+1]...)
			rest = append([]byte(nil), chunk[end+1:]...)
			if !emit(newBlock(lines, false)) {
				return nil
			}
		} else {
			rest = append(rest, chunk...)
		}
		if len(rest) > MaxLine {
			rest, skipping = nil, true
			if !emit(newBlock(nil, true)) {
				return nil
			}
		}
		if err == nil {
			continue
		}
		if len(rest) > 0 {
			emit(newBlock(append(rest, '\n'), false))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return fmt.Errorf("reading lines: %w", err)
	}
}

func newBlock(lines []byte, tooLong bool) *block {
	return &block{lines: lines, tooLong: tooLong, done: make(chan struct{})}
}

func (b *block) answer(answerer Answerer) {
	defer close(b.done)
	if b.tooLong {
		b.answers = fmt.Appendf(nil, `{"status":"malformed","errors":[{"code":"bad_json","message":"the line is longer than %d bytes: split its bets over several lines"}]}`+"\n", MaxLine)
		return
	}
	b.answers = make([]byte, 0, len(b.lines)*2)
	for rest := b.lines; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		b.answers = answerer.Answer(b.answers, rest[:end])
		rest = rest[end+1:]
	}
}
