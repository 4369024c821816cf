package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/lambda/config"
	"tally/lib/lambda/runtime"
	"tally/lib/local/samtemplate"
	"tally/lib/site/serve"
)

// Build puts together the function of a short name, such as intake, from its
// variables and the clients' configuration, as functions.New does.
type Build func(name string, variables config.Lookup, clients aws.Config) (any, error)

// Options set up a stack.
type Options struct {
	Template []byte // template.yaml
	Build    Build
	// Stack is the stack's name, which begins the names of its queues; tally by
	// default. Two stacks of one process need two names, and two tables.
	Stack string
	// Parameters are those of the template that are not as their defaults.
	Parameters map[string]string
	// Address is where the emulator listens; any free port of this machine by
	// default.
	Address string
	// APIAddress is where the bookmakers' API listens; any free port of this machine
	// by default.
	APIAddress string
	Log        *slog.Logger // slog.Default by default
	// LogFolder is where the public log is written, in place of its bucket, with the
	// key that signs it in a file beside it; by default a temporary folder that goes
	// with the stack. It and SiteFolder must be empty or not there yet: ErrNotEmpty.
	LogFolder string
	// SiteFolder is where the public site is written, in place of its bucket; by
	// default a temporary folder that goes with the stack.
	SiteFolder string
	// SiteAddress is where the site is served, with the log under it; any free port
	// of this machine by default.
	SiteAddress string
}

// Stack is a running emulator with the template's table and queues in it.
type Stack struct {
	Endpoint string                     // of every service
	Resolved *samtemplate.ResolvedStack // what the template comes to here
	Table    string                     // the name of the one table
	API      string                     // URL of the bookmakers' API; empty without one
	// LogFolder and SiteFolder are where the public log and the public site are, Site
	// the URL at which both are served.
	LogFolder  string
	SiteFolder string
	Site       string

	front     *front
	api       *http.Server
	log       *slog.Logger
	site      *http.Server
	files     *serve.Files
	temporary string // folder of what goes with the stack
	sources   []*source
	schedules []*schedule
}

// account is the account that the emulator's ARNs name.
const account = "000000000000"

// Start starts the emulator, makes what the template describes and puts the
// functions together. Nothing is delivered before Run. Close ends it.
func Start(ctx context.Context, options Options) (*Stack, error) {
	if options.Stack == "" {
		options.Stack = "tally"
	}
	if options.Address == "" {
		options.Address = "127.0.0.1:0"
	}
	if options.Log == nil {
		options.Log = slog.Default()
	}
	if err := errors.Join(mustBeEmpty("public log", options.LogFolder), mustBeEmpty("public site", options.SiteFolder)); err != nil {
		return nil, fmt.Errorf("starting a local stack: %w", err)
	}
	front, err := startEmulator(ctx, options.Address)
	if err != nil {
		return nil, fmt.Errorf("starting a local stack: %w", err)
	}
	s := &Stack{Endpoint: front.endpoint, front: front, log: options.Log}
	if err := s.set(ctx, options); err != nil {
		s.Close()
		return nil, fmt.Errorf("starting a local stack: %w", err)
	}
	return s, nil
}

// set makes the resources and the functions.
func (s *Stack) set(ctx context.Context, options Options) (err error) {
	s.Resolved, err = samtemplate.Resolve(options.Template, samtemplate.Environment{StackName: options.Stack, Region: Region, Account: account,
		Parameters: options.Parameters, QueueURL: func(name string) string { return s.Endpoint + "/" + account + "/" + name }})
	if err != nil {
		return err
	}
	if len(s.Resolved.Tables) != 1 {
		return fmt.Errorf("the template has %d tables instead of one", len(s.Resolved.Tables))
	}
	s.Table = s.Resolved.Tables[0].Name
	if err := s.makeTable(ctx, s.Resolved.Tables[0]); err != nil {
		return err
	}
	if err := s.makeQueues(ctx, s.Resolved.Queues); err != nil {
		return err
	}
	if err := s.makeLog(options.LogFolder, options.SiteFolder); err != nil {
		return err
	}
	if err := s.serveSite(ctx, options.SiteAddress); err != nil {
		return err
	}
	for _, f := range s.Resolved.Functions {
		if err := s.wire(ctx, f, options); err != nil {
			return fmt.Errorf("the function %s: %w", f.Short, err)
		}
	}
	return nil
}

