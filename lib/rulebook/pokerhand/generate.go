//go:build ignore

// Command generate writes the tables of package pokerhand.
package main

import (
	"log"
	"os"

	"tally/lib/rulebook/pokerhand/internal/gen"
)

func main() {
	source, tables, err := gen.Build()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("keys.go", source, 0o644); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("tables.bin", tables, 0o644); err != nil {
		log.Fatal(err)
	}
}
