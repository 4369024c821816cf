package strictjson

import "bytes"

// Most documents are written by programs: no spaces, no escapes, no fractions. Such a
// text is taken apart here, several times as fast as by the decoder. Whatever is not of
// that form, right or wrong, is left to the decoder, which alone says what is wrong.

const (
	plainDepth   = 32 // nesting
	plainMembers = 32 // of an object, whose names are compared each with each
)

// plain appends the nodes of a text that is of the plain form. It reports false where
// the text is not, or may not be; the nodes then mean nothing.
func (d *Document) plain() bool {
	stop := d.plainValue(0, 0, 0, plainDepth)
	return stop > 0 && stop == len(d.text)
}

// plainValue appends the value at a place and its descendants, and returns where it
// ends; 0 where it is not plain.
func (d *Document) plainValue(at int, nameStart, nameEnd int32, depth int) (stop int) {
	if at >= len(d.text) {
		return 0
	}
	n := node{kind: '0', end: int32(len(d.nodes) + 1), nameStart: nameStart, nameEnd: nameEnd, start: int32(at)}
	switch c := d.text[at]; c {
	case '"':
		n.kind, stop = '"', d.plainString(at)
	case '{', '[':
		return d.plainParent(n, depth)
	case 't':
		n.kind, stop = 't', d.plainWord(at, "true")
	case 'f':
		n.kind, stop = 'f', d.plainWord(at, "false")
	case 'n':
		n.kind, stop = 'n', d.plainWord(at, "null")
	default:
		stop = d.plainNumber(at)
	}
	n.stop = int32(stop)
	d.nodes = append(d.nodes, n)
	return stop
}

// plainParent appends an object or a list and what is in it.
func (d *Document) plainParent(n node, depth int) (stop int) {
	if depth == 0 {
		return 0
	}
	parent, at := len(d.nodes), int(n.start)
	n.kind = '['
	last := byte(']')
	if d.text[at] == '{' {
		n.kind, last = '{', '}'
	}
	d.nodes = append(d.nodes, n)
	for members := 0; ; members++ {
		if at++; at >= len(d.text) {
			return 0
		}
		if members == 0 && d.text[at] == last {
			break
		}
		var from, to int32
		if last == '}' {
			colon := d.plainString(at)
			if colon == 0 || colon >= len(d.text) || d.text[colon] != ':' || members == plainMembers {
				return 0
			}
			from, to, at = int32(at), int32(colon), colon+1
			if d.named(parent, d.text[from:to]) {
				return 0
			}
		}
		at = d.plainValue(at, from, to, depth-1)
		if at == 0 || at >= len(d.text) {
			return 0
		}
		if d.text[at] == last {
			break
		}
		if d.text[at] != ',' {
			return 0
		}
	}
	d.nodes[parent].end, d.nodes[parent].stop = int32(len(d.nodes)), int32(at+1)
	return at + 1
}

// named reports whether an object has a member of that name so far.
func (d *Document) named(parent int, name []byte) bool {
	for child := parent + 1; child < len(d.nodes); child = int(d.nodes[child].end) {
		if bytes.Equal(d.text[d.nodes[child].nameStart:d.nodes[child].nameEnd], name) {
			return true
		}
	}
	return false
}

// plainString returns where a string ends that has printable ASCII and no escapes.
func (d *Document) plainString(at int) (stop int) {
	if d.text[at] != '"' {
		return 0
	}
	for i, c := range d.text[at+1:] {
		switch {
		case c == '"':
			return at + i + 2
		case c < ' ' || c > '~' || c == '\\':
			return 0
		}
	}
	return 0
}

func (d *Document) plainWord(at int, word string) (stop int) {
	if !bytes.HasPrefix(d.text[at:], []byte(word)) {
		return 0
	}
	return at + len(word)
}

// plainNumber returns where a whole number ends. What follows it, such as a fraction, is
// for who reads on to refuse.
func (d *Document) plainNumber(at int) (stop int) {
	first := at
	if d.text[at] == '-' {
		first++
	}
	stop = first
	for stop < len(d.text) && d.text[stop] >= '0' && d.text[stop] <= '9' {
		stop++
	}
	if stop == first || stop > first+1 && d.text[first] == '0' {
		return 0
	}
	return stop
}
