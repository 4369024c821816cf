// The Lambda intake handles what the studio and operators say of draws. What it does is in lib/pipeline/intake; how it is put
// together and what it reads from its environment is in lib/lambda/intake.
package main

import "tally/lib/lambda/intake"

func main() { intake.Main() }
