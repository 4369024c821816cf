package local_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"golang.org/x/mod/sumdb/note"

	"tally"
	"tally/events"
	"tally/lib/archive/tiles"
	"tally/lib/archive/verify"
	"tally/lib/draw/wire"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/local"
	"tally/lib/pipeline/settle"
	"tally/lib/rulebook/games"
	"tally/lib/store"
)

// stacks counts the stacks of this process, for their names.
var stacks atomic.Int64

// start starts a stack of its own for a test and runs it until the test ends.
func start(t *testing.T, options local.Options) *local.Stack {
	t.Helper()
	options.Stack = fmt.Sprintf("test%d", stacks.Add(1))
	if options.Template == nil {
		options.Template = tally.Template
	}
	options.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	if options.Build == nil {
		options.Build = local.Tally(runtime.Runtime{Log: options.Log, Metrics: io.Discard, Now: time.Now})
	}
	stack, err := local.Start(t.Context(), options)
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

func queueOf(stack *local.Stack, id string) (url string) {
	for _, queue := range stack.Resolved.Queues {
		if queue.ID == id {
			return queue.URL
		}
	}
	return ""
}

// patience is how long tests wait for what never comes, on a machine however busy.
const patience = 5 * time.Minute

// eventually waits for something to hold.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("%s: not within %s", what, patience)
}

// The sample messages of all games go in, the draws are settled, and every
// message is answered.
func TestSampleMessages(t *testing.T) {
	t.Parallel()
	stack := start(t, local.Options{})
	client := sqs.NewFromConfig(local.Config(stack.Endpoint))
	sent, draws := map[string]bool{}, map[string]bool{}
	for _, game := range games.All() {
		files, err := events.Messages(game)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			id := "StudioMessagesQueue"
			m, partial, _ := wire.Parse(file.Body)
			if m != nil && m.Type.IsOrder() {
				id = "OperatorOrdersQueue"
			}
			if err := sqsqueue.New(client, queueOf(stack, id)).Send(t.Context(), string(file.Body), 0); err != nil {
				t.Fatal(err)
			}
			sent[partial.ID], draws[partial.Draw] = true, true
		}
	}
	answers := map[string]string{}
	eventually(t, "every message is answered", func() bool {
		for _, reply := range receive(t, client, queueOf(stack, "StudioRepliesQueue")) {
			answers[reply.ID] = reply.Status
		}
		return len(answers) == len(sent)
	})
	quarantined := 0
	for id, status := range answers {
		if !sent[id] {
			t.Errorf("message %s was never sent", id)
		}
		if status == wire.Quarantined {
			quarantined++
		}
	}
	if quarantined != 2 { // the impossible results of baccarat and poker
		t.Errorf("%d messages are in quarantine", quarantined)
	}
	table := store.New(dynamodb.NewFromConfig(local.Config(stack.Endpoint)), stack.Table)
	settler := &settle.Settler{Table: table}
	defer func() {
		eventually(t, "every draw is in the public log", func() bool { return archived(t, stack) == len(draws) })
	}()
	eventually(t, "every draw is settled", func() bool {
		for id := range draws {
			status, err := settler.Status(t.Context(), id)
			if err != nil {
				t.Log(err) // under load the emulator cuts an answer now and then: read again
				return false
			}
			if status.State == 0 || !status.Settled {
				return false
			}
		}
		return true
	})
	if err := stack.RunScheduled(t.Context(), "reconcile"); err != nil {
		t.Error(err)
	}
	if err := stack.RunScheduled(t.Context(), "intake"); err == nil {
		t.Error("a function is run that no schedule runs")
	}
}

// receive takes some replies from their queue.
func receive(t *testing.T, client *sqs.Client, url string) (replies []wire.Reply) {
	t.Helper()
	out, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, MaxNumberOfMessages: 10, WaitTimeSeconds: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range out.Messages {
		var reply wire.Reply
		if err := json.Unmarshal([]byte(aws.ToString(m.Body)), &reply); err != nil {
			t.Fatal(err)
		}
		replies = append(replies, reply)
		if _, err := client.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: m.ReceiptHandle}); err != nil {
			t.Fatal(err)
		}
	}
	return replies
}

// archived verifies the public log and returns how many draws it has the result
// and the settlement of.
func archived(t *testing.T, stack *local.Stack) int {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(stack.LogFolder, tiles.KeysPath))
	if err != nil {
		return 0 // nothing was archived yet
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(key)))
	if err != nil {
		t.Fatal(err)
	}
	files, err := verify.Open(stack.LogFolder)
	if err != nil {
		t.Fatal(err)
	}
	report, err := verify.Log(t.Context(), files, verify.Params{Origin: verifier.Name(), Known: note.VerifierList(verifier)})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Code != verify.NoCheckpoint {
			t.Fatalf("found %+v, want at most that there is no checkpoint", f)
		}
	}
	return min(report.Counts.Openings-report.Counts.Pending, report.Counts.Settlements)
}
