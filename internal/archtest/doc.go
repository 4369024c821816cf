// Package archtest holds the structure of tally in tests: which folder may import which, read from the go command.
package archtest
