package verify

import (
	"tally/lib/archive/entry"
	"tally/lib/strictjson"
)

// checked is an entry that was looked at by itself.
type checked struct {
	entry entry.Entry // nil when it can't be read
	err   error       // why, or why the result of a state is not as it says
	held  held        // by a state
	// decided is what the cards that lay open had decided, if it was asked for.
	decided []entry.Decided
}

// checker looks at one entry after the other. What it allocates it uses again.
type checker struct {
	thorough bool
	document strictjson.Document
	scratch  []byte
}

// check reads an entry, and resolves what it says was seen on the table.
func (k *checker) check(data []byte) (c checked) {
	if c.entry, c.err = entry.Parse(data); c.err != nil {
		return c
	}
	switch e := c.entry.(type) {
	case *entry.Opening:
		c.err = e.Resolve()
	case *entry.State:
		c.err = e.Resolve(&k.document)
		c.held, k.scratch = heldBy(e, k.scratch)
	case *entry.Closings:
		if c.err = e.Resolve(&k.document); c.err == nil && k.thorough {
			c.decided, c.err = e.Replay(&k.document)
		}
	}
	return c
}
