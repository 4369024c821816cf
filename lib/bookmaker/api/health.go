package api

import (
	"context"

	v1 "tally/lib/bookmaker/apitype"
	"tally/lib/draw/instant"
)

// health says that the API answers. It looks at nothing else.
func health(_ context.Context, r *request) (any, error) {
	return v1.Health{Status: "ok", Time: instant.Format(r.api.now())}, nil
}
