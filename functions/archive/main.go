// The Lambda archive appends what happened in draws to the public log. What it does is in lib/archive; how it is put
// together and what it reads from its environment is in lib/lambda/functions.
package main

import "tally/lib/lambda/functions"

func main() { functions.Main(functions.NewArchive) }
