// The Lambda reconcile looks for what is overdue, stuck or missing, or does not match. What it does is in lib/pipeline/reconcile; how it is put
// together and what it reads from its environment is in lib/lambda/reconcile.
package main

import "tally/lib/lambda/reconcile"

func main() { reconcile.Main() }
