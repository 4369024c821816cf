package main

import (
	"math"
	"slices"
	"strconv"
	"time"

	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
)

// load is what is played in one run.
type load struct {
	draws      int     // of the ordinary games, which open one after the other
	rate       float64 // draws that open in a second
	share      float64 // of the bets of each bookmaker: it collects and reads so much more seldom, for requests as large
	bets       int     // of a draw, about
	makers     int
	exponent   float64
	hot        int // bets of the hot draw; zero for no such draw
	hotFrom    time.Duration
	hotTime    time.Duration
	from, to   time.Duration // what is measured: draws whose results come then
	site       bool          // it is made, in the end
	read       bool          // bookmakers read their reports
	check      bool          // each line of a report is held against what was placed
	looksAfter time.Duration // how long the run goes on after its last result
}

// The games: the hot draw has one of its own, whose shards are set alone.
const (
	game     = "roulette"
	gameHot  = "wheel"
	drawHot  = "wheel-hot"
	selected = "straight:17"
	hotOne   = "number:7"
)

// play is one draw.
type play struct {
	id, game  string
	opens     time.Time
	closes    time.Time
	results   time.Time
	sent      time.Time // its result
	placed    int
	makers    map[int]int // bets by bookmaker
	fed       int         // bookmakers that have a report
	fedAt     time.Time   // the last of them
	reported  int         // lines
	lookedAt  time.Time   // when reconcile was done with it
	measured  bool
	published map[string]bool
}

// ahead is how long before its round a draw is opened by the studio.
const ahead = 2 * time.Second

// plan makes the draws.
func (l *load) plan(began time.Time) []*play {
	list := make([]*play, 0, l.draws+1)
	for i := range l.draws {
		opens := began.Add(ahead + time.Duration(float64(i)/l.rate*float64(time.Second)))
		list = append(list, l.draw("draw-"+strconv.Itoa(i), game, began, opens, roundTime.duration()))
	}
	if l.hot > 0 {
		list = append(list, l.draw(drawHot, gameHot, began, began.Add(l.hotFrom), l.hotTime+2*margin))
	}
	return list
}

func (l *load) draw(id, game string, began, opens time.Time, takes time.Duration) *play {
	opens = opens.Truncate(time.Millisecond)
	p := &play{id: id, game: game, opens: opens, closes: opens.Add(takes), makers: map[int]int{}, published: map[string]bool{}}
	p.results = p.closes.Add(resultAfter.duration())
	since := p.results.Sub(began)
	p.measured = since >= l.from && since < l.to
	return p
}

// margin is how long after its opening, and before its closing, a draw is not bet on: what a
// bookmaker's own view of it is behind.
const margin = 500 * time.Millisecond

// open are the draws that are bet on at a time, of a list in the order of their openings.
func open(list []*play, now time.Time) []*play {
	from, _ := slices.BinarySearchFunc(list, now.Add(margin), func(p *play, at time.Time) int { return p.closes.Compare(at) })
	to, _ := slices.BinarySearchFunc(list, now.Add(-margin), func(p *play, at time.Time) int { return p.opens.Compare(at) })
	return list[min(from, to):to]
}

// shares are how much of the bets each bookmaker has.
func (l *load) shares() []float64 {
	shares, sum := make([]float64, l.makers), 0.0
	for i := range shares {
		shares[i] = math.Pow(float64(i+1), -l.exponent)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// poisson returns how many of what happens so often on average happen.
func (c *chance) poisson(mean float64) int {
	if mean > 50 {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		return max(0, int(math.Round(mean+math.Sqrt(mean)*c.random.NormFloat64())))
	}
	n, product, limit := 0, c.float(), math.Exp(-mean)
	for product > limit {
		n++
		product *= c.float()
	}
	return n
}

func at(t time.Time) string { return instant.Format(settlement.Instant(t.UnixMilli())) }

// head begins a message of the studio.
func (p *play) head(kind string, now time.Time) string {
	return `{"schema":1,"id":"` + p.id + `-` + kind + `","type":"` + kind + `","game":"` + p.game + `","table":"t-` + p.id + `","draw":"` + p.id + `","at":"` + at(now) + `",`
}

func (p *play) opened(now time.Time) string {
	return p.head("draw.opened", now) + `"sequence":1,"rounds":[{"round":1,"opens_at":"` + at(p.opens) + `","closes_at":"` + at(p.closes) + `"}]}`
}

func (p *play) begun(now time.Time) string {
	return p.head("betting.opened", now) + `"round":1,"opens_at":"` + at(p.opens) + `","closes_at":"` + at(p.closes) + `"}`
}

func (p *play) closed(now time.Time) string {
	return p.head("betting.closed", now) + `"round":1,"closed_at":"` + at(p.closes) + `"}`
}

func (p *play) resulted(now time.Time) string {
	facts := `{"spins":[{"revolutions":6,"pocket":17}]}`
	if p.game == gameHot {
		facts = `{"spins":[{"turns":5,"sector":"7"}]}`
	}
	return p.head("draw.resulted", now) + `"revision":1,"facts":` + facts + `}`
}

// betOf is a bet of a batch, as it is sent.
func betOf(p *play, reference string) string {
	selection := selected
	if p.game == gameHot {
		selection = hotOne
	}
	return `{"draw":"` + p.id + `","reference":"` + reference + `","selection":"` + selection + `","stake":"10.00","currency":"EUR"}`
}

// rarer is a time between requests of a bookmaker that has only a share of its bets.
func (l *load) rarer(f figure) time.Duration { return time.Duration(float64(f.duration()) / l.share) }
