package samtemplate

import (
	"fmt"
	"strconv"
	"time"
)

// SQS's values for what a template leaves out.
const (
	defaultVisibility   = 30 * time.Second
	defaultRetention    = 4 * 24 * time.Hour
	defaultMessageBytes = 1 << 20
)

// Resolve works out what the template makes in an environment.
func (t *Template) Resolve(env Environment) (*Stack, error) {
	values, err := t.values(env.Parameters)
	if err != nil {
		return nil, fmt.Errorf("resolving the template: %w", err)
	}
	e := &evaluator{template: t, env: env.withDefaults(), values: values}
	stack := &Stack{Parameters: values, Outputs: make(map[string]string)}
	roles := make(map[string]role) // by ARN
	for _, r := range t.resources {
		made, err := e.named(r.condition)
		if err == nil && made {
			err = e.add(stack, roles, r)
		}
		if err != nil {
			return nil, fmt.Errorf("resolving the template: %s: %w", r.id, err)
		}
	}
	for i, function := range stack.Functions {
		its, known := roles[function.RoleID]
		if !known {
			return nil, fmt.Errorf("resolving the template: the role of %s is not in it", function.ID)
		}
		stack.Functions[i].RoleID, stack.Functions[i].Statements = its.id, its.statements
	}
	for _, output := range t.outputs {
		made, err := e.named(output.condition)
		if err == nil && made {
			var value any
			value, err = e.value(output.value)
			stack.Outputs[output.name] = fmt.Sprint(value)
		}
		if err != nil {
			return nil, fmt.Errorf("resolving the template: the output %s: %w", output.name, err)
		}
	}
	return stack, nil
}

// add resolves one resource into the stack.
func (e *evaluator) add(stack *Stack, roles map[string]role, r resource) error {
	properties, err := e.properties(r)
	if err != nil {
		return err
	}
	name, err := e.name(r)
	if err != nil {
		return err
	}
	common := Resource{ID: r.id, Name: name, DeletionPolicy: r.deletion, ReplacePolicy: r.replacing}
	in := newReader(r.id, properties)
	in.take(kinds[r.kind].nameProperty)
	switch r.kind {
	case kindTable:
		stack.Tables = append(stack.Tables, e.table(common, in))
	case kindQueue:
		stack.Queues = append(stack.Queues, e.queue(common, in))
	case kindFunction:
		stack.Functions = append(stack.Functions, e.function(common, r, in))
	case kindLogGroup:
		stack.LogGroups = append(stack.LogGroups, LogGroup{Resource: common, RetentionDays: in.number("RetentionInDays", 0)})
	case kindRole:
		roles[roleARN(e.env, name)] = readRole(r.id, in)
	case kindPolicy:
		policy := Policy{Resource: common, Description: in.text("Description")}
		in.within("PolicyDocument", func(in reader) { policy.Statements = readDocument(in) })
		stack.Policies = append(stack.Policies, policy)
	case kindAlarm:
		stack.Alarms = append(stack.Alarms, readAlarm(common, in))
	case kindDashboard:
		stack.Dashboards = append(stack.Dashboards, Dashboard{Resource: common, Body: in.required("DashboardBody")})
	case kindBucket:
		stack.Buckets = append(stack.Buckets, e.bucket(common, in))
	case kindRules:
		stack.Rules = append(stack.Rules, readBucketPolicy(common, in))
	case kindAPI:
		stack.APIs = append(stack.APIs, readAPI(common, in))
	case kindDomain:
		stack.Domains = append(stack.Domains, readDomain(common, in))
	case kindMapping:
		readMapping(stack.Domains, in)
	case kindDistribution:
		stack.Sites = append(stack.Sites, readSite(common, in))
	case kindOriginAccess:
		readOriginAccess(in)
	case kindEdgeFunction:
		stack.OnEdge = append(stack.OnEdge, readEdgeFunction(common, in))
	case kindHeaders:
		stack.Headers = append(stack.Headers, readHeaders(common, in))
	case kindKey:
		stack.Keys = append(stack.Keys, e.key(common, in))
	}
	return in.done()
}

