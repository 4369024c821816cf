package exploration

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"tally/lib/draw"
	"tally/lib/draw/instant"
	"tally/lib/draw/wire"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/reconcile"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/money"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

const theDraw = "d1"

// The times of what happens: each clock stands still at its own. Bets come before the
// result by all clocks but late ones; what they meet in the table may be after it.
var (
	opens       = settlement.Instant(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixMilli())
	secondRound = opens + 10_000
	inTime      = opens + 12_000 // the clock of most bets
	resulted    = opens + 20_000
	corrected   = opens + 30_000
	tooLate     = opens + 31_000 // the clock of late bets
	settles     = opens + 40_000
	closes      = opens + 60_000
)

// op is a request of a bookmaker.
type op struct {
	bookmaker, reference string
	selection            string // empty for a cancellation
	wager                bool   // reference is that of the bet
}

func (o op) String() string {
	switch {
	case o.selection == "":
		return "cancel " + o.reference
	case o.wager:
		return "wager " + o.reference
	}
	return "bet " + o.reference
}

// record is the sort key of what the request stores.
func (o op) record() string {
	switch {
	case o.selection == "":
		return store.CancelKey(o.reference)
	case o.wager:
		return store.WagerKey(o.reference, o.selection)
	}
	return store.BetKey(o.reference)
}

func (o op) partition() string { return store.BetsKey(theDraw, o.bookmaker, 0) }

// carryOut has an API process carry out the request, and says what it answers.
func (o op) carryOut(ctx context.Context, a *placing.Acceptor) string {
	var account *record.Account
	var err error
	if o.selection == "" {
		account, err = a.Cancel(ctx, o.bookmaker, theDraw, o.reference)
	} else {
		request := placing.Request{Bookmaker: o.bookmaker, Draw: theDraw, Selection: o.selection, Stake: "10.00", Currency: "EUR"}
		if request.Reference = o.reference; o.wager {
			request.Reference, request.Base = "", o.reference
		}
		account, err = a.Place(ctx, request)
	}
	var refusal *placing.RefusedError
	switch {
	case errors.As(err, &refusal):
		return "refused " + refusal.Code
	case err != nil:
		return "not known"
	case account.Cancellation != "" && o.selection == "":
		return "stored " + string(account.Cancellation)
	}
	return "stored " + account.Status
}

// process is an API process, which carries out requests one after the other.
type process struct {
	name  string
	clock settlement.Instant
	ops   []op
}

func terms(string) money.Terms { return money.Terms{} }

func fixed(at settlement.Instant) func() settlement.Instant {
	return func() settlement.Instant { return at }
}

// unlooked notes that settle could not be asked to look.
type unlooked struct {
	discard
	probe *probe
}

// Unlooked implements placing.BetRecorder.
func (u unlooked) Unlooked(string) { u.probe.note("unlooked") }

func (x *explorer) placing(p process) *program {
	return &program{name: p.name, run: func(ctx context.Context, probe *probe) {
		acceptor := &placing.Acceptor{Table: store.New(x.scope.plant.placing(probe), tableName), Terms: terms, Now: fixed(p.clock), Record: unlooked{probe: probe}, Looks: sender{probe}}
		for n, o := range p.ops {
			probe.note("%d %s", n, o.carryOut(ctx, acceptor))
		}
	}}
}

// revision is a result of the studio: red, or black where it is a correction of that.
func (s *scope) revision(number int) string {
	at, facts, correction := resulted, `{"spins":[{"revolutions":5,"pocket":34}]}`, ""
	if number > 1 {
		at, facts, correction = corrected, `{"spins":[{"revolutions":5,"pocket":17}]}`, `,"correction":{"reason":"video_review"}`
	}
	if s.game() == "blackjack" {
		dealer := "6D"
		if number > 1 {
			dealer = "9D"
		}
		facts = fmt.Sprintf(`{"dealer":["AS",%q],"seats":[{"seat":1,"hands":[{"cards":["8H","3D","8C"],"doubled":true}]}]}`, dealer)
	}
	return s.message(fmt.Sprintf("rev%d", number), at, `"type":"draw.resulted","revision":%d,"facts":%s%s`, number, facts, correction)
}

