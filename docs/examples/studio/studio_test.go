// Package studio_test runs the examples of a studio against tally.
package studio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tally"
	"tally/internal/testkit/replytest"
	"tally/lib/draw/wire"
	"tally/lib/lambda/runtime"
	"tally/lib/local"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/games"
	"tally/lib/store"
)

// start runs a stack until the test ends.
func start(t *testing.T) *local.Stack {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	stack, err := local.Start(t.Context(), local.Options{Template: tally.Template, Log: log, Stack: "tally",
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
	return stack
}

const root = "../../.."

// block is a block of commands in a Markdown file.
var block = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// printed are the blocks of docs/studio.md that name a text.
func printed(t *testing.T, text string) (blocks []string) {
	t.Helper()
	document, err := os.ReadFile(root + "/docs/studio.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range block.FindAllStringSubmatch(string(document), -1) {
		if strings.Contains(match[1], text) {
			blocks = append(blocks, match[1])
		}
	}
	return blocks
}

// programs are the commands that docs/studio.md has a studio's engineer paste, by the
// language of the example. A short run has Go alone.
func programs(t *testing.T) map[string]string {
	t.Helper()
	goes, python := printed(t, "go run"), printed(t, "play.py")
	if len(goes) != 1 || len(python) != 1 {
		t.Fatalf("docs/studio.md has %d blocks with go run and %d with play.py, expected one of each", len(goes), len(python))
	}
	settings, _, _ := strings.Cut(goes[0], "go run")
	list := map[string]string{"go": goes[0]}
	if !testing.Short() {
		list["py"] = settings + python[0]
	}
	return list
}

// plays pastes commands and returns the replies that they print.
func plays(t *testing.T, stack *local.Stack, commands string) (replies [][]byte) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", strings.ReplaceAll(commands, "http://127.0.0.1:4566", stack.Endpoint))
	shell.Dir, shell.Env = root, append(os.Environ(), "AWS_EC2_METADATA_DISABLED=true")
	var failed bytes.Buffer
	shell.Stderr = &failed
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%s\n%v\n%s%s", commands, err, out, failed.String())
	}
	return bytes.Split(bytes.TrimSpace(out), []byte("\n"))
}

// settled waits until a draw is settled under a state.
func settled(t *testing.T, settler *settle.Settler, draw string) {
	t.Helper()
	const patience = 5 * time.Minute
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if status, err := settler.Status(t.Context(), draw); err == nil && status.State > 0 && status.Settled {
			return
		}
	}
	t.Errorf("draw %s is not settled within %s", draw, patience)
}

// TestExamples plays a draw of each game by each example: the messages are taken, the draws
// settled, and the replies are what their schema says.
func TestExamples(t *testing.T) {
	stack := start(t)
	settler := &settle.Settler{Table: store.New(dynamodb.NewFromConfig(local.Config(stack.Endpoint)), stack.Table)}
	for language, commands := range programs(t) {
		t.Run(language, func(t *testing.T) {
			drawOf := map[string]string{} // that is resolved, by table
			for _, text := range plays(t, stack, commands) {
				replytest.Check(t, text)
				var reply wire.Reply
				if err := json.Unmarshal(text, &reply); err != nil {
					t.Fatal(err)
				}
				if reply.Status == wire.Quarantined {
					t.Errorf("quarantined: %s", text)
				}
				if reply.Outcome != nil && reply.Outcome.Status == "resolved" {
					drawOf[reply.Table] = reply.Draw
				}
			}
			for _, game := range games.All() {
				draw := drawOf[language+"-"+game.ID]
				if draw == "" {
					t.Errorf("no result of %s is answered as resolved", game.ID)
					continue
				}
				settled(t, settler, draw)
			}
		})
	}
}
