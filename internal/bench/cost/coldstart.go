package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"tally"
	"tally/internal/testkit/lambdatest"
	"tally/lib/local/samtemplate"
)

// coldStart is what it takes a function to answer its first event.
type coldStart struct {
	name  string
	bytes int64 // of the binary
	times []time.Duration
}

// median is the median of the times.
func (c coldStart) median() time.Duration {
	return slices.Sorted(slices.Values(c.times))[len(c.times)/2]
}

// measured are the functions whose start counts: those that bets and bookmakers
// wait for, and whose requests can be answered here. archive needs more of AWS.
var measured = []string{"intake", "settle", "api", "reconcile"}

// measureColdStarts builds the functions of the pipeline for this machine and
// starts each so many times, with the variables that the template gives it. Its
// requests to AWS end in this process.
func measureColdStarts(starts int) (all []coldStart, err error) {
	aws := &fabricated{}
	server := httptest.NewServer(aws)
	defer server.Close()
	parsed, err := samtemplate.Parse(tally.Template)
	if err != nil {
		return nil, err
	}
	stack, err := parsed.Resolve(samtemplate.Environment{StackName: "tally", Region: region, Account: account,
		QueueURL: func(name string) string { return server.URL + "/" + account + "/" + name }})
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "costbench-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the log: %w", err)
	}
	defer os.RemoveAll(folder)
	for _, function := range stack.Functions {
		if !slices.Contains(measured, function.Short) {
			continue
		}
		function.Environment["AWS_ENDPOINT_URL"] = server.URL
		if _, has := function.Environment["TALLY_LOG_BUCKET"]; has { // the log and its key are files: there is no S3 and no KMS here
			function.Environment["TALLY_LOG_BUCKET"] = "file:" + filepath.Join(folder, "log")
			function.Environment["TALLY_LOG_KEY"] = "file:" + filepath.Join(folder, "log.key")
		}
		c, err := coldStarts(function, aws, starts)
		if err != nil {
			return nil, fmt.Errorf("starting %s: %w", function.Short, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func coldStarts(function samtemplate.Function, aws *fabricated, starts int) (coldStart, error) {
	binary, err := lambdatest.Compile("tally/functions/" + function.Short)
	if err != nil {
		return coldStart{}, err
	}
	shipped, err := lambdatest.CompileFor("tally/functions/"+function.Short, "arm64")
	if err != nil {
		return coldStart{}, err
	}
	file, err := os.Stat(shipped)
	if err != nil {
		return coldStart{}, fmt.Errorf("measuring the binary: %w", err)
	}
	c := coldStart{name: function.Short, bytes: file.Size()}
	for range starts {
		aws.forget() // a message that was stored before is a replay, which is less work
		took, err := startOnce(binary, function)
		if err != nil {
			return coldStart{}, err
		}
		c.times = append(c.times, took)
	}
	return c, nil
}

// startOnce starts a function and waits for its first answer.
func startOnce(binary string, function samtemplate.Function) (time.Duration, error) {
	f, err := lambdatest.Run(binary, lambdatest.Options{Variables: function.Environment, Timeout: function.Timeout})
	if err != nil {
		return 0, err
	}
	defer f.Stop()
	answer, err := f.Invoke(firstEvent(function))
	if err != nil {
		return 0, err
	}
	if strings.Contains(string(answer), "itemIdentifier") {
		return 0, fmt.Errorf("it failed the message: %s; its log: %s", answer, f.Log())
	}
	return f.ColdStart(), nil
}

// firstEvent is an event with work for the function: a message that opens a draw,
// where it comes from the studio, or one that asks for a sweep; of the API a request
// that needs no key, since its first one with a key is two reads of DynamoDB more.
func firstEvent(function samtemplate.Function) []byte {
	if len(function.Routes) > 0 {
		request := events.APIGatewayV2HTTPRequest{RawPath: "/v1/health"}
		request.RequestContext.HTTP.Method, request.RequestContext.DomainName = "GET", "api.example.com"
		return encoded(request)
	}
	if len(function.Sources) == 0 {
		return encoded(events.CloudWatchEvent{Source: "aws.events", DetailType: "Scheduled Event", Region: region, AccountID: account})
	}
	queue := function.Sources[0].QueueARN[strings.LastIndexByte(function.Sources[0].QueueARN, ':')+1:]
	if strings.HasSuffix(queue, "studio-messages") {
		return encoded(queueEvent(queue, drawOpened()))
	}
	return encoded(queueEvent(queue, sweepMessage(drawID)))
}
