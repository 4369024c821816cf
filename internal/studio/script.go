package studio

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tally/lib/draw/wire"
	"tally/lib/strictjson"
)

// Step is one thing that happens: exactly one of Message, Bet and Cancel is set.
// Steps of one draw are taken one after the other, each when the one before was
// answered, so that what comes of them does not depend on how fast that is.
type Step struct {
	At      time.Duration // since the start, at the earliest
	After   *Draw         // not before this draw was settled; nil for no such condition
	Message *ScriptMessage
	Bet     *ScriptBet
	Cancel  *ScriptBet // its bookmaker takes it back
}

// Draw is the draw that a step belongs to.
func (s Step) Draw() *Draw {
	switch {
	case s.Message != nil:
		return s.Message.Draw
	case s.Bet != nil:
		return s.Bet.Draw
	}
	return s.Cancel.Draw
}

// ScriptMessage is a message of the studio or an order of the operator's.
type ScriptMessage struct {
	Draw     *Draw
	Type     wire.Type
	Round    int
	Revision int
	Repeat   bool // it was sent before
	// Impossible says that it breaks the rules.
	Impossible bool

	id   int
	rest func(when moments) []member // beside the fields of all messages
}

// moments are when a script starts and when a message is sent.
type moments struct{ start, sent time.Time }

// member is one member of a message, its value as JSON.
type member struct{ name, value string }

// ID is the message's own identifier; one that is repeated has the same.
func (m *ScriptMessage) ID() string { return fmt.Sprintf("msg-%06d", m.id) }

// Body is the message when the script starts at one time and the message is sent,
// for the first time, at another.
func (m *ScriptMessage) Body(start, sent time.Time) string {
	out := strictjson.Out(nil).Open().IntMember("schema", wire.Schema).TextMember("id", m.ID()).
		TextMember("type", string(m.Type)).TextMember("game", m.Draw.Game.ID).TextMember("table", m.Draw.Table).
		TextMember("draw", m.Draw.ID(start)).TextMember("at", clock(sent))
	for _, field := range m.rest(moments{start: start, sent: sent}) {
		out = out.Name(field.name).Raw([]byte(field.value))
	}
	return string(out.Close())
}

func clock(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// Script is what the studio and the bookmakers do.
type Script struct {
	Draws []*Draw
	Steps []Step // by time; those with After at the end, by when that draw's result is sent
	// Followed is a bet whose way is worth telling; nil where the script has none.
	Followed *ScriptBet
}

// script is a script being written.
type script struct {
	random     *rand.Rand
	perRound   int
	references int
	messages   int
	steps      []Step
	sent       map[*Draw][]*ScriptMessage
	placed     map[*Draw][]*ScriptBet
}

// stormTimes is how often a storm repeats each message.
const stormTimes = 5

// New writes the script of a seed, with so many bets of each bookmaker in each
// betting round.
func New(seed uint64, betsPerRound int) (*Script, error) {
	if betsPerRound < 1 {
		return nil, fmt.Errorf("%d bets in a betting round: at least one is needed", betsPerRound)
	}
	s := &script{random: newRandom(seed), perRound: betsPerRound,
		sent: map[*Draw][]*ScriptMessage{}, placed: map[*Draw][]*ScriptBet{}}
	draws, err := newDraws(s.random)
	if err != nil {
		return nil, fmt.Errorf("writing the script of seed %d: %w", seed, err)
	}
	for _, d := range draws {
		s.play(d)
		s.bets(d)
	}
	for _, d := range draws {
		s.aftermath(d)
	}
	slices.SortStableFunc(s.steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(later(a), later(b)), cmp.Compare(a.At, b.At))
	})
	return &Script{Draws: draws, Steps: s.steps, Followed: s.followed()}, nil
}

// newRandom is the randomness of a seed.
func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x7a11)) }

// later puts the steps that wait for a settlement after the others.
func later(step Step) int {
	if step.After == nil {
		return 0
	}
	return 1
}

// followed picks a bet on the draw whose result is corrected: in time, sent once and
// not taken back, and, where there is one, such that the correction changes it.
func (s *script) followed() (best *ScriptBet) {
	sent := map[string]int{} // by reference
	for _, step := range s.steps {
		if b := cmp.Or(step.Bet, step.Cancel); b != nil {
			sent[b.Reference]++
		}
	}
	for _, step := range s.steps {
		b := step.Bet
		if b == nil || b.Draw.Event != Correction || sent[b.Reference] > 1 || step.At >= b.Draw.windows[b.Round-1].closes {
			continue
		}
		first := resolved(b.Draw.Game, b.Draw.First).Outcome
		if last, _ := b.Draw.Outcome(); b.Draw.Game.Judge(first, b.on).Result != b.Draw.Game.Judge(last, b.on).Result {
			return b
		}
		best = cmp.Or(best, b)
	}
	return best
}

func (s *script) add(step Step) { s.steps = append(s.steps, step) }

// send adds a message.
func (s *script) send(at time.Duration, after *Draw, m ScriptMessage) {
	s.messages++
	m.id = s.messages
	s.add(Step{At: at, After: after, Message: &m})
	s.sent[m.Draw] = append(s.sent[m.Draw], &m)
}

