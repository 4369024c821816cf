package samtemplate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v4"
)

// parameter is a parameter of the template and what it takes.
type parameter struct {
	name        string
	kind        string // String or Number
	description string
	byDefault   *string
	pattern     *regexp.Regexp
	constraint  string
	allowed     []string
	least, most *float64
}

func readParameter(m member) (parameter, error) {
	read := parameter{name: m.name}
	list, err := members(m.value)
	if err != nil {
		return read, err
	}
	for _, part := range list {
		if err := read.take(part); err != nil {
			return read, err
		}
	}
	if read.kind != "String" && read.kind != "Number" {
		return read, faultAt(m.value, "its type %q is not known", read.kind)
	}
	return read, nil
}

func (p *parameter) take(part member) (err error) {
	switch value := part.value.Value; part.name {
	case "Type":
		p.kind = value
	case "Description":
		p.description = value
	case "Default":
		p.byDefault = &value
	case "AllowedPattern":
		p.pattern, err = regexp.Compile("^(?:" + value + ")$")
	case "ConstraintDescription":
		p.constraint = value
	case "AllowedValues":
		p.allowed, err = scalars(part.value)
	case "MinValue":
		p.least, err = bound(value)
	case "MaxValue":
		p.most, err = bound(value)
	default:
		err = fmt.Errorf("%s is not known here", part.name)
	}
	if err != nil {
		return faultAt(part.value, "%v", err)
	}
	return nil
}

func scalars(node *yaml.Node) ([]string, error) {
	var list []string
	for _, item := range node.Content {
		if item.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("a list of texts is wanted")
		}
		list = append(list, item.Value)
	}
	return list, nil
}

func bound(text string) (*float64, error) {
	number, err := strconv.ParseFloat(text, 64)
	return &number, err
}

// check holds a value against what the parameter takes, as CloudFormation does.
func (p parameter) check(value string) error {
	if p.pattern != nil && !p.pattern.MatchString(value) {
		return fmt.Errorf("the parameter %s is %q: it takes %s", p.name, value, p.constraint)
	}
	if p.allowed != nil && !slices.Contains(p.allowed, value) {
		return fmt.Errorf("the parameter %s is %q: it takes one of %q", p.name, value, p.allowed)
	}
	if p.kind != "Number" {
		return nil
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fmt.Errorf("the parameter %s is %q: it takes a number", p.name, value)
	}
	if p.least != nil && number < *p.least || p.most != nil && number > *p.most {
		return fmt.Errorf("the parameter %s is %q: it takes a number from %s to %s", p.name, value, limit(p.least), limit(p.most))
	}
	return nil
}

func limit(bound *float64) string {
	if bound == nil {
		return "any"
	}
	return strconv.FormatFloat(*bound, 'f', -1, 64)
}

// values returns the values in force, given ones before defaults.
func (t *Template) values(given map[string]string) (map[string]string, error) {
	values := make(map[string]string, len(t.parameters))
	for _, p := range t.parameters {
		value, set := given[p.name]
		if !set {
			if p.byDefault == nil {
				return nil, fmt.Errorf("the parameter %s has no default and is not given", p.name)
			}
			value = *p.byDefault
		}
		if err := p.check(value); err != nil {
			return nil, err
		}
		values[p.name] = value
	}
	for name := range given {
		if _, known := values[name]; !known {
			return nil, fmt.Errorf("there is no parameter %s", name)
		}
	}
	return values, nil
}
