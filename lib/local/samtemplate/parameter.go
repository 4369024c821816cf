package samtemplate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// parameter is a parameter of the template and what it takes.
type parameter struct {
	Type        string   `yaml:"Type"` // String or Number
	Description string   `yaml:"Description"`
	Default     *string  `yaml:"Default"`
	Pattern     string   `yaml:"AllowedPattern"`
	Constraint  string   `yaml:"ConstraintDescription"`
	Allowed     []string `yaml:"AllowedValues"`
	Min         *float64 `yaml:"MinValue"`
	Max         *float64 `yaml:"MaxValue"`
}

// check holds a value against what the parameter takes, as CloudFormation does.
func (p parameter) check(value string) error {
	pattern, err := regexp.Compile("^(?:" + p.Pattern + ")$")
	switch {
	case err != nil:
		return err
	case p.Pattern != "" && !pattern.MatchString(value):
		return fmt.Errorf("it takes %s", p.Constraint)
	case p.Allowed != nil && !slices.Contains(p.Allowed, value):
		return fmt.Errorf("it takes one of %q", p.Allowed)
	case p.Type != "Number":
		return nil
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fmt.Errorf("it takes a number")
	}
	if p.Min != nil && number < *p.Min || p.Max != nil && number > *p.Max {
		return fmt.Errorf("it takes a number from %s to %s", limit(p.Min), limit(p.Max))
	}
	return nil
}

func limit(bound *float64) string {
	if bound == nil {
		return "any"
	}
	return strconv.FormatFloat(*bound, 'f', -1, 64)
}
