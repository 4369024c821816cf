// Package functions lists tally's Lambdas: it puts one together by its name and says what
// each of them needs to run. The local stack and the benchmark of the API run them this way; the main
// packages under functions/ import one alone.
package functions

import (
	"fmt"

	"tally/lib/lambda/api"
	"tally/lib/lambda/archive"
	"tally/lib/lambda/config"
	"tally/lib/lambda/intake"
	"tally/lib/lambda/look"
	"tally/lib/lambda/pages"
	"tally/lib/lambda/reconcile"
	"tally/lib/lambda/runtime"
	"tally/lib/lambda/settle"
	"tally/lib/lambda/webhook"
)

// New puts the function of a short name together, such as intake, from its
// variables. It returns a runtime.QueueHandler, a runtime.ScheduledHandler or
// a runtime.HTTPHandler.
func New(name string, variables config.Lookup, r runtime.Runtime) (any, error) {
	switch name {
	case "intake":
		return runtime.Load(variables, r, intake.New)
	case "settle":
		return runtime.Load(variables, r, settle.New)
	case "api":
		return runtime.Load(variables, r, api.New)
	case "reconcile":
		return runtime.Load(variables, r, reconcile.New)
	case "look":
		return runtime.Load(variables, r, look.New)
	case "archive":
		return runtime.Load(variables, r, archive.New)
	case "pages":
		return runtime.Load(variables, r, pages.New)
	case "webhook":
		return runtime.Load(variables, r, webhook.New)
	}
	return nil, fmt.Errorf("there is no function %q", name)
}
