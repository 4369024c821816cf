// Command texts writes embedded.json.gz of lib/site/pages, in whose folder it runs.
package main

import (
	"log"
	"os"

	"tally/lib/site/pages/texts"
)

func main() {
	packed, err := texts.Pack(os.DirFS("."))
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("embedded.json.gz", packed, 0o644); err != nil {
		log.Fatal(err)
	}
}
