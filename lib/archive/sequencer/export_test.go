package sequencer

// Waiting returns how many callers wait for their turn.
func (b *Batcher) Waiting() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return len(b.waiting)
}
