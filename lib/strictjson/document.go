// Package strictjson reads JSON whose every field is known: the facts of a game, a
// bet, a message. It is strict where encoding/json is lenient (a repeated name,
// another case, an unknown field, a fraction for a whole number are faults) and
// it collects all faults of a document, each with its path, instead of stopping
// at the first.
//
// A Document is parsed once into a flat list of nodes; Objects read from it by
// name. A reader asks for each field that it knows, then calls Close, which
// reports the fields that nobody asked for. Readers return zero values for what
// is missing or wrong; the caller must not use them when the document has
// problems.
package strictjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// node is one JSON value; its descendants follow it directly, up to end.
type node struct {
	kind      jsontext.Kind
	asked     bool // some reader knows this member
	repeated  bool // the object has an earlier member of this name
	end       int32
	nameStart int32 // of the quoted name, in text; 0,0 for array elements
	nameEnd   int32
	start     int32
	stop      int32
}

// Document is a parsed JSON value and the problems found while reading it.
// It may be reused; everything read from it before is then invalid.
type Document struct {
	text     []byte
	nodes    []node
	root     string // path of the root, empty for a whole line
	index    int    // position of the root in a list, or -1
	problems []Problem

	buffer  bytes.Buffer
	decoder *jsontext.Decoder
}

var (
	strict  = jsontext.AllowDuplicateNames(false)
	lenient = jsontext.AllowDuplicateNames(true)
)

// Problems returns what has been found wrong so far.
func (d *Document) Problems() []Problem { return d.problems }

// Report adds a problem at a path that the caller names.
func (d *Document) Report(code Code, path, detail string) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, Problem{Code: code, Path: path, Detail: detail})
	}
}

// reportAt adds a problem with a node. It finds the node's path only where the
// problem is kept: a long list of faults would take the square of its length.
func (d *Document) reportAt(code Code, at int32, detail string) {
	if len(d.problems) < maxProblems {
		d.Report(code, d.path(at), detail)
	}
}

// begin makes the document one of this text, of which nothing was read.
func (d *Document) begin(text []byte) {
	d.text, d.nodes, d.problems = text, d.nodes[:0], d.problems[:0]
	d.root, d.index = "", -1
}

func (d *Document) reset(text []byte, options jsontext.Options) {
	d.begin(text)
	d.buffer = *bytes.NewBuffer(text)
	if d.decoder == nil {
		d.decoder = jsontext.NewDecoder(&d.buffer, options)
		return
	}
	d.decoder.Reset(&d.buffer, options)
}

// Parse reads text, one whole JSON value whose place is called root in
// problems. It reports bad JSON and repeated names; ok is false when there is
// nothing to read further.
func (d *Document) Parse(root string, text []byte) (v Value, ok bool) {
	return d.parse(root, text, -1)
}

// ParseShallow is Parse for an object whose members are read as raw text:
// their contents are checked, but not kept.
func (d *Document) ParseShallow(root string, text []byte) (v Value, ok bool) {
	return d.parse(root, text, 1)
}

func (d *Document) parse(root string, text []byte, depth int) (Value, bool) {
	d.begin(text)
	d.root = root
	if depth < 0 && d.plain() {
		return Value{d: d, i: 0}, true
	}
	d.reset(text, strict)
	d.root = root
	err := d.whole(depth)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		d.reset(text, lenient)
		d.root = root
		if err = d.whole(-1); err == nil {
			d.reportRepeated()
			if depth >= 0 {
				d.flatten()
			}
		}
	}
	if err != nil {
		d.nodes = d.nodes[:0]
		d.Report(BadJSON, root, d.describe(err))
		return Value{}, false
	}
	return Value{d: d, i: 0}, true
}

// whole reads one value and nothing after it.
func (d *Document) whole(depth int) error {
	if err := d.value(depth, 0, 0); err != nil {
		return err
	}
	if kind := d.decoder.PeekKind(); kind != 0 {
		return errors.New("text after the end of the JSON value")
	}
	return d.trailing()
}

