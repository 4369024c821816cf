package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/internal/pretty"
	"tally/internal/studio"
	"tally/internal/testkit/replytest"
	"tally/internal/testkit/secondopinion"
	"tally/lib/archive/signing"
	"tally/lib/local"
	"tally/lib/rulebook/games"
	"tally/lib/store"
)

// A whole day, and beside it the same on a machine that is too slow for its betting
// rounds: what it shows, that both come to the same money and refusals, that its sums
// add up, and that everything that could be wrong with the money is seen.
func TestDemo(t *testing.T) {
	var slow string
	var both sync.WaitGroup
	both.Go(func() { _, slow = playDay(t, "demo-slow", 300*time.Millisecond) })
	day, text := playDay(t, "demo-test", 0)
	both.Wait()
	if t.Failed() {
		t.FailNow()
	}
	if fast, slow := demoSums(text), demoSums(slow); fast != slow {
		t.Errorf("the same seed comes to\n%s\nand, where answers take long, to\n%s", fast, slow)
	}
	checkDemoText(t, text)
	checkDemoSums(t, text)
	checkDemoFrozen(t, demoSums(text))
	checkDemoLog(t, day.log)
	checkDemoSeesFaults(t, day)
}

// checkDemoFrozen compares what the seed comes to with what it came to in earlier versions.
func checkDemoFrozen(t *testing.T, sums string) {
	t.Helper()
	const golden = "testdata/demo.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(sums), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if sums != string(want) {
		t.Errorf("the seed comes to\n%s\ninstead of\n%s", sums, want)
	}
}

// demoSums is what a demo shows of bets, money and refusals.
func demoSums(text string) string {
	_, sums, _ := strings.Cut(text, "\nBy game\n")
	sums, _, _ = strings.Cut(sums, "\nIn quarantine\n")
	return sums
}

// playDay plays a day and returns what it has shown. Every tenth request of its
// bookmakers to the table takes so long.
func playDay(t *testing.T, stack string, tenth time.Duration) (*demoDay, string) {
	var out, errs bytes.Buffer
	app := &app{out: &out, err: &errs, getenv: func(string) string { return "" }}
	day, stop, err := app.studioDay(t.Context(), pretty.Printer{}, demoFlags{seed: 5, bets: 4, stack: stack})
	if err != nil {
		t.Error(err)
		return nil, ""
	}
	t.Cleanup(stop)
	config := local.Config(day.stack.Endpoint)
	config.HTTPClient = &slowly{by: tenth}
	day.table = store.New(dynamodb.NewFromConfig(config), day.stack.Table)
	config.HTTPClient = replyReader{t}
	day.client = sqs.NewFromConfig(config)
	if err := errors.Join(day.play(t.Context()), day.report(t.Context())); err != nil {
		t.Errorf("%s: %v\n%s", stack, err, out.String())
	}
	for line := range strings.Lines(errs.String()) {
		// On a machine that is busy a message may take too long: it comes again.
		if !strings.Contains(line, "kind=deadline") {
			t.Errorf("something went wrong: %s", line)
		}
	}
	return day, out.String()
}

// replyReader holds every reply that is received against its schema.
type replyReader struct{ t *testing.T }

// Do implements aws.HTTPClient.
func (r replyReader) Do(request *http.Request) (*http.Response, error) {
	answer, err := http.DefaultClient.Do(request)
	if err != nil || !strings.HasSuffix(request.Header.Get("X-Amz-Target"), ".ReceiveMessage") {
		return answer, err
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(text))
	var received struct{ Messages []struct{ Body string } }
	if err := json.Unmarshal(text, &received); err != nil {
		return nil, err
	}
	for _, m := range received.Messages {
		replytest.Check(r.t, []byte(m.Body))
	}
	return answer, nil
}

// slowly sends requests, each tenth of them late.
type slowly struct {
	count atomic.Int64
	by    time.Duration
}

// Do implements aws.HTTPClient.
func (s *slowly) Do(request *http.Request) (*http.Response, error) {
	if s.count.Add(1)%10 == 0 {
		time.Sleep(s.by)
	}
	return http.DefaultClient.Do(request)
}

// While something takes long, the demo says what it is, within two seconds.
func TestDemoIsNeverSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		out := &demoOut{out: &text, last: time.Now()}
		show := &demoShow{out: out, began: time.Now(), what: func() string { return "starting" }}
		ctx, stop := context.WithCancel(t.Context())
		var talking sync.WaitGroup
		talking.Go(func() { show.keepTalking(ctx, out) })
		time.Sleep(2 * time.Second)
		show.doing(func() string { return "waiting" })
		time.Sleep(2 * time.Second)
		show.line("bac-1", "settled")
		time.Sleep(time.Second)
		stop()
		talking.Wait()
		var said []string
		for line := range strings.Lines(text.String()) {
			said = append(said, strings.Join(strings.Fields(line)[2:], " "))
		}
		if want := []string{"… starting", "… waiting", "bac-1 settled"}; !slices.Equal(said, want) {
			t.Errorf("it said %q, want %q", said, want)
		}
	})
}

