package rules

import (
	"fmt"
	"strconv"
	"strings"
)

// Param is one of the parts of a selection after its family's name, separated
// by colons. Each text has one spelling and each spelling one meaning.
type Param interface {
	// parse reads text into s; why says what is wrong with it.
	parse(text string, s *Selection) (why string)
	// print appends the parameter that starts at s.params[at]; it returns where
	// the next one starts.
	print(dst []byte, s Selection, at int) ([]byte, int)
	// each yields s extended by every value of the parameter.
	each(s Selection, yield func(Selection) bool) bool
	// form is the parameter as people read it, such as <1-36>.
	form() string
}

// Int is a whole number from Min to Max.
type Int struct{ Min, Max int }

func (p Int) parse(text string, s *Selection) string {
	n, ok := number(text)
	if !ok || n < p.Min || n > p.Max {
		return fmt.Sprintf("%q is no whole number from %d to %d", text, p.Min, p.Max)
	}
	s.push(n)
	return ""
}

func (p Int) print(dst []byte, s Selection, at int) ([]byte, int) {
	return strconv.AppendInt(dst, int64(s.At(at)), 10), at + 1
}

func (p Int) each(s Selection, yield func(Selection) bool) bool {
	for n := p.Min; n <= p.Max; n++ {
		next := s
		next.push(n)
		if !yield(next) {
			return false
		}
	}
	return true
}

func (p Int) form() string {
	if p.Min == p.Max {
		return strconv.Itoa(p.Min)
	}
	return fmt.Sprintf("<%d-%d>", p.Min, p.Max)
}

// Line is a number and a half, from Min.5 to Max.5: nothing can equal it.
type Line struct{ Min, Max int }

func (p Line) parse(text string, s *Selection) string {
	n, ok := number(strings.TrimSuffix(text, ".5"))
	if !ok || !strings.HasSuffix(text, ".5") || n < p.Min || n > p.Max {
		return fmt.Sprintf("%q is no line from %d.5 to %d.5", text, p.Min, p.Max)
	}
	s.push(n)
	return ""
}

func (p Line) print(dst []byte, s Selection, at int) ([]byte, int) {
	return append(strconv.AppendInt(dst, int64(s.At(at)), 10), ".5"...), at + 1
}

func (p Line) each(s Selection, yield func(Selection) bool) bool {
	return Int(p).each(s, yield)
}

func (p Line) form() string {
	if p.Min == p.Max {
		return fmt.Sprintf("%d.5", p.Min)
	}
	return fmt.Sprintf("<%d.5-%d.5>", p.Min, p.Max)
}

// Word is one of a list of words.
type Word []string

func (p Word) parse(text string, s *Selection) string {
	for i, word := range p {
		if text == word {
			s.push(i)
			return ""
		}
	}
	return fmt.Sprintf("%q is none of %s", text, strings.Join(p, ", "))
}

func (p Word) print(dst []byte, s Selection, at int) ([]byte, int) {
	return append(dst, p[s.At(at)]...), at + 1
}

func (p Word) each(s Selection, yield func(Selection) bool) bool {
	return Int{Min: 0, Max: len(p) - 1}.each(s, yield)
}

func (p Word) form() string { return "<" + strings.Join(p, "|") + ">" }

// WordPair is two different words of a list, in either order: a-b and b-a are
// two selections.
type WordPair []string

func (p WordPair) parse(text string, s *Selection) string {
	first, second, ok := strings.Cut(text, "-")
	if !ok {
		return fmt.Sprintf("%q is no pair such as %s-%s", text, p[0], p[1])
	}
	if why := Word(p).parse(first, s); why != "" {
		return why
	}
	if why := Word(p).parse(second, s); why != "" {
		return why
	}
	if first == second {
		return fmt.Sprintf("%q compares %s with itself", text, first)
	}
	return ""
}

func (p WordPair) print(dst []byte, s Selection, at int) ([]byte, int) {
	return append(append(append(dst, p[s.At(at)]...), '-'), p[s.At(at+1)]...), at + 2
}

func (p WordPair) each(s Selection, yield func(Selection) bool) bool {
	return Word(p).each(s, func(first Selection) bool {
		return Word(p).each(first, func(both Selection) bool {
			n := both.Numbers()
			return both.At(n-1) == both.At(n-2) || yield(both)
		})
	})
}

func (p WordPair) form() string {
	words := strings.Join(p, "|")
	return "<" + words + ">-<" + words + ">"
}

// Set is From to To different whole numbers from Min to Max, ascending, with
// dashes between them.
type Set struct{ Min, Max, From, To int }

func (p Set) parse(text string, s *Selection) string {
	count, last := 0, p.Min-1
	for part := range strings.SplitSeq(text, "-") {
		n, ok := number(part)
		switch {
		case !ok || n < p.Min || n > p.Max:
			return fmt.Sprintf("%q is no whole number from %d to %d", part, p.Min, p.Max)
		case count > 0 && n == last:
			return fmt.Sprintf("%d is named twice", n)
		case n < last:
			return fmt.Sprintf("%d after %d: numbers are written ascending", n, last)
		case count == p.To:
			return "it names more than " + plural(p.To, "number")
		}
		s.push(n)
		count, last = count+1, n
	}
	if count < p.From {
		return "it names fewer than " + plural(p.From, "number")
	}
	return ""
}

func (p Set) print(dst []byte, s Selection, at int) ([]byte, int) {
	for i := at; i < s.Numbers(); i++ {
		if i > at {
			dst = append(dst, '-')
		}
		dst = strconv.AppendInt(dst, int64(s.At(i)), 10)
	}
	return dst, s.Numbers()
}

func (p Set) each(s Selection, yield func(Selection) bool) bool {
	for size := p.From; size <= p.To; size++ {
		if !p.extend(s, p.Min, size, yield) {
			return false
		}
	}
	return true
}

func (p Set) extend(s Selection, from, size int, yield func(Selection) bool) bool {
	if size == 0 {
		return yield(s)
	}
	for n := from; n <= p.Max; n++ {
		next := s
		next.push(n)
		if !p.extend(next, n+1, size-1, yield) {
			return false
		}
	}
	return true
}

func (p Set) form() string {
	one := fmt.Sprintf("<%d-%d>", p.Min, p.Max)
	text := strings.TrimSuffix(strings.Repeat(one+"-", p.From), "-")
	if p.To > p.From {
		text += fmt.Sprintf("[-…] up to %d", p.To)
	}
	return text
}

// number reads a whole number without sign, leading zeros or spaces, of at most
// four digits.
func number(text string) (int, bool) {
	if len(text) == 0 || len(text) > 4 || (text[0] == '0' && len(text) > 1) {
		return 0, false
	}
	n := 0
	for i := range len(text) {
		digit := text[i] - '0'
		if digit > 9 {
			return 0, false
		}
		n = n*10 + int(digit)
	}
	return n, true
}

func plural(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
