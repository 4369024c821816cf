package samtemplate

import "time"

// The resource types that a template may have.
const (
	kindTable     = "AWS::DynamoDB::Table"
	kindQueue     = "AWS::SQS::Queue"
	kindFunction  = "AWS::Serverless::Function"
	kindLogGroup  = "AWS::Logs::LogGroup"
	kindRole      = "AWS::IAM::Role"
	kindPolicy    = "AWS::IAM::ManagedPolicy"
	kindAlarm     = "AWS::CloudWatch::Alarm"
	kindDashboard = "AWS::CloudWatch::Dashboard"
	kindBucket    = "AWS::S3::Bucket"
	kindRules     = "AWS::S3::BucketPolicy"
	kindKey       = "AWS::KMS::Key"
	kindAPI       = "AWS::Serverless::HttpApi"
	kindDomain    = "AWS::ApiGatewayV2::DomainName"
	kindMapping   = "AWS::ApiGatewayV2::ApiMapping"

	kindDistribution = "AWS::CloudFront::Distribution"
	kindOriginAccess = "AWS::CloudFront::OriginAccessControl"
	kindEdgeFunction = "AWS::CloudFront::Function"
	kindHeaders      = "AWS::CloudFront::ResponseHeadersPolicy"
)

// Stack is a template that was resolved. Its lists are in the template's order.
type Stack struct {
	Parameters map[string]string // the values in force
	Tables     []Table
	Queues     []Queue
	Functions  []Function
	LogGroups  []LogGroup
	Policies   []Policy // managed ones, to be attached by whoever deploys
	Alarms     []Alarm
	Dashboards []Dashboard
	Buckets    []Bucket
	Rules      []BucketPolicy
	Keys       []Key
	APIs       []API
	Domains    []Domain
	Sites      []Site
	Headers    []Headers
	OnEdge     []EdgeFunction
	Outputs    map[string]string
}

// Resource is what every resource has.
type Resource struct {
	ID             string // its logical id
	Name           string
	DeletionPolicy string // what becomes of it with the stack: Retain, Delete or "", which deletes
	ReplacePolicy  string // what becomes of it when another takes its place
}

// Table is a DynamoDB table. Both of its key attributes hold strings.
type Table struct {
	Resource
	ARN                 string
	PartitionKey        string
	SortKey             string
	OnDemand            bool
	PointInTimeRecovery bool
	DeletionProtection  bool
	Encrypted           bool   // by a key of KMS
	ExpiryAttribute     string // with the second after which DynamoDB may delete an item; empty for none
}

// Queue is an SQS queue.
type Queue struct {
	Resource
	ARN                 string
	URL                 string
	Visibility          time.Duration // the timeout; SQS's default of 30 s when not set
	Retention           time.Duration // SQS's default of 4 days when not set
	ReceiveWait         time.Duration
	MaximumMessageBytes int
	Encrypted           bool // by SQS's own key
	Redrive             *Redrive
	RedriveFrom         []string // ARNs of the queues whose dead letters it may hold
}

// Redrive says when a message goes to a dead-letter queue.
type Redrive struct {
	DeadLetters string // the queue's ARN
	MaxReceives int
}

// Function is a Lambda.
type Function struct {
	Resource
	ARN          string
	Short        string // intake, for the resource IntakeFunction and the folder functions/intake
	Description  string
	CodePath     string // CodeUri, from the template's folder
	BuildMethod  string
	Handler      string
	Runtime      string
	Architecture string
	Timeout      time.Duration
	MemoryMB     int
	Environment  map[string]string
	LogGroup     string
	LogFormat    string
	LogLevel     string
	Sources      []Source
	Schedules    []Schedule
	Routes       []Route
	Retries      int           // of asynchronous invocations; 2 unless set
	MaximumAge   time.Duration // of asynchronous invocations; 0 unless set
	RoleID       string        // the logical id of its role
	Statements   []Statement   // what the role allows
}

// Source is a queue whose messages a function gets.
type Source struct {
	ID                 string
	QueueARN           string
	BatchSize          int
	ByMessage          bool // the function's answer names the messages that failed
	MaximumConcurrency int  // instances at once; 0 for no bound
}

// Schedule is a rule by which a function is run.
type Schedule struct {
	ID         string
	Expression string // such as rate(1 minute)
}

// Route is a request of an API that a function answers.
type Route struct {
	ID     string
	Method string
	Path   string // with parameters, such as /v1/games/{game}
}

// API is an HTTP API of API Gateway.
type API struct {
	Resource
	RatePerSecond int // of all requests; above it they are answered 429
	Burst         int
	AccessLogs    string // ARN of their group
	AccessLog     string // the form of a record
	OnlyByDomain  bool   // not at the address that AWS gives it
}

// Domain is a domain at which an API answers. Its name is the domain's.
type Domain struct {
	Resource
	API            string // the API's name; empty for none
	Certificate    string
	Truststore     string // of clients' certificates; empty where they need none
	SecurityPolicy string
}

// Statement is a statement of a policy.
type Statement struct {
	SID       string
	Effect    string
	Principal string            // of policies on resources: who, * for everyone; empty elsewhere
	Unless    map[string]string // conditions, as operator and key, such as "Null s3:if-match", with their value
	Actions   []string
	Resources []string
}

// LogGroup is where the log of a function goes.
type LogGroup struct {
	Resource
	RetentionDays int
}

// Policy is a managed policy.
type Policy struct {
	Resource
	Description string
	Statements  []Statement
}

// Alarm watches one metric.
type Alarm struct {
	Resource
	Description string
	Namespace   string
	Metric      string
	Dimensions  map[string]string
	Statistic   string
	Period      time.Duration
	Periods     int // that must be beyond the threshold
	Comparison  string
	Threshold   float64
	MissingData string
	Tells       []string // ARNs of topics, of the alarm and of its end alike
}

// Dashboard shows metrics.
type Dashboard struct {
	Resource
	Body string // JSON
}

// Bucket is an S3 bucket.
type Bucket struct {
	Resource
	ARN           string
	Encrypted     bool // by S3's own key
	Versioned     bool
	Locked        bool   // Object Lock
	RetentionMode string // of locked objects: GOVERNANCE or COMPLIANCE
	RetentionDays int
	Closed        bool // all public access is blocked
	OwnerEnforced bool // no ACLs
}

// BucketPolicy says what may be done with a bucket, by whomever.
type BucketPolicy struct {
	Resource
	Bucket     string
	Statements []Statement
}

// Key is a key of KMS.
type Key struct {
	Resource
	ARN        string
	Spec       string
	Usage      string
	Statements []Statement
}

// Queue returns the queue of that ARN.
func (s *Stack) Queue(arn string) (Queue, bool) {
	for _, queue := range s.Queues {
		if queue.ARN == arn {
			return queue, true
		}
	}
	return Queue{}, false
}

// Function returns the function of that short name.
func (s *Stack) Function(short string) (Function, bool) {
	for _, function := range s.Functions {
		if function.Short == short {
			return function, true
		}
	}
	return Function{}, false
}