// checkDemoText checks that a newcomer sees everything, within a terminal.
func checkDemoText(t *testing.T, text string) {
	t.Helper()
	words := strings.Join(strings.Fields(text), " ") // a sentence may go on in the next line
	for _, want := range []string{"impossible", "quarantined: ", "cancelled, a card lay face up", "a ball too few, void", "corrected after a review",
		"an order voids the bets of acme at riga-7", "a storm", "settled again", "1 put in quarantine", "third_card_missing",
		"What becomes of this bet?", "s report of state 1", "proved: ", "betting_closed", demoRefusals["betting_closed"]} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(text, "✓"); n != 8 || strings.Contains(text, "✗") {
		t.Errorf("%d things are checked and hold", n)
	}
	for line := range strings.Lines(text) {
		if columns := len([]rune(strings.TrimSuffix(line, "\n"))); columns > demoColumns {
			t.Errorf("%d columns: %s", columns, line)
		}
	}
	if t.Failed() {
		t.Log("\n" + text)
	}
}

// checkDemoLog has programs that others wrote accept the log that the demo has
// written, and refuse what is made of it by tampering.
func checkDemoLog(t *testing.T, folder string) {
	t.Helper()
	key, err := signing.FromFile(folder+".key", "tally.example/log")
	if err != nil {
		t.Fatal(err)
	}
	l := secondopinion.Log{Folder: folder, Key: key.Verifier}
	l.Accept(t)
	t.Run("the log", func(t *testing.T) { l.Refuse(t, key.Signer) })
}

// demoRowText is a row of the table by game.
var demoRowText = regexp.MustCompile(`(?m)^  (\S.*?)? +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) +([A-Z]{3}) +([\d.]+) +([\d.]+) +(-?[\d.]+)$`)

// checkDemoSums adds up the printed tables once more.
func checkDemoSums(t *testing.T, text string) {
	t.Helper()
	_, text, _ = strings.Cut(text, "\nBy game\n")
	byGame, byBookmaker, _ := strings.Cut(text, "\nBy bookmaker\n")
	sums, seen, title := map[string][]*big.Rat{}, map[string]bool{}, ""
	for _, match := range demoRowText.FindAllStringSubmatch(byGame, -1) {
		title = cmp.Or(match[1], title)
		seen[title] = true
		code := match[7]
		if sums[code] == nil {
			sums[code] = []*big.Rat{{}, {}, {}, {}, {}, {}, {}, {}}
		}
		var row []*big.Rat // bets, won, lost, refunded, corrected, staked, paid out, net
		for _, number := range slices.Concat(match[2:7], match[8:]) {
			read, _ := new(big.Rat).SetString(number)
			row = append(row, read)
		}
		if add(row[1], row[2], row[3]).Cmp(row[0]) != 0 || add(row[6], row[7]).Cmp(row[5]) != 0 {
			t.Errorf("%s, %s: the bets or the net don't add up", title, code)
		}
		for i, sum := range sums[code] {
			if title == allGames && row[i].Cmp(sum) != 0 {
				t.Errorf("column %d of all games is %v, the sum of the games %v", i, row[i], sum)
			}
			sum.Add(sum, row[i])
		}
	}
	if len(seen) != len(games.All())+1 {
		t.Errorf("the table has the rows %v", seen)
	}
	for _, bookmaker := range studio.Bookmakers {
		if !strings.Contains(byBookmaker, "  "+bookmaker.ID+" ") {
			t.Errorf("%s is not in the table", bookmaker.ID)
		}
	}
}

func add(values ...*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, value := range values {
		sum.Add(sum, value)
	}
	return sum
}

// checkDemoSeesFaults spoils one thing after the other.
func checkDemoSeesFaults(t *testing.T, day *demoDay) {
	t.Helper()
	finds := func(name string) {
		t.Helper()
		findings, err := day.check(t.Context())
		if err != nil {
			return // seen, too
		}
		var quiet bytes.Buffer
		if err := (&demoShow{out: &quiet}).findings(findings); err == nil {
			t.Errorf("not seen: %s", name)
		}
	}
	restore := day.books.lines
	spoil := func(name string, change func(key demoKey, line demoReport)) {
		t.Helper()
		lines := map[demoKey]demoReport{}
		for key, line := range restore {
			lines[key] = line
		}
		day.books.lines = lines
		for key, b := range day.accepted {
			if day.refund(b) == "" && lines[key].Status == "won" {
				change(key, lines[key])
				break
			}
		}
		finds(name)
		day.books.lines = restore
	}
	spoil("a payout that is another", func(key demoKey, line demoReport) {
		line.Payout = line.Stake
		day.books.lines[key] = line
	})
	spoil("a bet without a line", func(key demoKey, _ demoReport) { delete(day.books.lines, key) })
	spoil("a line without a bet", func(key demoKey, line demoReport) {
		key.bet = "nobody"
		day.books.lines[key] = line
	})
	spoil("a refund that is none", func(key demoKey, _ demoReport) { day.taken[key] = true })
	clear(day.taken)
}

// At its end a demo says how to look at what stays, the proof only where there is one.
func TestWhereToLook(t *testing.T) {
	look := func(kept string) string {
		var out bytes.Buffer
		(&demoDay{kept: kept, show: &demoShow{out: &out}}).whereToLook()
		return out.String()
	}
	if text := look(""); text != "" {
		t.Errorf("nothing stays, and it says %q", text)
	}
	folder := t.TempDir()
	for _, want := range []string{" pages serve " + folder + "\n", " verify " + filepath.Join(folder, "log") + " ", "http://" + serveAddress + "/"} {
		if text := look(folder); !strings.Contains(text, want) || strings.Contains(text, "--proof") {
			t.Errorf("no %q, or a proof that is not there, in\n%s", want, text)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, proofFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if text := look(folder); !strings.Contains(text, " verify --proof "+filepath.Join(folder, proofFile)+" ") {
		t.Errorf("no proof in\n%s", text)
	}
}
