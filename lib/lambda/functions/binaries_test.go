package functions_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	lambdaevents "github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"tally/internal/testkit/lambdatest"
	"tally/internal/testkit/permissions"
	"tally/lib/draw/wire"
	"tally/lib/local"
	"tally/lib/pipeline/settle"
	"tally/lib/store"
)

// binary builds the function of a short name for this machine.
func binary(t testing.TB, name string) string {
	t.Helper()
	return lambdatest.Build(t, "tally/functions/"+name)
}

// run starts a function's binary with the variables that the stack gives it.
func run(t testing.TB, stack *local.Stack, name string) *lambdatest.Function {
	t.Helper()
	function := functionOf(t, stack, name)
	all := maps.Clone(function.Environment.Variables)
	all["AWS_ENDPOINT_URL"] = stack.Endpoint
	return lambdatest.Start(t, binary(t, name), lambdatest.Options{Variables: all, Timeout: function.Timeout()})
}

// answer has a function answer an SQS event and returns what it left undone.
func answer(t *testing.T, function *lambdatest.Function, event []byte) []lambdaevents.SQSBatchItemFailure {
	t.Helper()
	text, err := function.Invoke(event)
	if err != nil {
		t.Fatal(err)
	}
	var response lambdaevents.SQSEventResponse
	if err := json.Unmarshal(text, &response); err != nil || response.BatchItemFailures == nil {
		t.Fatalf("Lambda would not understand the answer %s (%v)", text, err)
	}
	return response.BatchItemFailures
}

// replies receives all that waits on studio-replies, as statuses by number.
func replies(t *testing.T, stack *local.Stack) map[string]int {
	t.Helper()
	client := sqs.NewFromConfig(local.Config(stack.Endpoint))
	url := variables(t, stack, "intake")["TALLY_REPLIES_URL"]
	found := make(map[string]int)
	for {
		out, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &url, MaxNumberOfMessages: 10, WaitTimeSeconds: 1,
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll}})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Messages) == 0 {
			return found
		}
		for _, message := range out.Messages {
			var reply wire.Reply
			if err := json.Unmarshal([]byte(*message.Body), &reply); err != nil {
				t.Fatal(err)
			}
			found[reply.Status]++
			if _, err := client.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: &url, ReceiptHandle: message.ReceiptHandle}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// readSample reads a sample as of a stack: the files are of one called tally.
func readSample(t testing.TB, stack *local.Stack, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(samplesFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(strings.ReplaceAll(string(text), sampleARN(""), strings.Replace(sampleARN(""), ":tally-", ":"+stack.Table+"-", 1)))
}

// BenchmarkColdStart measures, of the functions that someone waits for, the time from
// the start of the process to its first answer.
func BenchmarkColdStart(b *testing.B) {
	health, err := json.Marshal(map[string]any{"rawPath": "/v1/health", "requestContext": map[string]any{
		"domainName": "api.example.com", "http": map[string]string{"method": "GET"}}})
	if err != nil {
		b.Fatal(err)
	}
	for name, sample := range map[string]string{"intake": "intake.draw.json", "settle": "settle.sweep.json", "reconcile": "reconcile" + scheduled, "api": ""} {
		b.Run(name, func(b *testing.B) {
			var started time.Duration
			for b.Loop() {
				stack, event := emulate(b, nil), health // a new one: a message that is there already is less work
				if sample != "" {
					event = readSample(b, stack, sample)
				}
				function := run(b, stack, name)
				if text, err := function.Invoke(event); err != nil || strings.Contains(string(text), "itemIdentifier") {
					b.Fatalf("%s, %v; log:\n%s", text, err, function.Log())
				}
				started += function.ColdStart()
				function.Stop()
			}
			b.ReportMetric(float64(started.Milliseconds())/float64(b.N), "ms/start")
		})
	}
}

// Every sample under events/sqs is answered by the binary of its function.
func TestBinariesAnswerSamples(t *testing.T) {
	t.Parallel()
	stack := emulate(t, nil)
	running := make(map[string]*lambdatest.Function)
	for _, sample := range samples(t) {
		name, _, _ := strings.Cut(sample.name, ".")
		if running[name] == nil {
			running[name] = run(t, stack, name)
		}
		if failed := answer(t, running[name], readSample(t, stack, sample.name)); len(failed) != sample.unsolved {
			t.Errorf("%s: the answer names %d messages, want %d; log:\n%s", sample.name, len(failed), sample.unsolved, running[name].Log())
		}
	}
	for _, name := range []string{"reconcile", "pages"} {
		running[name] = run(t, stack, name)
		if text, err := running[name].Invoke(readSample(t, stack, name+scheduled)); err != nil || string(text) != "null" {
			t.Errorf("%s: %s, %v; log:\n%s", name, text, err, running[name].Log())
		}
	}
	if _, err := os.Stat(filepath.Join(stack.SiteFolder, "en", "index.html")); err != nil {
		t.Errorf("there is no site: %v", err)
	}
	for name, function := range running {
		checkLog(t, name, function.Log())
		t.Logf("%s: %s from its start to its first answer", name, function.ColdStart().Round(time.Millisecond))
	}
	// A draw, its orders and another draw; four messages that were there; three refused.
	got := replies(t, stack)
	if got[wire.Stored] != 11 || got[wire.Replay] != 4 || got[wire.Quarantined] != 3 {
		t.Errorf("replies: %v", got)
	}
}

// checkLog holds every line of a function's log against Lambda's format, and
// wants no payload in it.
func checkLog(t *testing.T, name, log string) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(log) {
		lines++
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Errorf("%s: a line of the log is no JSON: %s", name, line)
			continue
		}
		_, isMetric := record["_aws"]
		if !isMetric && (record["timestamp"] == nil || record["level"] == nil || record["requestId"] == nil) {
			t.Errorf("%s: a record lacks what Lambda adds: %s", name, line)
		}
		if strings.Contains(line, "revolutions") || strings.Contains(line, `"facts`) {
			t.Errorf("%s: a payload in the log: %s", name, line)
		}
		// A name twice in a record hides one of the two values.
		for _, own := range []string{`"message":`, `"timestamp":`, `"level":`, `"requestId":`} {
			if strings.Count(line, own) > 1 {
				t.Errorf("%s: %s is there twice: %s", name, own, line)
			}
		}
	}
	if lines == 0 {
		t.Errorf("%s: it logged nothing", name)
	}
}

