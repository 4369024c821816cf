package lucky

import (
	"math"

	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// facts are the balls in the order that counts and, where they were noted, the
// colours seen.
type facts struct {
	balls      []int64
	numerals   []string // the balls as they are written
	colours    []string
	hasColours bool
}

func read(o strictjson.Object) facts {
	colours := o.OptionalTexts("colours")
	return facts{balls: o.Wholes("balls"), numerals: o.Numerals("balls"), colours: colours, hasColours: colours != nil}
}

// outcome is a resolved draw.
type outcome struct {
	set     *ballSet
	drawn   uint64 // bit n: ball n
	sum     int
	odd     int
	colours [4]int // in the order of the ball set
	first   int
	last    int
}

func (o *outcome) drew(ball int) bool { return o.drawn>>ball&1 == 1 }

func (o *outcome) even() int { return o.set.drawn - o.odd }

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	out := strictjson.Out(dst).Open().
		IntMember("sum", o.sum).
		IntMember("odd", o.odd).
		IntMember("even", o.even()).
		Name("colours").Open()
	for i, colour := range o.set.colours {
		out = out.IntMember(colour, o.colours[i])
	}
	return out.Close().
		IntMember("first", o.first).
		IntMember("last", o.last).
		Close()
}

func (set *ballSet) resolve(f facts) rules.Resolution[*outcome] {
	if faults := set.impossible(f); len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	if len(f.balls) < set.drawn || (len(f.balls) > set.drawn && !set.moreAllowed) {
		return rules.Resolution[*outcome]{Void: rules.Void{Reason: "wrong_ball_count", Rule: set.prefix + "-2.2"}}
	}
	counting := f.balls[:set.drawn]
	o := &outcome{set: set, first: int(counting[0]), last: int(counting[set.drawn-1])}
	for _, n := range counting {
		ball := int(n)
		o.drawn |= 1 << ball
		o.sum += ball
		o.odd += ball % 2
		o.colours[set.colourOf(ball)]++
	}
	return rules.Resolution[*outcome]{Outcome: o}
}

// impossible returns what is wrong with the balls named, those that don't count
// too.
func (set *ballSet) impossible(f facts) (faults rules.Faults) {
	fault := func(code, format string, args ...any) { faults.Add(code, set.prefix+"-1.2", format, args...) }
	seen, beyond := make(map[int64]int, len(f.balls)), map[string]int{}
	for i, ball := range f.balls {
		if ball < 1 || ball > int64(set.balls) {
			fault("unknown_ball", "ball %d is %s; the balls are numbered 1 to %d", i+1, rules.Number(ball), set.balls)
		}
		times := 0
		if ball == math.MaxInt64 || ball == math.MinInt64 { // cut to 64 bits: what is written tells them apart
			beyond[f.numerals[i]]++
			times = beyond[f.numerals[i]]
		} else {
			seen[ball]++
			times = seen[ball]
		}
		if times == 2 {
			fault("duplicate_ball", "ball %s appears more than once", rules.Number(ball))
		}
	}
	if !f.hasColours {
		return faults
	}
	if len(f.colours) != len(f.balls) {
		fault("colour_mismatch", "balls: %d, colours: %d; there is one for each", len(f.balls), len(f.colours))
	}
	for i := range min(len(f.colours), len(f.balls)) {
		ball := f.balls[i]
		if ball < 1 || ball > int64(set.balls) {
			continue
		}
		if want := set.colours[set.colourOf(int(ball))]; f.colours[i] != want {
			fault("colour_mismatch", "ball %d is %s, not %q", ball, want, f.colours[i])
		}
	}
	return faults
}
