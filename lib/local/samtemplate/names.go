package samtemplate

import (
	"fmt"
	"slices"
)

// Environment is where a template is to be, and with what parameters.
type Environment struct {
	StackName  string
	Region     string
	Account    string
	Partition  string            // aws by default
	Parameters map[string]string // those that are not as their defaults

	// QueueURL returns the URL of a queue; AWS's own by default.
	QueueURL func(name string) string
}

func (env Environment) withDefaults() Environment {
	if env.Partition == "" {
		env.Partition = "aws"
	}
	if env.QueueURL == nil {
		env.QueueURL = func(name string) string {
			return "https://sqs." + env.Region + ".amazonaws.com/" + env.Account + "/" + name
		}
	}
	return env
}

// pseudo returns a pseudo parameter.
func (env Environment) pseudo(name string) (string, bool) {
	switch name {
	case "AWS::StackName":
		return env.StackName, true
	case "AWS::Region":
		return env.Region, true
	case "AWS::AccountId":
		return env.Account, true
	case "AWS::Partition":
		return env.Partition, true
	default:
		return "", false
	}
}

// arn makes an ARN of a regional resource.
func (env Environment) arn(service, resource string) string {
	return "arn:" + env.Partition + ":" + service + ":" + env.Region + ":" + env.Account + ":" + resource
}

// iamARN makes an ARN of IAM, which has no regions.
func (env Environment) iamARN(resource string) string {
	return "arn:" + env.Partition + ":iam::" + env.Account + ":" + resource
}

// kind is what has to be known of a resource type to name its resources.
type kind struct {
	nameProperty string // with the name; without it CloudFormation makes one up
	ref          func(env Environment, name string) string
	arn          func(env Environment, name string) string
	nameOf       string // the attribute that is the name
	// attributes are the others that are known.
	attributes map[string]func(env Environment, name string) string
}

func itsName(_ Environment, name string) string { return name }

func arnOf(service, before, after string) func(Environment, string) string {
	return func(env Environment, name string) string { return env.arn(service, before+name+after) }
}

func roleARN(env Environment, name string) string   { return env.iamARN("role/" + name) }
func policyARN(env Environment, name string) string { return env.iamARN("policy/" + name) }
func bucketARN(env Environment, name string) string {
	return "arn:" + env.Partition + ":s3:::" + name
}
func queueURL(env Environment, name string) string { return env.QueueURL(name) }

// kinds are the resource types that are known.
var kinds = map[string]kind{
	kindTable:     {nameProperty: "TableName", ref: itsName, arn: arnOf("dynamodb", "table/", "")},
	kindQueue:     {nameProperty: "QueueName", ref: queueURL, arn: arnOf("sqs", "", ""), nameOf: "QueueName"},
	kindFunction:  {nameProperty: "FunctionName", ref: itsName, arn: arnOf("lambda", "function:", "")},
	kindLogGroup:  {nameProperty: "LogGroupName", ref: itsName, arn: arnOf("logs", "log-group:", ":*")},
	kindRole:      {nameProperty: "RoleName", ref: itsName, arn: roleARN},
	kindPolicy:    {nameProperty: "ManagedPolicyName", ref: policyARN},
	kindAlarm:     {nameProperty: "AlarmName", ref: itsName, arn: arnOf("cloudwatch", "alarm:", "")},
	kindDashboard: {nameProperty: "DashboardName", ref: itsName},
	kindBucket:    {nameProperty: "BucketName", ref: itsName, arn: bucketARN, attributes: attributes{"RegionalDomainName": bucketDomain}},
	kindRules:     {},
	kindAPI:       {nameProperty: "Name", ref: itsName},
	kindDomain:    {nameProperty: "DomainName", ref: itsName, attributes: attributes{"RegionalDomainName": apiDomainTarget}},
	kindMapping:   {ref: itsName},
	kindKey:       {ref: itsName, arn: arnOf("kms", "key/", "")},

	kindDistribution: {ref: itsName, attributes: attributes{"DomainName": distributionDomain}},
	kindOriginAccess: {attributes: attributes{"Id": itsName}},
	kindEdgeFunction: {nameProperty: "Name", attributes: attributes{"FunctionARN": edgeFunctionARN}},
	kindHeaders:      {ref: itsName},
}

type attributes = map[string]func(env Environment, name string) string

func bucketDomain(env Environment, name string) string {
	return name + ".s3." + env.Region + ".amazonaws.com"
}
func apiDomainTarget(env Environment, name string) string {
	return name + ".execute-api." + env.Region + ".amazonaws.com"
}
func distributionDomain(_ Environment, name string) string { return name + ".cloudfront.net" }
func edgeFunctionARN(env Environment, name string) string {
	return "arn:" + env.Partition + ":cloudfront::" + env.Account + ":function/" + name
}

// name works out a resource's name. One that CloudFormation would make up is
// made of the stack's name and the logical id.
func (e *evaluator) name(r resource) (string, error) {
	if slices.Contains(e.naming, r.id) {
		return "", fmt.Errorf("the name of %s depends on itself", r.id)
	}
	node := r.property(kinds[r.kind].nameProperty)
	if node == nil {
		return e.env.StackName + "-" + r.id, nil
	}
	e.naming = append(e.naming, r.id)
	defer func() { e.naming = e.naming[:len(e.naming)-1] }()
	value, err := e.value(node)
	if err != nil {
		return "", err
	}
	name, isText := value.(string)
	if !isText || name == "" {
		return "", fmt.Errorf("the name of %s is no text", r.id)
	}
	return name, nil
}

// refResource works out !Ref of a resource.
func (e *evaluator) refResource(r resource) (string, error) {
	name, err := e.name(r)
	if err != nil {
		return "", err
	}
	return kinds[r.kind].ref(e.env, name), nil
}

// attributeOf works out !GetAtt.
func (e *evaluator) attributeOf(r resource, attribute string) (string, error) {
	name, err := e.name(r)
	kind := kinds[r.kind]
	switch {
	case err != nil:
		return "", err
	case attribute == "Arn" && kind.arn != nil:
		return kind.arn(e.env, name), nil
	case attribute == kind.nameOf && attribute != "":
		return name, nil
	case kind.attributes[attribute] != nil:
		return kind.attributes[attribute](e.env, name), nil
	default:
		return "", fmt.Errorf("the attribute %s of a %s is not known", attribute, r.kind)
	}
}