// wire puts a function together and connects it with what invokes it.
func (s *Stack) wire(ctx context.Context, f samtemplate.Function, options Options) error {
	lookup := func(name string) (string, bool) {
		value, set := f.Environment.Variables[name]
		return value, set
	}
	made, err := options.Build(f.Short, lookup, Config(s.Endpoint))
	if err != nil {
		return err
	}
	queued, isQueued := made.(runtime.QueueHandler)
	scheduled, isScheduled := made.(runtime.ScheduledHandler)
	requested, isRequested := made.(runtime.HTTPHandler)
	for _, event := range f.Events {
		switch {
		case event.Type == samtemplate.EventSQS && isQueued:
			err = s.deliver(f, event, queued)
		case event.Type == samtemplate.EventSchedule && isScheduled:
			err = s.repeat(f, event, scheduled)
		case event.Type == samtemplate.EventHTTP && s.api != nil: // another route of the one API
		case event.Type == samtemplate.EventHTTP && isRequested:
			err = s.serve(ctx, options.APIAddress, requested.Serve, f.Timeout())
		default:
			err = fmt.Errorf("it is a %T, which an event of type %q can't invoke", made, event.Type)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// deliver has the messages of a queue delivered to a function.
func (s *Stack) deliver(f samtemplate.Function, event samtemplate.Event, handle runtime.QueueHandler) error {
	from := event.Properties
	queue, known := s.Resolved.Queue(from.Queue)
	if !known {
		return fmt.Errorf("there is no queue %s", from.Queue)
	}
	batches := from.Scaling["MaximumConcurrency"]
	if batches == 0 {
		batches = mostBatches
	}
	s.sources = append(s.sources, &source{client: s.sqs(), url: queue.URL, arn: queue.ARN, batch: from.BatchSize,
		batches: batches, byItem: slices.Contains(from.ResponseTypes, "ReportBatchItemFailures"), timeout: f.Timeout(), function: f.Short, handle: handle, log: s.log})
	return nil
}

// repeat has a function run by a schedule.
func (s *Stack) repeat(f samtemplate.Function, event samtemplate.Event, handle runtime.ScheduledHandler) error {
	every, err := parseRate(event.Properties.Schedule)
	if err != nil {
		return err
	}
	s.schedules = append(s.schedules, &schedule{every: every, timeout: f.Timeout(), function: f.Short, handle: handle, log: s.log})
	return nil
}

func (s *Stack) sqs() *sqs.Client { return sqs.NewFromConfig(Config(s.Endpoint)) }

// grace is how long functions may go on after a stack was told to stop.
const grace = 5 * time.Second

// Run delivers messages and runs schedules until ctx ends. Then it takes no more
// and returns when what is under way is done, which is cut off after five
// seconds.
func (s *Stack) Run(ctx context.Context) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	defer stop()
	var running sync.WaitGroup
	for _, from := range s.sources {
		running.Go(func() { from.run(ctx, work) })
	}
	for _, rule := range s.schedules {
		running.Go(func() { rule.run(ctx, work) })
	}
	running.Wait()
}

// RunScheduled runs the function of a short name once, now, as its schedule would.
func (s *Stack) RunScheduled(ctx context.Context, name string) error {
	for _, rule := range s.schedules {
		if rule.function == name {
			return rule.invoke(ctx)
		}
	}
	return fmt.Errorf("no schedule runs a function %s", name)
}

// QueueURLs returns the URLs of all queues by their names.
func (s *Stack) QueueURLs() map[string]string {
	urls := make(map[string]string, len(s.Resolved.Queues))
	for _, queue := range s.Resolved.Queues {
		urls[queue.Name] = queue.URL
	}
	return urls
}

// QueueNames returns the names of all queues, those of dead letters last.
func (s *Stack) QueueNames() []string {
	dead := map[string]bool{}
	for _, queue := range s.Resolved.Queues {
		if queue.Redrive == nil {
			dead[queue.Name] = true
		}
	}
	return slices.SortedFunc(maps.Keys(s.QueueURLs()), func(a, b string) int {
		if dead[a] != dead[b] {
			return order(dead[a]) - order(dead[b])
		}
		return slices.Compare([]byte(a), []byte(b))
	})
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// Close ends the stack. What is in it stays with the emulator until the process ends.
func (s *Stack) Close() {
	s.stopAPI()
	s.stopSite()
	s.front.close()
	s.dropLog()
}
