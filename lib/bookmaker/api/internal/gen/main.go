// Command gen writes what the API embeds of docs/openapi.yaml: the document as
// JSON, since a Lambda that starts has JSON to parse rather than YAML, and as a
// page to read.
package main

import (
	"fmt"
	"os"

	"tally/lib/bookmaker/api"
	"tally/lib/bookmaker/api/internal/docpage"
	"tally/lib/bookmaker/api/internal/yamljson"
)

func main() {
	if err := run("../../../docs/openapi.yaml"); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("reading the document: %w", err)
	}
	document, err := yamljson.Convert(text)
	if err != nil {
		return err
	}
	var problems []docpage.Problem
	for _, kind := range api.ProblemKinds() {
		problems = append(problems, docpage.Problem{Code: kind.Code, Title: kind.Title, Action: kind.Action, Status: kind.Status})
	}
	page, err := docpage.Render(document, problems)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"openapi.json": document, "docs.html": page} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}
