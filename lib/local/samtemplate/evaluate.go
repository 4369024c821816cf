package samtemplate

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// evaluator works out values of one template in one environment. A value is a
// string (CloudFormation knows no numbers or booleans among properties but
// texts that read so), a []any, an *object, or noValue.
type evaluator struct {
	template *Template
	env      Environment
	values   map[string]string // of the parameters
	naming   []string          // the resources whose names are being worked out
}

// object is a mapping with its members in their order.
type object struct {
	line  int
	names []string
	value map[string]any
}

// noValue is what !Ref AWS::NoValue stands for: a property that is not there.
type noValue struct{}

// value works out what a node stands for.
func (e *evaluator) value(node *yaml.Node) (any, error) {
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		return nil, faultAt(node, "CloudFormation takes no anchors or aliases")
	}
	if name, short := strings.CutPrefix(node.Tag, "!"); short && !strings.HasPrefix(name, "!") {
		return e.call(node, longName(name), node)
	}
	switch node.Kind {
	case yaml.ScalarNode:
		return node.Value, nil
	case yaml.SequenceNode:
		return e.list(node)
	case yaml.MappingNode:
		return e.mapping(node)
	default:
		return nil, faultAt(node, "nothing can be made of this")
	}
}

func longName(short string) string {
	if short == "Ref" {
		return short
	}
	return "Fn::" + short
}

func (e *evaluator) list(node *yaml.Node) ([]any, error) {
	list := make([]any, 0, len(node.Content))
	for _, item := range node.Content {
		value, err := e.value(item)
		if err != nil {
			return nil, err
		}
		if _, absent := value.(noValue); !absent {
			list = append(list, value)
		}
	}
	return list, nil
}

// mapping works out an object, or the long form of a function: an object with
// the function's name as its only member.
func (e *evaluator) mapping(node *yaml.Node) (any, error) {
	list, err := members(node)
	if err != nil {
		return nil, err
	}
	if len(list) == 1 && (list[0].name == "Ref" || strings.HasPrefix(list[0].name, "Fn::")) {
		return e.call(node, list[0].name, list[0].value)
	}
	made := &object{line: node.Line, value: make(map[string]any, len(list))}
	for _, m := range list {
		value, err := e.value(m.value)
		if err != nil {
			return nil, err
		}
		if _, absent := value.(noValue); !absent {
			made.names = append(made.names, m.name)
			made.value[m.name] = value
		}
	}
	return made, nil
}

// call works out an intrinsic function; argument is the node with its argument.
func (e *evaluator) call(at *yaml.Node, name string, argument *yaml.Node) (any, error) {
	var value any
	var err error
	switch name {
	case "Ref":
		value, err = e.ref(argument.Value)
	case "Fn::GetAtt":
		value, err = e.getAtt(argument)
	case "Fn::Sub":
		if argument.Kind != yaml.ScalarNode {
			return nil, faultAt(at, "Fn::Sub is known with a text only")
		}
		value, err = e.substitute(argument.Value)
	case "Fn::If":
		return e.choose(at, argument)
	default:
		return nil, faultAt(at, "the function %s is not known", name)
	}
	if err != nil {
		return nil, faultAt(at, "%v", err)
	}
	return value, nil
}

// ref works out !Ref: a pseudo parameter, a parameter or a resource.
func (e *evaluator) ref(name string) (any, error) {
	if value, pseudo := e.env.pseudo(name); pseudo {
		return value, nil
	}
	if value, isParameter := e.values[name]; isParameter {
		return value, nil
	}
	if name == "AWS::NoValue" {
		return noValue{}, nil
	}
	id, isStage := strings.CutSuffix(name, ".Stage") // what SAM makes beside an API
	resource, known := e.template.find(id)
	if !known || isStage && resource.kind != kindAPI {
		return nil, fmt.Errorf("there is no parameter or resource %q", name)
	}
	if isStage {
		return defaultStage, nil
	}
	return e.refResource(resource)
}

func (e *evaluator) getAtt(argument *yaml.Node) (string, error) {
	id, attribute, _ := strings.Cut(argument.Value, ".")
	if argument.Kind == yaml.SequenceNode && len(argument.Content) == 2 {
		id, attribute = argument.Content[0].Value, argument.Content[1].Value
	}
	return e.attribute(id, attribute)
}

func (e *evaluator) attribute(id, attribute string) (string, error) {
	resource, known := e.template.find(id)
	if !known {
		return "", fmt.Errorf("there is no resource %q", id)
	}
	return e.attributeOf(resource, attribute)
}

// placeholder is ${Name}, ${Name.Attribute}, or ${!Literal}.
var placeholder = regexp.MustCompile(`\$\{([^}]*)\}`)

func (e *evaluator) substitute(text string) (string, error) {
	var failed error
	result := placeholder.ReplaceAllStringFunc(text, func(found string) string {
		name := strings.TrimSpace(found[2 : len(found)-1])
		if literal, isLiteral := strings.CutPrefix(name, "!"); isLiteral {
			return "${" + literal + "}"
		}
		var value any
		var err error
		if id, attribute, dotted := strings.Cut(name, "."); dotted {
			value, err = e.attribute(id, attribute)
		} else {
			value, err = e.ref(name)
		}
		if err != nil {
			failed = err
			return ""
		}
		replacement, isText := value.(string)
		if !isText {
			failed = fmt.Errorf("%s is no text", name)
		}
		return replacement
	})
	return result, failed
}

// choose works out !If: only the branch that holds.
func (e *evaluator) choose(at, argument *yaml.Node) (any, error) {
	if argument.Kind != yaml.SequenceNode || len(argument.Content) != 3 {
		return nil, faultAt(at, "Fn::If wants a condition and two values")
	}
	holds, err := e.named(argument.Content[0].Value)
	if err != nil {
		return nil, faultAt(at, "%v", err)
	}
	if holds {
		return e.value(argument.Content[1])
	}
	return e.value(argument.Content[2])
}

// named works out a condition by its name; without a name it holds.
func (e *evaluator) named(name string) (bool, error) {
	if name == "" {
		return true, nil
	}
	condition, known := e.template.conditions[name]
	if !known {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	return e.holds(condition)
}

// holds works out a condition.
func (e *evaluator) holds(node *yaml.Node) (bool, error) {
	name, arguments := longName(strings.TrimPrefix(node.Tag, "!")), node.Content
	if node.Kind == yaml.MappingNode && len(node.Content) == 2 {
		name, arguments = node.Content[0].Value, node.Content[1].Content
	}
	switch {
	case name == "Fn::Not" && len(arguments) == 1:
		holds, err := e.holds(arguments[0])
		return !holds, err
	case name == "Fn::Equals" && len(arguments) == 2:
		left, err := e.value(arguments[0])
		if err != nil {
			return false, err
		}
		right, err := e.value(arguments[1])
		return left == right, err
	default:
		return false, faultAt(node, "the condition %s is not known", name)
	}
}
