package local

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"

	"tally/lib/lambda/config"
	"tally/lib/lambda/functions"
	"tally/lib/lambda/runtime"
)

// Tally builds tally's own functions. The runtime's AWS configuration is replaced
// by the stack's.
func Tally(given runtime.Runtime) Build {
	return func(name string, variables config.Lookup, clients aws.Config) (Function, error) {
		given.AWS = clients
		made, err := functions.New(name, variables, given)
		if err != nil {
			return Function{}, err
		}
		switch made := made.(type) {
		case runtime.QueueHandler:
			return Function{SQS: SQSFunc(made)}, nil
		case runtime.ScheduledHandler:
			return Function{Scheduled: ScheduledFunc(made)}, nil
		case runtime.HTTPHandler:
			return Function{HTTP: made.Serve}, nil
		}
		return Function{}, fmt.Errorf("a %T can't be run", made)
	}
}
