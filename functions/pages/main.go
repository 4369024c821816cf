// The Lambda pages keeps the public site up with the public log. What it does is in lib/site/build; how it is put
// together and what it reads from its environment is in lib/lambda/pages.
package main

import "tally/lib/lambda/pages"

func main() { pages.Main() }
