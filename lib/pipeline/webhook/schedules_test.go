package webhook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/fakedynamo"
)

// schedule is a random run of everything that may happen to one endpoint: reports,
// messages that come late, twice or never, workers that overlap, requests to the
// table that fail or whose answer is lost, receivers in any mood, operators.
type schedule struct {
	*bench
	db     *fakedynamo.DB
	random *rand.Rand
	id     string
	faulty bool // requests fail
	moody  bool // the receiver does not take everything
	depth  int  // of workers within workers
	newest int64
	// excused are the reports that an operator skipped.
	excused map[int64]bool
	moved   bool // an operator has moved the position
	steps   []string
}

func newSchedule(t *testing.T, seed uint64) *schedule {
	b, db := newFake(t)
	s := &schedule{bench: b, db: db, random: rand.New(rand.NewPCG(seed, 7)), excused: map[int64]bool{}, moody: true}
	s.id = s.set("acme", "https://acme.example/hook")
	db.Intercept = s.verdict
	db.Torn = s.torn
	b.answer = s.receives
	return s
}

func (s *schedule) note(format string, args ...any) {
	s.steps = append(s.steps, strings.Repeat("  ", s.depth)+fmt.Sprintf(format, args...))
}

// chance is true once in so many times.
func (s *schedule) chance(in int) bool { return s.random.IntN(in) == 0 }

// verdict lets requests fail.
func (s *schedule) verdict(_ context.Context, call fakedynamo.Call) fakedynamo.Verdict {
	if !s.faulty || !s.chance(12) {
		return fakedynamo.Proceed
	}
	v := fakedynamo.FailBefore
	if call.Write {
		v = []fakedynamo.Verdict{fakedynamo.FailBefore, fakedynamo.FailAfter, fakedynamo.FailLate, fakedynamo.SendTwice}[s.random.IntN(4)]
	}
	s.note("%s %s", call, v)
	return v
}

// torn has workers look while a report is being committed.
func (s *schedule) torn(_ context.Context, call fakedynamo.Call, left []string) (next int) {
	if s.depth < 2 && strings.Contains(call.String(), "COUNTER") && s.chance(4) {
		s.depth += 2 // nothing else
		s.note("left of a transaction: %v", left)
		s.hints = append(s.hints, "acme")
		s.worked()
		s.depth -= 2
	}
	return s.random.IntN(len(left))
}

// receives is the receiver. While it works anything else may happen.
func (s *schedule) receives(_ *Endpoint, sequence int64) Outcome {
	came := Outcome{Status: 200}
	if s.moody && s.chance(3) {
		came = []Outcome{{Failed: FailedTime}, {Status: 500, Failed: FailedServer}, {Status: 429, Failed: FailedBusy, After: 90 * time.Second}, {Status: 410, Failed: FailedGone}}[s.random.IntN(4)]
	}
	s.note("report %d: %s", sequence, came.Failed)
	if s.moody && s.depth < 2 && s.chance(4) {
		s.depth++
		s.step()
		s.depth--
	}
	return came
}

// step does one thing.
func (s *schedule) step() {
	ctx := s.t.Context()
	switch s.random.IntN(12) {
	case 0, 1, 2:
		s.faultless(func() { s.reports(1 + s.random.IntN(30)) })
	case 3, 4, 5:
		s.worked()
	case 6:
		_ = s.dispatcher().Wake(ctx)
	case 7:
		s.pass([]time.Duration{time.Second, 10 * time.Second, claimFor, 10 * time.Minute, 3 * time.Hour}[s.random.IntN(5)])
		s.note("it is %s", time.UnixMilli(int64(s.now)).UTC().Format(time.DateTime))
	case 8:
		s.note("late requests land")
		s.db.Land()
	case 9:
		s.note("disabled: %v", s.store().Disable(ctx, "acme", s.id))
	case 10:
		s.note("enabled: %v", s.store().Enable(ctx, "acme", s.id, nil))
	case 11:
		s.operates(ctx)
	}
}

