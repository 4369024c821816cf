// The Lambda webhook pushes reports to bookmakers' own addresses. What it does is in lib/pipeline/webhook; how it is put
// together and what it reads from its environment is in lib/lambda/functions.
package main

import "tally/lib/lambda/functions"

func main() { functions.Main(functions.NewWebhook) }
