package dynamotest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	localJar = "DynamoDBLocal.jar"

	startSeconds = 300 // for the emulator to answer; alone on a machine it takes one and a half
	startTries   = 8   // ports to try
	logBytes     = 4096

	// The emulator's ports lie below the range from which systems take the ports
	// of outgoing connections, so that none of those is in its way.
	firstPort = 20000
	portPairs = 5000
)

// launcher starts the emulator and ends it when its own standard input does,
// which the test process holds open: however that process ends, the system
// closes it. The arguments are those of java.
const launcher = `exec 3<&0
java "$@" </dev/null 3<&- &
java=$!
(cat <&3 >/dev/null; kill "$java" 2>/dev/null) &
exec 3<&-
wait "$java"`

// startLocal starts the emulator in folder and returns its URL once it answers.
// It runs until this process ends.
func startLocal(ctx context.Context, folder string) (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", fmt.Errorf("it needs Java 17 or newer on the PATH: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startSeconds*time.Second)
	defer cancel()
	var last error
	for range startTries {
		port, err := reservePort(ctx)
		if err != nil {
			last = err
			continue
		}
		endpoint, err := launch(ctx, folder, port)
		if err == nil {
			return endpoint, nil
		}
		last = err
		if ctx.Err() != nil {
			break
		}
	}
	return "", fmt.Errorf("starting it: %w", last)
}

// reservePort returns an odd port that no other test process will try. Each
// listens on the even port before the one that it gives to its emulator, for as
// long as it lives; the emulator can't be handed a listener, nor tell that it is
// the one that answers.
func reservePort(ctx context.Context) (int, error) {
	even := firstPort + 2*rand.IntN(portPairs)
	var config net.ListenConfig
	guard, err := config.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", even))
	if err != nil {
		return 0, fmt.Errorf("reserving port %d: %w", even+1, err)
	}
	probe, err := config.Listen(ctx, "tcp", fmt.Sprintf(":%d", even+1))
	if err != nil {
		return 0, errors.Join(fmt.Errorf("port %d is taken: %w", even+1, err), guard.Close())
	}
	if err := probe.Close(); err != nil {
		return 0, errors.Join(fmt.Errorf("freeing port %d: %w", even+1, err), guard.Close())
	}
	guards = append(guards, guard)
	return even + 1, nil
}

// guards keeps the reservations from being collected, and so closed. Only
// startLocal adds to it, once in a process.
var guards []net.Listener

// launch starts the emulator on a port and waits until it answers or ends.
func launch(ctx context.Context, folder string, port int) (string, error) {
	log, err := os.CreateTemp("", "dynamodb-local-*.log")
	if err != nil {
		return "", fmt.Errorf("making its log: %w", err)
	}
	// Gone from the folder at once, and from the disk with the last who writes it.
	if err := os.Remove(log.Name()); err != nil {
		return "", fmt.Errorf("hiding its log: %w", err)
	}
	// Not bound to ctx, which ends when the emulator answers.
	command := exec.Command("sh", "-c", launcher, "sh",
		"-XX:+UseSerialGC", "-XX:-UsePerfData", "-Djava.library.path=DynamoDBLocal_lib",
		"-jar", localJar, "-inMemory", "-sharedDb", "-disableTelemetry", "-port", fmt.Sprint(port))
	command.Dir = folder
	command.Stdout, command.Stderr = log, log
	lifeline, err := command.StdinPipe()
	if err != nil {
		return "", fmt.Errorf("making its standard input: %w", err)
	}
	if err := command.Start(); err != nil {
		return "", fmt.Errorf("running java: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	endpoint := fmt.Sprintf("http://127.0.0.1:%d", port)
	if err := awaitAnswer(ctx, endpoint, ended); err != nil {
		return "", errors.Join(fmt.Errorf("%w; its log: %s", err, tail(log)), lifeline.Close())
	}
	return endpoint, nil
}

// awaitAnswer returns nil when the endpoint answers a request, whatever it says.
func awaitAnswer(ctx context.Context, endpoint string, ended <-chan error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("it ended before it answered (%v)", err)
		case <-ctx.Done():
			return fmt.Errorf("it did not answer within %d s: %w", startSeconds, ctx.Err())
		case <-tick.C:
			if answers(ctx, endpoint) {
				return nil
			}
		}
	}
}

func answers(ctx context.Context, endpoint string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoint, nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil
}

// tail returns the end of the emulator's log, for an error.
func tail(log *os.File) string {
	size, err := log.Seek(0, io.SeekEnd)
	if err != nil {
		return err.Error()
	}
	text := make([]byte, min(size, logBytes))
	if _, err := log.ReadAt(text, size-int64(len(text))); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}
