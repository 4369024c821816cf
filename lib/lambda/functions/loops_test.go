package functions_test

import (
	"slices"
	"testing"

	"tally/internal/testkit/permissions"
)

// TestLoops: messages lead back to the function that has begun a chain in settle alone, where
// TestChainsOfMessages of lib/pipeline/reconcile counts how often. Lambda takes a message that comes to a
// function for the 16th time by way of itself for a loop, and drops it. What a schedule runs begins
// a chain.
func TestLoops(t *testing.T) {
	receivers := map[string]string{} // by queue
	for _, described := range permissions.OfFunctions() {
		for _, use := range described.Uses {
			if slices.Contains(use.Actions, "sqs:ChangeMessageVisibility") {
				receivers[use.Variable] = described.Name
			}
		}
	}
	next := map[string][]string{} // the functions that get messages of one
	for _, described := range permissions.OfFunctions() {
		for _, use := range described.Uses {
			if to := receivers[use.Variable]; to != "" && slices.Contains(use.Actions, "sqs:SendMessage") {
				next[described.Name] = append(next[described.Name], to)
			}
		}
	}
	var follow func(from string, reached map[string]bool)
	follow = func(from string, reached map[string]bool) {
		for _, to := range next[from] {
			if !reached[to] {
				reached[to] = true
				follow(to, reached)
			}
		}
	}
	for _, described := range permissions.OfFunctions() {
		reached := map[string]bool{}
		follow(described.Name, reached)
		if want := described.Name == "settle"; reached[described.Name] != want {
			t.Errorf("messages of %s lead back to it: %t, want %t; it sends to %v", described.Name, !want, want, next[described.Name])
		}
		if described.Name == "reconcile" && !reached["look"] {
			t.Error("messages of reconcile do not lead to look")
		}
	}
}
