package lambdatest_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tally/internal/testkit/lambdatest"
)

func echo(t *testing.T, options lambdatest.Options) *lambdatest.Function {
	t.Helper()
	return lambdatest.Start(t, lambdatest.Build(t, "tally/internal/testkit/lambdatest/testdata/echo"), options)
}

func event(t *testing.T, do, with string) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]string{"Do": do, "With": with})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAnswers(t *testing.T) {
	function := echo(t, lambdatest.Options{Variables: map[string]string{"GREETING": "hello"}, Timeout: 20 * time.Second})
	if function.ColdStart() != 0 {
		t.Error("a cold start before the first answer")
	}
	for _, test := range []struct{ do, with, want string }{
		{"echo", "é", `"é"`},
		{"variable", "GREETING", `"hello"`},
		{"variable", "HOME", `""`}, // of the test, not of the function
		{"context", "", `["00000000-0000-4000-8000-000000000004","arn:aws:lambda:eu-central-1:000000000000:function:test","20s"]`},
		{"log", "to be read", "null"},
	} {
		t.Run(test.do+" "+test.with, func(t *testing.T) {
			answer, err := function.Invoke(event(t, test.do, test.with))
			if err != nil || string(answer) != test.want {
				t.Errorf("%s %s: got %s, %v; want %s", test.do, test.with, answer, err, test.want)
			}
		})
	}
	if !strings.Contains(function.Log(), "to be read\n") {
		t.Errorf("the log is %q", function.Log())
	}
	if cold := function.ColdStart(); cold <= 0 || cold > 10*time.Second {
		t.Errorf("the cold start took %s", cold)
	}
}

// An error is the event's own; the function goes on.
func TestErrors(t *testing.T) {
	function := echo(t, lambdatest.Options{})
	_, err := function.Invoke(event(t, "fail", "no table"))
	var own *lambdatest.Error
	if !errors.As(err, &own) || own.Message != "no table" || own.Type != "errorString" {
		t.Errorf("got %v", err)
	}
	if answer, err := function.Invoke(event(t, "echo", "x")); err != nil || string(answer) != `"x"` {
		t.Errorf("after an error: %s, %v", answer, err)
	}
}

// A panic is reported, and ends the process as in Lambda.
func TestPanic(t *testing.T) {
	function := echo(t, lambdatest.Options{})
	_, err := function.Invoke(event(t, "panic", "oh"))
	var own *lambdatest.Error
	if !errors.As(err, &own) || own.Message != "oh" {
		t.Errorf("got %v", err)
	}
	_, err = function.Invoke(event(t, "echo", "x"))
	var ended *lambdatest.EndedError
	if !errors.As(err, &ended) {
		t.Errorf("after a panic: %v", err)
	}
}

func TestEnds(t *testing.T) {
	tests := []struct {
		name      string
		variables map[string]string
		do        string
		code      int
		log       string
	}{
		{"at start", map[string]string{"ECHO_REFUSES": "1"}, "echo", 3, "refused to start"},
		{"in an event", nil, "exit", 4, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			function := echo(t, lambdatest.Options{Variables: test.variables})
			for range 2 {
				_, err := function.Invoke(event(t, test.do, ""))
				var ended *lambdatest.EndedError
				var exit *exec.ExitError
				if !errors.As(err, &ended) || !errors.As(err, &exit) || exit.ExitCode() != test.code || !strings.Contains(ended.Log, test.log) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	function := echo(t, lambdatest.Options{Timeout: 2 * time.Second})
	began := time.Now()
	if _, err := function.Invoke(event(t, "sleep", "")); !errors.Is(err, lambdatest.ErrTimedOut) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("it took %s", took)
	}
	var ended *lambdatest.EndedError
	if _, err := function.Invoke(event(t, "echo", "x")); !errors.As(err, &ended) {
		t.Errorf("after a timeout: %v", err)
	}
}

// An answer over Lambda's limit is refused.
func TestAnswerTooLarge(t *testing.T) {
	function := echo(t, lambdatest.Options{Timeout: 10 * time.Second})
	if answer, err := function.Invoke(event(t, "large", "")); err == nil {
		t.Errorf("an answer of %d bytes was taken", len(answer))
	}
}
