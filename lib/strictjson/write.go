package strictjson

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Out is JSON being written: members and elements in exactly the order of the
// calls, without spaces, so that the same calls give the same bytes. Commas
// come by themselves.
type Out []byte

// comma separates the next member or element from the one before it.
func (b Out) comma() Out {
	if n := len(b); n == 0 || b[n-1] == '{' || b[n-1] == '[' || b[n-1] == ':' || b[n-1] == '\n' {
		return b
	}
	return append(b, ',')
}

// Open starts an object as the next element.
func (b Out) Open() Out { return append(b.comma(), '{') }

// Close ends an object.
func (b Out) Close() Out { return append(b, '}') }

// OpenList starts a list as the next element.
func (b Out) OpenList() Out { return append(b.comma(), '[') }

// CloseList ends a list.
func (b Out) CloseList() Out { return append(b, ']') }

// Name starts a member; its value follows. Names are plain: they need no
// escapes.
func (b Out) Name(name string) Out {
	b = append(append(b.comma(), '"'), name...)
	return append(b, '"', ':')
}

// Plain adds a string that needs no escapes: a code, a card, an amount.
func (b Out) Plain(text string) Out {
	b = append(append(b.comma(), '"'), text...)
	return append(b, '"')
}

// Quoted adds any string; bytes that are no UTF-8 are replaced.
func (b Out) Quoted(text string) Out {
	b = b.comma()
	quoted, err := jsontext.AppendQuote(b, text)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(b, string([]rune(text)))
	}
	return quoted
}

// Raw adds a value that is JSON already.
func (b Out) Raw(value []byte) Out { return append(b.comma(), value...) }

// Int adds a whole number.
func (b Out) Int(n int) Out { return strconv.AppendInt(b.comma(), int64(n), 10) }

// Bool adds true or false.
func (b Out) Bool(flag bool) Out { return strconv.AppendBool(b.comma(), flag) }

// TextMember adds a member whose value is a string without escapes.
func (b Out) TextMember(name, value string) Out { return b.Name(name).Plain(value) }

// IntMember adds a member whose value is a whole number.
func (b Out) IntMember(name string, n int) Out { return b.Name(name).Int(n) }

// BoolMember adds a member whose value is true or false.
func (b Out) BoolMember(name string, flag bool) Out { return b.Name(name).Bool(flag) }
