package golden

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"tally/internal/testkit/archivetest"
	"tally/internal/testkit/fakeobjects"
	"tally/lib/archive/sequencer"
	"tally/lib/archive/watchdog"
	"tally/lib/draw/instant"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/pipeline/disputes"
	"tally/lib/pipeline/intake"
	"tally/lib/pipeline/placing"
	"tally/lib/pipeline/webhook"
	"tally/lib/rulebook/money"
	"tally/lib/site/build"
	"tally/lib/site/pages"
)

var update = flag.Bool("update", false, "rewrite golden files")

// compare compares a text with a file of testdata/frozen: what is there stays as it is
// wherever the code that makes it moves.
func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "frozen", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	was, is := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(was), len(is)) {
		if i >= len(was) || i >= len(is) || was[i] != is[i] {
			t.Fatalf("line %d of %s is now\n%s\ninstead of\n%s\nIf it has to change: go test ./internal/golden -run %s -update", i+1, path,
				strings.Join(is[min(i, len(is)):min(i+1, len(is))], ""), strings.Join(was[min(i, len(was)):min(i+1, len(was))], ""), t.Name())
		}
	}
}

// hash is a hash of files, by their paths and contents.
func hash(files map[string]fakeobjects.Object) string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		_, _ = fmt.Fprintf(h, "%q %x\n", path, sha256.Sum256(files[path].Data))
	}
	return fmt.Sprintf("%d files, sha256 %x", len(files), h.Sum(nil))
}

// The sample log of all games keeps its root and every byte of its files.
func TestFrozenLog(t *testing.T) {
	s := archivetest.PlayAll(t)
	done, err := s.Log.Append(t.Context(), []sequencer.Leaf(nil))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "log.txt", fmt.Sprintf("%d entries, root %s\n%s\n", done.Tree.N, done.Tree.Hash, hash(s.Files.Files())))
}

// logFiles are the files of a log that is only read.
type logFiles struct{ *fakeobjects.Fake }

func (l logFiles) Get(ctx context.Context, path string) ([]byte, error) {
	data, _, err := l.Fake.Get(ctx, path)
	return data, err
}

// ignored takes what is counted.
type ignored struct{}

func (ignored) Behind(int64)           {}
func (ignored) Written(int)            {}
func (ignored) Mismatch(string)        {}
func (ignored) Delivered(int)          {}
func (ignored) NotDelivered(string)    {}
func (ignored) WebhookDisabled(string) {}
func (ignored) LogLag(int)             {}
func (ignored) LogFault(string)        {}

// The site of that log keeps every byte.
func TestFrozenSite(t *testing.T) {
	s, made := archivetest.PlayAll(t), fakeobjects.New()
	known, err := note.NewVerifier(s.VerifierKey)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := pages.New(pages.Options{Origin: archivetest.Origin, VerifierKeys: []string{s.VerifierKey}, LogURL: "log/"})
	if err != nil {
		t.Fatal(err)
	}
	f := &build.Follower{Origin: archivetest.Origin, Known: note.VerifierList(known), Log: logFiles{s.Files}, Files: made, Site: pages, Record: ignored{},
		Logger: slog.New(slog.DiscardHandler), Stretch: build.DefaultStretch, Parallel: 4}
	if _, err := f.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare(t, "site.txt", hash(made.Files())+"\n")
}

// placed plays one more draw as bookmakers and the studio do, and decides a dispute.
func (r *recorder) placed() {
	const id = "rou-1.8"
	opens, closes := instant.Format(r.now), instant.Format(r.now+60_000)
	r.handle(intake.Studio, "roulette", id, fmt.Sprintf(`"type":"draw.opened","sequence":8,"rounds":[{"round":1,"opens_at":%q,"closes_at":%q}]`, opens, closes))
	r.now += 1000
	acceptor := &placing.Acceptor{Table: r.Table, Terms: func(string) money.Terms { return money.Terms{} }, Now: r.clock, Record: dropped{}}
	for i, bookmaker := range []string{"acme", "acme", "borealis"} {
		_, err := acceptor.Place(r.Context(), placing.Request{Bookmaker: bookmaker, Draw: id, Reference: fmt.Sprintf("b%d", i), Selection: "straight:17", Stake: "10.00", Currency: "EUR", Shop: "riga-7"})
		r.check(err)
	}
	_, err := acceptor.Cancel(r.Context(), "acme", id, "b1")
	r.check(err)
	r.now += 30_000
	r.handle(intake.Studio, "roulette", id, fmt.Sprintf(`"type":"betting.closed","round":1,"closed_at":%q`, instant.Format(r.now)))
	r.handle(intake.Studio, "roulette", id, `"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`)
	r.handle(intake.Studio, "roulette", id, `"type":"draw.resulted","revision":1,"facts":{"spins":[{"revolutions":5,"pocket":17}]}`) // a replay
	r.now += 20_000
	r.check(r.settle().Handle(r.Context(), id))
	_, err = (&disputes.Service{Table: r.Table, Orders: r.queue("operator-orders"), Now: r.clock}).Uphold(r.Context(), "acme", "d-1", "")
	r.check(err)
	r.check((&webhook.Dispatcher{Table: r.Table, Queue: r.queue("webhooks"), Now: r.clock}).Wake(r.Context()))
	r.ArchiveAll()
	r.pushed()
	known, err := note.NewVerifier(r.VerifierKey)
	r.check(err)
	_, err = (&watchdog.Monitor{Origin: archivetest.Origin, Table: r.Table, Files: r.Files, Known: note.VerifierList(known), Archive: r.queue("archive-entries"),
		Record: ignored{}, Log: slog.New(slog.DiscardHandler)}).Begin(r.Context())
	r.check(err)
}

