package entry

import (
	"tally/lib/draw/ids"
	"tally/lib/rulebook/settlement"
	"tally/lib/strictjson"
)

// Recording is where the studio says that a recording of the draw is. The log does not know
// whether it is there: what its bytes hash to is what it holds for ever.
type Recording struct {
	URL       string
	SHA256    string
	From, To  int64              // milliseconds from its beginning; To 0 where no part is named
	KeptUntil settlement.Instant // 0 where that is not said
}

func (v *Recording) append(out strictjson.Out) strictjson.Out {
	if v == nil {
		return out
	}
	out = out.Name("video").Open().TextMember("url", v.URL).TextMember("sha256", v.SHA256)
	if v.To > 0 {
		out = out.IntMember("from_ms", int(v.From)).IntMember("to_ms", int(v.To))
	}
	if v.KeptUntil != 0 {
		out = timeMember(out, "kept_until", v.KeptUntil)
	}
	return out.Close()
}

func (r *reader) video(o strictjson.Object) *Recording {
	value, present := o.Optional("video")
	if !present {
		return nil
	}
	object, ok := value.Object()
	if !ok {
		return nil
	}
	defer object.Close()
	v := &Recording{URL: object.String("url"), SHA256: object.String("sha256")}
	if !ids.ValidURL(v.URL) || !isHash(v.SHA256) {
		r.wrong("a video at %.200q with the hash %.80q", v.URL, v.SHA256)
	}
	if _, part := object.Optional("to_ms"); part {
		v.From, v.To = int64(r.number(object, "from_ms", 0)), int64(r.number(object, "to_ms", 1))
		if v.To <= v.From {
			r.wrong("a video from %d to %d ms", v.From, v.To)
		}
	}
	if _, ends := object.Optional("kept_until"); ends {
		v.KeptUntil = r.time(object, "kept_until")
	}
	return v
}
