//go:build ignore

// Command generate writes the tables of package pokerhand.
package main

import (
	"log"
	"os"

	"tally/lib/rulebook/pokerhand/internal/gen"
)

func main() {
	made, err := gen.Build()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("keys.go", made.Source, 0o644); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("rows.bin", made.Rows, 0o644); err != nil {
		log.Fatal(err)
	}
}
