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
	Most    time.Duration `env:"TALLY_MOST" doc:"most time" default:"1m" max:"1h"`
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
	want := sample{common: common{Table: "tally"}, Shards: 256, Wait: 90 * time.Second, Most: time.Minute, Enabled: true}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	var got sample
	err := config.Load(&got, from("TALLY_SHARDS", "257", "TALLY_WAIT", "soon", "TALLY_ENABLED", "yes", "TALLY_MOST", "2h"))
	const want = `5 environment variables to mend:
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
	if err == nil || !strings.HasPrefix(err.Error(), "1 environment variable to mend:\n  TALLY_WAIT is \"0s\": ") {
		t.Errorf("got %v", err)
	}
}

func TestFields(t *testing.T) {
	fields, err := config.Fields(&sample{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, field := range fields {
		need := "optional"
		if field.Required {
			need = "required"
		}
		lines = append(lines, strings.Join([]string{field.Name, field.Variable, field.Type, need, field.Default, field.Min, field.Max, field.Doc}, "|"))
	}
	const want = `Table|TALLY_TABLE|string|required||||name of the DynamoDB table
Shards|TALLY_SHARDS|int|optional|1|1|256|shards of a new draw
Wait|TALLY_WAIT|duration|required||1s||time to wait
Most|TALLY_MOST|duration|optional|1m||1h|most time
Enabled|TALLY_ENABLED|bool|optional|false|||whether it is on
Topic|TALLY_TOPIC|string|optional||||topic to tell`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A struct at fault is told apart from an environment at fault.
func TestFaultyStructs(t *testing.T) {
	tests := []struct {
		name string
		into any
		want string
	}{
		{"no pointer", sample{}, "not a pointer to a struct"},
		{"nil", nil, "not a pointer to a struct"},
		{"nil pointer", (*sample)(nil), "not a pointer to a struct"},
		{"no env", &struct {
			A string `doc:"a"`
		}{}, "needs the tags env and doc"},
		{"no doc", &struct {
			A string `env:"A"`
		}{}, "needs the tags env and doc"},
		{"unexported", &struct {
			a string `env:"A" doc:"a"`
		}{}, "not exported"},
		{"another type", &struct {
			A float64 `env:"A" doc:"a"`
		}{}, "a float64 can't be read"},
		{"bounds of a text", &struct {
			A string `env:"A" doc:"a" min:"1"`
		}{}, "a string has no bounds"},
		{"unusable bound", &struct {
			A int `env:"A" doc:"a" max:"x"`
		}{}, `the bound "x"`},
		{"variable twice", &struct {
			A string `env:"A" doc:"a"`
			B string `env:"A" doc:"a"`
		}{}, "both read A"},
		{"unusable default", &struct {
			A int `env:"A" doc:"a" default:"x"`
		}{}, `the default "x" of A`},
		{"default out of bounds", &struct {
			A int `env:"A" doc:"a" default:"0" min:"1"`
		}{}, `the default "0" of A`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := config.Load(test.into, from())
			var environment *config.Error
			if err == nil || errors.As(err, &environment) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
	if _, err := config.Fields(1); err == nil {
		t.Error("the fields of an int were described")
	}
}
