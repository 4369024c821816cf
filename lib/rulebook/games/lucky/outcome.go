package lucky

import (
	"encoding/json"
	"math"
	"strconv"

	"tally/lib/rulebook/rules"
	"tally/lib/strictjson"
)

// facts are the balls in the order that counts and, where they were noted, the
// colours seen.
type facts struct {
	Balls      []int64  `json:"balls"`
	numerals   []string // the balls as they are written
	colours    []string
	hasColours bool
}

func read(o strictjson.Object) facts {
	colours := o.OptionalTexts("colours")
	return facts{Balls: o.Ints("balls"), numerals: o.Numerals("balls"), colours: colours, hasColours: colours != nil}
}

// outcome is a resolved draw.
type outcome struct {
	drawn   uint64  // bit n: ball n
	Sum     int     `json:"sum"`
	Odd     int     `json:"odd"`
	Even    int     `json:"even"`
	Colours colours `json:"colours"`
	First   int     `json:"first"`
	Last    int     `json:"last"`
}

// colours are how many balls have each colour of a ball set, in its order.
type colours struct {
	names  []string
	counts [4]int
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *colours) UnmarshalJSON(data []byte) error {
	var counts map[string]int
	if err := json.Unmarshal(data, &counts); err != nil {
		return err
	}
	for i, name := range c.names {
		c.counts[i] = counts[name]
	}
	return nil
}

func (set *ballSet) newOutcome() *outcome { return &outcome{Colours: colours{names: set.colours}} }

func (o *outcome) drew(ball int) bool { return o.drawn>>ball&1 == 1 }

// AppendJSON implements rules.Outcome.
func (o *outcome) AppendJSON(dst []byte) []byte {
	out := strictjson.Out(dst).Open().
		IntMember("sum", o.Sum).
		IntMember("odd", o.Odd).
		IntMember("even", o.Even).
		Name("colours").Open()
	for i, colour := range o.Colours.names {
		out = out.IntMember(colour, o.Colours.counts[i])
	}
	return out.Close().
		IntMember("first", o.First).
		IntMember("last", o.Last).
		Close()
}

func (set *ballSet) resolve(f facts) rules.Resolution[*outcome] {
	if faults := set.impossible(f); len(faults) > 0 {
		return rules.Resolution[*outcome]{Faults: faults}
	}
	if len(f.Balls) < set.drawn || (len(f.Balls) > set.drawn && !set.moreAllowed) {
		return rules.Resolution[*outcome]{Void: rules.Void{Reason: "wrong_ball_count", Rule: set.prefix + "-2.2",
			Seen: strconv.Itoa(len(f.Balls)) + " of " + strconv.Itoa(set.drawn) + " balls"}}
	}
	counting := f.Balls[:set.drawn]
	o := set.newOutcome()
	o.First, o.Last = int(counting[0]), int(counting[set.drawn-1])
	for _, n := range counting {
		ball := int(n)
		o.drawn |= 1 << ball
		o.Sum += ball
		o.Odd += ball % 2
		o.Colours.counts[set.colourOf(ball)]++
	}
	o.Even = set.drawn - o.Odd
	return rules.Resolution[*outcome]{Outcome: o}
}

// impossible returns what is wrong with the balls named, those that don't count
// too.
func (set *ballSet) impossible(f facts) (faults rules.Faults) {
	fault := func(code, format string, args ...any) { faults.Add(code, set.prefix+"-1.2", format, args...) }
	seen, beyond := make(map[int64]int, len(f.Balls)), map[string]int{}
	for i, ball := range f.Balls {
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
	if len(f.colours) != len(f.Balls) {
		fault("colour_mismatch", "balls: %d, colours: %d; there is one for each", len(f.Balls), len(f.colours))
	}
	for i := range min(len(f.colours), len(f.Balls)) {
		ball := f.Balls[i]
		if ball < 1 || ball > int64(set.balls) {
			continue
		}
		if want := set.colours[set.colourOf(int(ball))]; f.colours[i] != want {
			fault("colour_mismatch", "ball %d is %s, not %q", ball, want, f.colours[i])
		}
	}
	return faults
}
