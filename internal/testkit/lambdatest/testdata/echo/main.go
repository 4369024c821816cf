// The Lambda echo does what its event says, to test lambdatest itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

type event struct {
	Do   string
	With string
}

func main() {
	if os.Getenv("ECHO_REFUSES") != "" {
		fmt.Fprintln(os.Stderr, "refused to start")
		os.Exit(3)
	}
	lambda.Start(handle)
}

func handle(ctx context.Context, e event) (any, error) {
	switch e.Do {
	case "echo":
		return e.With, nil
	case "variable":
		return os.Getenv(e.With), nil
	case "variables":
		return len(os.Environ()), nil
	case "fail":
		return nil, errors.New(e.With)
	case "panic":
		panic(e.With)
	case "exit":
		os.Exit(4)
	case "sleep":
		time.Sleep(time.Hour)
	case "log":
		fmt.Println(e.With)
	case "large":
		return make([]byte, 8<<20), nil
	case "context":
		lambda, _ := lambdacontext.FromContext(ctx)
		deadline, _ := ctx.Deadline()
		return []string{lambda.AwsRequestID, lambda.InvokedFunctionArn, time.Until(deadline).Round(time.Second).String()}, nil
	}
	return nil, nil
}