// trailing reports what follows the value, if it is no white space.
func (d *Document) trailing() error {
	if rest := bytes.TrimLeft(d.text[d.decoder.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return errors.New("text after the end of the JSON value")
	}
	return nil
}

// value appends the next value of the decoder and its descendants; at depth 0
// the descendants are checked, not kept. A negative depth has no limit.
func (d *Document) value(depth int, nameStart, nameEnd int32) error {
	kind := d.decoder.PeekKind()
	if depth == 0 || (kind != '{' && kind != '[') {
		raw, err := d.decoder.ReadValue()
		if err != nil {
			return err
		}
		stop := int32(d.decoder.InputOffset())
		d.nodes = append(d.nodes, node{kind: kind, end: int32(len(d.nodes) + 1), nameStart: nameStart, nameEnd: nameEnd,
			start: stop - int32(len(raw)), stop: stop})
		return nil
	}
	if _, err := d.decoder.ReadToken(); err != nil {
		return err
	}
	at := len(d.nodes)
	d.nodes = append(d.nodes, node{kind: kind, nameStart: nameStart, nameEnd: nameEnd, start: int32(d.decoder.InputOffset()) - 1})
	for {
		next := d.decoder.PeekKind()
		if next == '}' || next == ']' {
			break
		}
		var from, to int32
		if kind == '{' {
			raw, err := d.decoder.ReadValue()
			if err != nil {
				return err
			}
			to = int32(d.decoder.InputOffset())
			from = to - int32(len(raw))
		}
		if err := d.value(depth-1, from, to); err != nil {
			return err
		}
	}
	if _, err := d.decoder.ReadToken(); err != nil {
		return err
	}
	d.nodes[at].end = int32(len(d.nodes))
	d.nodes[at].stop = int32(d.decoder.InputOffset())
	return nil
}

// reportRepeated marks and reports every repeated name of the document.
func (d *Document) reportRepeated() {
	for i := range d.nodes {
		if d.nodes[i].kind != '{' {
			continue
		}
		seen := map[string]bool{}
		for child := int32(i + 1); child < d.nodes[i].end; child = d.nodes[child].end {
			name := d.name(child)
			if seen[name] {
				d.nodes[child].repeated = true
				d.reportAt(DuplicateField, child, "")
			}
			seen[name] = true
		}
	}
}

// flatten drops the descendants of the root's members, as ParseShallow does.
func (d *Document) flatten() {
	if d.nodes[0].kind != '{' {
		return
	}
	kept := d.nodes[:1]
	for child := int32(1); child < int32(len(d.nodes)); {
		next := d.nodes[child].end
		member := d.nodes[child]
		member.end = int32(len(kept) + 1)
		kept = append(kept, member)
		child = next
	}
	kept[0].end = int32(len(kept))
	d.nodes = kept
}

func (d *Document) describe(err error) string {
	if bytes.HasPrefix(d.text, byteOrderMark) {
		return "not JSON: it begins with a byte order mark (the bytes EF BB BF), which some editors put there: save it as UTF-8 without one"
	}
	if errors.Is(err, io.EOF) {
		return "not JSON: it is empty"
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return fmt.Sprintf("not JSON at byte %d: %v", syntactic.ByteOffset, syntactic.Err)
	}
	return "not JSON: " + err.Error()
}

// byteOrderMark is U+FEFF in UTF-8. JSON may not begin with it (RFC 8259, 8.1).
var byteOrderMark = []byte("\xef\xbb\xbf")

// name returns the member's name, unquoted.
func (d *Document) name(i int32) string {
	return string(unquote(d.text[d.nodes[i].nameStart:d.nodes[i].nameEnd]))
}

// unquote returns the text of a valid JSON string, without copying where it
// has no escapes.
func unquote(raw []byte) []byte {
	if len(raw) < 2 {
		return nil
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return nil // not reached: the decoder has checked the string
	}
	return text
}

// path returns the place of a node, by walking down to it.
func (d *Document) path(target int32) string {
	path := []byte(d.root)
	if d.index >= 0 {
		path = append(strconv.AppendInt(append(path, '['), int64(d.index), 10), ']')
	}
	for at := int32(0); at != target; {
		isObject := d.nodes[at].kind == '{'
		child, index := at+1, 0
		for d.nodes[child].end <= target {
			child, index = d.nodes[child].end, index+1
		}
		if isObject {
			path = appendName(path, d.name(child))
		} else {
			path = append(strconv.AppendInt(append(path, '['), int64(index), 10), ']')
		}
		at = child
	}
	return string(path)
}

func appendName(path []byte, name string) []byte {
	if len(path) > 0 {
		path = append(path, '.')
	}
	return append(path, name...)
}
