// Package tally is the module's root. It holds template.yaml, the one
// description of tally's table, queues and functions, for the program that runs
// them on a laptop.
package tally

import _ "embed"

// Template is template.yaml.
//
//go:embed template.yaml
var Template []byte
