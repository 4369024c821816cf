package samtemplate

import (
	"maps"
	"time"
)

// defaultRetries is Lambda's number of retries of an asynchronous invocation.
const defaultRetries = 2

// role is an IAM role that a function takes.
type role struct {
	id         string
	statements []Statement
}

// function reads a function with what Globals say of all functions.
func (e *evaluator) function(common Resource, r resource, in reader) Function {
	in = e.withGlobals(in)
	function := Function{
		Resource:    common,
		ARN:         kinds[kindFunction].arn(e.env, common.Name),
		Short:       short(common.ID),
		Description: in.required("Description"),
		CodePath:    in.required("CodeUri"),
		BuildMethod: r.build,
		Handler:     in.required("Handler"),
		Runtime:     in.required("Runtime"),
		Timeout:     in.seconds("Timeout", 3*time.Second),
		MemoryMB:    in.number("MemorySize", 128),
		Environment: make(map[string]string),
		Retries:     defaultRetries,
		RoleID:      in.required("Role"), // its ARN until all roles are known
	}
	for _, architecture := range in.texts("Architectures") {
		function.Architecture = architecture
	}
	in.within("Environment", func(in reader) {
		in.within("Variables", func(in reader) {
			for _, name := range in.object.names {
				function.Environment[name] = in.text(name)
			}
		})
	})
	in.within("LoggingConfig", func(in reader) {
		function.LogGroup, function.LogFormat = in.required("LogGroup"), in.required("LogFormat")
		function.LogLevel = in.text("ApplicationLogLevel")
		in.text("SystemLogLevel")
	})
	in.within("EventInvokeConfig", func(in reader) {
		function.Retries = in.number("MaximumRetryAttempts", defaultRetries)
		function.MaximumAge = in.seconds("MaximumEventAgeInSeconds", 0)
	})
	in.within("Events", func(in reader) { in.each(function.readEvent) })
	return function
}

// withGlobals adds the members that Globals give to the function's own; of
// objects, such as the variables, their members.
func (e *evaluator) withGlobals(in reader) reader {
	if e.template.globals == nil {
		return in
	}
	value, err := e.value(e.template.globals)
	globals, isObject := value.(*object)
	if err != nil || !isObject {
		in.fault("", "can't have Globals.Function: %v", err)
		return in
	}
	in.object = merge(globals, in.object)
	return in
}

// merge returns base with over's members, which go before base's.
func merge(base, over *object) *object {
	merged := &object{line: over.line, value: maps.Clone(base.value)}
	merged.names = append(merged.names, base.names...)
	for _, name := range over.names {
		value := over.value[name]
		inner, isObject := value.(*object)
		outer, wasObject := merged.value[name].(*object)
		if isObject && wasObject {
			value = merge(outer, inner)
		}
		if _, there := merged.value[name]; !there {
			merged.names = append(merged.names, name)
		}
		merged.value[name] = value
	}
	return merged
}

// readEvent reads what invokes the function.
func (f *Function) readEvent(id string, in reader) {
	kind := in.required("Type")
	in.within("Properties", func(in reader) {
		switch kind {
		case "SQS":
			f.Sources = append(f.Sources, readSource(id, in))
		case "Schedule":
			in.text("Description")
			f.Schedules = append(f.Schedules, Schedule{ID: id, Expression: in.required("Schedule")})
		case "HttpApi":
			in.required("ApiId")
			f.Routes = append(f.Routes, Route{ID: id, Method: in.required("Method"), Path: in.required("Path")})
		default:
			in.fault("", "are those of an event of type %q, which is not known", kind)
		}
	})
}

func readSource(id string, in reader) Source {
	source := Source{ID: id, QueueARN: in.required("Queue"), BatchSize: in.number("BatchSize", 10)}
	for _, kind := range in.texts("FunctionResponseTypes") {
		source.ByMessage = kind == "ReportBatchItemFailures"
	}
	in.within("ScalingConfig", func(in reader) { source.MaximumConcurrency = in.number("MaximumConcurrency", 0) })
	return source
}

func readRole(id string, in reader) role {
	read := role{id: id}
	in.text("Description")
	in.within("AssumeRolePolicyDocument", func(in reader) {
		in.only("Version", policyVersion)
		in.items("Statement", func(in reader) {
			in.only("Effect", "Allow")
			in.only("Action", "sts:AssumeRole")
			in.within("Principal", func(in reader) { in.only("Service", "lambda.amazonaws.com") })
		})
	})
	in.items("Policies", func(in reader) {
		in.required("PolicyName")
		in.within("PolicyDocument", func(in reader) { read.statements = append(read.statements, readDocument(in)...) })
	})
	return read
}

// policyVersion is the version of the policy language.
const policyVersion = "2012-10-17"

func readDocument(in reader) []Statement {
	var statements []Statement
	in.only("Version", policyVersion)
	in.items("Statement", func(in reader) {
		statement := Statement{
			SID: in.text("Sid"), Effect: in.required("Effect"),
			Actions: in.texts("Action"), Resources: in.texts("Resource"),
		}
		readResourcePolicy(in, &statement)
		statements = append(statements, statement)
	})
	return statements
}
