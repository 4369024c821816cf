package wire

import (
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
	video := &Video{URL: object.String("url"), SHA256: object.String("sha256")}
	if !ids.ValidURL(video.URL) || len(video.SHA256) != 64 || strings.Trim(video.SHA256, "0123456789abcdef") != "" {
		r.fault(CodeBadReference, "", "video: write an https address without a user, of at most 1000 characters, and a SHA-256 as 64 digits 0-9 a-f")
	}
	if _, part := object.Optional("to_ms"); part {
		if video.From, video.To = object.Uint("from_ms"), object.Uint("to_ms"); video.To <= video.From || video.To > MaxSequence {
			r.fault(CodeBadNumber, "", "video: to_ms is not after from_ms")
		}
	}
	if kept, said := object.Optional("kept_until"); said {
		video.KeptUntil = r.timeOf(kept)
	}
	object.Close()
	m.Video = video
}
