package wire

import (
	"fmt"
	"strings"

	"tally/lib/draw/ids"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// Video is where a recording of a draw is: its address and what its bytes hash to.
type Video struct {
	URL    string
	SHA256 string
	// From and To are the part of it that shows the draw, in milliseconds from its
	// beginning; To is 0 where none is named.
	From, To  int64
	KeptUntil settlement.Instant // 0 where that is not said
}

// MaxURL is the longest address of a video, in bytes.
const MaxURL = ids.MaxURL

// What an address and a hash look like. Addresses become links: nothing but https, without
// a name or a password in it.
const (
	URLPattern    = `^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~!$&'()*+,;=:@%/?#-]*)?$`
	SHA256Pattern = `^[0-9a-f]{64}$`
)

// isHash reports whether a text fits SHA256Pattern.
func isHash(text string) bool { return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == "" }

// EquipmentFields are what a result may name of what it was played with.
var EquipmentFields = []string{"shoe", "cut", "ball_set", "wheel", "dealer"}

// equipment reads what a draw was played with: identifiers, that of the dealer a pseudonym.
func (r *reader) equipment(o strictjson.Object, m *Message) {
	v, present := o.Optional("equipment")
	if !present {
		return
	}
	e, ok := v.Object()
	if !ok {
		return
	}
	for _, name := range EquipmentFields {
		if _, named := e.Optional(name); named {
			m.equipment = append(m.equipment, namedID{path: "equipment." + name, id: r.identifier(e, name)})
		}
	}
	e.Close()
}

// video reads where a recording of the draw is.
func (r *reader) video(o strictjson.Object, m *Message) {
	v, present := o.Optional("video")
	if !present {
		return
	}
	object, ok := v.Object()
	if !ok {
		return
	}
	video := &Video{URL: r.text(object, "url", "an https address without a user, of at most 1000 characters of those that addresses have", ids.ValidURL),
		SHA256: r.text(object, "sha256", "a SHA-256, as 64 digits 0-9 a-f", isHash)}
	video.From, video.To = r.millis(object, "from_ms"), r.millis(object, "to_ms")
	if _, ends := object.Optional("to_ms"); ends && video.To <= video.From {
		r.fault(CodeBadNumber, "", "video.to_ms: it is not after from_ms")
	}
	if kept, said := object.Optional("kept_until"); said {
		video.KeptUntil = r.timeOf(kept)
	}
	object.Close()
	m.Video = video
}

// text reads a required text of a form.
func (r *reader) text(o strictjson.Object, name, form string, fits func(string) bool) string {
	v, present := o.Required(name)
	if !present {
		return ""
	}
	text, isText := v.String()
	if isText && !fits(string(text)) {
		r.fault(CodeBadReference, "", fmt.Sprintf("%s: write %s", v.Path(), form))
	}
	return string(text)
}

// millis reads an optional number of milliseconds.
func (r *reader) millis(o strictjson.Object, name string) int64 {
	v, present := o.Optional(name)
	if !present {
		return 0
	}
	n, isWhole := v.Int()
	if isWhole && (n < 0 || n > MaxSequence) {
		r.fault(CodeBadNumber, "", v.Path()+": it is a number of milliseconds, from 0 to 2^53-1")
		return 0
	}
	return n
}
