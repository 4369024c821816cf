package config_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tally/lib/lambda/config"
)

type common struct {
	Table string `env:"TALLY_TABLE" doc:"name of the DynamoDB table"`
}

type sample struct {
	common
	Shards  int           `env:"TALLY_SHARDS" doc:"shards of a new draw" default:"1" min:"1" max:"256"`
	Wait    time.Duration `env:"TALLY_WAIT" doc:"time to wait" min:"1s"`
	Max     time.Duration `env:"TALLY_MOST" doc:"most time" default:"1m" max:"1h"`
	Enabled bool          `env:"TALLY_ENABLED" doc:"whether it is on" default:"false"`
	Topic   string        `env:"TALLY_TOPIC" doc:"topic to tell" default:""`
}

func from(pairs ...string) config.Lookup {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestLoad(t *testing.T) {
	var got sample
	err := config.Load(&got, from("TALLY_TABLE", "tally", "TALLY_WAIT", "90s", "TALLY_SHARDS", "256", "TALLY_ENABLED", "true", "TALLY_MOST", ""))
	if err != nil {
		t.Fatal(err)
	}
	want := sample{common: common{Table: "tally"}, Shards: 256, Wait: 90 * time.Second, Max: time.Minute, Enabled: true}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	var got sample
	err := config.Load(&got, from("TALLY_SHARDS", "257", "TALLY_WAIT", "soon", "TALLY_ENABLED", "yes", "TALLY_MOST", "2h"))
	const want = `5 environment variables to fix:
  TALLY_TABLE is not set: set it to a text (name of the DynamoDB table)
  TALLY_SHARDS is "257": set it to a whole number from 1 to 256 (shards of a new draw), or leave it out for 1
  TALLY_WAIT is "soon": set it to a duration such as 90s or 15m of at least 1s (time to wait)
  TALLY_MOST is "2h": set it to a duration such as 90s or 15m of at most 1h (most time), or leave it out for 1m
  TALLY_ENABLED is "yes": set it to true or false (whether it is on), or leave it out for false`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	var typed *config.Error
	if !errors.As(err, &typed) || len(typed.Problems) != 5 {
		t.Errorf("the error is no *config.Error with 5 problems: %#v", err)
	}
}

func TestOneProblem(t *testing.T) {
	var got sample
	err := config.Load(&got, from("TALLY_TABLE", "tally", "TALLY_WAIT", "0s"))
	if err == nil || !strings.HasPrefix(err.Error(), "1 environment variable to fix:\n  TALLY_WAIT is \"0s\": ") {
		t.Errorf("got %v", err)
	}
}

// A struct whose own tags are wrong can't be loaded either: what uses one is tested with
// the variables that the template sets.
func TestFaultyStructs(t *testing.T) {
	for name, into := range map[string]any{
		"unusable default": &struct {
			A int `env:"A" doc:"a" default:"x"`
		}{},
		"default out of bounds": &struct {
			A int `env:"A" doc:"a" default:"0" min:"1"`
		}{},
		"unusable bound": &struct {
			A int `env:"A" doc:"a" default:"0" max:"x"`
		}{},
		"no name": &struct {
			A string `doc:"a"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			if err := config.Load(into, from()); err == nil {
				t.Errorf("it was loaded: %+v", into)
			}
		})
	}
}
