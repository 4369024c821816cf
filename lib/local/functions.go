package local

import (
	"github.com/aws/aws-sdk-go-v2/aws"

	"tally/lib/lambda/config"
	"tally/lib/lambda/functions"
	"tally/lib/lambda/runtime"
)

// Tally builds tally's own functions. The runtime's AWS configuration is replaced
// by the stack's.
func Tally(given runtime.Runtime) Build {
	return func(name string, variables config.Lookup, clients aws.Config) (any, error) {
		given.AWS = clients
		return functions.New(name, variables, given)
	}
}
