// The Lambda settle settles the bets of draws. What it does is in lib/pipeline/settle; how it is put
// together and what it reads from its environment is in lib/lambda/settle.
package main

import "tally/lib/lambda/settle"

func main() { settle.Main() }