// properties works out a resource's properties.
func (e *evaluator) properties(r resource) (*object, error) {
	if r.properties == nil {
		return &object{line: r.line}, nil
	}
	value, err := e.value(r.properties)
	if err != nil {
		return nil, err
	}
	properties, isObject := value.(*object)
	if !isObject {
		return nil, faultAt(r.properties, "its properties are no mapping")
	}
	return properties, nil
}

func (e *evaluator) table(common Resource, in reader) Table {
	table := Table{
		Resource:           common,
		ARN:                kinds[kindTable].arn(e.env, common.Name),
		OnDemand:           in.text("BillingMode") == "PAY_PER_REQUEST",
		DeletionProtection: in.flag("DeletionProtectionEnabled"),
	}
	in.items("AttributeDefinitions", func(in reader) {
		in.required("AttributeName")
		in.only("AttributeType", "S")
	})
	in.items("KeySchema", func(in reader) {
		switch name := in.required("AttributeName"); in.required("KeyType") {
		case "HASH":
			table.PartitionKey = name
		case "RANGE":
			table.SortKey = name
		}
	})
	in.within("PointInTimeRecoverySpecification", func(in reader) {
		table.PointInTimeRecovery = in.flag("PointInTimeRecoveryEnabled")
	})
	in.within("SSESpecification", func(in reader) { table.Encrypted = in.flag("SSEEnabled") })
	in.within("TimeToLiveSpecification", func(in reader) {
		if name := in.required("AttributeName"); in.flag("Enabled") {
			table.ExpiryAttribute = name
		}
	})
	return table
}

func (e *evaluator) queue(common Resource, in reader) Queue {
	queue := Queue{
		Resource:            common,
		ARN:                 kinds[kindQueue].arn(e.env, common.Name),
		URL:                 e.env.QueueURL(common.Name),
		Visibility:          in.seconds("VisibilityTimeout", defaultVisibility),
		Retention:           in.seconds("MessageRetentionPeriod", defaultRetention),
		ReceiveWait:         in.seconds("ReceiveMessageWaitTimeSeconds", 0),
		MaximumMessageBytes: in.number("MaximumMessageSize", defaultMessageBytes),
		Encrypted:           in.flag("SqsManagedSseEnabled"),
	}
	in.within("RedrivePolicy", func(in reader) {
		queue.Redrive = &Redrive{DeadLetters: in.required("deadLetterTargetArn"), MaxReceives: in.number("maxReceiveCount", 0)}
	})
	in.within("RedriveAllowPolicy", func(in reader) {
		in.only("redrivePermission", "byQueue")
		queue.RedriveFrom = in.texts("sourceQueueArns")
	})
	return queue
}

func readAlarm(common Resource, in reader) Alarm {
	alarm := Alarm{
		Resource:    common,
		Description: in.required("AlarmDescription"),
		Namespace:   in.required("Namespace"),
		Metric:      in.required("MetricName"),
		Dimensions:  make(map[string]string),
		Statistic:   in.required("Statistic"),
		Period:      in.seconds("Period", 0),
		Periods:     in.number("EvaluationPeriods", 0),
		Comparison:  in.required("ComparisonOperator"),
		MissingData: in.required("TreatMissingData"),
		Tells:       in.texts("AlarmActions"),
	}
	in.items("Dimensions", func(in reader) { alarm.Dimensions[in.required("Name")] = in.required("Value") })
	threshold := in.required("Threshold")
	var err error
	if alarm.Threshold, err = strconv.ParseFloat(threshold, 64); err != nil {
		in.fault("Threshold", "is %q, no number", threshold)
	}
	if ends := in.texts("OKActions"); fmt.Sprint(ends) != fmt.Sprint(alarm.Tells) {
		in.fault("OKActions", "tell others than AlarmActions")
	}
	return alarm
}
