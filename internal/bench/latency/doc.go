// Command latency measures how long after a result its report can be read, by game and by
// what closed betting:
//
//	go run ./internal/bench/latency
//	go run ./internal/bench/latency -games poker,dice -draws 10
//
// # What is measured
//
// The local stack, as `tally local` starts it, with the template's defaults: its emulator, its
// queues and the functions, in this process. Each draw is played as the sample of its game in
// events says: bookmakers place bets through the API, then betting is closed and the result is
// sent. Betting is closed
//
//   - by plan: its planned time comes a second before the result;
//   - by message: a betting.closed of the studio comes a second before the result;
//   - by result: by nothing else. Settling waits a moment for bets under way.
//
// From the sending of the result on it notes when each step was done, last of all bookmakers
// where there are several:
//
//   - delivered: intake has the message;
//   - stored: the transaction of result, HEAD and STATE was answered;
//   - queued: the message to settle was sent;
//   - taken: settle has it;
//   - begun: settle reads the draw for the settlement, after the wait if there is one;
//   - planned: SWEEP names the state;
//   - settled: every partition is done;
//   - fed: every bookmaker's feed has its entry;
//   - readable: every bookmaker has read its entry from GET /v1/feed, with its key;
//   - read: and the lines of its report;
//   - pushed: the first bookmaker's webhook got it;
//   - logged: the public log has the settlement.
//
// Steps within functions are seen from outside: by their requests to the emulator, through the
// clients that local.Options.Build gets, and by the messages that they are invoked with. A
// bookmaker asks for its feed when the entry was written, and every two milliseconds from then on.
//
// Of games with odds it also measures how soon a new board is seen: from the answer to the
// transaction that stores it until the last request was sent that did not see it, and until a
// bet at its odds was accepted. In one draw of ten a bookmaker sends that bet all the while,
// five milliseconds after each refusal.
//
// A result is sent when that of another draw is readable, pushed and logged; meanwhile bets are
// placed on other draws. All processes are this one: what the emulator and the readers spend is in the figures, and
// no network is. Compare ratios of one run, not times between machines.
package main
