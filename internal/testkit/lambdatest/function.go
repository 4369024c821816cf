package lambdatest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// defaultTimeout is how long an event may take unless the options say otherwise.
const defaultTimeout = 30 * time.Second

// ErrTimedOut says that a function did not answer an event before its deadline.
// Its process was killed.
var ErrTimedOut = errors.New("the function timed out")

// Error is what a function answered in the place of a result.
type Error struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

func (e *Error) Error() string { return e.Type + ": " + e.Message }

// EndedError says that the function's process ended without answering. Log is
// what it wrote.
type EndedError struct {
	Cause error // of the process; nil when it ended well
	Log   string
}

func (e *EndedError) Error() string {
	return fmt.Sprintf("the function's process ended (%v); its log: %s", e.Cause, e.Log)
}

// Unwrap returns the cause, an *exec.ExitError.
func (e *EndedError) Unwrap() error { return e.Cause }

// Options sets up a function.
type Options struct {
	Variables map[string]string
	Timeout   time.Duration // for one event; 30 s by default
}

// Function is a Lambda's running process.
type Function struct {
	options Options
	api     *runtimeAPI
	server  *httptest.Server
	process *exec.Cmd
	started time.Time
	ended   chan struct{} // closed when the process has ended
	cause   error         // of its end; to be read after ended
	// A file, not a pipe: what the process wrote before it answered is there when
	// the answer is. It has no name.
	log *os.File

	mutex sync.Mutex // held during an invocation
	first time.Duration
}

// Start runs a binary for a test and returns at once, as the process starts.
func Start(t testing.TB, binary string, options Options) *Function {
	t.Helper()
	f, err := start(binary, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Stop)
	return f
}

func start(binary string, options Options) (*Function, error) {
	if options.Timeout == 0 {
		options.Timeout = defaultTimeout
	}
	log, err := os.CreateTemp("", "lambda-*.log")
	if err != nil {
		return nil, fmt.Errorf("making a log: %w", err)
	}
	if err := os.Remove(log.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("hiding the log: %w", err), log.Close())
	}
	f := &Function{options: options, api: newRuntimeAPI(), ended: make(chan struct{}), log: log}
	f.server = httptest.NewServer(f.api)
	f.process = exec.Command(binary)
	f.process.Env = environment(strings.TrimPrefix(f.server.URL, "http://"), options.Variables)
	f.process.Stdout, f.process.Stderr = log, log
	f.started = time.Now()
	if err := f.process.Start(); err != nil {
		f.server.Close()
		return nil, errors.Join(fmt.Errorf("starting %s: %w", binary, err), log.Close())
	}
	go func() {
		f.cause = f.process.Wait()
		close(f.ended)
	}()
	return f, nil
}

// Stop ends the process. Its log is gone with it.
func (f *Function) Stop() {
	f.kill()
	_ = f.log.Close() // nobody reads it any more
	f.server.CloseClientConnections()
	f.server.Close()
}

// environment is what Lambda gives a process, then the function's variables.
func environment(api string, variables map[string]string) []string {
	list := []string{
		"AWS_LAMBDA_RUNTIME_API=" + api,
		"AWS_LAMBDA_FUNCTION_NAME=test",
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=128",
		"AWS_LAMBDA_LOG_FORMAT=JSON",
		"AWS_LAMBDA_LOG_LEVEL=INFO",
		"AWS_REGION=eu-central-1",
		"AWS_ACCESS_KEY_ID=test",
		"AWS_SECRET_ACCESS_KEY=test",
		"AWS_SESSION_TOKEN=test",
		"TZ=:UTC",
	}
	for name, value := range variables {
		list = append(list, name+"="+value)
	}
	return list
}

// Invoke has the function answer an event and returns its answer. An error is an
// *[Error] of the function's own, an *[EndedError], or [ErrTimedOut]. After the
// last two the function is gone, and further events fail.
func (f *Function) Invoke(event []byte) ([]byte, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), f.options.Timeout)
	defer cancel()
	deadline, _ := ctx.Deadline()
	answers := f.api.give(event, deadline)
	select {
	case answer := <-answers:
		return f.answered(answer)
	case <-f.ended:
	case <-ctx.Done():
		f.kill()
		return nil, fmt.Errorf("%w after %s; its log: %s", ErrTimedOut, f.options.Timeout, f.Log())
	}
	select {
	case answer := <-answers: // it answered and then ended
		return f.answered(answer)
	default:
		return nil, &EndedError{Cause: f.cause, Log: f.Log()}
	}
}

func (f *Function) answered(answer answer) ([]byte, error) {
	if f.first == 0 {
		f.first = answer.at.Sub(f.started)
	}
	if answer.fault != nil {
		return nil, answer.fault
	}
	return answer.body, nil
}

// ColdStart returns the time from the start of the process to its first answer,
// 0 before that.
func (f *Function) ColdStart() time.Duration {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.first
}

// Log returns what the process has written so far, on both its outputs.
func (f *Function) Log() string {
	const most = 64 << 20
	text, err := io.ReadAll(io.NewSectionReader(f.log, 0, most))
	if err != nil {
		return "the log can't be read: " + err.Error()
	}
	return string(text)
}

// kill ends the process and waits until it has ended.
func (f *Function) kill() {
	_ = f.process.Process.Kill() // it fails when there is nothing left to kill
	<-f.ended
}
