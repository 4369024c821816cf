package samtemplate

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// reader reads an object's members one by one. Faults, and members that nobody
// read, add up to one error at the end.
type reader struct {
	path   string
	object *object
	read   map[string]bool
	faults *[]error
}

func newReader(path string, from *object) reader {
	return reader{path: path, object: from, read: make(map[string]bool), faults: new([]error)}
}

func (r reader) fault(name, format string, args ...any) {
	where := fmt.Sprintf("line %d: %s", r.object.line, r.path)
	if name != "" {
		where += "." + name
	}
	*r.faults = append(*r.faults, fmt.Errorf("%s %s", where, fmt.Sprintf(format, args...)))
}

// done returns all faults of this reader and those that it gave out.
func (r reader) done() error {
	r.end()
	return errors.Join(*r.faults...)
}

// end faults the members that nobody read.
func (r reader) end() {
	for _, name := range r.object.names {
		if !r.read[name] {
			r.fault(name, "is not known")
		}
	}
}

// take returns a member and notes that it was read.
func (r reader) take(name string) (any, bool) {
	r.read[name] = true
	value, present := r.object.value[name]
	return value, present
}

// text returns a member that is a text, "" when absent.
func (r reader) text(name string) string {
	value, present := r.take(name)
	text, isText := value.(string)
	if present && !isText {
		r.fault(name, "is no text")
	}
	return text
}

// required returns a member that is a text and there.
func (r reader) required(name string) string {
	text := r.text(name)
	if text == "" {
		r.fault(name, "is missing")
	}
	return text
}

func (r reader) number(name string, byDefault int) int {
	text := r.text(name)
	if text == "" {
		return byDefault
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		r.fault(name, "is %q, no whole number", text)
	}
	return number
}

func (r reader) seconds(name string, byDefault time.Duration) time.Duration {
	return time.Duration(r.number(name, int(byDefault/time.Second))) * time.Second
}

func (r reader) flag(name string) bool {
	text := r.text(name)
	if text != "" && text != "true" && text != "false" {
		r.fault(name, "is %q, neither true nor false", text)
	}
	return text == "true"
}

// only faults a member with any other text than the one that is known.
func (r reader) only(name, known string) {
	if text := r.text(name); text != known {
		r.fault(name, "is %q; only %q is known", text, known)
	}
}

// texts returns a member that is a list of texts, or one text for a list of one.
func (r reader) texts(name string) []string {
	value, _ := r.take(name)
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		return []string{value}
	case []any:
		texts := make([]string, 0, len(value))
		for _, item := range value {
			text, isText := item.(string)
			if !isText {
				r.fault(name, "has an item that is no text")
			}
			texts = append(texts, text)
		}
		return texts
	default:
		r.fault(name, "is no list of texts")
		return nil
	}
}

// within reads a member that is an object, if it is there.
func (r reader) within(name string, read func(reader)) {
	value, present := r.take(name)
	if !present {
		return
	}
	r.sub(name, value, read)
}

func (r reader) sub(name string, value any, read func(reader)) {
	from, isObject := value.(*object)
	if !isObject {
		r.fault(name, "is no mapping")
		return
	}
	inner := reader{path: r.path + "." + name, object: from, read: make(map[string]bool), faults: r.faults}
	read(inner)
	inner.end()
}

// items reads the objects of a member that is a list.
func (r reader) items(name string, read func(reader)) {
	value, present := r.take(name)
	list, isList := value.([]any)
	if present && !isList {
		r.fault(name, "is no list")
	}
	for i, item := range list {
		r.sub(fmt.Sprintf("%s[%d]", name, i), item, read)
	}
}

// each reads all members as objects.
func (r reader) each(read func(name string, in reader)) {
	for _, name := range r.object.names {
		r.within(name, func(in reader) { read(name, in) })
	}
}
