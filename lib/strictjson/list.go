package strictjson

import "iter"

// Each parses the elements of a JSON list one at a time, so that a list of a
// million bets needs the memory of one. The list itself was checked before, by
// ParseShallow of the object that holds it; it is reported when text is no
// list. After each element the problems found in it are kept.
func (d *Document) Each(root string, text []byte) iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		d.reset(text, lenient)
		d.root = root
		if d.decoder.PeekKind() != '[' {
			d.Report(WrongType, root, "must be a list")
			return
		}
		if _, err := d.decoder.ReadToken(); err != nil {
			d.Report(BadJSON, root, d.describe(err))
			return
		}
		for index := 0; d.decoder.PeekKind() != ']'; index++ {
			d.nodes, d.index = d.nodes[:0], index
			if err := d.value(-1, 0, 0); err != nil {
				d.Report(BadJSON, root, d.describe(err))
				return
			}
			if !yield(index, Value{d: d, i: 0}) {
				return
			}
		}
	}
}
