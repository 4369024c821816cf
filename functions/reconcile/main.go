// The Lambda reconcile looks for what is overdue, stuck, missing or unequal. What it does is in lib/pipeline/reconcile; how it is put
// together and what it reads from its environment is in lib/lambda/functions.
package main

import "tally/lib/lambda/functions"

func main() { functions.Main(functions.NewReconcile) }
