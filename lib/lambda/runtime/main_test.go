package runtime

import (
	"log/slog"
	"strings"
	"testing"

	"tally/lib/lambda/config"
)

// with is an environment that is complete but for what is missing.
func with(missing string) config.Lookup {
	return func(name string) (string, bool) {
		if name == missing {
			return "", false
		}
		return "some", name == "AWS_REGION" || name == "AWS_ACCESS_KEY_ID" || name == "AWS_SECRET_ACCESS_KEY" || name == "TALLY_TABLE"
	}
}

func TestEnvironment(t *testing.T) {
	made := Environment{Region: "eu-west-1", KeyID: "key", Secret: "secret", SessionToken: "token"}.AWS()
	credentials, err := made.Credentials.Retrieve(t.Context())
	if err != nil || credentials.AccessKeyID != "key" || credentials.SecretAccessKey != "secret" || credentials.SessionToken != "token" {
		t.Errorf("%v: %+v, want no error and credentials.AccessKeyID = \"key\" and credentials.SecretAccessKey = \"secret\" and credentials.SessionToken = \"token\"",
			err, credentials)
	}
	if made.Region != "eu-west-1" || made.BaseEndpoint != nil {
		t.Errorf("got %+v", made)
	}
	if made := (Environment{Endpoint: "http://localhost:4566"}).AWS(); made.BaseEndpoint == nil || *made.BaseEndpoint != "http://localhost:4566" {
		t.Errorf("the endpoint is %v", made.BaseEndpoint)
	}
}

func TestAssemble(t *testing.T) {
	from := func(c Common, r Runtime) (string, error) { return c.Table + " in " + r.AWS.Region, nil }
	if made, err := assemble(with(""), slog.New(slog.DiscardHandler), from); err != nil || made != "some in some" {
		t.Errorf("got %q, %v", made, err)
	}
	for _, missing := range []string{"AWS_REGION", "TALLY_TABLE"} {
		t.Run(missing, func(t *testing.T) {
			if _, err := assemble(with(missing), slog.New(slog.DiscardHandler), from); err == nil || !strings.Contains(err.Error(), missing+" is not set") {
				t.Errorf("without %s: %v", missing, err)
			}
		})
	}
}
