package samtemplate

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// evaluator works out values of one template in one environment.
type evaluator struct {
	template template
	values   map[string]string // of the parameters, and of what CloudFormation says of a stack
	queueURL func(name string) string
	depth    int // of names that are being worked out, one of them for another
}

// set gives the evaluator the parameters in force, given ones before defaults.
func (e *evaluator) set(env Environment) error {
	e.values = map[string]string{"AWS::StackName": env.StackName, "AWS::Region": env.Region, "AWS::AccountId": env.Account, "AWS::Partition": "aws"}
	for name := range env.Parameters {
		if _, known := e.template.Parameters[name]; !known {
			return fmt.Errorf("there is no parameter %s", name)
		}
	}
	for name, p := range e.template.Parameters {
		value, given := env.Parameters[name]
		switch {
		case !given && p.Default == nil:
			return fmt.Errorf("the parameter %s has no default and is not given", name)
		case !given:
			value = *p.Default
		}
		if err := p.check(value); err != nil {
			return fmt.Errorf("the parameter %s is %q: %w", name, value, err)
		}
		e.values[name] = value
	}
	return nil
}

// faultAt is an error about a place in the file.
func faultAt(node *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", node.Line, fmt.Sprintf(format, args...))
}

// value works out what a node stands for; nil for what is not there, AWS::NoValue.
func (e *evaluator) value(node *yaml.Node) (*yaml.Node, error) {
	node = shortForm(node)
	if strings.HasPrefix(node.Tag, "!") && !strings.HasPrefix(node.Tag, "!!") {
		return e.call(node)
	}
	made, step := *node, 1
	made.Content = nil
	if node.Kind == yaml.MappingNode {
		step = 2
	}
	for i := 0; i < len(node.Content); i += step {
		value, err := e.value(node.Content[i+step-1])
		if err != nil {
			return nil, err
		}
		if value != nil {
			made.Content = append(append(made.Content, node.Content[i:i+step-1]...), value)
		}
	}
	return &made, nil
}

// shortForm writes a function as its tag: {"Fn::Sub": text} is !Sub text.
func shortForm(node *yaml.Node) *yaml.Node {
	if node.Kind != yaml.MappingNode || len(node.Content) != 2 {
		return node
	}
	name, isFunction := strings.CutPrefix(node.Content[0].Value, "Fn::")
	if !isFunction && name != "Ref" {
		return node
	}
	call := *node.Content[1]
	call.Tag = "!" + name
	return &call
}

// text works out a value that is a text.
func (e *evaluator) text(node *yaml.Node) (string, error) {
	value, err := e.value(node)
	if err != nil {
		return "", err
	}
	if value == nil || value.Kind != yaml.ScalarNode {
		return "", faultAt(node, "a text is wanted")
	}
	return value.Value, nil
}

// call works out an intrinsic function.
func (e *evaluator) call(node *yaml.Node) (*yaml.Node, error) {
	var text string
	var err error
	switch node.Tag {
	case "!Ref", "!GetAtt":
		if node.Value == "AWS::NoValue" {
			return nil, nil
		}
		text, err = e.ref(node.Value)
	case "!Sub":
		text, err = e.substitute(node.Value)
	case "!If":
		return e.choose(node)
	case "!Split":
		return e.split(node)
	default:
		return nil, faultAt(node, "the function %s is not known", node.Tag)
	}
	if err != nil {
		return nil, faultAt(node, "%v", err)
	}
	made := &yaml.Node{Kind: yaml.ScalarNode, Value: text, Line: node.Line, Column: node.Column}
	if text == "" {
		made.SetString("") // otherwise it is read as null
	}
	return made, nil
}

// ref works out what a name stands for: a parameter, a resource, or, behind a point, an
// attribute of one.
func (e *evaluator) ref(name string) (string, error) {
	if value, known := e.values[name]; known {
		return value, nil
	}
	id, attribute, _ := strings.Cut(name, ".")
	r, known := e.template.Resources[id]
	if !known {
		return "", fmt.Errorf("there is no parameter or resource %q", id)
	}
	form, known := kinds[r.Type].attributes[attribute]
	if !known {
		return "", fmt.Errorf("the attribute %q of a %s is not known", attribute, r.Type)
	}
	own, err := e.name(id, r)
	return e.fill(form, own), err
}

// placeholder is ${Name}, ${Name.Attribute}, or ${!Literal}.
var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

func (e *evaluator) substitute(text string) (string, error) {
	var failed error
	result := placeholder.ReplaceAllStringFunc(text, func(found string) string {
		if literal, isLiteral := strings.CutPrefix(found, "${!"); isLiteral {
			return "${" + literal
		}
		value, err := e.ref(found[2 : len(found)-1])
		if err != nil {
			failed = err
		}
		return value
	})
	return result, failed
}

// choose works out !If: only the branch that holds.
func (e *evaluator) choose(node *yaml.Node) (*yaml.Node, error) {
	if len(node.Content) != 3 {
		return nil, faultAt(node, "!If wants a condition and two values")
	}
	holds, err := e.named(node.Content[0].Value)
	switch {
	case err != nil:
		return nil, faultAt(node, "%v", err)
	case holds:
		return e.value(node.Content[1])
	}
	return e.value(node.Content[2])
}

// split works out !Split: a list of the parts of a text.
func (e *evaluator) split(node *yaml.Node) (*yaml.Node, error) {
	if len(node.Content) != 2 {
		return nil, faultAt(node, "!Split wants a delimiter and a text")
	}
	text, err := e.text(node.Content[1])
	if err != nil {
		return nil, err
	}
	made := &yaml.Node{Kind: yaml.SequenceNode, Line: node.Line, Column: node.Column}
	for part := range strings.SplitSeq(text, node.Content[0].Value) {
		made.Content = append(made.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: part, Line: node.Line, Column: node.Column})
	}
	return made, nil
}

// named works out a condition by its name; without a name it holds.
func (e *evaluator) named(name string) (bool, error) {
	if name == "" {
		return true, nil
	}
	condition, known := e.template.Conditions[name]
	if !known {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	return e.holds(&condition)
}

// holds works out a condition.
func (e *evaluator) holds(node *yaml.Node) (bool, error) {
	node = shortForm(node)
	switch {
	case node.Tag == "!Not" && len(node.Content) == 1:
		holds, err := e.holds(node.Content[0])
		return !holds, err
	case node.Tag == "!Equals" && len(node.Content) == 2:
		left, err := e.text(node.Content[0])
		if err != nil {
			return false, err
		}
		right, err := e.text(node.Content[1])
		return left == right, err
	}
	return false, faultAt(node, "the condition %s is not known", node.Tag)
}
