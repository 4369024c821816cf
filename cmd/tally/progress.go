package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress is one line on a terminal that says how far a long run is. It is
// rewritten in place and taken away at the end.
type progress struct {
	terminal io.Writer
	start    time.Time
	quit     chan struct{}
	gone     chan struct{} // closed when nothing more is drawn

	mu    sync.Mutex // of all below, and of the terminal
	lines int
	bytes int
	shown bool
}

// redrawEvery is how often the line is rewritten.
const redrawEvery = 200 * time.Millisecond

// eraseLine returns to the start of the terminal's line and clears it.
const eraseLine = "\r\x1b[K"

// startProgress shows progress on a terminal once patience has passed.
func startProgress(terminal io.Writer, patience time.Duration) *progress {
	p := &progress{terminal: terminal, start: time.Now(), quit: make(chan struct{}), gone: make(chan struct{})}
	go p.run(patience)
	return p
}

func (p *progress) run(patience time.Duration) {
	defer close(p.gone)
	for wait := patience; ; wait = redrawEvery {
		select {
		case <-p.quit:
			return
		case <-time.After(wait):
			p.draw(time.Since(p.start))
		}
	}
}

// add counts what was answered.
func (p *progress) add(lines, bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines += lines
	p.bytes += bytes
}

func (p *progress) draw(elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = true
	fmt.Fprint(p.terminal, eraseLine+describeProgress(p.lines, p.bytes, elapsed))
}

func describeProgress(lines, bytes int, elapsed time.Duration) string {
	seconds := elapsed.Seconds()
	megabytes := float64(bytes) / 1e6
	return fmt.Sprintf("%d lines, %.1f MB answered; %.0f lines/s, %.1f MB/s", lines, megabytes, float64(lines)/seconds, megabytes/seconds)
}

// erase takes the line off the screen. The caller holds the lock.
func (p *progress) erase() {
	if p.shown {
		fmt.Fprint(p.terminal, eraseLine)
		p.shown = false
	}
}

// stop ends the drawing and leaves the terminal as it was.
func (p *progress) stop() {
	close(p.quit)
	<-p.gone
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// around returns a writer to the same terminal that takes the line away before
// it writes, so that the two don't mix.
func (p *progress) around(w io.Writer) io.Writer { return &beside{progress: p, w: w} }

type beside struct {
	progress *progress
	w        io.Writer
}

func (b *beside) Write(text []byte) (int, error) {
	b.progress.mu.Lock()
	defer b.progress.mu.Unlock()
	b.progress.erase()
	return b.w.Write(text)
}
