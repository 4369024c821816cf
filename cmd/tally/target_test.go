package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"tally/lib/archive/verify"
	"tally/lib/draw/wire"
)

// What AWS can't be reached without is said in one line, the same by every command,
// with what to do about it, and not in the SDK's words.
func TestNoAWS(t *testing.T) {
	key := otherKey(t)
	for _, command := range [][]string{
		{"keys", "list", "acme"},
		{"disputes", "list"},
		{"webhooks", "list", "acme"},
		{"quarantine", "list"},
		{"redrive", "sweeps"},
		{"send", "../../events/war/01-draw.opened.json"},
		{"verify", "s3://bucket", "--key", key, "--state", "none"},
		{"prove", "s3://bucket", "--key", key, "--draw", "war-1"},
	} {
		t.Run(command[0], func(t *testing.T) {
			for _, test := range []struct {
				environment []string
				want        string
			}{
				{nil, "there are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
				{[]string{"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test"}, "there is no AWS region: set AWS_REGION"},
			} {
				run := exec.Command("tally", command...)
				run.Env = append(test.environment, "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir(), "AWS_EC2_METADATA_DISABLED=true")
				out, err := run.CombinedOutput()
				if text := string(out); run.ProcessState.ExitCode() != exitFailed || strings.Count(text, "\n") != 1 || !strings.Contains(text, test.want) {
					t.Errorf("%v: %v: %s", command, err, out)
				}
				if readsLog := slices.Contains(command, "--key"); strings.Contains(string(out), "add --local") == readsLog {
					t.Errorf("%v speaks of --local, which it does not take, or doesn't speak of it: %s", command, out)
				}
			}
		})
	}
}

// What comes from outside does nothing to a terminal: not in what a command writes,
// and not in its errors. \u009b is what ESC [ is in one character.
func TestTerminalEscapes(t *testing.T) {
	var out bytes.Buffer
	app := &app{in: strings.NewReader(""), out: &out, err: &out, getenv: func(string) string { return "" }}
	if err := app.printf("%s of draw %s, %d\n", wire.Type("a\x1b[2Jb"), "c\u009bd\ne", 7); err != nil || out.String() != "a\\u{1b}[2Jb of draw c\\u{9b}d\\u{a}e, 7\n" {
		t.Errorf("%v: %q", err, out.String())
	}
	out.Reset()
	f := &verifyFlags{}
	report := &verify.Report{Origin: "log\u009b2J", Contradicted: []verify.Contradicted{{Draw: "a\x1b[2J"}}}
	report.Counts.Contradicted = 1
	if err := f.write(app, report, func(w io.Writer) { writeReport(w, report) }); err != nil || strings.ContainsAny(out.String(), "\x1b\u009b") ||
		!strings.Contains(out.String(), "draw a\\u{1b}[2J, ") || !strings.HasPrefix(out.String(), "log         log\\u{9b}2J\n") {
		t.Errorf("%v: %q", err, out.String())
	}
	out.Reset()
	if code := run([]string{"send", "no\x1b[2J\u009bsuch", "--local"}, app); code != exitFailed || !strings.Contains(out.String(), "no\\u{1b}[2J\\u{9b}such") || strings.ContainsAny(out.String(), "\x1b\u009b") {
		t.Errorf("exit code %d: %q", code, out.String())
	}
}

// fakeSTS answers what AWS is asked first, and refuses all else.
type fakeSTS struct {
	mutex    sync.Mutex
	broken   bool
	requests []string
}

// ServeHTTP implements http.Handler.
func (s *fakeSTS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	action := r.Header.Get("X-Amz-Target")
	if strings.Contains(string(body), "Action=GetCallerIdentity") {
		action = "GetCallerIdentity"
	}
	s.requests = append(s.requests, action)
	if action != "GetCallerIdentity" || s.broken {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	_, _ = io.WriteString(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
}

// A command that works on AWS says on which account, region and stack before it does
// anything there, and does nothing where it can't say that.
func TestAccountIsNamedFirst(t *testing.T) {
	key := otherKey(t)
	for _, test := range []struct {
		on      string
		command []string
	}{
		{"stack prod, table prod-t", []string{"keys", "list", "acme"}},
		{"stack prod, table prod-t", []string{"disputes", "list"}},
		{"stack prod, table prod-t", []string{"webhooks", "set", "acme", "https://acme.example/v2", "--id", "k2v7mx4qhd3n6"}},
		{"stack prod, table prod-t", []string{"quarantine", "list"}},
		{"stack prod, table prod-t", []string{"redrive", "sweeps"}},
		{"stack prod, table prod", []string{"redrive", "sweeps", "--table", ""}},
		{"stack prod, table prod-t", []string{"send", "../../events/war/01-draw.opened.json"}},
		{"bucket logs", []string{"verify", "s3://logs", "--key", key, "--state", "none"}},
	} {
		for name, prepare := range map[string]func(*fakeSTS) []string{
			"asked":       func(*fakeSTS) []string { return nil },
			"not allowed": func(s *fakeSTS) []string { s.broken = true; return nil },
			"known":       func(s *fakeSTS) []string { s.broken = true; return []string{"AWS_ACCOUNT_ID=123456789012"} },
		} {
			t.Run(strings.Join(test.command, " ")+" "+name, func(t *testing.T) {
				answers := &fakeSTS{}
				environment := prepare(answers)
				server := httptest.NewServer(answers)
				defer server.Close()
				run := exec.Command("tally", test.command...)
				run.Env = append(environment, "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir(), "AWS_ENDPOINT_URL="+server.URL, "AWS_REGION=eu-central-1", "AWS_MAX_ATTEMPTS=1",
					"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test", "TALLY_STACK=prod", "TALLY_TABLE=prod-t")
				out, _ := run.CombinedOutput()
				said := strings.HasPrefix(string(out), "on AWS: account 123456789012, region eu-central-1, "+test.on+"\n")
				if refused := name == "not allowed"; said == refused || refused && (len(answers.requests) != 1 || !strings.Contains(string(out), "AWS_ACCOUNT_ID")) {
					t.Errorf("requests %q: %s", answers.requests, out)
				}
				if len(answers.requests) == 0 || (name == "known") == (answers.requests[0] == "GetCallerIdentity") {
					t.Errorf("the requests are %q", answers.requests)
				}
			})
		}
	}
}
