package functions

import (
	"fmt"

	"tally/lib/lambda/config"
)

// New puts the function of a short name together, such as intake, from its
// variables. It returns a QueueHandler, a ScheduledHandler or an HTTPHandler.
func New(name string, variables config.Lookup, r Runtime) (any, error) {
	switch name {
	case "intake":
		return load(variables, r, NewIntake)
	case "settle":
		return load(variables, r, NewSettle)
	case "api":
		return load(variables, r, NewAPI)
	case "reconcile":
		return load(variables, r, NewReconcile)
	case "archive":
		return load(variables, r, NewArchive)
	case "pages":
		return load(variables, r, NewPages)
	case "webhook":
		return load(variables, r, NewWebhook)
	}
	return nil, fmt.Errorf("there is no function %q", name)
}

// load reads a configuration and puts the function together.
func load[C, F any](variables config.Lookup, r Runtime, from func(C, Runtime) (F, error)) (F, error) {
	var c C
	if err := config.Load(&c, variables); err != nil {
		var none F
		return none, err
	}
	return from(c, r)
}
