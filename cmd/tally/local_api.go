//go:build !auditor

package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"tally/lib/bookmaker/keys"
	"tally/lib/draw/instant"
	"tally/lib/lambda/sqsqueue"
	"tally/lib/local"
	"tally/lib/rulebook/settlement"
	"tally/lib/store"
	"tally/lib/store/record"
)

// localAPI is where the bookmakers' API of `tally local` listens unless told
// otherwise.
const localAPI = "127.0.0.1:8080"

// tryDraw is a draw of roulette that takes bets from the start, for a day.
const (
	tryDraw  = "try-1"
	tryHours = 24
)

// isOpen waits until the draw takes bets.
func isOpen(ctx context.Context, table *store.Table) error {
	for range 200 {
		head, _, err := record.LoadHead(ctx, table, tryDraw)
		if err != nil || head.Opened {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("the draw %s, which was announced, is not open after ten seconds", tryDraw)
}

// tryAPI makes a key and a draw of a local stack and says how to use them.
func tryAPI(ctx context.Context, stack *local.Stack) ([]byte, error) {
	now := time.Now()
	table := store.New(dynamodb.NewFromConfig(local.Config(stack.Endpoint)), stack.Table)
	owner := &keys.Registry{Table: table,
		Now: func() settlement.Instant { return settlement.Instant(now.UnixMilli()) }}
	token, _, err := owner.Create(ctx, keys.KeyParams{Bookmaker: "acme", Scopes: keys.Scopes(), Note: "made by tally local"})
	if err != nil {
		return nil, err
	}
	studio := sqsqueue.New(sqs.NewFromConfig(local.Config(stack.Endpoint)), stack.Resolved.Outputs["StudioMessagesUrl"])
	at := func(later time.Duration) string {
		return strconv.Quote(instant.Format(settlement.Instant(now.Add(later).UnixMilli())))
	}
	message := func(id, kind, rest string) string {
		return fmt.Sprintf(`{"schema":1,"id":%q,"type":%q,"game":"roulette","table":"try","draw":%q,"at":%s,%s}`, id, kind, tryDraw, at(0), rest)
	}
	opened := message("try-opened", "draw.opened", fmt.Sprintf(`"sequence":1,"rounds":[{"round":1,"opens_at":%s,"closes_at":%s}]`, at(0), at(tryHours*time.Hour)))
	if err := studio.Send(ctx, opened, 0); err != nil {
		return nil, err
	}
	if err := isOpen(ctx, table); err != nil {
		return nil, err
	}
	resulted := message("try-resulted", "draw.resulted", `"revision":1,"facts":{"spins":[{"revolutions":6,"pocket":17}]}`)
	return fmt.Appendf(nil, `The key below was made just now; README makes another with tally keys create. Both are
acme's, and each works alone, so that one can be replaced while the other goes on.

As the bookmaker acme, on a draw of roulette that takes bets for %[4]d hours:
  export TALLY_KEY=%[1]s
  curl -X PUT %[2]s/v1/draws/%[3]s/bets/b-1 -H "Authorization: Bearer $TALLY_KEY" \
    -H 'Content-Type: application/json' -d '{"selection":"straight:17","stake":"10.00","currency":"EUR"}'

As the studio, whose wheel stops at 17; a moment later the bet is settled:
  echo '%[5]s' | tally send - --endpoint %[6]s
  curl -H "Authorization: Bearer $TALLY_KEY" %[2]s/v1/draws/%[3]s/bets/b-1
  curl -H "Authorization: Bearer $TALLY_KEY" %[2]s/v1/feed

`, token, stack.API, tryDraw, tryHours, resulted, stack.Endpoint), nil
}
