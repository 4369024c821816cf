package samtemplate_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v4"
)

var update = flag.Bool("update", false, "write docs/parameters.md anew")

// stated are the parameters as template.yaml has them, with the groups that show them.
type stated struct {
	Metadata map[string]struct {
		Groups []struct {
			Label      map[string]string `yaml:"Label"`
			Parameters []string          `yaml:"Parameters"`
		} `yaml:"ParameterGroups"`
	} `yaml:"Metadata"`
	Parameters map[string]takes `yaml:"Parameters"`
}

// takes is what one parameter takes.
type takes struct {
	Type        string   `yaml:"Type"`
	Description string   `yaml:"Description"`
	Default     string   `yaml:"Default"`
	Pattern     string   `yaml:"AllowedPattern"`
	Constraint  string   `yaml:"ConstraintDescription"`
	Allowed     []string `yaml:"AllowedValues"`
	Min         string   `yaml:"MinValue"`
	Max         string   `yaml:"MaxValue"`
}

// scope is what a parameter takes, in words; empty where nothing bounds it.
func (p takes) scope() string {
	switch {
	case len(p.Allowed) > 0:
		return strings.Join(p.Allowed, ", ")
	case p.Type == "Number" && p.Min != "" && p.Max != "":
		return p.Min + " to " + p.Max
	case p.Type == "Number" && p.Min != "":
		return "from " + p.Min
	}
	return p.Constraint
}

func readStated(t *testing.T) (read stated) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// Every parameter is in one group and documented with its default and what it takes;
// docs/parameters.md has all of them.
func TestParameters(t *testing.T) {
	read := readStated(t)
	var b strings.Builder
	b.WriteString("# Parameters of the stack\n\nEvery parameter of [template.yaml](../template.yaml), with its default and what it takes. " +
		"`go test ./lib/local/samtemplate -update`\nwrites this page.\n")
	var grouped []string
	for _, group := range read.Metadata["AWS::CloudFormation::Interface"].Groups {
		fmt.Fprintf(&b, "\n## %s\n\n| parameter | default | takes | |\n|---|---|---|---|\n", group.Label["default"])
		for _, name := range group.Parameters {
			p := read.Parameters[name]
			if p.Description == "" || p.scope() == "" || p.Pattern != "" && p.Constraint == "" {
				t.Errorf("%s lacks a description or a range: %+v", name, p)
			}
			standard := "none"
			if p.Default != "" {
				standard = "`" + p.Default + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, standard, p.scope(), strings.Join(strings.Fields(p.Description), " "))
		}
		grouped = append(grouped, group.Parameters...)
	}
	slices.Sort(grouped)
	var all []string
	for name := range read.Parameters {
		all = append(all, name)
	}
	slices.Sort(all)
	if !slices.Equal(grouped, all) {
		t.Errorf("the groups have the parameters\n%q, there are\n%q", grouped, all)
	}
	path := filepath.Join(root, "docs", "parameters.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != b.String() {
		t.Errorf("docs/parameters.md is not what template.yaml has (%v): go test ./lib/local/samtemplate -update writes it anew", err)
	}
}

// environments are those of samconfig.toml: of each the section, the command and its settings.
func environments(t *testing.T) map[string]map[string]map[string]map[string]any {
	t.Helper()
	var read map[string]any
	if _, err := toml.DecodeFile(filepath.Join(root, "samconfig.toml"), &read); err != nil {
		t.Fatal(err)
	}
	delete(read, "version")
	all := make(map[string]map[string]map[string]map[string]any)
	for name, commands := range read {
		all[name] = make(map[string]map[string]map[string]any)
		for command, tables := range commands.(map[string]any) {
			all[name][command] = map[string]map[string]any{"parameters": tables.(map[string]any)["parameters"].(map[string]any)}
		}
	}
	return all
}

// pairs reads what sam takes as NAME=VALUE NAME=VALUE.
func pairs(t *testing.T, text any) map[string]string {
	t.Helper()
	read := make(map[string]string)
	if text == nil {
		return read
	}
	for _, pair := range strings.Fields(text.(string)) {
		name, value, isPair := strings.Cut(pair, "=")
		if _, twice := read[name]; twice || !isPair {
			t.Errorf("%q is no pair, or is there twice", pair)
		}
		read[name] = value
	}
	return read
}

// Each environment of samconfig.toml sets parameters that there are to what they take, and
// builds as the default does, which sam does not inherit; no two have a stack of one name,
// but for the default. None can be deployed before its log has a name.
func TestEnvironments(t *testing.T) {
	all := environments(t)
	stacks := make(map[any]string)
	for _, name := range []string{"default", "staging", "prod"} {
		t.Run(name, func(t *testing.T) {
			of := all[name]
			deploy := of["deploy"]["parameters"]
			parameters := pairs(t, deploy["parameter_overrides"])
			resolve(t, parameters) // fails on what a parameter does not take
			if origin := parameters["LogOrigin"]; origin != "" && origin != "tally.example/log" {
				t.Errorf("the log is called %s, which nobody has chosen", origin)
			}
			build := of["build"]["parameters"]
			if build["build_in_source"] != true || build["cached"] != false || deploy["capabilities"] != "CAPABILITY_IAM" || deploy["confirm_changeset"] != true {
				t.Errorf("it builds by %v and deploys by %v", build, deploy)
			}
			if name == "default" {
				return
			}
			if tags := pairs(t, deploy["tags"]); tags["service"] != "tally" || tags["environment"] != name {
				t.Errorf("its resources have the tags %v", tags)
			}
			stack := of["global"]["parameters"]["stack_name"]
			if other, twice := stacks[stack]; twice {
				t.Errorf("%s has the stack %v, too", other, stack)
			}
			stacks[stack] = name
		})
	}
	if len(all) != 3 {
		t.Errorf("there are %d environments, this test knows 3", len(all))
	}
}

// Instances are kept for a function as a parameter says, none by default, and never fewer
// than its queues start, since what is more is throttled.
func TestReserved(t *testing.T) {
	functions := map[string]string{"intake": "IntakeReserved", "settle": "SettleReserved", "reconcile": "ReconcileReserved"}
	for _, function := range resolve(t, nil).Functions {
		if function.Reserved != 0 {
			t.Errorf("%s keeps %d instances by default", function.Short, function.Reserved)
		}
	}
	for short, parameter := range functions {
		t.Run(short, func(t *testing.T) {
			if function, _ := functionOf(resolve(t, map[string]string{parameter: "30"}), short); function.Reserved != 30 {
				t.Errorf("with %s=30 %s keeps %d instances", parameter, short, function.Reserved)
			}
		})
	}
	set := pairs(t, environments(t)["prod"]["deploy"]["parameters"]["parameter_overrides"])
	stack := resolve(t, set)
	sum := 0
	for short, parameter := range functions {
		t.Run(short, func(t *testing.T) {
			function, _ := functionOf(stack, short)
			started := 0
			for _, event := range function.Events {
				started += event.Properties.Scaling["MaximumConcurrency"]
			}
			if function.Reserved < max(started, 2) || strconv.Itoa(function.Reserved) != set[parameter] {
				t.Errorf("production keeps %d instances for %s, whose queues start %d", function.Reserved, short, started)
			}
			sum += function.Reserved
		})
	}
	if sum != 44 {
		t.Errorf("production keeps %d instances, samconfig.toml says 44", sum)
	}
}
