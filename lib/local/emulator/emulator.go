// Package emulator is the AWS emulator of this process: kumo, pure Go, with
// DynamoDB, SQS and S3. All of its servers would share one state, and making one
// writes what another's requests read, so a process has one, made when it is first
// asked for. It ends with the process. Users that must not meet take names of
// their own.
package emulator

import (
	"sync"

	"github.com/sivchari/kumo"
)

var server = sync.OnceValue(kumo.NewServer)

// Endpoint returns the address at which the emulator listens, such as
// http://127.0.0.1:40123. The port is another one in each process.
func Endpoint() string { return server().URL }
