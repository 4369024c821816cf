package samtemplate_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tally/lib/lambda/metrics"
	"tally/lib/local/samtemplate"
)

const topic = "arn:aws:sns:eu-central-1:123456789012:alarms"

// alarm watches one metric. Its period is in seconds.
type alarm struct {
	ID           string              `yaml:"-"`
	Namespace    string              `yaml:"Namespace"`
	Metric       string              `yaml:"MetricName"`
	Dimensions   []map[string]string `yaml:"Dimensions"`
	Period       int                 `yaml:"Period"`
	Periods      int                 `yaml:"EvaluationPeriods"` // that must be beyond the threshold
	Threshold    float64             `yaml:"Threshold"`
	AlarmActions []string            `yaml:"AlarmActions"`
	OKActions    []string            `yaml:"OKActions"`
}

func alarms(t *testing.T, stack *samtemplate.ResolvedStack) (all []alarm) {
	for _, id := range ofType(stack, "AWS::CloudWatch::Alarm") {
		read := properties[alarm](t, stack, id)
		read.ID = id
		all = append(all, read)
	}
	return all
}

// Everything that can go wrong has an alarm, every alarm watches something that
// is there, and all tell the topic, of their end too.
func TestAlarms(t *testing.T) {
	stack := resolve(t, map[string]string{"AlarmTopic": topic})
	watched := make(map[string]alarm)
	for _, alarm := range alarms(t, stack) {
		for _, dimension := range alarm.Dimensions {
			what := alarm.Namespace + " " + alarm.Metric + " " + dimension["Name"] + "=" + dimension["Value"]
			if other, twice := watched[what]; twice {
				t.Errorf("%s and %s watch the same", other.ID, alarm.ID)
			}
			watched[what] = alarm
		}
		if !slices.Equal(alarm.AlarmActions, []string{topic}) || !slices.Equal(alarm.OKActions, alarm.AlarmActions) || len(alarm.Dimensions) != 1 || alarm.Periods < 1 || alarm.Period < 60 {
			t.Errorf("the alarm %+v", alarm)
		}
	}
	for what := range wantedAlarms(stack) {
		if _, there := watched[what]; !there {
			t.Errorf("no alarm watches %s", what)
		}
		delete(watched, what)
	}
	for what, alarm := range watched {
		t.Errorf("%s watches what nobody writes: %s", alarm.ID, what)
	}
}

// wantedAlarms lists what has to be watched.
func wantedAlarms(stack *samtemplate.ResolvedStack) map[string]bool {
	want := make(map[string]bool)
	for _, queue := range stack.Queues {
		switch {
		case queue.Redrive == nil:
			want["AWS/SQS ApproximateNumberOfMessagesVisible QueueName="+queue.Name] = true
		default:
			want["AWS/SQS ApproximateAgeOfOldestMessage QueueName="+queue.Name] = true
		}
	}
	for _, function := range stack.Functions {
		want["AWS/Lambda Errors FunctionName="+function.Name] = true
		want["AWS/Lambda Throttles FunctionName="+function.Name] = true
		if isInvokedBy(function, samtemplate.EventSQS) || isInvokedBy(function, samtemplate.EventHTTP) {
			want["tally/prod failures function="+function.Short] = true
		}
	}
	want["AWS/Lambda Invocations FunctionName=prod-reconcile"] = true
	for _, own := range []string{
		"unequal function=pages", "pages_lag function=pages",
		"quarantined function=intake", "quarantine_depth function=reconcile", "unequal function=look",
		"unequal function=settle", "unequal function=archive", "stuck function=look", "overdue function=look", "stragglers function=look", "unlooked function=api",
		"waiting function=look",
		"log_faults function=reconcile", "log_faults function=look", "log_lag function=look", "behind function=reconcile", "log_faults function=archive", "log_lag function=reconcile", "uncosigned function=archive",
		"webhooks_disabled function=webhook",
		"message_age function=intake", "moved_closings function=intake", "unclosed function=intake", "bad_sequence function=intake",
		"silent_tables function=reconcile", "long_breaks function=intake", "long_breaks function=look",
		"clock_wrong function=api", "clock_wrong function=intake", "clock_wrong function=settle", "clock_wrong function=reconcile", "clock_wrong function=look",
	} {
		want["tally/prod "+own] = true
	}
	return want
}

// Alarms and dashboard name metrics that observe writes, in the namespace that
// the functions are told.
func TestMetricNames(t *testing.T) {
	stack := resolve(t, nil)
	for _, function := range stack.Functions {
		if function.Environment.Variables["TALLY_NAMESPACE"] != "tally/prod" {
			t.Errorf("%s writes to %q", function.ID, function.Environment.Variables["TALLY_NAMESPACE"])
		}
	}
	check := func(where, name string) {
		if _, known := metrics.Name(name).Dimension(); !known {
			t.Errorf("%s shows the metric %q, which nobody writes", where, name)
		}
	}
	for _, alarm := range alarms(t, stack) {
		if alarm.Namespace == "tally/prod" {
			check(alarm.ID, alarm.Metric)
		}
	}
	shown := 0
	for _, name := range dashboardMetrics(t, dashboard(t, stack)) {
		check("the dashboard", name)
		shown++
	}
	if shown < 10 {
		t.Errorf("the dashboard shows only %d metrics of tally's own", shown)
	}
}

func isInvokedBy(function samtemplate.Function, kind string) bool {
	for _, event := range function.Events {
		if event.Type == kind {
			return true
		}
	}
	return false
}

// dashboard returns the dashboard, which is JSON.
func dashboard(t *testing.T, stack *samtemplate.ResolvedStack) string {
	t.Helper()
	return properties[struct {
		Body string `yaml:"DashboardBody"`
	}](t, stack, "Dashboard").Body
}

// dashboardMetrics returns the names of tally's own metrics in a dashboard.
func dashboardMetrics(t *testing.T, body string) []string {
	t.Helper()
	var dashboard struct {
		Widgets []struct {
			Properties struct{ Metrics [][]any }
		}
	}
	if err := json.Unmarshal([]byte(body), &dashboard); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, widget := range dashboard.Widgets {
		for _, metric := range widget.Properties.Metrics {
			switch first := metric[0].(type) {
			case string:
				if first == "tally/prod" {
					names = append(names, metric[1].(string))
				}
			case map[string]any:
				expression, _ := first["expression"].(string)
				_, after, _ := strings.Cut(expression, `MetricName="`)
				name, _, _ := strings.Cut(after, `"`)
				names = append(names, name)
			}
		}
	}
	return names
}

// inRunbook is an alarm in the first column of a table of docs/pipeline.md; "…" stands for
// any beginning.
var inRunbook = regexp.MustCompile("`(…?)([A-Za-z]+Alarm)`")

// Every alarm has an entry that says what to do, and no entry is of an alarm that is not there.
func TestRunbook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "pipeline.md"))
	if err != nil {
		t.Fatal(err)
	}
	ids := ofType(resolve(t, nil), "AWS::CloudWatch::Alarm")
	written := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, match := range inRunbook.FindAllStringSubmatch(first, -1) {
			there := false
			for _, id := range ids {
				if id == match[2] || match[1] != "" && strings.HasSuffix(id, match[2]) {
					there, written[id] = true, true
				}
			}
			if !there {
				t.Errorf("docs/pipeline.md says what to do about %s, and there is no such alarm", match[0])
			}
		}
	}
	for _, id := range ids {
		if !written[id] {
			t.Errorf("docs/pipeline.md does not say what to do about %s", id)
		}
	}
}