// A draw goes through the binaries from its opening to its settlement.
func TestBinariesSettle(t *testing.T) {
	t.Parallel()
	stack := emulate(t, nil)
	intake, settler := run(t, stack, "intake"), run(t, stack, "settle")
	messages := past(t, bodies(t, "roulette")[:4])
	began := time.Now()
	studio := encode(t, envelope(queue(t, stack, "StudioMessagesQueue"), began, messages...))
	for range 2 { // the second time all are replays
		if failed := answer(t, intake, studio); len(failed) > 0 {
			t.Fatalf("intake left %v; log:\n%s", failed, intake.Log())
		}
	}
	const draw = "rou-1.20261130.1001"
	asked := encode(t, envelope(queue(t, stack, "SweepsQueue"), time.Now(), `{"draw":"`+draw+`"}`))
	swept := func() bool { return len(answer(t, settler, asked)) == 0 }
	for deadline := time.Now().Add(5 * time.Minute); !swept(); time.Sleep(time.Second) {
		if time.Now().After(deadline) {
			t.Fatalf("not settled; log:\n%s", settler.Log())
		}
	}
	table := store.New(dynamodb.NewFromConfig(local.Config(stack.Endpoint)), stack.Table)
	status, err := (&settle.Settler{Table: table}).Status(t.Context(), draw)
	if err != nil || !status.Settled || status.State == 0 {
		t.Errorf("the draw stands at %+v, %v", status, err)
	}
}

var timePattern = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`)

// past moves the times in messages so that they end a minute ago.
func past(t *testing.T, messages []string) []string {
	t.Helper()
	shift := func(by time.Duration, seen func(time.Time)) []string {
		var moved []string
		for _, message := range messages {
			moved = append(moved, timePattern.ReplaceAllStringFunc(message, func(text string) string {
				at, err := time.Parse(time.RFC3339, text)
				if err != nil {
					t.Fatal(err)
				}
				seen(at)
				return at.Add(by).UTC().Format("2006-01-02T15:04:05.000Z")
			}))
		}
		return moved
	}
	var last time.Time
	shift(0, func(at time.Time) {
		if at.After(last) {
			last = at
		}
	})
	return shift(time.Since(last).Truncate(time.Millisecond)-time.Minute, func(time.Time) {})
}

// A function whose variables are wrong ends at once, and its log says what to
// fix, all of it.
func TestBinariesRefuseToStart(t *testing.T) {
	for _, described := range permissions.OfFunctions() {
		function := lambdatest.Start(t, binary(t, described.Name), lambdatest.Options{Variables: map[string]string{"TALLY_TABLE": ""}})
		_, err := function.Invoke([]byte("{}"))
		var ended *lambdatest.EndedError
		var exit *exec.ExitError
		if !errors.As(err, &ended) || !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("%s: got %v", described.Name, err)
			continue
		}
		for _, use := range described.Uses {
			if !strings.Contains(ended.Log, use.Variable+" is not set: set it to") {
				t.Errorf("%s: the log does not say that %s is missing: %s", described.Name, use.Variable, ended.Log)
			}
		}
	}
}
