// The Lambda archive appends what happened in draws to the public log. What it does is in lib/archive; how it is put
// together and what it reads from its environment is in lib/lambda/archive.
package main

import "tally/lib/lambda/archive"

func main() { archive.Main() }
