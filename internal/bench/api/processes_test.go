package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"tally"
	"tally/lib/lambda/functions"
	"tally/lib/lambda/runtime"
	"tally/lib/local"
)

// roles are what the processes that this one starts do. Each prints the URL that
// it listens at, and ends when its input does.
var roles = map[string]func(context.Context, []string) error{
	"role-emulator": emulate,
	"role-proxy":    proxy,
	"role-api":      serveAPI,
}

// process is a process with a role.
type process struct {
	url     string
	command *exec.Cmd
	input   *os.File
}

// start starts a role and waits for its URL.
func start(ctx context.Context, role string, arguments ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	command := exec.CommandContext(ctx, self, append([]string{role}, arguments...)...)
	in, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", role, err)
	}
	defer in.Close()
	command.Stdin, command.Stderr = in, os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", role, err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", role, err)
	}
	p := &process{command: command, input: ours}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("%s did not say where it listens: %w", role, err)
	}
	p.url = strings.TrimSpace(line)
	return p, nil
}

// stop ends the process and waits for its end.
func (p *process) stop() {
	_ = p.input.Close()  // it ends with its input
	_ = p.command.Wait() // which it may do with any status
}

// listen serves a handler until this process's input ends.
func listen(handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		endOfInput()
		_ = server.Close() // nothing is left to be answered
	}()
	fmt.Println("http://" + listener.Addr().String())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

func endOfInput() {
	buffer := make([]byte, 1)
	for {
		if _, err := os.Stdin.Read(buffer); err != nil {
			return
		}
	}
}

// emulate is the local stack, as `tally local` starts it, for its emulator and the
// table of template.yaml. Its own API is left alone.
func emulate(ctx context.Context, _ []string) error {
	quiet := slog.New(slog.DiscardHandler)
	stack, err := local.Start(ctx, local.Options{Template: tally.Template, Log: quiet,
		Build: local.Tally(runtime.Runtime{Log: quiet, Metrics: io.Discard, Now: time.Now})})
	if err != nil {
		return err
	}
	defer stack.Close()
	fmt.Println(stack.Endpoint)
	endOfInput()
	return nil
}

// environmentOf is what Lambda would tell a function.
func environmentOf(endpoint string) runtime.Environment {
	return runtime.Environment{Region: "eu-central-1", KeyID: "bench", Secret: "bench", Endpoint: endpoint}
}

// serveAPI is the API as functions/api puts it together. What a Lambda writes to
// its log is written here too, to nowhere.
func serveAPI(_ context.Context, arguments []string) error {
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("opening %s: %w", os.DevNull, err)
	}
	defer nowhere.Close()
	variables := map[string]string{"TALLY_TABLE": arguments[2], "TALLY_SWEEPS_URL": arguments[1] + "/000000000000/sweeps", "TALLY_METRICS_NAMESPACE": "bench"}
	made, err := functions.New("api", func(name string) (string, bool) { value, set := variables[name]; return value, set },
		runtime.Runtime{AWS: environmentOf(arguments[1]).AWS(), Log: slog.New(slog.NewJSONHandler(nowhere, nil)), Metrics: nowhere, Now: time.Now})
	if err != nil {
		return fmt.Errorf("putting the API together: %w", err)
	}
	return listen(made.(runtime.HTTPHandler).Serve)
}

// proxy writes an item for each request, whatever it says.
func proxy(ctx context.Context, arguments []string) error {
	client := dynamodb.NewFromConfig(environmentOf(arguments[1]).AWS())
	bet, err := readBet(ctx, client, arguments[2], arguments[3])
	if err != nil {
		return err
	}
	var count atomic.Int64
	return listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // no API can do without
		if err := bet.write(r.Context(), client, fmt.Sprintf("proxy-%d", count.Add(1))); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write(fixedAnswer) // whoever went away misses it
	}))
}

// fixedAnswer has about as many bytes as a bet.
var fixedAnswer = []byte(strings.Repeat("x", 250))
