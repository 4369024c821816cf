package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally"
	"tally/lib/draw/wire"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/local"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
)

// operator types commands at a stack.
type operator struct {
	t        *testing.T
	stack    *local.Stack
	observed *observed
}

// newOperator starts a stack of a name for a test.
func newOperator(t *testing.T, name string) operator {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	stack, err := local.Start(t.Context(), local.Options{Template: tally.Template, Log: log, Stack: name,
		Build: local.Tally(runtime.Runtime{Log: log, Metrics: io.Discard, Now: time.Now})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { stack.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
		stack.Close()
	})
	return operator{t, stack, newObserved(t, name, stack.Endpoint)}
}

// types runs a command and compares its exit code and what it writes with a
// pattern in which … stands for anything. Any exit code will do for a negative one.
func (o operator) types(code int, pattern string, args ...string) string {
	o.t.Helper()
	var out bytes.Buffer
	environment := map[string]string{"TALLY_ENDPOINT": o.observed.URL, "TALLY_STACK": o.stack.Table, "TALLY_TABLE": o.stack.Table}
	app := &app{in: strings.NewReader("not a message"), out: &out, err: &out, getenv: func(name string) string { return environment[name] }}
	o.observed.typed(args[0])
	got := run(args, app)
	like := regexp.MustCompile("^(?s)" + strings.ReplaceAll(regexp.QuoteMeta(pattern), "…", ".*") + "$")
	if code >= 0 && got != code || !like.MatchString(out.String()) {
		o.t.Errorf("$ tally %s\nexit code %d, want %d\ngot:\n%s\nwant:\n%s", strings.Join(args, " "), got, code, out.String(), pattern)
	}
	return out.String()
}

// waits waits until quarantine holds so many messages, and returns their ids.
func (o operator) waits(messages int) []string {
	o.t.Helper()
	id := regexp.MustCompile(`(?m)^[0-9a-f]{12}`)
	for range 6000 {
		if ids := id.FindAllString(o.types(0, "…", "quarantine", "list"), -1); len(ids) == messages {
			return ids
		}
		time.Sleep(50 * time.Millisecond)
	}
	o.t.Fatalf("quarantine never held %d messages", messages)
	return nil
}

// releases releases a settlement that is held, as settle puts it aside: it can't be
// dropped, and is shown with its money.
func (o operator) releases() {
	o.t.Helper()
	table := store.New(dynamodb.NewFromConfig(local.Config(o.stack.Endpoint)), o.stack.Table)
	const message = `{"draw":"rou-9.1"}`
	now := settlement.Instant(time.Now().UnixMilli())
	id := wire.HashOf("rou-9.1#2")
	for _, item := range []store.Item{
		{PK: store.DrawKey("rou-9.1"), SK: store.SweepKey, Body: `{"base":1,"state":2,"bookmakers":["acme"],"held":{"moved":{"EUR":"4000"},"at":1}}`, Version: 2},
		{PK: store.QuarantineKey(now), SK: id, StoredAt: now, Binary: []byte(message), Hash: wire.HashOf(message),
			Body: `{"type":"settlement","draw":"rou-9.1","queue":"sweeps","state":2,"faults":[{"code":"held_for_release","message":"state 2 moves EUR 40.00 of 1 bookmakers"}]}`},
	} {
		if err := table.Put(o.t.Context(), item); err != nil {
			o.t.Fatal(err)
		}
	}
	o.types(0, "id …rou-9.1…settlement…held_for_release…", "quarantine", "list")
	o.types(0, "…state 2 moves EUR 40.00 of 1 bookmakers…", "quarantine", "show", id)
	o.types(exitFailed, "…this settlement is held: release it…", "quarantine", "drop", id, "--reason", "r")
	o.types(0, "…released "+id[:12]+": settlement of draw rou-9.1 …", "quarantine", "release", id)
	if _, marked, err := table.Get(o.t.Context(), store.ReleasedIn("rou-9.1"), store.ReleasedKey(store.StateKey(2))); !marked || err != nil {
		o.t.Errorf("it is marked: %v, %v", marked, err)
	}
}

// What an operator does with quarantine and dead letters, from end to end.
func TestOperator(t *testing.T) {
	o := newOperator(t, "operate")
	o.types(0, "nothing is in quarantine, of 7 days up to …\n", "quarantine", "list")
	o.types(0, "sent ../../events/war/01-draw.opened.json to operate-studio-messages: draw.opened of draw war-1.…\n"+
		"sent ../../events/baccarat/08-draw.resulted.impossible.json to operate-studio-messages: draw.resulted of draw bac-1.…\n"+
		"sent ../../events/war/08-bets.voided.json to operate-operator-orders: bets.voided of draw war-1.…\n",
		"send", "../../events/war/01-draw.opened.json", "../../events/baccarat/08-draw.resulted.impossible.json", "../../events/war/08-bets.voided.json")
	first := o.waits(1)[0]
	o.types(0, "sent - to operate-studio-messages: - of draw -\n", "send", "-")
	second := o.waits(2)[0]
	if second == first {
		second = o.waits(2)[1]
	}
	o.types(0, "id …quarantined…draw…type…fault…"+"third_card_missing…", "quarantine", "list")
	o.types(0, "id …\n"+second+"…\n"+first+"…", "quarantine", "list") // the newest first
	o.types(0, "id           "+first+"…quarantined  …from         studio\n…type         draw.resulted\ndraw         bac-1.…"+
		"third_card_missing  BAC-2.6.1  Player has 3 and must draw a third card\nmessage\n  {\n    \"schema\": 1,\n…", "quarantine", "show", first)
	o.types(0, "…bad_json…message\n  not a message\n", "quarantine", "show", second[:4])

	o.types(exitMisuse, "…give a --reason…", "quarantine", "drop", second)
	o.types(0, "…dropped "+second+": …", "quarantine", "drop", second, "--reason", "no message at all")
	o.types(exitFailed, "…there is no such message in quarantine…", "quarantine", "show", second)
	// What is still impossible comes back, whichever of the two is faster.
	o.types(-1, "…"+first+"…", "quarantine", "release", first)
	o.waits(1)

	o.types(exitMisuse, "…there is no \"lst\" in quarantine…", "quarantine", "lst")
	o.types(exitMisuse, "…name one message by its id…", "quarantine", "show")
	o.types(exitMisuse, "…--day is \"today\"…", "quarantine", "list", "--day", "today")
	o.types(exitMisuse, "…--days is \"0\"…", "quarantine", "list", "--days", "0")
	o.types(0, "nothing is in quarantine, of 1 days up to 2020-01-01\n", "quarantine", "list", "--day", "2020-01-01", "--days", "1")
	o.types(exitFailed, "…there is no such table there…", "quarantine", "list", "--table", "nosuch")
	o.types(exitFailed, "…no such file…", "send", "nosuch.json")
	for body, want := range map[string]string{"": "it is empty", "\x00\x01": "it is no text in UTF-8", "{\x1b}": "it is no text in UTF-8", "\xff{}": "it is no text in UTF-8",
		"{}\ufffe": "it is no text in UTF-8", strings.Repeat(" ", wire.MaxBody+1): "it is too large: a queue takes messages of up to 262144 bytes"} {
		o.types(exitFailed, "tally: reading …: "+want+"…", "send", writeFile(t, "message", []byte(body)))
	}
	order := filepath.Join(t.TempDir(), "order.json")
	if err := os.WriteFile(order, []byte(`{"schema":1,"id":"x","type":"bets.voided","order":"o-1","scope":{}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o.types(0, "sent … to operate-operator-orders: bets.voided of draw -\n", "send", order)
	for _, id := range o.waits(2) {
		o.types(-1, "…"+id+"…", "quarantine", "release", id)
	}
	o.releases()
	o.redrives()
	o.answers()
	o.suspends()
	o.observed.compare(t, "quarantine", "send", "replies", "tables", "redrive")
}

// answers: replies are shown, and the one that is waited for is picked from others.
func (o operator) answers() {
	o.t.Helper()
	void := writeFile(o.t, "void.json", []byte(`{"schema":1,"id":"six","type":"draw.resulted","game":"lucky7","table":"lky-9","draw":"lky-9.1",`+
		`"at":"2026-11-30T12:00:29.000Z","revision":1,"facts":{"balls":[42,7,1,30,12,5]}}`))
	second := writeFile(o.t, "second.json", []byte(`{"schema":1,"id":"other","type":"draw.cancelled","game":"lucky7","table":"lky-9","draw":"lky-9.1",`+
		`"at":"2026-11-30T12:00:29.000Z","revision":1,"reason":"stream_lost"}`))
	o.types(0, "sent …\nstored  lky-9.1  draw.resulted, revision 1\n  message  void: 6 of 7 balls; bets get their stakes back when it is settled\n", "send", void, "--wait", "--patience", "5m")
	o.types(exitFailed, "sent …\nquarantined  lky-9.1  draw.cancelled, revision 1\n  conflict  …  message   revision 1 holds, as message six has it\n…nothing of it holds…",
		"send", second, "--wait", "--patience", "5m")
	o.types(exitMisuse, "…--patience is \"0s\"…", "send", second, "--wait", "--patience", "0s")
	o.types(0, "sent …", "send", void)
	o.types(0, `{"id":"…","draw":"…`, "replies", "--json", "--limit", "1")
	o.types(exitMisuse, "…--limit is \"-1\"…", "replies", "--limit", "-1")
}

// suspends: what is said of tables is answered, and listed.
func (o operator) suspends() {
	o.t.Helper()
	said := func(id, rest string) string {
		return writeFile(o.t, id+".json", []byte(`{"schema":1,"id":"`+id+`","table":"pok-9",`+rest+`}`))
	}
	o.types(0, "nothing was said of any table\n", "tables")
	o.types(0, "sent …\nstored  -  table.suspended\n  message  table pok-9 takes no bets since 2026-11-30T12:00:05.000Z (equipment_error)\n",
		"send", said("s1", `"type":"table.suspended","at":"2026-11-30T12:00:05.000Z","reason":"equipment_error"`), "--wait", "--patience", "5m")
	o.types(0, "table …status …since …reason …heard of…\npok-9 …suspended …2026-11-30T12:00:05.000Z …equipment_error…", "tables")
	o.types(0, "sent …takes no bets since 2026-11-30T12:00:05.000Z…", "send", said("s0", `"type":"table.resumed","at":"2026-11-30T12:00:04.000Z"`), "--wait", "--patience", "5m")
	o.types(0, "sent …takes bets again since 2026-11-30T12:00:06.000Z…", "send", said("s2", `"type":"table.resumed","at":"2026-11-30T12:00:06.000Z"`), "--wait", "--patience", "5m")
	o.types(0, "…pok-9 …open…", "tables")
}

func (o operator) redrives() {
	o.t.Helper()
	client := sqs.NewFromConfig(local.Config(o.stack.Endpoint))
	for i := range 3 {
		letters := o.stack.QueueURLs()["operate-archive-entries-dead"]
		if err := sqsqueue.New(client, letters).Send(o.t.Context(), fmt.Sprint(i), 0); err != nil {
			o.t.Fatal(err)
		}
	}
	o.types(0, "2 messages of operate-archive-entries sent again\n", "redrive", "archive-entries", "--limit", "2")
	o.types(0, "1 messages of operate-archive-entries sent again\n", "redrive", "operate-archive-entries")
	o.types(0, "0 messages of operate-archive-entries sent again\n", "redrive", o.stack.QueueURLs()["operate-archive-entries"])
	o.types(exitMisuse, "…operate-sweeps-dead has no dead-letter queue…", "redrive", "operate-sweeps-dead")
	o.types(exitFailed, "…there is no such queue; --stack operate has studio-messages, …", "redrive", "sweps")
	o.types(exitMisuse, "…name one queue…", "redrive")
	o.types(exitMisuse, "…--limit is \"-1\"…", "redrive", "sweeps", "--limit", "-1")
}

// `tally local` says where it is and ends cleanly when it is interrupted.
func TestLocalProcess(t *testing.T) {
	command := exec.CommandContext(t.Context(), "tally", "local", "--address", "127.0.0.1:0", "--api", "127.0.0.1:0", "--site", "127.0.0.1:0", "--json", "--parameter", "AutoCancelAfter=5m")
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	command.Stderr = &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	endpoint := ""
	for endpoint == "" && lines.Scan() {
		if _, after, found := strings.Cut(lines.Text(), "endpoint  "); found {
			endpoint = after
		}
	}
	sent, err := exec.CommandContext(t.Context(), "tally", "send", "../../events/war/01-draw.opened.json", "--endpoint", endpoint).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, sent)
	}
	client := sqs.NewFromConfig(local.Config(endpoint))
	url, err := sqsqueue.Find(t.Context(), client, "tally-studio-replies")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, WaitTimeSeconds: 20}); err != nil {
		t.Error(err)
	}
	if err := command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	if err := command.Wait(); err != nil || !strings.HasPrefix(last, "stopped") {
		t.Errorf("it ended with %q: %v\n%s", last, err, log.String())
	}
	if !strings.Contains(log.String(), `"msg":"message stored","draw":"war-1.`) {
		t.Errorf("the log is:\n%s", log.String())
	}
}