// play adds a draw's messages up to its result.
func (s *script) play(d *Draw) {
	s.send(d.begins, nil, ScriptMessage{Draw: d, Type: wire.DrawOpened, rest: d.opening})
	for i, w := range d.windows {
		round := i + 1
		s.send(w.opens-announced, nil, ScriptMessage{Draw: d, Type: wire.BettingOpened, Round: round, rest: func(when moments) []member { return d.bettingOpened(when, round) }})
		s.stop(d, round, w.closes)
		s.send(w.closes, nil, ScriptMessage{Draw: d, Type: wire.BettingClosed, Round: round, rest: func(when moments) []member {
			return []member{{name: "round", value: fmt.Sprint(round)}, {name: "closed_at", value: quote(clock(when.sent))}}
		}})
	}
	ends := d.ends()
	if d.Event == Cancelled {
		s.send(ends, nil, ScriptMessage{Draw: d, Type: wire.DrawCancelled, Revision: 1, rest: func(moments) []member {
			return []member{{name: "revision", value: "1"}, {name: "reason", value: quote(d.Cancelled)}}
		}})
		return
	}
	if d.impossible != "" {
		s.send(ends, nil, ScriptMessage{Draw: d, Type: wire.DrawResulted, Revision: 1, Impossible: true, rest: result(1, d.impossible)})
		ends += untilResult
	}
	s.send(ends, nil, ScriptMessage{Draw: d, Type: wire.DrawResulted, Revision: 1, rest: result(1, cmp.Or(d.First, d.Facts))})
}

// stop closes the side wagers of a betting round before the round itself, one kind after
// the other, as the cards come: of blackjack insurance first, then what doubles and splits.
func (s *script) stop(d *Draw, round int, at time.Duration) {
	for _, family := range slices.Backward(d.Game.Families) {
		if round > 1 && family.Round == round {
			s.send(at, nil, ScriptMessage{Draw: d, Type: wire.BettingClosed, Round: round, rest: func(when moments) []member {
				return []member{{"round", fmt.Sprint(round)}, {"closed_at", quote(clock(when.sent))}, {"selections", `[` + quote(family.Name+":*") + `]`}}
			}})
		}
	}
}

// aftermath adds what comes after a draw was settled.
func (s *script) aftermath(d *Draw) {
	switch d.Event {
	case Correction:
		s.send(d.ends(), d, ScriptMessage{Draw: d, Type: wire.DrawResulted, Revision: 2, rest: result(2, d.Facts,
			member{name: "correction", value: `{"reason":"video_review","note":"the ball was seen in another pocket"}`})})
	case Voided:
		s.send(d.ends(), d, ScriptMessage{Draw: d, Type: wire.BetsVoided, rest: func(moments) []member {
			return []member{{"order", quote("ord-" + d.Table)}, {"reason", quote("display_fault")}, {"evidence", quote("photograph of the shop's screen")},
				{"scope", fmt.Sprintf(`{"bookmaker":%q,"shop":%q}`, d.Void.Bookmaker, d.Void.Shop)}}
		}})
	case Storm:
		var again []*ScriptMessage
		for range stormTimes {
			for _, m := range s.sent[d] {
				repeat := *m
				repeat.Repeat = true
				again = append(again, &repeat)
			}
		}
		s.random.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
		for _, m := range again {
			s.add(Step{At: d.ends(), After: d, Message: m})
		}
	}
}

// opening is what a draw.opened says. Later rounds are announced when they open.
func (d *Draw) opening(when moments) []member {
	opens := when.start.Add(d.windows[0].opens)
	rounds := strictjson.Out(nil).OpenList().Open().IntMember("round", 1).TextMember("opens_at", clock(opens)).TextMember("closes_at", clock(opens.Add(planned))).Close()
	return []member{{name: "sequence", value: fmt.Sprint(d.Sequence)}, {name: "rounds", value: string(rounds.CloseList())}}
}

// bettingOpened is what a betting.opened says.
func (d *Draw) bettingOpened(when moments, round int) []member {
	dealing, opens := d.Game.Show.Dealing(), when.start.Add(d.windows[round-1].opens)
	if round > 1 && opens.Before(when.sent) {
		opens = when.sent // the round before took longer; the first is announced already
	}
	members := []member{{"round", fmt.Sprint(round)}, {"opens_at", quote(clock(opens))}, {"closes_at", quote(clock(opens.Add(planned)))}}
	if open := dealing.Open[round-1]; open > 0 {
		members = append(members, member{name: "visible", value: jsonOf(dealing.Visible(d.symbols[:open]))})
	}
	if !d.Game.Paytable() {
		members = append(members, member{name: "odds", value: d.offers[round-1].board(d.Game)})
	}
	return members
}

// result is what a draw.resulted says.
func result(revision int, facts string, more ...member) func(moments) []member {
	return func(moments) []member {
		return append([]member{{name: "revision", value: fmt.Sprint(revision)}, {name: "facts", value: facts}}, more...)
	}
}

func quote(text string) string { return string(strictjson.Out(nil).Quoted(text)) }