func (s *schedule) operates(ctx context.Context) {
	if !s.moved {
		_, _, err := s.store().Rotate(ctx, "acme", s.id, 0)
		s.note("rotated: %v", err)
		return
	}
	after := s.random.Int64N(s.newest + 1)
	for skipped := range after {
		s.excused[skipped+1] = true
	}
	s.note("enabled after %d: %v", after, s.store().Enable(ctx, "acme", s.id, &after))
}

func (s *schedule) faultless(do func()) {
	before := s.faulty
	s.faulty = false
	do()
	s.faulty = before
}

func (s *schedule) reports(n int) {
	for range n {
		if err := s.append("acme"); err != nil {
			s.t.Error(err)
			return
		}
		s.newest++
	}
	s.note("reports up to %d", s.newest)
	if !s.chance(4) { // or settle died before it sent the message
		s.hints = append(s.hints, "acme")
	}
}

// worked has a worker handle a message, which may stay for another delivery.
func (s *schedule) worked() {
	if len(s.hints) == 0 {
		return
	}
	if !s.chance(3) {
		s.hints = s.hints[1:]
	}
	again, err := s.worker().Deliver(s.t.Context(), "acme")
	s.note("worked: again %d, %v", max(0, again-s.now), err)
}

// check holds the position against what the receiver has: nothing up to it is
// missing.
func (s *schedule) check() error {
	status, err := s.store().Get(s.t.Context(), "acme", s.id)
	if err != nil {
		return err
	}
	if status.Position.Sequence > s.newest {
		return fmt.Errorf("the position is %d of %d", status.Position.Sequence, s.newest)
	}
	has := map[int64]bool{}
	for _, sequence := range s.taken[s.id] {
		has[sequence] = true
	}
	for sequence := range status.Position.Sequence {
		if !has[sequence+1] && !s.excused[sequence+1] {
			return fmt.Errorf("report %d was skipped: the position is %d", sequence+1, status.Position.Sequence)
		}
	}
	return nil
}

// settles ends all trouble and has everything notified.
func (s *schedule) settles() error {
	s.faulty, s.moody = false, false
	s.db.Land()
	if err := s.store().Enable(s.t.Context(), "acme", s.id, nil); err != nil {
		return err
	}
	for range 10 {
		s.pass(2 * time.Minute)
		if err := s.dispatcher().Wake(s.t.Context()); err != nil {
			return err
		}
		for len(s.hints) > 0 {
			s.hints = s.hints[1:]
			if _, err := s.worker().Deliver(s.t.Context(), "acme"); err != nil {
				return err
			}
		}
	}
	status, err := s.store().Get(s.t.Context(), "acme", s.id)
	if err != nil || status.State() != "up to date" || status.Newest != s.newest {
		return errors.Join(err, fmt.Errorf("it stands at %+v of %d", status.Position, s.newest))
	}
	return s.check()
}

// ordered wants each report to have come first after those before it.
func (s *schedule) ordered() error {
	first := slices.Clone(s.taken[s.id])
	var seen []int64
	for _, sequence := range first {
		if !slices.Contains(seen, sequence) {
			seen = append(seen, sequence)
		}
	}
	if !slices.Equal(seen, upTo(s.newest)) {
		return fmt.Errorf("notified in the order %v", seen)
	}
	return nil
}

// Whatever happens, in whatever order: no report is skipped, and in the end all
// were notified, for the first time in their order.
func TestSchedules(t *testing.T) {
	for seed := range uint64(schedules) {
		s := newSchedule(t, seed)
		s.moved = seed%2 == 1
		var err error
		for step := 0; step < 40 && err == nil; step++ {
			s.faulty = true
			s.step()
			s.faulty = false
			err = s.check()
		}
		if err == nil {
			err = s.settles()
		}
		if err == nil && !s.moved {
			err = s.ordered()
		}
		if err != nil || t.Failed() {
			t.Fatalf("seed %d: %v\n%s", seed, err, strings.Join(s.steps, "\n"))
		}
	}
}
