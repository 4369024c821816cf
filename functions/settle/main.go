// The Lambda settle settles the bets of draws. What it does is in lib/pipeline/settle; how it is put
// together and what it reads from its environment is in lib/lambda/functions.
package main

import "tally/lib/lambda/functions"

func main() { functions.Main(functions.NewSettle) }
