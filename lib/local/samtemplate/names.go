package samtemplate

import (
	"fmt"
	"strings"
)

// The resource types that this package reads; of the others in kinds it knows the names
// alone.
const (
	kindTable    = "AWS::DynamoDB::Table"
	kindQueue    = "AWS::SQS::Queue"
	kindFunction = "AWS::Serverless::Function"
)

// kind is what has to be known of a resource type to name its resources.
type kind struct {
	nameProperty string            // with the name; without it CloudFormation makes one up
	attributes   map[string]string // that are known, as fill takes them; "" is what !Ref gives
}

const (
	regional = "{region}:{account}:"
	ownName  = "{name}"
)

// kinds are the resource types that a template may have.
var kinds = map[string]kind{
	kindTable:                                {"TableName", map[string]string{"": ownName, "Arn": "arn:aws:dynamodb:" + regional + "table/{name}"}},
	kindQueue:                                {"QueueName", map[string]string{"": "{url}", "Arn": "arn:aws:sqs:" + regional + ownName, "QueueName": ownName}},
	kindFunction:                             {"FunctionName", map[string]string{"": ownName, "Arn": "arn:aws:lambda:" + regional + "function:{name}"}},
	"AWS::Logs::LogGroup":                    {"LogGroupName", map[string]string{"": ownName, "Arn": "arn:aws:logs:" + regional + "log-group:{name}:*"}},
	"AWS::IAM::Role":                         {"RoleName", map[string]string{"": ownName, "Arn": "arn:aws:iam::{account}:role/{name}"}},
	"AWS::IAM::ManagedPolicy":                {"ManagedPolicyName", map[string]string{"": "arn:aws:iam::{account}:policy/{name}"}},
	"AWS::CloudWatch::Alarm":                 {"AlarmName", nil},
	"AWS::CloudWatch::Dashboard":             {"DashboardName", map[string]string{"": ownName}},
	"AWS::S3::Bucket":                        {"BucketName", map[string]string{"": ownName, "Arn": "arn:aws:s3:::{name}", "RegionalDomainName": "{name}.s3.{region}.amazonaws.com"}},
	"AWS::S3::BucketPolicy":                  {},
	"AWS::SQS::QueuePolicy":                  {},
	"AWS::KMS::Key":                          {"", map[string]string{"": ownName, "Arn": "arn:aws:kms:" + regional + "key/{name}"}},
	"AWS::Serverless::HttpApi":               {"Name", map[string]string{"": ownName, "Stage": "$default"}}, // the stage is what SAM makes beside it
	"AWS::ApiGatewayV2::DomainName":          {"DomainName", map[string]string{"": ownName, "RegionalDomainName": "{name}.execute-api.{region}.amazonaws.com"}},
	"AWS::ApiGatewayV2::ApiMapping":          {},
	"AWS::CloudFront::Distribution":          {"", map[string]string{"": ownName, "DomainName": "{name}.cloudfront.net"}},
	"AWS::CloudFront::Function":              {"Name", map[string]string{"FunctionARN": "arn:aws:cloudfront::{account}:function/{name}"}},
	"AWS::CloudFront::OriginAccessControl":   {"", map[string]string{"Id": ownName}},
	"AWS::CloudFront::ResponseHeadersPolicy": {"", map[string]string{"": ownName}},
}

// maxDepth bounds how many names may be needed for one.
const maxDepth = 10

// fill makes an attribute of a resource of its form.
func (e *evaluator) fill(form, name string) string {
	return strings.NewReplacer("{name}", name, "{region}", e.values["AWS::Region"], "{account}", e.values["AWS::AccountId"],
		"{url}", e.queueURL(name)).Replace(form)
}

// name works out a resource's name. One that CloudFormation would make up is
// made of the stack's name and the logical id.
func (e *evaluator) name(id string, r Resource) (string, error) {
	e.depth++
	defer func() { e.depth-- }()
	if e.depth > maxDepth {
		return "", fmt.Errorf("the name of %s depends on itself", id)
	}
	property := kinds[r.Type].nameProperty
	for i := 0; i+1 < len(r.Properties.Content); i += 2 {
		if r.Properties.Content[i].Value == property {
			return e.text(r.Properties.Content[i+1])
		}
	}
	return e.values["AWS::StackName"] + "-" + id, nil
}
