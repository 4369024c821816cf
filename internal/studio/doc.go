// Package studio makes up what a studio and its bookmakers do: draws of all ten
// games on several tables, with odds boards, results and everything that goes
// wrong on some days, and the bets that people make on them.
//
// A [Script] is the whole of it as a list of steps with their times, from a
// seed: the same seed and start give the same script, byte for byte. Nothing
// here sends anything or looks at a clock. A [Ledger] is what the script's author
// knows of its draws: enough to say, without tally's help, which facts hold and
// which bets come back whatever the facts say.
//
// Results follow the games' rules because each is tried on them: cards are dealt
// as they come and whoever must draw, draws. Odds are fair within a margin: a few
// hundred completions of the draw are dealt and counted.
package studio
