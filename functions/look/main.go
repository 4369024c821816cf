// The Lambda look looks at the draws that reconcile has found to be due. What it does is in lib/pipeline/reconcile; how it is put
// together and what it reads from its environment is in lib/lambda/look.
package main

import "tally/lib/lambda/look"

func main() { look.Main() }
