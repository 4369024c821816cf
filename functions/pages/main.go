// The Lambda pages keeps the public site up with the public log. What it does is in lib/site/build; how it is put
// together and what it reads from its environment is in lib/lambda/functions.
package main

import (
	"tally/lib/lambda/functions"
	"tally/lib/site/publish"
)

func main() {
	functions.Main(func(c functions.PagesConfig, r functions.Runtime) (functions.ScheduledHandler, error) {
		r.Follow = publish.Follow
		return functions.NewPages(c, r)
	})
}
