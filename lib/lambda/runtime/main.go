package runtime

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"tally/lib/lambda/config"
	"tally/lib/lambda/metrics"
)

// requestTimeout bounds one try of a request to AWS. The largest answer, a page
// of 1 MB, takes a fraction of it; a connection that hangs is then tried again.
const requestTimeout = 10 * time.Second

// Environment is what Lambda tells every function.
type Environment struct {
	Region       string `env:"AWS_REGION" doc:"region of the table and the queues"`
	KeyID        string `env:"AWS_ACCESS_KEY_ID" doc:"key of the function's role"`
	Secret       string `env:"AWS_SECRET_ACCESS_KEY" doc:"secret of that key"`
	SessionToken string `env:"AWS_SESSION_TOKEN" doc:"token of that key, where it is temporary" default:""`
	Endpoint     string `env:"AWS_ENDPOINT_URL" doc:"URL of an emulator in the place of AWS" default:""`
}

// AWS returns the configuration of clients. It is made by hand rather than by
// the SDK's own loader, which brings the ways of logging in that only people
// use: they would make up a third of a function. In a Lambda the credentials
// don't change as long as the process lives.
func (e Environment) AWS() aws.Config {
	made := aws.Config{
		Region:      e.Region,
		Credentials: credentials.NewStaticCredentialsProvider(e.KeyID, e.Secret, e.SessionToken),
		// All idle connections may be to one host: it is one, DynamoDB, and a batch of
		// bets writes to it over more than the SDK's ten.
		HTTPClient: awshttp.NewBuildableClient().WithTimeout(requestTimeout).WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = t.MaxIdleConns }),
	}
	if e.Endpoint != "" {
		made.BaseEndpoint = &e.Endpoint
	}
	return made
}

// Main is the main function of a Lambda: it reads the configuration C from the
// environment, puts the function together with from, and starts it. It does not
// return. What is wrong with the environment goes to the log, all at once.
func Main[C, F any](from func(C, Runtime) (F, error)) {
	log := metrics.Logger()
	slog.SetDefault(log)
	handler, err := assemble(os.LookupEnv, log, from)
	if err != nil {
		log.Error("the function can't start", "error", err)
		os.Exit(1)
	}
	lambda.Start(handler)
}

func assemble[C, F any](variables config.Lookup, log *slog.Logger, from func(C, Runtime) (F, error)) (handler F, err error) {
	var environment Environment
	if err := config.Load(&environment, variables); err != nil {
		return handler, fmt.Errorf("reading what Lambda says: %w", err)
	}
	return Load(variables, Runtime{AWS: environment.AWS(), Log: log, Metrics: os.Stdout, Now: time.Now}, from)
}

// Load reads a configuration and puts the function together.
func Load[C, F any](variables config.Lookup, r Runtime, from func(C, Runtime) (F, error)) (F, error) {
	var c C
	if err := config.Load(&c, variables); err != nil {
		var none F
		return none, err
	}
	return from(c, r)
}