func (s *scope) message(id string, at settlement.Instant, format string, args ...any) string {
	return fmt.Sprintf(`{"schema":1,"id":%q,"game":%q,"table":"t-1","draw":%q,"at":%q,`, id, s.game(), theDraw, instant.Format(at)) + fmt.Sprintf(format, args...) + "}"
}

// atOf is the time of a message.
func atOf(body string) settlement.Instant {
	_, rest, _ := strings.Cut(body, `"at":"`)
	at, _ := instant.Parse(rest[:strings.IndexByte(rest, '"')])
	return at
}

func (x *explorer) intake(table *store.Table, sweeps intake.Sender, at settlement.Instant) *intake.Intake {
	return &intake.Intake{Table: table, Replies: nowhere{}, Sweeps: sweeps, Archive: nowhere{}, Record: discard{}, Now: fixed(at), Log: quiet,
		Settings: draw.Settings{Shards: 1, Looks: true}}
}

func (x *explorer) taking(body string) *program {
	return &program{name: "intake", message: body, run: func(ctx context.Context, probe *probe) {
		at := atOf(body)
		in := x.intake(store.New(probe, tableName), sender{probe}, at)
		probe.outcome(in.Handle(ctx, intake.Delivery{Body: []byte(body), SentAt: at, From: intake.Studio}))
	}}
}

// outcome notes what becomes of a message.
func (p *probe) outcome(err error) {
	var mismatch *settle.MismatchError
	switch {
	case err == nil:
		p.note("done")
	case errors.As(err, &mismatch):
		p.note("violation: %v", err)
	default:
		p.note("again")
	}
}

func (x *explorer) settling(body string) *program {
	return &program{name: "settle", message: body, run: func(ctx context.Context, probe *probe) {
		asked, err := wire.ParseRun(body)
		if err != nil {
			x.t.Fatal(err)
		}
		table := store.New(x.scope.plant.settling(probe, asked.Look != nil), tableName)
		settler := x.settler(table, x.scope.plant.asking(sender{probe}), probe)
		if asked.Look == nil {
			probe.outcome(settler.Handle(ctx, theDraw))
			return
		}
		looker := &reconcile.Looker{Table: table, Intake: x.intake(table, sender{probe}, settles), Settler: settler, Now: fixed(settles), Log: watched(probe),
			LateRecords: func(string, int) {}}
		err = looker.Look(ctx, asked, 0)
		if later := (*reconcile.LaterError)(nil); errors.As(err, &later) && x.scope.plant.forgetful {
			err = nil
		}
		probe.outcome(err)
	}}
}

func (x *explorer) settler(table *store.Table, looks settle.Sender, probe *probe) *settle.Settler {
	return &settle.Settler{Table: table, Archive: nowhere{}, Looks: looks, Record: discard{}, Now: fixed(settles), Log: watched(probe), Parallel: 1}
}

// program is what handles a message of the queue of settlements.
func (x *explorer) handler(body string) uint32 {
	if n, known := x.handlers[body]; known {
		return n
	}
	n := x.start(x.settling(body))
	x.handlers[body] = n
	return n
}

// watched is a log that notes a mismatch, which is only logged where reconcile counts it.
func watched(probe *probe) *slog.Logger {
	return slog.New(slog.NewTextHandler(noting{probe}, &slog.HandlerOptions{Level: slog.LevelError}))
}

type noting struct{ probe *probe }

func (n noting) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "draw mismatch") {
		n.probe.note("violation: logged: %s", strings.TrimSpace(string(line)))
	}
	return len(line), nil
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))

// discard records nothing.
type discard struct{}

func (discard) Quarantined(string)                            {}
func (discard) Stored(string, time.Duration, string)          {}
func (discard) Accepted(string)                               {}
func (discard) Unlooked(string)                               {}
func (discard) Refused(string, string)                        {}
func (discard) Settled(string, int, int, bool, time.Duration) {}
func (discard) Mismatch(string)                               {}
func (discard) Stuck(string, string)                          {}
func (discard) Waiting(string)                                {}
func (discard) LateRecords(string, int)                       {}
func (discard) Behind(int)                                    {}
func (discard) Depth(string, int)                             {}
func (discard) InQuarantine(int)                              {}

func (discard) Depths(context.Context) (map[string]int, error) { return nil, nil }
