package strictjson

import (
	"bytes"
	"math"
	"strconv"
)

// Value is one JSON value of a document.
type Value struct {
	d *Document
	i int32
}

func (v Value) node() *node { return &v.d.nodes[v.i] }

// Raw returns the value's JSON text.
func (v Value) Raw() []byte { return v.d.text[v.node().start:v.node().stop] }

// Name returns the name of the member whose value this is.
func (v Value) Name() string { return v.d.name(v.i) }

// RawName returns the quoted name of the member whose value this is.
func (v Value) RawName() []byte { return v.d.text[v.node().nameStart:v.node().nameEnd] }

// Path returns where the value stands, such as facts.rolls[0].
func (v Value) Path() string { return v.d.path(v.i) }

// Wrong reports that the value is not what belongs here.
func (v Value) Wrong(want string) { v.d.reportAt(WrongType, v.i, "must be "+want) }

// Object returns the value as an object to read members of.
func (v Value) Object() (o Object, ok bool) {
	if v.node().kind != '{' {
		v.Wrong("an object")
		return Object{}, false
	}
	return Object{v: v}, true
}

// String returns the value as a string. The bytes belong to the document.
func (v Value) String() ([]byte, bool) {
	if v.node().kind != '"' {
		v.Wrong("a string")
		return nil, false
	}
	return unquote(v.Raw()), true
}

// Int returns the value as a whole number; one that is too large for 64 bits
// comes back as the largest or smallest that isn't.
func (v Value) Int() (int64, bool) {
	raw := v.Raw()
	if v.node().kind != '0' || bytes.ContainsAny(raw, ".eE") {
		v.Wrong("a whole number")
		return 0, false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil && n != math.MaxInt64 && n != math.MinInt64 {
		return 0, false // not reached: the decoder has checked the number
	}
	return n, true
}

// Bool returns the value as true or false.
func (v Value) Bool() (flag, ok bool) {
	switch v.node().kind {
	case 't':
		return true, true
	case 'f':
		return false, true
	}
	v.Wrong("true or false")
	return false, false
}

// Null reports whether the value is null.
func (v Value) Null() bool { return v.node().kind == 'n' }

// Elements returns the values of an array.
func (v Value) Elements() (elements []Value, ok bool) {
	if v.node().kind != '[' {
		v.Wrong("a list")
		return nil, false
	}
	for child := v.i + 1; child < v.node().end; child = v.d.nodes[child].end {
		elements = append(elements, Value{d: v.d, i: child})
	}
	return elements, true
}
