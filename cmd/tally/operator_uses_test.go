package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"tally/internal/testkit/permissions"
	"tally/lib/lambda/sqsqueue"
)

// observed stands between commands and their stack, and notes what they call.
type observed struct {
	*httptest.Server
	stack   string
	mutex   sync.Mutex
	command string
	calls   map[use]map[string]bool // the actions
	touched map[string]map[string]bool
	// drawsChanged is what was done with the partitions of draws but getting items, which no
	// operator may.
	drawsChanged []string
}

// use is what a command works on.
type use struct{ command, on string }

func newObserved(t *testing.T, stack, endpoint string) *observed {
	t.Helper()
	to, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	o := &observed{stack: stack, calls: map[use]map[string]bool{}, touched: map[string]map[string]bool{}}
	forward := httputil.NewSingleHostReverseProxy(to)
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		o.note(t, r.Header.Get("X-Amz-Target"), body)
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(o.Close)
	return o
}

// typed says which command is running.
func (o *observed) typed(command string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.command = command
}

// request is what a request is about, as far as a policy asks.
type request struct {
	TableName                 string
	QueueURL                  string `json:"QueueUrl"`
	QueueName, SourceArn      string
	Key, Item                 map[string]map[string]string
	KeyConditionExpression    string
	ExpressionAttributeValues map[string]map[string]string
	TransactItems             []struct{ Get, Put, Delete *request }
}

func (o *observed) note(t *testing.T, target string, body []byte) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	service, operation, _ := strings.Cut(target, ".")
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		t.Errorf("%s: %v", target, err)
	}
	if !strings.HasPrefix(service, "DynamoDB") {
		o.call("sqs:"+operation, o.queue(sqsqueue.Name(r.QueueURL+r.QueueName+r.SourceArn)), "")
		return
	}
	if !strings.HasPrefix(operation, "Transact") {
		o.call("dynamodb:"+operation, permissions.OnTable, r.partition())
	}
	for _, write := range r.TransactItems {
		switch {
		case write.Get != nil:
			o.call("dynamodb:GetItem", permissions.OnTable, write.Get.partition())
		case write.Put != nil:
			o.call("dynamodb:PutItem", permissions.OnTable, write.Put.partition())
		case write.Delete != nil:
			o.call("dynamodb:DeleteItem", permissions.OnTable, write.Delete.partition())
		default:
			t.Errorf("an unknown write in %s", body)
		}
	}
}

// partition returns the partition key that a request names.
func (r *request) partition() string {
	for _, from := range []map[string]string{r.Key["pk"], r.Item["pk"], r.ExpressionAttributeValues[":pk"]} {
		if key := from["S"]; key != "" {
			return key
		}
	}
	return ""
}

// queue returns what stands for a queue in what commands declare.
func (o *observed) queue(name string) string {
	short := strings.TrimPrefix(name, o.stack+"-")
	switch {
	case strings.HasSuffix(short, "-dead"):
		return permissions.OnDeadLetters
	case o.command == "redrive":
		return permissions.OnQueues
	}
	return short
}

func (o *observed) call(action, on, partition string) {
	if o.calls[use{o.command, on}] == nil {
		o.calls[use{o.command, on}] = map[string]bool{}
	}
	o.calls[use{o.command, on}][action] = true
	if partition != "" {
		if action != "dynamodb:GetItem" && strings.HasPrefix(partition, "DRAW#") {
			o.drawsChanged = append(o.drawsChanged, o.command+" "+action)
		}
		if o.touched[o.command] == nil {
			o.touched[o.command] = map[string]bool{}
		}
		kind, _, divided := strings.Cut(partition, "#")
		if divided {
			kind += "#"
		}
		o.touched[o.command][kind] = true
	}
}

// compare holds what commands have called against what they declare. What they may
// call is what they declare: a test of the template sees to that.
func (o *observed) compare(t *testing.T, commands ...string) {
	t.Helper()
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for _, declared := range permissions.OfOperators() {
		if !slices.Contains(commands, declared.Command) {
			continue
		}
		called := o.calls[use{declared.Command, declared.On}]
		delete(o.calls, use{declared.Command, declared.On})
		for _, action := range declared.Actions {
			if !called[action] {
				t.Errorf("%s declares what it did not call: %s on %s", declared.Command, action, declared.On)
			}
		}
		for action := range called {
			if !slices.Contains(append(slices.Clone(declared.Actions), declared.Seldom...), action) {
				t.Errorf("%s calls what it does not declare: %s on %s", declared.Command, action, declared.On)
			}
		}
		if declared.On == permissions.OnTable {
			want := slices.Sorted(slices.Values(slices.Concat(declared.Partitions, declared.Reads)))
			if got := slices.Sorted(maps.Keys(o.touched[declared.Command])); !slices.Equal(got, want) {
				t.Errorf("%s touches the partitions %q, and declares %q", declared.Command, got, want)
			}
		}
	}
	for _, done := range o.drawsChanged {
		t.Errorf("in a draw's partition: %s", done)
	}
	for left, actions := range o.calls {
		if slices.Contains(commands, left.command) {
			t.Errorf("%s calls what it does not declare: %v on %s", left.command, slices.Sorted(maps.Keys(actions)), left.on)
		}
	}
}
