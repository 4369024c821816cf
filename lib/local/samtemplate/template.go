package samtemplate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// template is a template as written.
type template struct {
	Version     string    `yaml:"AWSTemplateFormatVersion"`
	Transform   string    `yaml:"Transform"`
	Description string    `yaml:"Description"`
	Metadata    yaml.Node `yaml:"Metadata"`
	Rules       yaml.Node `yaml:"Rules"` // they say what must not be deployed: that is for CloudFormation

	Parameters map[string]parameter `yaml:"Parameters"`
	Conditions map[string]yaml.Node `yaml:"Conditions"`
	Globals    struct {
		Function yaml.Node `yaml:"Function"`
	} `yaml:"Globals"`
	Resources map[string]Resource `yaml:"Resources"`
	Outputs   map[string]output   `yaml:"Outputs"`
}

// output is one of the template's outputs as written.
type output struct {
	Description string    `yaml:"Description"`
	Condition   string    `yaml:"Condition"` // under which it is there; empty for always
	Value       yaml.Node `yaml:"Value"`
}

// Environment is where a template is to be, and with what parameters.
type Environment struct {
	StackName  string
	Region     string
	Account    string
	Parameters map[string]string        // those that are not as their defaults
	QueueURL   func(name string) string // the URL of a queue
}

// Resolve works out what a template makes in an environment.
func Resolve(text []byte, env Environment) (*ResolvedStack, error) {
	e := &evaluator{queueURL: env.QueueURL}
	if err := yaml.Load(text, &e.template, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("reading a template: %w", err)
	}
	if err := e.set(env); err != nil {
		return nil, fmt.Errorf("resolving the template: %w", err)
	}
	stack := &ResolvedStack{Resources: map[string]Resource{}, Outputs: map[string]string{}}
	for _, id := range slices.Sorted(maps.Keys(e.template.Resources)) {
		if err := e.add(stack, id, e.template.Resources[id]); err != nil {
			return nil, fmt.Errorf("resolving the template: %s: %w", id, err)
		}
	}
	for name, output := range e.template.Outputs {
		made, err := e.named(output.Condition)
		if err == nil && made {
			stack.Outputs[name], err = e.text(&output.Value)
		}
		if err != nil {
			return nil, fmt.Errorf("resolving the template: the output %s: %w", name, err)
		}
	}
	return stack, nil
}

// add resolves one resource into the stack.
func (e *evaluator) add(stack *ResolvedStack, id string, r Resource) error {
	kind, known := kinds[r.Type]
	if !known {
		return fmt.Errorf("resources of type %q are not known", r.Type)
	}
	made, err := e.named(r.Condition)
	if err != nil || !made {
		return err
	}
	if r.Name, err = e.name(id, r); err != nil {
		return err
	}
	if form, has := kind.attributes["Arn"]; has {
		r.ARN = e.fill(form, r.Name)
	}
	properties, err := e.value(&r.Properties)
	if err != nil {
		return err
	}
	r.Properties = *properties
	stack.Resources[id] = r
	switch r.Type {
	case kindTable:
		table := Table{ID: id}
		err = load(r.Properties, &table)
		stack.Tables = append(stack.Tables, table)
	case kindQueue:
		queue := Queue{ID: id, ARN: r.ARN, URL: e.queueURL(r.Name)}
		err = load(r.Properties, &queue)
		stack.Queues = append(stack.Queues, queue)
	case kindFunction:
		function := Function{ID: id, Short: strings.ToLower(strings.TrimSuffix(id, "Function"))}
		err = e.function(r.Properties, &function)
		stack.Functions = append(stack.Functions, function)
	}
	return err
}

// function reads a function: first what Globals say of all, then what it says itself.
func (e *evaluator) function(properties yaml.Node, f *Function) error {
	if !e.template.Globals.Function.IsZero() {
		globals, err := e.value(&e.template.Globals.Function)
		if err != nil {
			return err
		}
		if err := load(*globals, f); err != nil {
			return err
		}
	}
	return load(properties, f)
}

func load(properties yaml.Node, into any) error {
	return properties.Load(into, yaml.WithKnownFields())
}
