package cost

import (
	"fmt"
	"math/rand/v2"
	"time"

	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/placing"
	"tally/lib/rulebook/games/roulette"
	"tally/lib/rulebook/settlement"
)

// The workload: one draw of roulette, whose betting round is open for half a
// minute. It is the same in every run.
const (
	drawID     = "rou-1.20261130.1001"
	bookmakers = 20
	seed       = 20261130

	opensAt  = settlement.Instant(1_796_040_240_000) // 2026-11-30T12:04:00Z
	closesAt = opensAt + 30_000
	resultAt = closesAt + 20_000
)

// The pockets are neighbours on the layout in all but the number: both black,
// odd, high, of the third dozen and of the second column. Correcting one to the
// other changes the inside bets that cover exactly one of them.
const (
	pocket          = 29
	correctedPocket = 35
)

// bookmaker returns the id of one of the bookmakers, from 0.
func bookmaker(index int) string { return fmt.Sprintf("bookmaker-%02d", index+1) }

// currencies of the bookmakers, all with two decimals.
var currencies = [...]string{"EUR", "GBP", "PLN", "USD"}

// mix is how many of 100 bets are on a family of selections.
var mix = [...]struct {
	family string
	weight int
}{
	{"straight", 25}, {"split", 8}, {"street", 2}, {"corner", 4}, {"line", 1}, {"column", 8}, {"dozen", 7},
	{"red", 10}, {"black", 10}, {"odd", 7}, {"even", 7}, {"low", 5}, {"high", 6},
}

// bettor makes up bets.
type bettor struct {
	random     *rand.Rand
	selections [][]string // by entry of mix
}

func newBettor() *bettor {
	b := &bettor{random: rand.New(rand.NewPCG(seed, seed)), selections: make([][]string, len(mix))}
	for i, entry := range mix {
		for s := range roulette.Game.SelectionsOf(entry.family) {
			b.selections[i] = append(b.selections[i], roulette.Game.Text(s))
		}
	}
	return b
}

// bet returns the next bet: of any bookmaker, half of which have shops, under a
// reference that does not compress, the hard case for pages.
func (b *bettor) bet() placing.Request {
	index := b.random.IntN(bookmakers)
	request := placing.Request{Bookmaker: bookmaker(index), Draw: drawID, Reference: b.reference(), Selection: b.selection(),
		Stake: b.stake(), Currency: currencies[index%len(currencies)]}
	if index%2 == 0 {
		request.Shop = fmt.Sprintf("shop-%03d", b.random.IntN(500))
	}
	return request
}

// bets returns the next bets.
func (b *bettor) bets(n int) []placing.Request {
	list := make([]placing.Request, n)
	for i := range list {
		list[i] = b.bet()
	}
	return list
}

// referenceBytes is the length of a reference.
const referenceBytes = 20

func (b *bettor) reference() string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	text := make([]byte, referenceBytes)
	for i := range text {
		text[i] = digits[b.random.IntN(len(digits))]
	}
	return string(text)
}

func (b *bettor) selection() string {
	at := b.random.IntN(100)
	for i, entry := range mix {
		if at -= entry.weight; at < 0 {
			return b.selections[i][b.random.IntN(len(b.selections[i]))]
		}
	}
	panic("the weights of mix do not add up to 100")
}

// stake returns 0.50 to 100.00, small ones more often.
func (b *bettor) stake() string {
	halves := 1 + b.random.IntN(1+b.random.IntN(200))
	return fmt.Sprintf("%d.%02d", halves/2, halves%2*50)
}

// message returns a studio message about the draw.
func message(kind wire.Type, at settlement.Instant, fields string) []byte {
	return fmt.Appendf(nil, `{"schema":1,"id":"%s-%d","type":%q,"game":"roulette","table":"rou-1","draw":%q,"at":%q,%s}`,
		kind, at, kind, drawID, instant.Format(at), fields)
}

func roundTimes() string {
	return fmt.Sprintf(`"round":1,"opens_at":%q,"closes_at":%q`, instant.Format(opensAt), instant.Format(closesAt))
}

func drawOpened() []byte {
	return message(wire.DrawOpened, opensAt-4_000, fmt.Sprintf(`"sequence":1001,"rounds":[{%s}]`, roundTimes()))
}

func bettingOpened() []byte { return message(wire.BettingOpened, opensAt-200, roundTimes()) }

func bettingClosed() []byte {
	return message(wire.BettingClosed, closesAt, fmt.Sprintf(`"round":1,"closed_at":%q`, instant.Format(closesAt)))
}

// drawResulted returns a result; those after the first say why they correct it.
func drawResulted(revision, pocket int) []byte {
	fields := fmt.Sprintf(`"revision":%d,"facts":{"spins":[{"revolutions":6,"pocket":%d}]}`, revision, pocket)
	if revision > 1 {
		fields += `,"correction":{"reason":"video_review"}`
	}
	return message(wire.DrawResulted, revisedAt(revision), fields)
}

func drawCancelled(revision int) []byte {
	return message(wire.DrawCancelled, revisedAt(revision), fmt.Sprintf(`"revision":%d,"reason":"stream_lost"`, revision))
}

// revisedAt is when a revision comes: a minute apart.
func revisedAt(revision int) settlement.Instant {
	return resultAt + settlement.Instant(revision-1)*settlement.Instant(time.Minute/time.Millisecond)
}

// revision is one state of the draw and what its settlement is called.
type revision struct {
	name    string
	message []byte
	at      settlement.Instant
}

// revisions are the draw's, in their order.
func revisions() []revision {
	return []revision{
		{"settle", drawResulted(1, pocket), revisedAt(1)},
		{"correct few", drawResulted(2, correctedPocket), revisedAt(2)},
		{"correct all", drawCancelled(3), revisedAt(3)},
	}
}
