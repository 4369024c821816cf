package metrics

import (
	"log/slog"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// Logger returns the logger of a function. Its format and level are Lambda's:
// the variables AWS_LAMBDA_LOG_FORMAT and AWS_LAMBDA_LOG_LEVEL, read at start.
// The names timestamp, level, message and requestId are taken.
func Logger() *slog.Logger { return lambdacontext.NewLogger() }
