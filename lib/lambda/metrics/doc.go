// Package metrics is what a function tells of itself: log records and metrics,
// both as lines of JSON on standard output, which Lambda hands to CloudWatch.
//
// # Logs
//
// [Logger] is lambdacontext's own: records in Lambda's JSON format, each with the
// id of its request, at the level that the function's LoggingConfig sets. Records
// carry attributes only (draw, revision, bookmaker, message id, receive count),
// never payloads or keys.
//
// # Metrics
//
// CloudWatch makes metrics out of log lines in its embedded metric format: no
// call, no permission, no delay. [Metrics] collects what happens in an invocation
// and [Metrics.Flush] writes it, one line for each set of dimension values that
// occurred: a line can hold only one value of each dimension. A line for a draw
// of poker that was settled reads
//
//	{"_aws":{"Timestamp":1796040000000,"CloudWatchMetrics":[{
//	   "Namespace":"tally/prod",
//	   "Dimensions":[["function"],["function","game"]],
//	   "Metrics":[{"Name":"settled","Unit":"Count"},{"Name":"settlement_delay","Unit":"Milliseconds"}]}]},
//	 "function":"settle","game":"poker","settled":1200,"settlement_delay":[11250]}
//
// so each metric exists for the function as a whole, which alarms watch, and for
// each game or kind, which the dashboard shows.
//
// The format: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
package metrics