func TestLocalMisuse(t *testing.T) {
	var out bytes.Buffer
	app := &app{in: strings.NewReader(""), out: &out, err: &out, getenv: func(string) string { return "" }}
	used, isFile := t.TempDir(), filepath.Join(t.TempDir(), "file")
	for _, name := range []string{filepath.Join(used, "checkpoint"), isFile} {
		if err := os.WriteFile(name, []byte("of an earlier run"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		code int
		want string
		args []string
	}{
		{exitFailed, "the folder for the public log is " + used + ": it is not empty; every run begins with", []string{"local", "--log", used}},
		{exitFailed, "the folder for the public site is " + used + ": it is not empty; every run begins with", []string{"local", "--site-folder", used}},
		{exitFailed, "looking into the folder for the public log: ", []string{"local", "--log", isFile}},
		{exitMisuse, "write name=value", []string{"local", "--parameter", "AutoCancelAfter"}},
		{exitFailed, "no such file", []string{"local", "--template", "nosuch.yaml"}},
		{exitFailed, "NoSuch", []string{"local", "--address", "127.0.0.1:0", "--parameter", "NoSuch=1"}},
		{exitFailed, "nothing listens there", []string{"quarantine", "list", "--endpoint", "http://127.0.0.1:1"}},
	} {
		t.Run(test.want, func(t *testing.T) {
			out.Reset()
			if code := run(test.args, app); code != test.code || !strings.Contains(out.String(), test.want) {
				t.Errorf("%v: exit code %d: %s", test.args, code, out.String())
			}
		})
	}
}
