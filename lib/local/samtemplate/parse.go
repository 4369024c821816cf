package samtemplate

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Template is a template that was read but not resolved.
type Template struct {
	parameters []parameter
	conditions map[string]*yaml.Node
	globals    *yaml.Node // of functions; nil for none
	resources  []resource
	outputs    []output
}

// output is one of the template's outputs as written.
type output struct {
	member
	condition string // under which it is there; empty for always
}

// resource is one of the template's resources as written.
type resource struct {
	id         string
	kind       string     // such as AWS::SQS::Queue
	properties *yaml.Node // a mapping; nil for none
	deletion   string     // DeletionPolicy
	replacing  string     // UpdateReplacePolicy
	condition  string     // under which it is made; empty for always
	build      string     // Metadata.BuildMethod
	line       int
}

// member is a name in a mapping with its value.
type member struct {
	name  string
	value *yaml.Node
}

// Parse reads a template's text.
func Parse(text []byte) (*Template, error) {
	var document yaml.Node
	if err := yaml.Load(text, &document); err != nil {
		return nil, fmt.Errorf("reading a template: %w", err)
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, errors.New("reading a template: it is no YAML document")
	}
	template := &Template{conditions: make(map[string]*yaml.Node)}
	if err := template.sections(document.Content[0]); err != nil {
		return nil, fmt.Errorf("reading a template: %w", err)
	}
	return template, nil
}

func (t *Template) sections(root *yaml.Node) error {
	sections, err := members(root)
	if err != nil {
		return err
	}
	for _, section := range sections {
		switch section.name {
		case "AWSTemplateFormatVersion", "Transform", "Description", "Metadata":
		case "Rules": // they say what must not be deployed: that is for CloudFormation
		case "Parameters":
			t.parameters, err = each(section.value, readParameter)
		case "Conditions":
			err = t.readConditions(section.value)
		case "Globals":
			t.globals, err = functionGlobals(section.value)
		case "Resources":
			t.resources, err = each(section.value, readResource)
		case "Outputs":
			t.outputs, err = each(section.value, readOutput)
		default:
			err = faultAt(section.value, "the section %s is not known", section.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// faultAt is an error about a place in the file.
func faultAt(node *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", node.Line, fmt.Sprintf(format, args...))
}

// members returns the members of a mapping in their order.
func members(node *yaml.Node) ([]member, error) {
	if node.Kind != yaml.MappingNode {
		return nil, faultAt(node, "a mapping is wanted")
	}
	list := make([]member, 0, len(node.Content)/2)
	seen := make(map[string]bool)
	for i := 0; i < len(node.Content); i += 2 {
		name := node.Content[i].Value
		if seen[name] {
			return nil, faultAt(node.Content[i], "%s is there twice", name)
		}
		seen[name] = true
		list = append(list, member{name, node.Content[i+1]})
	}
	return list, nil
}

// each reads all members of a mapping.
func each[T any](node *yaml.Node, read func(member) (T, error)) ([]T, error) {
	list, err := members(node)
	if err != nil {
		return nil, err
	}
	all := make([]T, 0, len(list))
	for _, m := range list {
		one, err := read(m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		all = append(all, one)
	}
	return all, nil
}

func (t *Template) readConditions(node *yaml.Node) error {
	list, err := members(node)
	for _, m := range list {
		t.conditions[m.name] = m.value
	}
	return err
}

func functionGlobals(node *yaml.Node) (*yaml.Node, error) {
	list, err := members(node)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 || list[0].name != "Function" {
		return nil, faultAt(node, "only Function is known here")
	}
	return list[0].value, nil
}

func readResource(m member) (resource, error) {
	read := resource{id: m.name, line: m.value.Line}
	list, err := members(m.value)
	if err != nil {
		return read, err
	}
	for _, part := range list {
		switch part.name {
		case "Type":
			read.kind = part.value.Value
		case "Properties":
			read.properties = part.value
		case "DeletionPolicy":
			read.deletion = part.value.Value
		case "UpdateReplacePolicy":
			read.replacing = part.value.Value
		case "Condition":
			read.condition = part.value.Value
		case "Metadata":
			read.build, err = buildMethod(part.value)
		default:
			err = faultAt(part.value, "%s is not known here", part.name)
		}
		if err != nil {
			return read, err
		}
	}
	if _, known := kinds[read.kind]; !known {
		return read, faultAt(m.value, "resources of type %q are not known", read.kind)
	}
	return read, nil
}

func buildMethod(node *yaml.Node) (method string, err error) {
	list, err := members(node)
	if err != nil {
		return "", err
	}
	for _, m := range list {
		switch m.name {
		case "BuildMethod":
			method = m.value.Value
		case "cfn-lint": // what the linter must not say
		default:
			return "", faultAt(node, "only BuildMethod is known here")
		}
	}
	return method, nil
}

func readOutput(m member) (output, error) {
	read := output{member: member{name: m.name}}
	list, err := members(m.value)
	if err != nil {
		return read, err
	}
	for _, part := range list {
		switch part.name {
		case "Value":
			read.value = part.value
		case "Condition":
			read.condition = part.value.Value
		case "Description":
		default:
			return read, faultAt(part.value, "%s is not known here", part.name)
		}
	}
	if read.value == nil {
		return read, faultAt(m.value, "it has no Value")
	}
	return read, nil
}

// find returns the resource of that logical id.
func (t *Template) find(id string) (resource, bool) {
	for _, r := range t.resources {
		if r.id == id {
			return r, true
		}
	}
	return resource{}, false
}

// property returns a property of the resource as written, nil when absent.
func (r resource) property(name string) *yaml.Node {
	if r.properties == nil {
		return nil
	}
	for i := 0; i+1 < len(r.properties.Content); i += 2 {
		if r.properties.Content[i].Value == name {
			return r.properties.Content[i+1]
		}
	}
	return nil
}

// short returns a function's short name: intake for the resource IntakeFunction,
// whose main package is functions/intake.
func short(id string) string { return strings.ToLower(strings.TrimSuffix(id, "Function")) }
