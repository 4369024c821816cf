// The Lambda api answers bookmakers' requests, which API Gateway hands to it. What it does is in lib/bookmaker/api; how it is put
// together and what it reads from its environment is in lib/lambda/api.
package main

import "tally/lib/lambda/api"

func main() { api.Main() }
