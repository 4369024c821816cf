// Command tally resolves and settles draws from the command line.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Without this a reader that goes away (`tally settle | head`) would kill the
	// process before it could say so.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], newApp(os.Stdin, os.Stdout, os.Stderr)))
}
