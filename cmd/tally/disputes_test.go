package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/bookmaker/client"
	"tally/lib/draw/instant"
	"tally/lib/rulebook/settlement"
)

// What a bookmaker disputes and operators decide, from end to end.
func TestDisputes(t *testing.T) {
	o := newOperator(t, "disputes")
	o.types(0, "no dispute waits for a decision\n", "disputes", "list")
	draw, at := "rou-1.1", func(later time.Duration) string {
		return instant.Format(settlement.Instant(time.Now().Add(later).UnixMilli()))
	}
	o.types(0, "sent …", "send", writeFile(t, "opened.json", fmt.Appendf(nil, `{"schema":1,"id":"opened","type":"draw.opened","game":"roulette","table":"rou-1","draw":%q,"at":%q,`+
		`"sequence":1,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]}`, draw, at(0), at(0), at(time.Hour))))
	acme, borealis := o.bookmaker("acme"), o.bookmaker("borealis")
	o.eventually("the draw", func() bool { _, err := acme.Draw(t.Context(), draw); return err == nil })
	for _, bet := range []string{"b1", "b2", "b3"} {
		if _, err := acme.PlaceBet(t.Context(), draw, bet, v1.BetRequest{Selection: "straight:17", Stake: "1.00", Currency: "EUR"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, open := range []struct {
		c    *client.Client
		id   string
		bets []string
	}{{acme, "d-1", []string{"b2", "b1"}}, {acme, "d-2", []string{"b3"}}, {borealis, "d-1", nil}} {
		t.Run(open.id, func(t *testing.T) {
			request := v1.DisputeRequest{Draw: draw, Bets: open.bets, Reason: "display_fault", Evidence: "recording of \x1b[31mriga-7"}
			if d, err := open.c.OpenDispute(t.Context(), open.id, request); err != nil || d.Status != "open" {
				t.Fatalf("%+v, %v, want no error and d.Status = \"open\"", d, err)
			}
		})
	}
	o.types(0, "bookmaker  dispute…acme…d-1…open…"+draw+"…2…display_fault…\nacme…d-2…borealis…d-1…all…", "disputes", "list")
	o.types(0, "…acme…d-1…acme…d-2…", "disputes", "list", "--bookmaker", "acme")
	o.types(0, "cygnus has no disputes\n", "disputes", "list", "--bookmaker", "cygnus")
	shown := o.types(0, "dispute    d-1\nbookmaker  acme\nstatus     open\nopened     …\ndraw       "+draw+"\nbets       2\n           b1 b2\nreason     display_fault\nevidence   …\norder      dispute-…\n", "disputes", "show", "acme", "d-1")
	if strings.Contains(shown, "\x1b") {
		t.Errorf("a bookmaker's text reaches the terminal as it is: %q", shown)
	}

	o.types(0, "d-1 of acme is upheld: order dispute-… is …\n", "disputes", "uphold", "acme", "d-1")
	o.types(0, "d-1 of acme is upheld: order dispute-… is …\n", "disputes", "uphold", "acme", "d-1")
	o.types(0, "d-2 of acme is rejected: seen, it was right\n", "disputes", "reject", "acme", "d-2", "--reason", "seen, it was right")
	o.eventually("the order", func() bool {
		d, err := acme.Dispute(t.Context(), "d-1")
		return err == nil && d.Status == "upheld" && d.DecisionReason == "display_fault" && d.DecidedAt != ""
	})
	if d, err := acme.Dispute(t.Context(), "d-2"); err != nil || d.Status != "rejected" || d.DecisionReason != "seen, it was right" {
		t.Errorf("%+v, %v, want no error and d.Status = \"rejected\" and d.DecisionReason = \"seen, it was right\"", d, err)
	}
	if d, err := borealis.Dispute(t.Context(), "d-1"); err != nil || d.Status != "open" || d.DecisionReason != "" {
		t.Errorf("%+v, %v, want no error and d.Status = \"open\" and d.DecisionReason = \"\"", d, err)
	}
	o.types(0, "bookmaker  dispute…borealis   d-1…open…", "disputes", "list")
	o.types(0, "…acme…d-1…upheld…acme…d-2…rejected…", "disputes", "list", "--bookmaker", "acme")
	o.types(0, "…status     rejected…decided    …because    seen, it was right\n", "disputes", "show", "acme", "d-2")

	o.types(exitFailed, "tally: rejecting the dispute: it was upheld at …: display_fault\n", "disputes", "reject", "acme", "d-1", "--reason", "no")
	o.types(exitFailed, "tally: upholding the dispute: it was rejected at …: seen, it was right\n", "disputes", "uphold", "acme", "d-2")
	o.types(exitFailed, "…there is no such dispute: `tally disputes list` shows…", "disputes", "show", "acme", "d-9")
	o.types(exitMisuse, "tally: --reason: give a reason: the bookmaker sees it\n…", "disputes", "reject", "borealis", "d-1")
	o.types(exitMisuse, "tally: name a bookmaker and a dispute…", "disputes", "uphold", "acme")
	o.types(exitMisuse, "tally: \"a b\" is no id…", "disputes", "show", "a b", "d-1")
	o.types(exitMisuse, "tally: --bookmaker is \"a b\"…", "disputes", "list", "--bookmaker", "a b")
	o.types(exitMisuse, "tally: there is no \"accept\" in disputes…", "disputes", "accept")
	o.types(exitMisuse, "tally: name one of list, reject, show or uphold\n…", "disputes")
	o.types(exitFailed, "…there is no such table there…", "disputes", "list", "--table", "nosuch")
	o.recorded(t, acme, draw, at(0))
	o.observed.compare(t, "disputes")
}

// recorded: where a result's recording is stands in the log, in the draw as bookmakers see it,
// and with its disputes.
func (o operator) recorded(t *testing.T, acme *client.Client, draw, now string) {
	t.Helper()
	hash := strings.Repeat("0f", 32)
	o.types(0, "sent …", "send", writeFile(t, "resulted.json", fmt.Appendf(nil, `{"schema":1,"id":"resulted","type":"draw.resulted","game":"roulette","table":"rou-1","draw":%q,"at":%q,`+
		`"revision":1,"facts":{"spins":[{"revolutions":6,"pocket":17}]},"equipment":{"wheel":"W1"},"video":{"url":"https://video.example/rou-1/1.mp4","sha256":%q,"from_ms":0,"to_ms":41200,"kept_until":"2027-11-30T12:00:00.000Z"}}`, draw, now, hash)))
	o.eventually("the result", func() bool {
		d, err := acme.Draw(t.Context(), draw)
		return err == nil && len(d.Revisions) == 1 && d.Revisions[0].Video != nil && d.Revisions[0].Video.SHA256 == hash && d.Revisions[0].Video.ToMs == 41200
	})
	o.types(0, "…recording  https://video.example/rou-1/1.mp4\n           SHA-256 "+hash+"\n           kept until 2027-11-30T12:00:00.000Z\norder …", "disputes", "show", "acme", "d-2")
	entry := []byte(`"video":{"url":"https://video.example/rou-1/1.mp4","sha256":"` + hash + `","from_ms":0,"to_ms":41200,"kept_until":"2027-11-30T12:00:00.000Z"}`)
	o.eventually("its entry in the log", func() bool {
		found := false
		err := filepath.WalkDir(o.stack.LogFolder, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || found {
				return nil // it may be on its way
			}
			text, err := os.ReadFile(path)
			found = err == nil && bytes.Contains(text, entry)
			return nil
		})
		return err == nil && found
	})
}

// bookmaker is a client of a bookmaker whose key was just made.
func (o operator) bookmaker(name string) *client.Client {
	o.t.Helper()
	made := o.types(0, "tly_…", "keys", "create", name)
	c, err := client.New(o.stack.API, strings.Fields(made)[0])
	if err != nil {
		o.t.Fatal(err)
	}
	return c
}

// eventually waits until something has happened.
func (o operator) eventually(what string, happened func() bool) {
	o.t.Helper()
	for range 6000 {
		if happened() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	o.t.Fatalf("%s never came", what)
}

func TestAge(t *testing.T) {
	for passed, want := range map[time.Duration]string{-time.Second: "0 s", 59 * time.Second: "59 s", time.Minute: "1 min", 59 * time.Minute: "59 min",
		time.Hour: "1 h", 47*time.Hour + 59*time.Minute: "47 h", 48 * time.Hour: "2 days"} {
		t.Run(fmt.Sprint(passed), func(t *testing.T) {
			if got := age(settlement.Instant(passed.Milliseconds())); got != want {
				t.Errorf("%s is %q, want %q", passed, got, want)
			}
		})
	}
}
