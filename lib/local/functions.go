package local

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"

	"tally/lib/lambda/config"
	"tally/lib/lambda/functions"
	"tally/lib/site/publish"
)

// Tally builds tally's own functions. The runtime's AWS configuration is replaced
// by the stack's.
func Tally(runtime functions.Runtime) Build {
	return func(name string, variables config.Lookup, clients aws.Config) (Function, error) {
		runtime.AWS, runtime.Follow = clients, publish.Follow
		made, err := functions.New(name, variables, runtime)
		if err != nil {
			return Function{}, err
		}
		switch made := made.(type) {
		case functions.QueueHandler:
			return Function{SQS: SQSFunc(made)}, nil
		case functions.ScheduledHandler:
			return Function{Scheduled: ScheduledFunc(made)}, nil
		case functions.HTTPHandler:
			return Function{HTTP: made.Serve}, nil
		}
		return Function{}, fmt.Errorf("a %T can't be run", made)
	}
}