// pushed has a bookmaker's webhook notified of its reports.
func (r *recorder) pushed() {
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer receiver.Close()
	hooks := &webhook.Store{Table: r.Table, Now: r.clock, Loopback: true}
	_, _, err := hooks.Set(r.Context(), webhook.Params{Bookmaker: "borealis", URL: receiver.URL, After: 0})
	r.check(err)
	worker := &webhook.Worker{Table: r.Table, Sender: webhook.NewSender(webhook.SenderOptions{Loopback: true}), Record: ignored{}, Now: r.clock, Log: slog.New(slog.DiscardHandler)}
	_, err = worker.Deliver(r.Context(), "borealis")
	r.check(err)
}

// What the functions store and what they send each other keep their bytes: all that a
// few draws come to, from a bet's placing to its entry in the log.
func TestFrozenRecords(t *testing.T) {
	r := played(t, 0)
	r.placed()
	compare(t, "items.txt", kinds(t, dump(t, r.DB)))
	compare(t, "queues.txt", sqsqueue.FirstSent+" is when a message was first sent\n"+strings.Join(r.sent, "\n")+"\n")
}

// random are the kinds of items that hold a key or a secret made at random, or how long a receiver took.
var random = regexp.MustCompile(`^BOOKMAKER#\* / (KEY|HOOK)#|^HOOKS|^PUSHES|^GOLDEN`)

// kinds says, for each kind of item, its attributes, the fields of its JSON, and a hash.
func kinds(t *testing.T, items []byte) string {
	t.Helper()
	fields, lines := map[string]map[string]bool{}, map[string][]byte{}
	for line := range bytes.Lines(items) {
		var item map[string]map[string]string
		if err := json.Unmarshal(line, &item); err != nil {
			t.Fatal(err)
		}
		kind := general(item["pk"]["S"]) + " / " + general(item["sk"]["S"])
		if fields[kind] == nil {
			fields[kind] = map[string]bool{}
		}
		for name, value := range item {
			for of, text := range value {
				fields[kind][name+":"+of] = true
				var body any
				if json.Unmarshal([]byte(text), &body) == nil {
					members(fields[kind], name, body)
				}
			}
		}
		lines[kind] = append(lines[kind], line...)
	}
	var out strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(fields)) {
		sum := fmt.Sprintf("%x", sha256.Sum256(lines[kind]))
		if random.MatchString(kind) {
			sum = "made at random"
		}
		_, _ = fmt.Fprintf(&out, "%s: %d, %s\n\t%s\n", kind, bytes.Count(lines[kind], []byte("\n")), sum, strings.Join(slices.Sorted(maps.Keys(fields[kind])), " "))
	}
	return out.String()
}

// longestWord is longer than any word that keys are made of: what is longer was made at
// random, of which now and then none is a digit.
const longestWord = 20

// general is a key with a star for each part that names something.
func general(key string) string {
	parts := strings.Split(key, "#")
	for i, part := range parts {
		if part != strings.ToUpper(part) && part != "cancel" && part != "decision" || strings.ContainsAny(part, "0123456789") || len(part) > longestWord {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "#")
}

// members notes the paths of all members of objects in a JSON value.
func members(fields map[string]bool, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			fields[path+"."+name] = true
			members(fields, path+"."+name, inner)
		}
	case []any:
		for _, inner := range v {
			members(fields, path+"[]", inner)
		}
	}
}

// What others install, and each function, needs these packages of others and no more.
func TestFrozenDependencies(t *testing.T) {
	named := map[string]string{"tally/lib/bookmaker/client": "client", "tally/lib/archive/verify": "verify"}
	arguments := []string{"list", "-tags", "lambda.norpc", "-deps", "-json=ImportPath,Imports,Module", "tally/functions/..."}
	arguments = append(arguments, slices.Sorted(maps.Keys(named))...)
	command := exec.CommandContext(t.Context(), "go", arguments...)
	command.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	text, err := command.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(arguments, " "), err)
	}
	type listed struct {
		ImportPath string
		Imports    []string
		Module     *struct{ Main bool }
	}
	packages := map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
	users := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		function, isFunction := strings.CutPrefix(path, "tally/functions/")
		if !isFunction && named[path] == "" {
			continue
		}
		reached, next := map[string]bool{}, []string{path}
		for len(next) > 0 {
			p := packages[next[0]]
			next = next[1:]
			if reached[p.ImportPath] {
				continue
			}
			reached[p.ImportPath] = true
			next = append(next, p.Imports...)
		}
		for _, p := range slices.Sorted(maps.Keys(reached)) {
			if m := packages[p].Module; m != nil && !m.Main {
				users[p] = append(users[p], cmp.Or(named[path], function))
			}
		}
	}
	var out strings.Builder
	for _, p := range slices.Sorted(maps.Keys(users)) {
		slices.Sort(users[p])
		_, _ = fmt.Fprintf(&out, "%s: %s\n", p, strings.Join(users[p], " "))
	}
	compare(t, "dependencies.txt", out.String())
}
