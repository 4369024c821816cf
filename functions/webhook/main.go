// The Lambda webhook pushes reports to bookmakers' own addresses. What it does is in lib/pipeline/webhook; how it is put
// together and what it reads from its environment is in lib/lambda/webhook.
package main

import "tally/lib/lambda/webhook"

func main() { webhook.Main() }
