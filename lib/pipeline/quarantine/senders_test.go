package quarantine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/dynamotest"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/senders"
	"tally/lib/rulebook/settlement"
	"tally/lib/store/record"
)

// Senders as SQS names them: a role with the session that it was taken for.
const (
	riga     = "AROAEXAMPLEOFRIGA"
	malta    = "AROAEXAMPLEOFMALTA"
	operator = "AIDAEXAMPLEOPERATOR"
)

// listed is a world whose intake holds senders against the list.
type listed struct {
	*world
	list    *senders.Store
	replies *sender
}

func newListed(t *testing.T) listed {
	w := newWorld(t, dynamotest.Kumo(t))
	clock := func() settlement.Instant { return w.now }
	l := listed{world: w, list: &senders.Store{Table: w.Table, Now: clock}, replies: &sender{}}
	w.intake.Replies = l.replies
	w.intake.MaySpeak = (&senders.Checker{Table: w.Table, Now: clock}).MaySpeak
	return l
}

// says has a sender open a draw of a table, and returns intake's answer.
func (l listed) says(t *testing.T, from intake.Source, senderID, table string, number int) string {
	t.Helper()
	body := fmt.Sprintf(`{"schema":1,"id":"m%[2]d","type":"draw.opened","game":"war","table":%[1]q,"draw":"%[1]s.%[2]d","at":"2026-11-30T12:00:00.000Z","sequence":%[2]d,`+
		`"rounds":[{"round":1,"opens_at":"2026-11-30T12:10:00.000Z","closes_at":"2026-11-30T12:10:30.000Z"}]}`, table, number)
	return l.delivers(t, intake.Delivery{Body: []byte(body), SentAt: l.now, From: from, Sender: senderID})
}

func (l listed) delivers(t *testing.T, d intake.Delivery) string {
	t.Helper()
	l.replies.sent = nil
	if err := l.intake.Handle(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	return strings.Join(l.replies.sent, "")
}

func (l listed) allow(t *testing.T, id string, tables ...string) {
	t.Helper()
	if _, err := l.list.Allow(t.Context(), id, tables, ""); err != nil {
		t.Fatal(err)
	}
	l.later()
}

// later is when a change of the list holds everywhere.
func (l listed) later() { l.now += settlement.Instant((10 * time.Second).Milliseconds()) }

func wants(t *testing.T, what, reply string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(reply, part) {
			t.Errorf("%s is answered %s, want %s in it", what, reply, part)
		}
	}
}

const stored, refused = `"status":"stored"`, `"code":"not_allowed"`

// Who is listed speaks for its tables, in whatever session of its role; who is not, or is not
// known, is refused with the reason. Without a list, or with one that is not enforced,
// everyone speaks for every table.
func TestSendersAndTables(t *testing.T) {
	l := newListed(t)
	wants(t, "a message without a list", l.says(t, intake.Studio, "", "war-1", 1), stored)
	l.allow(t, riga, "war-1", "bj-*")
	l.allow(t, malta, "*")
	for i, row := range []struct{ name, sender, table, want string }{
		{"the role itself", riga, "war-1", stored},
		{"a session of the role", riga + ":i-0123", "war-1", stored},
		{"the beginning of a table's name", riga, "bj-17", stored},
		{"all tables", malta + ":deploy", "war-2", stored},
		{"another table", riga, "war-2", refused},
		{"a table whose name goes on", riga, "war-11", refused},
		{"who is not listed", operator, "war-1", refused},
		{"a session called as who is listed", operator + ":" + riga, "war-1", refused},
		{"nobody", "", "war-1", refused},
	} {
		t.Run(row.name, func(t *testing.T) {
			wants(t, row.name, l.says(t, intake.Studio, row.sender, row.table, 10+i), row.want)
		})
	}
	wants(t, "the reason", l.says(t, intake.Studio, operator, "war-1", 30), "a message about table war-1: its sender, "+operator+", is not listed for it. An operator lists senders with")
	wants(t, "the reason without a sender", l.says(t, intake.Studio, "", "war-1", 31), "a message about table war-1: its sender is not known. An operator")
	if _, err := l.list.Enforce(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	l.later()
	wants(t, "a message while the list is not enforced", l.says(t, intake.Studio, operator, "war-1", 32), stored)
}

// What waits is held against the list as it is when it is taken up; what is stored is followed
// up whoever may send by now.
func TestSendersChangeInFlight(t *testing.T) {
	l := newListed(t)
	l.allow(t, riga, "war-1")
	wants(t, "a message", l.says(t, intake.Studio, riga, "war-1", 1), stored)
	if _, err := l.list.Remove(t.Context(), riga); err != nil {
		t.Fatal(err)
	}
	l.later()
	wants(t, "its redelivery after the sender was removed", l.says(t, intake.Studio, riga, "war-1", 1), `"status":"replay"`)
	wants(t, "a message that waited meanwhile", l.says(t, intake.Studio, riga, "war-1", 2), refused)
	l.allow(t, riga, "war-1")
	wants(t, "the same once the sender is listed again", l.says(t, intake.Studio, riga, "war-1", 2), stored)
}

// What an operator releases from quarantine comes from the operator, and is taken: this
// message and no other.
func TestReleasedWhoeverSends(t *testing.T) {
	l := newListed(t)
	l.allow(t, riga, "war-1")
	wants(t, "a message", l.says(t, intake.Studio, malta, "war-1", 1), refused)
	for _, m := range l.all(t) {
		if err := l.Release(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.studio.sent) != 1 {
		t.Fatalf("released %q", l.studio.sent)
	}
	released := intake.Delivery{Body: []byte(l.studio.sent[0]), SentAt: l.now, From: intake.Studio, Sender: operator}
	wants(t, "the message, released", l.delivers(t, released), stored)
	wants(t, "another of the operator's", l.says(t, intake.Studio, operator, "war-1", 2), refused)
	if head, _, err := record.LoadHead(t.Context(), l.Table, "war-1.1"); err != nil || !head.Opened {
		t.Errorf("the draw is %+v, %v", head, err)
	}
}

// An order is the operators', whom the list of the studio's senders is not about.
func TestSendersOfOrders(t *testing.T) {
	l := newListed(t)
	l.allow(t, riga, "war-1")
	order := `{"schema":1,"id":"m1","type":"bets.voided","game":"war","table":"war-1","draw":"war-1.7","at":"2026-11-30T12:00:00.000Z","order":"o1","scope":{"round":1},"reason":"r","evidence":"e"}`
	wants(t, "an order", l.delivers(t, intake.Delivery{Body: []byte(order), SentAt: l.now, From: intake.Operator, Sender: operator}), stored)
}
