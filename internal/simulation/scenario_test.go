package simulation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tally/internal/simulation/plans"
	"tally/internal/testkit/fakedynamo"
	"tally/lib/pipeline/placing"
)

// scenario is a run written as a table: who does what at which second and what the
// answer is; which requests fail; and how each bet stands in the end.
type scenario struct {
	plan     *plans.Plan
	answers  map[*plans.Op]string
	faults   []*scripted
	ends     [][]string // bet, result, state of its newest line, its lines in all
	game, id string
	ids      int
}

// scripted is a request that fails: the first whose text has both parts.
type scripted struct {
	task, call string
	verdict    fakedynamo.Verdict
	crash      bool
	done       bool
}

func readScenario(t *testing.T, name string) *scenario {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	s := &scenario{answers: map[*plans.Op]string{},
		plan: &plans.Plan{Seed: 1, Shards: 1, PageLines: 1000, PageBytes: 1 << 20, APIs: 1, Tasks: 1, LateWithin: lateWithin, Good: map[string]bool{}, Bad: map[string]bool{}}}
	defer func() { slices.SortStableFunc(s.plan.Ops, func(a, b *plans.Op) int { return cmp.Compare(a.At, b.At) }) }()
	for n, row := range strings.Split(string(text), "\n") {
		row = strings.TrimSpace(row)
		if row == "" || row[0] == '#' {
			continue
		}
		columns := strings.Split(row, "|")
		for i := range columns {
			columns[i] = strings.TrimSpace(columns[i])
		}
		if err := s.row(columns); err != nil {
			t.Fatalf("%s:%d: %s: %v", name, n+1, row, err)
		}
	}
	return s
}

func (s *scenario) row(columns []string) error {
	columns = append(columns, "", "", "")
	switch columns[0] {
	case "set":
		return s.set(columns[1], columns[2])
	case "fault":
		names := map[string]fakedynamo.Verdict{"fails": fakedynamo.FailBefore, "answer lost": fakedynamo.FailAfter, "late": fakedynamo.FailLate, "twice": fakedynamo.SendTwice}
		verdict, crash := strings.CutSuffix(columns[3], ", crash")
		v, known := names[verdict]
		s.faults = append(s.faults, &scripted{task: columns[1], call: columns[2], verdict: v, crash: crash})
		if !known {
			return fmt.Errorf("no fault %q", columns[3])
		}
		return nil
	case "end":
		s.ends = append(s.ends, columns[1:5])
		return nil
	}
	at, err := seconds(columns[0])
	if err != nil {
		return err
	}
	op := &plans.Op{At: at}
	s.plan.Ops = append(s.plan.Ops, op)
	words := strings.SplitN(columns[2], " ", 4)
	words = append(words, "", "", "")
	switch columns[1] {
	case "schedule": // every minute until then
		until, err := seconds(words[1])
		for op.Reconcile = true; at+time.Minute <= until; {
			at += time.Minute
			s.plan.Ops = append(s.plan.Ops, &plans.Op{At: at, Reconcile: true})
		}
		return err
	case "studio", "operator":
		if text, waits := strings.CutPrefix(columns[3], "waits "); waits {
			if op.Lag, err = seconds(text); err != nil {
				return err
			}
		}
		return s.message(op, columns[1], words)
	default:
		s.answers[op] = columns[3]
		return s.bookmaker(op, columns[1], words)
	}
}

func (s *scenario) set(name, value string) (err error) {
	number := func(into *int) { *into, err = strconv.Atoi(value) }
	switch name {
	case "game":
		s.game, s.id = value, value+"-0.1"
		s.plan.Draws = []string{s.id}
	case "shards":
		number(&s.plan.Shards)
	case "lines a page":
		number(&s.plan.PageLines)
	case "bytes a query page":
		number(&s.plan.PageBytes)
	case "late within":
		s.plan.LateWithin, err = seconds(value)
		s.plan.LateRecords = true
	case "cancel after":
		s.plan.CancelAfter, err = seconds(value)
	default:
		return fmt.Errorf("no setting %q", name)
	}
	return err
}

func seconds(text string) (time.Duration, error) {
	n, err := strconv.ParseFloat(text, 64)
	return time.Duration(n * float64(time.Second)).Round(time.Millisecond), err
}

// times reads a betting round, such as 1:5-15.
func times(text string) (map[string]any, error) {
	var round int
	var opens, closes float64
	if _, err := fmt.Sscanf(text, "%d:%f-%f", &round, &opens, &closes); err != nil {
		return nil, err
	}
	at := func(n float64) string { return plans.TimeText(time.Duration(n*1000) * time.Millisecond) }
	return map[string]any{"round": round, "opens_at": at(opens), "closes_at": at(closes)}, nil
}

// kinds are the messages' types by their word in a scenario.
var kinds = map[string]string{"open": "draw.opened", "round": "betting.opened", "close": "betting.closed", "result": "draw.resulted",
	"cancel": "draw.cancelled", "void": "bets.voided", "revoke": "order.revoked", "suspend": "table.suspended", "resume": "table.resumed"}

