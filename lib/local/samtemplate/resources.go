package samtemplate

import (
	"time"

	"go.yaml.in/yaml/v4"
)

// ResolvedStack is a template that was resolved. Its lists are in the order of logical ids.
type ResolvedStack struct {
	Resources map[string]Resource // by logical id, those of its tables, queues and functions too
	Tables    []Table
	Queues    []Queue
	Functions []Function
	Outputs   map[string]string
}

// Resource is a resource of the template.
type Resource struct {
	Type           string         `yaml:"Type"`
	Condition      string         `yaml:"Condition"` // under which it is made; empty for always
	DeletionPolicy string         `yaml:"DeletionPolicy"`
	ReplacePolicy  string         `yaml:"UpdateReplacePolicy"`
	Metadata       map[string]any `yaml:"Metadata"`
	Properties     yaml.Node      `yaml:"Properties"`

	Name string `yaml:"-"`
	ARN  string `yaml:"-"` // empty where the type has none
}

// Table is a DynamoDB table.
type Table struct {
	ID         string `yaml:"-"`
	Name       string `yaml:"TableName"`
	Attributes []struct {
		Name string `yaml:"AttributeName"`
		Type string `yaml:"AttributeType"`
	} `yaml:"AttributeDefinitions"`
	Keys []struct {
		Name string `yaml:"AttributeName"`
		Type string `yaml:"KeyType"`
	} `yaml:"KeySchema"`
	BillingMode        string          `yaml:"BillingMode"`
	Warm               map[string]int  `yaml:"WarmThroughput"` // units a second that it takes from its beginning; empty for AWS's own
	DeletionProtection bool            `yaml:"DeletionProtectionEnabled"`
	PointInTime        map[string]bool `yaml:"PointInTimeRecoverySpecification"`
	Encryption         map[string]bool `yaml:"SSESpecification"`
	Expiry             struct {
		Attribute string `yaml:"AttributeName"` // with the second after which DynamoDB may delete an item
		Enabled   bool   `yaml:"Enabled"`
	} `yaml:"TimeToLiveSpecification"`
}

// Queue is an SQS queue. Times are in seconds; a zero is SQS's own default.
type Queue struct {
	ID, ARN, URL        string   `yaml:"-"`
	Name                string   `yaml:"QueueName"`
	Visibility          int      `yaml:"VisibilityTimeout"`
	Retention           int      `yaml:"MessageRetentionPeriod"`
	ReceiveWait         int      `yaml:"ReceiveMessageWaitTimeSeconds"`
	MaximumMessageBytes int      `yaml:"MaximumMessageSize"`
	Encrypted           bool     `yaml:"SqsManagedSseEnabled"` // by SQS's own key
	Redrive             *Redrive `yaml:"RedrivePolicy"`
	RedriveFrom         struct {
		Permission string   `yaml:"redrivePermission"`
		ARNs       []string `yaml:"sourceQueueArns"`
	} `yaml:"RedriveAllowPolicy"` // the queues whose dead letters it may hold
}

// Redrive says when a message goes to a dead-letter queue.
type Redrive struct {
	DeadLetters string `yaml:"deadLetterTargetArn" json:"deadLetterTargetArn"`
	MaxReceives int    `yaml:"maxReceiveCount" json:"maxReceiveCount"`
}

// Function is a Lambda.
type Function struct {
	ID            string   `yaml:"-"`
	Short         string   `yaml:"-"` // intake, for the resource IntakeFunction and the folder functions/intake
	Name          string   `yaml:"FunctionName"`
	Description   string   `yaml:"Description"`
	CodePath      string   `yaml:"CodeUri"` // from the template's folder
	Handler       string   `yaml:"Handler"`
	Runtime       string   `yaml:"Runtime"`
	Architectures []string `yaml:"Architectures"`
	Seconds       int      `yaml:"Timeout"`
	MemoryMB      int      `yaml:"MemorySize"`
	Reserved      int      `yaml:"ReservedConcurrentExecutions"` // instances kept for it; 0 for none
	Role          string   `yaml:"Role"`                         // its ARN
	Environment   struct {
		Variables map[string]string `yaml:"Variables"`
	} `yaml:"Environment"`
	Logging     map[string]string `yaml:"LoggingConfig"`
	EventInvoke struct {
		Retries    *int `yaml:"MaximumRetryAttempts"`
		MaximumAge int  `yaml:"MaximumEventAgeInSeconds"`
	} `yaml:"EventInvokeConfig"` // of asynchronous invocations
	Events map[string]Event `yaml:"Events"`
}

// Timeout is how long an event may take.
func (f Function) Timeout() time.Duration { return time.Duration(f.Seconds) * time.Second }

// The kinds of events.
const (
	EventSQS      = "SQS"
	EventSchedule = "Schedule"
	EventHTTP     = "HttpApi"
)

// Event is what invokes a function: a queue, a schedule, or a request of an API.
type Event struct {
	Type       string `yaml:"Type"`
	Properties struct {
		Queue         string         `yaml:"Queue"` // its ARN
		BatchSize     int            `yaml:"BatchSize"`
		Window        int            `yaml:"MaximumBatchingWindowInSeconds"`
		ResponseTypes []string       `yaml:"FunctionResponseTypes"`
		Scaling       map[string]int `yaml:"ScalingConfig"`

		Schedule    string `yaml:"Schedule"` // such as rate(1 minute)
		Description string `yaml:"Description"`

		API    string `yaml:"ApiId"`
		Method string `yaml:"Method"`
		Path   string `yaml:"Path"` // with parameters, such as /v1/games/{game}
	} `yaml:"Properties"`
}

// Queue returns the queue of that ARN.
func (s *ResolvedStack) Queue(arn string) (Queue, bool) {
	for _, queue := range s.Queues {
		if queue.ARN == arn {
			return queue, true
		}
	}
	return Queue{}, false
}
