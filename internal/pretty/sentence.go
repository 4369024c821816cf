package pretty

import (
	"strings"

	"tally/lib/rulebook/rules"
)

// Sentence is words with spaces between them, in as many lines as they need.
type Sentence []Cell

// Sentence returns a text in words.
func (p Pen) Sentence(text string) (s Sentence) {
	for word := range strings.FieldsSeq(text) {
		s = append(s, p.Cell(word, Plain))
	}
	return s
}

// Lines returns the sentence in lines of at most so many columns, but for words
// that are longer.
func (s Sentence) Lines(columns int) (lines []string) {
	var line Cell
	for _, word := range s {
		if line.width > 0 && line.width+1+word.width > columns {
			lines, line = append(lines, line.text), Cell{}
		}
		line = Join(" ", line, word)
	}
	return append(lines, line.text)
}

// ended returns the sentence with a mark behind its last word.
func (s Sentence) ended(mark string) Sentence {
	if n := len(s); n > 0 {
		s[n-1] = Join("", s[n-1], Cell{text: mark, width: len(mark)})
	}
	return s
}

// Describe returns facts or an outcome of a game as a sentence: "player K♠ 3♦ ·
// banker 9♥ 7♣". Within lists the lists have no names, a hand is its cards; what
// is false is left out.
func (p Pen) Describe(game *rules.Game, object []byte) (s Sentence) {
	d := draft{pen: p, withCards: game.Decks > 0}
	root, _ := parse(object)
	for _, m := range root.members {
		part := d.named(m, 0)
		if len(s) > 0 && len(part) > 0 {
			s = append(s, p.Cell("·", Dim))
		}
		s = append(s, part...)
	}
	return s
}

// named is a member within so many lists.
func (d draft) named(m member, lists int) Sentence {
	s := d.said(m.value, lists)
	switch name := words(m.name); {
	case m.kind == 'f':
		return nil
	case m.kind == 't':
		return d.pen.Sentence(name)
	case m.kind == '[' && (lists > 0 || len(s) > 0 && s[0].text == singular(m.name)):
		return s
	default:
		return append(d.pen.Sentence(name), s...)
	}
}

// said is a value within so many lists.
func (d draft) said(v value, lists int) (s Sentence) {
	switch v.kind {
	case '{':
		for _, m := range v.members {
			s = append(s, d.named(m, lists)...)
		}
	case '[':
		for i, element := range v.elements {
			if i > 0 && v.isNested() {
				s = d.separated(s, lists)
			}
			s = append(s, d.said(element, lists+1)...)
		}
	default:
		return Sentence{d.inline(v)}
	}
	return s
}

// separated ends an element of a list within so many others.
func (d draft) separated(s Sentence, lists int) Sentence {
	if lists == 0 {
		return s.ended(",")
	}
	return append(s, d.pen.Cell("/", Dim))
}