func (s *scenario) message(op *plans.Op, who string, words []string) (err error) {
	s.ids++
	m := plans.Message(kinds[words[0]], s.game, 0, s.id)
	m["schema"], m["id"], m["at"] = 1, fmt.Sprintf("m%d", s.ids), plans.TimeText(op.At)
	number, _ := strconv.Atoi(words[1])
	rest := strings.TrimSpace(words[2] + " " + words[3])
	switch words[0] {
	case "open":
		var rounds []any
		for _, text := range strings.Fields(words[1] + " " + rest) {
			round, err := times(text)
			if err != nil {
				return err
			}
			rounds = append(rounds, round)
		}
		m["sequence"], m["rounds"] = 1, rounds
	case "round":
		round, err := times(words[1])
		if err != nil {
			return err
		}
		for name, value := range round {
			m[name] = value
		}
		if rest != "" {
			var more map[string]any
			if err := json.Unmarshal([]byte(rest), &more); err != nil {
				return err
			}
			for name, value := range more {
				m[name] = value
			}
		}
	case "close":
		at, err := seconds(words[2])
		if err != nil {
			return err
		}
		m["round"], m["closed_at"] = number, plans.TimeText(at)
		if words[3] != "" {
			m["selections"] = strings.Fields(words[3])
		}
	case "result":
		m["revision"], m["facts"] = number, json.RawMessage(rest)
		if number > 1 {
			m["correction"] = map[string]any{"reason": "video_review"}
		}
	case "cancel":
		m["revision"], m["reason"] = number, rest
	case "suspend", "resume":
		delete(m, "game")
		delete(m, "draw")
		if words[0] == "suspend" {
			m["reason"] = words[1]
		}
		s.plan.Tables = true
	case "void":
		m["order"], m["scope"], m["reason"], m["evidence"] = words[1], json.RawMessage(rest), "display_fault", "photograph"
	case "revoke":
		m["order"], m["revokes"], m["reason"], m["evidence"] = words[1], rest, "claim_withdrawn", "letter"
	default:
		return fmt.Errorf("no message %q", words[0])
	}
	op.Queue = map[string]string{"studio": "studio", "operator": "orders"}[who]
	body, err := json.Marshal(m)
	op.Body = string(body)
	return err
}

// bookmaker reads "bet b1 red 10.00", "bet b1 player 10.00 @2.08", "wager
// double:1:1 b1 10.00" or "cancel b1".
func (s *scenario) bookmaker(op *plans.Op, who string, words []string) error {
	priced, shop, _ := strings.Cut(words[3], " in ")
	stake, odds, _ := strings.Cut(priced, " @")
	request := &placing.Request{Bookmaker: who, Draw: s.id, Stake: stake, Odds: odds, Shop: shop, Currency: "EUR"}
	switch words[0] {
	case "bet":
		request.Reference, request.Selection = words[1], words[2]
	case "wager":
		request.Selection, request.Base = words[1], words[2]
	case "cancel":
		op.Cancel = &plans.Cancel{Bookmaker: who, Draw: s.id, Reference: words[1]}
		return nil
	default:
		return fmt.Errorf("no request %q", words[0])
	}
	op.Bet = request
	return nil
}

func (*scenario) most() int          { return 1 }
func (*scenario) copies(*world) bool { return false }
func (*scenario) again(*world) bool  { return false }

func (s *scenario) verdict(_ *world, t *task) (fakedynamo.Verdict, bool) {
	for _, f := range s.faults {
		if !f.done && strings.Contains(t.name, f.task) && strings.Contains(t.call.String(), f.call) {
			f.done = true
			return f.verdict, f.crash
		}
	}
	return fakedynamo.Proceed, false
}

// Each file of testdata is one scenario.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scenarios: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s := readScenario(t, filepath.Base(file))
			s.plan.Traced = true
			play(t, s.plan, s, func(w *world, c *checker) {
				s.compare(t, w, c)
				if t.Failed() {
					t.Log("\n" + strings.Join(w.trace, "\n"))
				}
			})
		})
	}
}

// compare compares a run with what the scenario says.
func (s *scenario) compare(t *testing.T, w *world, c *checker) {
	for _, p := range w.problems {
		t.Error(p)
	}
	for _, f := range s.faults {
		if !f.done {
			t.Errorf("nothing asked for %q %q", f.task, f.call)
		}
	}
	for _, a := range w.attempts {
		if got, want := a.short(), s.answers[a.op]; got != want {
			t.Errorf("%v: answered %q instead of %q", a.op, got, want)
		}
	}
	for _, end := range s.ends {
		bookmaker, name, _ := strings.Cut(end[0], " ")
		base, wager, _ := strings.Cut(name, " ")
		l := c.feeds[bookmaker].newest[s.id][base+" "+wager]
		if l == nil {
			if end[1] != "" {
				t.Errorf("%s: no line instead of %s", end[0], end[1])
			}
			continue
		}
		if got := strings.TrimSpace(l.Status + " " + l.Payout + " " + l.Reason); got != end[1] {
			t.Errorf("%s: %s instead of %s", end[0], got, end[1])
		}
		if got := fmt.Sprint(l.State); end[2] != "" && got != end[2] {
			t.Errorf("%s: its newest line is of state %s instead of %s", end[0], got, end[2])
		}
		if got := fmt.Sprint(c.feeds[bookmaker].lines[s.id+" "+base+" "+wager]); end[3] != "" && got != end[3] {
			t.Errorf("%s: it has %s lines instead of %s", end[0], got, end[3])
		}
	}
}

// short is an attempt's answer as a scenario has it.
func (a *attempt) short() string {
	switch {
	case a.answer != nil:
		return cmp.Or(string(a.answer.Cancellation), a.answer.Status)
	case a.refusal != nil:
		return a.refusal.Code
	}
	return "not known"
}
